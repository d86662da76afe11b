package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/params"
	"modebench/plots/problem"
)

// drawnProblem is a drawing of the first problem of an environment that was evaluated.
type drawnProblem struct {
	ID, Title string
	SVG       template.HTML
	Width     string
}

// newProblems draws one problem of every environment, with the settings of the first
// variant on it. Environments that this program does not know, or cannot draw, have
// none.
func newProblems(id string, cells []record.Cell) ([]drawnProblem, error) {
	var out []drawnProblem
	known := map[string]bool{}
	for _, c := range cells {
		if known[c.Env.Name] {
			continue
		}
		known[c.Env.Name] = true
		p, err := problemOf(c, 0)
		if err != nil {
			return nil, fmt.Errorf("environment %s: %w", c.Env.Name, err)
		}
		if p == nil || !problem.CanDraw(p) {
			continue
		}
		drawn, err := problem.Draw(c.Env.Name, p, nil)
		if err != nil {
			return nil, err
		}
		shown := drawnProblem{ID: fmt.Sprintf("%s-problem%d", id, len(out)+1), Title: c.Env.Name + ": " + p.ID()}
		if shown.SVG, shown.Width, err = inline(drawn, shown.ID, shown.ID+"-"); err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	return out, nil
}

// problemOf is a problem of the split that a cell is evaluated on; nil where the program has
// no such environment.
func problemOf(c record.Cell, number int) (envs.Problem, error) {
	d, err := envs.Lookup(c.Env.Name)
	if err != nil {
		return nil, nil // of another program: the page has no picture of it
	}
	config := d.Default()
	for _, name := range slices.Sorted(maps.Keys(c.Env.Params)) {
		if err := params.SetText(config, name, flagText(c.Env.Params[name])); err != nil {
			return nil, err
		}
	}
	env, err := config.Build()
	if err != nil {
		return nil, err
	}
	split := envs.Train
	if name, ok := c.Eval["split"].(string); ok {
		if split, err = envs.ParseSplit(name); err != nil {
			return nil, err
		}
	}
	return env.Problem(split, number)
}

// flagText writes a decoded value as a flag has it: lists with commas between.
func flagText(value any) string {
	if list, ok := value.([]any); ok {
		return strings.Join(each.Map(list, flagText), ",")
	}
	if s, ok := value.(string); ok {
		return s
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
