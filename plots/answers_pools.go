package plots

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/params"
)

// A pooled variant is what its first seed kept of one problem's answers.
type pooled struct {
	sample
	cell  record.Cell
	pools map[int]*record.Pool // by step
	steps []int                // that there are pools of, ascending
	front [][]float64
}

// A poolView is one pool that a figure shows.
type poolView struct {
	of   *pooled
	pool *record.Pool
}

// loadPools reads the answers that the variants kept of the figure's problem. What has no
// answers, as an exact optimum, has no part in the figure.
func loadPools(run *record.Run, fig record.Figure, shown []sample) ([]*pooled, error) {
	shown = slices.DeleteFunc(slices.Clone(shown), func(s sample) bool { return isCeiling(s.variant) })
	shown, err := panelled(fig.Panel, shown)
	if err != nil {
		return nil, err
	}
	if len(shown) == 0 {
		return nil, errors.New("none of the variants shown has answers")
	}
	shown, _ = shorten(shown)
	out := make([]*pooled, len(shown))
	for i, s := range shown {
		if out[i], err = loadPool(run, fig.Problem, s); err != nil {
			return nil, err
		}
		if err := sameProblem(out[0], out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sameProblem is an error that says what to filter by where two variants answer different
// problems: those of other environments or splits.
func sameProblem(a, b *pooled) error {
	differ := func(field string, x, y any) error {
		of, err := json.Marshal(x)
		if err != nil {
			return err
		}
		return fmt.Errorf("variants %s and %s answer different problems (%s: %v and %v), and a figure of answers shows one: filter with where = { %q = %s }, or name variants in panel",
			a.variant.Label, b.variant.Label, field, x, y, field, of)
	}
	if x, y := a.cell.Env.Name, b.cell.Env.Name; x != y {
		return differ("env", x, y)
	}
	for _, name := range slices.Sorted(maps.Keys(a.cell.Env.Params)) {
		if x, y := a.cell.Env.Params[name], b.cell.Env.Params[name]; !reflect.DeepEqual(x, y) {
			return differ("env."+name, x, y)
		}
	}
	if x, y := a.cell.Eval["split"], b.cell.Eval["split"]; !reflect.DeepEqual(x, y) {
		return differ("eval.split", x, y)
	}
	if x, y := a.pools[a.last()].ID, b.pools[b.last()].ID; x != y {
		return fmt.Errorf("variants %s and %s answer different problems, %s and %s, and a figure of answers shows one: filter with where, or name variants in panel", a.variant.Label, b.variant.Label, x, y)
	}
	return nil
}

func loadPool(run *record.Run, problem int, s sample) (*pooled, error) {
	p := &pooled{sample: s, pools: map[int]*record.Pool{}}
	ref := s.variant.Cells[0]
	all, err := run.Pools(ref)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Problem != problem || len(all[i].Answers) == 0 {
			continue
		}
		p.pools[all[i].Step] = &all[i]
		p.steps = append(p.steps, all[i].Step)
		if all[i].Front != nil {
			p.front = all[i].Front
		}
	}
	if len(p.steps) == 0 {
		return nil, fmt.Errorf("variant %s kept no answers to problem %d; keep in [eval] says of how many problems, from 0, answers are kept", s.variant.Label, problem)
	}
	p.cell, err = run.Cell(ref)
	return p, err
}

// last is the last step that there is a pool of.
func (p *pooled) last() int { return p.steps[len(p.steps)-1] }

// at are the pools of the steps asked for, or of the last; of what does not train there
// is one alone.
func (p *pooled) at(steps []int) ([]poolView, error) {
	if len(steps) == 0 || !p.variant.Trains {
		steps = []int{p.last()}
	}
	out := make([]poolView, len(steps))
	for i, step := range steps {
		pool := p.pools[step]
		if pool == nil {
			return nil, fmt.Errorf("variant %s kept no answers at step %d; it did at %v", p.variant.Label, step, p.steps)
		}
		out[i] = poolView{of: p, pool: pool}
	}
	return out, nil
}

// viewRows arranges the pools that a figure shows: a row for every variant where
// several steps are shown, else as many beside each other as columns.
func viewRows(shown []*pooled, steps []int, columns int) ([][]poolView, error) {
	var rows [][]poolView
	var flow []poolView
	for _, p := range shown {
		views, err := p.at(steps)
		if err != nil {
			return nil, err
		}
		rows, flow = append(rows, views), append(flow, views...)
	}
	if len(steps) > 1 {
		return rows, nil
	}
	return slices.Collect(slices.Chunk(flow, columns)), nil
}

// spread is how many of at most most columns n panels are spread over, evenly.
func spreadOver(n, most int) int {
	lines := (n + most - 1) / most
	return (n + lines - 1) / lines
}

// head is what stands over a panel: the variant, and the step where it is not plain.
func (v poolView) head(steps []int) string {
	if len(steps) < 2 || !v.of.variant.Trains {
		return v.of.label
	}
	return fmt.Sprintf("%s, step %d", v.of.label, v.pool.Step)
}

// env builds the environment of the variant anew from its cell.
func (p *pooled) env() (envs.Env, error) {
	def, err := envs.Lookup(p.cell.Env.Name)
	if err != nil {
		return nil, err
	}
	config := def.Default()
	names := make([]string, 0, len(p.cell.Env.Params))
	for name := range p.cell.Env.Params {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := params.Set(config, name, wholeNumbers(p.cell.Env.Params[name])); err != nil {
			return nil, fmt.Errorf("environment %s of variant %s: %w", p.cell.Env.Name, p.variant.Label, err)
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

// poolNote says which pools a figure shows. The step stands over the panels where there
// are several, else here.
func poolNote(fig record.Figure, views []poolView) string {
	first := views[0]
	note := fmt.Sprintf("Problem %s, seed %d", first.pool.ID, first.of.variant.Cells[0].Seed)
	low, high := len(first.pool.Answers), len(first.pool.Answers)
	var shown []sample
	trained := false
	for _, v := range views {
		n := len(v.pool.Answers)
		low, high = min(low, n), max(high, n)
		trained = trained || v.pool.Step > 0
		s := v.of.sample
		s.steps = []int{v.pool.Step}
		shown = append(shown, s)
	}
	if low == high {
		note += fmt.Sprintf(", %d answers a panel", high)
	}
	switch {
	case len(fig.Steps) > 1:
		return note + "."
	case !trained:
		return sentences(note+".", "Before training.")
	}
	return sentences(note+".", lastStepNote(shown))
}
