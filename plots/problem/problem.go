package problem

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"modebench/envs"
	"modebench/plots/draw"
)

// A picture is how the problems of an environment are drawn.
type picture struct {
	figure func(p envs.Problem, answers [][]envs.Token) (*draw.Figure, error)
	pools  func(s PoolSheet) (*draw.Figure, error) // nil: a picture for each pool
}

// pictures holds, by the name of the environment, how problems are drawn that have a
// picture of their own kind; problems of all others are drawn if they are
// envs.Pictured. The drawings read a problem's truth, and its own fields (envs.Problem.Fields) as
// a reader of the JSON document would, so that they depend on no environment's
// package.
var pictures = map[string]picture{
	"bandit":         {figure: banditFigure},
	"countdown":      {figure: countdownFigure},
	"maze":           {figure: mazeFigure, pools: mazePools},
	"multiplication": {figure: multiplicationFigure},
	"polynomial":     {figure: polynomialFigure},
}

// CanDraw reports whether a problem of the environment of that name can be drawn.
func CanDraw(env string, p envs.Problem) bool {
	_, known := pictures[env]
	_, pictured := p.(envs.Pictured)
	return known || pictured
}

// Drawable lists the environments whose problems have a picture of their own kind, in
// alphabetical order.
func Drawable() []string {
	names := make([]string, 0, len(pictures))
	for name := range pictures {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Draw draws a problem of the environment of that name, with the answers
// marked in it. Answers that do not parse are counted below the picture. A
// problem that cannot be drawn is an error listing the environments of those that can.
func Draw(env string, p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	figure := pictures[env].figure
	if pictured, ok := p.(envs.Pictured); ok && figure == nil {
		figure = func(_ envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
			return shapesFigure(pictured, answers)
		}
	}
	if figure == nil {
		return nil, fmt.Errorf("problems of environment %q cannot be drawn; those of %s can", env, strings.Join(Drawable(), ", "))
	}
	made, err := figure(p, answers)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", env, p.ID(), err)
	}
	return made, nil
}

// readField decodes one of the problem's own fields into what out points to.
func readField(p envs.Problem, name string, out any) error {
	value, ok := p.Fields()[name]
	if !ok {
		return fmt.Errorf("the problem has no field %q", name)
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		return fmt.Errorf("field %q: %w", name, err)
	}
	return nil
}

// unparsedNote says how many of the answers do not parse; empty for none.
func unparsedNote(n, of int) string {
	switch {
	case n == 0:
		return ""
	case of == 1:
		return "The answer given does not parse."
	case n == 1:
		return fmt.Sprintf("1 of the %d answers given does not parse.", of)
	}
	return fmt.Sprintf("%d of the %d answers given do not parse.", n, of)
}
