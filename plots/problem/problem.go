// Package problem draws the problems of environments: what there is to find, and the
// answers given marked in it, one at a time or pools of them beside each other.
//
// problem.go says which environments have a picture. A picture is in the files that begin
// with its environment's name: bandit.go, maze.go with maze_grid.go and others.
package problem

import (
	"fmt"
	"sort"
	"strings"

	"modebench/envs"
	"modebench/plots/draw"
)

// A picture is how the problems of an environment are drawn.
type picture struct {
	figure func(p envs.Problem, answers [][]envs.Token) (*draw.Figure, error)
}

// pictures holds, by the name of the environment, how problems are drawn that have a
// picture of their own kind; problems of all others are drawn if they are
// envs.Pictured. The drawings read a problem's truth, and its own fields (envs.Problem.Fields) as
// a reader of the JSON document would, so that they depend on no environment's
// package.
var pictures = map[string]picture{
	"bandit": {figure: banditFigure},
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
	made, err := figureOf(env, p, answers)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", env, p.ID(), err)
	}
	return made.Told(env+" "+p.ID(), seen(env, p, answers)), nil
}

func figureOf(env string, p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	if old := pictures[env].figure; old != nil {
		return old(p, answers)
	}
	pictured, ok := p.(envs.Pictured)
	if !ok {
		return nil, fmt.Errorf("problems of environment %q cannot be drawn", env)
	}
	s, err := newSection(pictured, []Pool{{Problem: p, Answers: answers}}, 1)
	if err != nil {
		return nil, err
	}
	return page(s.drawing.Title, []*section{s}, ""), nil
}

// seen is what is to be seen in the picture of a problem.
func seen(env string, p envs.Problem, answers [][]envs.Token) string {
	right := 0
	for _, answer := range answers {
		if p.Judge(answer).Correct {
			right++
		}
	}
	const most = 60 // words of the problem
	words := strings.Fields(p.PromptText())
	if len(words) > most {
		words = append(words[:most], "...")
	}
	text := fmt.Sprintf("A drawing of a problem of the environment %s, with what there is to find. The problem: %s", env, strings.Join(words, " "))
	if len(answers) > 0 {
		text += fmt.Sprintf(" Marked in it: %s, %d of them right.", draw.Counted(len(answers), "answer"), right)
	}
	return text
}

// DrawPools draws a picture of the problem for every pool, with the pool's answers drawn
// in. All problems are of the environment of that name.
func DrawPools(env string, s PoolSheet) (*draw.Figure, error) {
	if pictures[env].figure == nil {
		sections, err := sectionsOf(s)
		if err != nil {
			return nil, err
		}
		return page(s.Title, sections, s.Note), nil
	}
	pictures := make([][]*draw.Figure, len(s.Rows))
	for i, row := range s.Rows {
		for _, pool := range row {
			picture, err := Draw(env, pool.Problem, pool.Answers)
			if err != nil {
				return nil, fmt.Errorf("variant %s: %w", pool.Variant, err)
			}
			pictures[i] = append(pictures[i], picture)
		}
	}
	return pictureSheet(s, pictures), nil
}
