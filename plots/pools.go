package plots

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/params"
	"modebench/plots/numbers"
)

// A poolKind is a kind of figure that draws answers to one problem.
type poolKind struct {
	keep  func(a *record.PoolAnswer) numbers.Answer // the parts of an answer that are drawn
	front bool                                      // the exact front is drawn
	steps func(shown []numbers.Variant) []int       // those shown where the figure names none; nil: the last
}

// gather reads the recorded answers of the variants to the figure's problem. A variant
// without answers, such as an exact optimum, is left out.
func (k poolKind) gather(run *record.Run, d *Data) error {
	all, err := d.load(run)
	if err != nil {
		return err
	}
	var shown []numbers.Variant
	cells := map[string]record.Ref{} // the first of each variant
	for _, e := range all {
		if !e.Ceiling() {
			shown = append(shown, e.Variant)
			cells[e.Label] = e.Cells[0]
		}
	}
	if shown, err = numbers.Picked(d.Figure.Panel, shown); err != nil {
		return err
	}
	if len(shown) == 0 {
		return errors.New("none of the variants shown has answers")
	}
	for i := range shown {
		if err := k.load(run, d.Figure.Problem, cells[shown[i].Label], &shown[i]); err != nil {
			return err
		}
		if err := sameProblem(shown[0], shown[i]); err != nil {
			return err
		}
	}
	if len(d.Figure.Steps) == 0 && k.steps != nil {
		d.Figure.Steps = k.steps(shown)
	}
	for _, v := range shown {
		if err := pick(&v, d.Figure.Steps); err != nil {
			return err
		}
		d.Variants = append(d.Variants, v)
	}
	return nil
}

// load reads the answers of a variant's first seed at all steps.
func (k poolKind) load(run *record.Run, problem int, ref record.Ref, v *numbers.Variant) error {
	all, err := run.Pools(ref)
	if err != nil {
		return err
	}
	v.Seeds, v.Draws, v.Steps, v.Pools = v.Seeds[:1], nil, nil, new(numbers.Pools)
	for i := range all {
		if all[i].Problem != problem || len(all[i].Answers) == 0 {
			continue
		}
		pool := numbers.NewPool(&all[i], k.keep)
		v.Steps, v.Pools.At = append(v.Steps, pool.Step), append(v.Pools.At, pool)
		if k.front && all[i].Front != nil {
			v.Pools.Front = all[i].Front
		}
	}
	if len(v.Steps) == 0 {
		return fmt.Errorf("variant %s kept no answers to problem %d; keep in [eval] says of how many problems, from 0, answers are kept", v.Label, problem)
	}
	cell, err := run.Cell(ref)
	v.Pools.Env = cell.Env
	v.Pools.Split, _ = cell.Eval["split"].(string)
	return err
}

// modeAndTokens are the parts of an answer for kinds that show which answers are alike.
func modeAndTokens(a *record.PoolAnswer) numbers.Answer {
	return numbers.Answer{Mode: a.Mode, Correct: a.Correct, Tokens: a.Tokens}
}

// pick reduces a variant to the pools of the steps asked for, in the order of the steps.
func pick(v *numbers.Variant, steps []int) error {
	views, err := viewsOf(v, steps)
	if err != nil {
		return err
	}
	pools := *v.Pools // a copy: the data read do not change
	pools.At, v.Steps = nil, nil
	for _, view := range views {
		if !slices.Contains(v.Steps, view.pool.Step) { // a figure may name a step twice
			v.Steps, pools.At = append(v.Steps, view.pool.Step), append(pools.At, *view.pool)
		}
	}
	slices.Sort(v.Steps)
	slices.SortFunc(pools.At, func(a, b numbers.Pool) int { return a.Step - b.Step })
	v.Pools = &pools
	return nil
}

// sameProblem is an error where two variants answer different problems, of other environments
// or splits, with the filter to use.
func sameProblem(a, b numbers.Variant) error {
	differ := func(field string, x, y any) error {
		value, err := json.Marshal(x)
		if err != nil {
			return err
		}
		return fmt.Errorf("variants %s and %s answer different problems (%s: %v and %v), and a figure of answers shows one: filter with where = { %q = %s }, or name variants in panel",
			a.Label, b.Label, field, x, y, field, value)
	}
	if x, y := a.Pools.Env.Name, b.Pools.Env.Name; x != y {
		return differ("env", x, y)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Pools.Env.Params)) {
		if x, y := a.Pools.Env.Params[name], b.Pools.Env.Params[name]; !reflect.DeepEqual(x, y) {
			return differ("env."+name, x, y)
		}
	}
	if x, y := a.Pools.Split, b.Pools.Split; x != y {
		return differ("eval.split", x, y)
	}
	if x, y := a.Pools.OfStep(a.Last()).ID, b.Pools.OfStep(b.Last()).ID; x != y {
		return fmt.Errorf("variants %s and %s answer different problems, %s and %s, and a figure of answers shows one: filter with where, or name variants in panel", a.Label, b.Label, x, y)
	}
	return nil
}

func envOf(v *numbers.Variant) (envs.Env, error) {
	named := v.Pools.Env
	def, err := envs.Lookup(named.Name)
	if err != nil {
		return nil, err
	}
	config := def.Default()
	for _, name := range slices.Sorted(maps.Keys(named.Params)) {
		if err := params.Set(config, name, wholeNumbers(named.Params[name])); err != nil {
			return nil, fmt.Errorf("environment %s of variant %s: %w", named.Name, v.Label, err)
		}
	}
	return config.Build()
}

// wholeNumbers turns the whole numbers of JSON into what parameters are set from.
func wholeNumbers(value any) any {
	switch x := value.(type) {
	case float64:
		if n := int64(x); float64(n) == x {
			return n
		}
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = wholeNumbers(e)
		}
		return out
	}
	return value
}
