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
	"modebench/plots/draw"
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

// Pools are the answers of a variant that a figure shows: those that its first seed kept
// of one problem.
type Pools struct {
	Env   record.Component // the environment with its resolved parameters
	Split string           // that the problem is of
	Front [][]float64      // of the kind front: the exact Pareto front of the problem
	At    []record.Pool    // by step; of an answer there is only what the kind draws
}

// A poolKind is a kind of figure that draws answers to one problem.
type poolKind struct {
	keep   func(a *record.PoolAnswer) record.PoolAnswer // what of an answer is drawn
	front  bool                                         // the exact front is drawn
	steps  func(shown []*pooled) []int                  // those shown where the figure names none; nil: the last
	draw   func(fig record.Figure, shown []*pooled) (*draw.Figure, error)
	values func(fig record.Figure, shown []*pooled) (Values, error)
}

// poolKinds holds the kinds of figures that draw answers.
var poolKinds = map[string]poolKind{
	"answers": {draw: answersFigure, values: answersValues, keep: func(a *record.PoolAnswer) record.PoolAnswer {
		return record.PoolAnswer{Mode: a.Mode, Correct: a.Correct, Tokens: a.Tokens}
	}},
	"front": {draw: frontFigure, values: frontValues, front: true, keep: func(a *record.PoolAnswer) record.PoolAnswer {
		return record.PoolAnswer{Reward: a.Reward}
	}},
	"map": {draw: mapFigure, values: mapValues, steps: quarters, keep: func(a *record.PoolAnswer) record.PoolAnswer {
		return record.PoolAnswer{Mode: a.Mode, Correct: a.Correct, Embedding: a.Embedding}
	}},
	"tree": {draw: treeFigure, values: treeValues, keep: func(a *record.PoolAnswer) record.PoolAnswer {
		return record.PoolAnswer{Mode: a.Mode, Correct: a.Correct, Tokens: a.Tokens}
	}},
}

// gatherPools reads the answers that the variants kept of the figure's problem. What has
// no answers, as an exact optimum, has no part in the figure.
func (d *Data) gatherPools(run *record.Run, of poolKind, all []seeded) error {
	var shown []sample
	for _, s := range all {
		if !isCeiling(s.variant) {
			shown = append(shown, s.sample)
		}
	}
	shown, err := panelled(d.Figure.Panel, shown)
	if err != nil {
		return err
	}
	if len(shown) == 0 {
		return errors.New("none of the variants shown has answers")
	}
	pools := make([]*pooled, len(shown))
	for i, s := range shown {
		if pools[i], err = loadPool(run, d.Figure.Problem, s); err != nil {
			return err
		}
		if err := sameProblem(pools[0], pools[i]); err != nil {
			return err
		}
	}
	if len(d.Figure.Steps) == 0 && of.steps != nil {
		d.Figure.Steps = of.steps(pools)
	}
	for _, p := range pools {
		v, err := p.told(d.Figure.Steps, of)
		if err != nil {
			return err
		}
		d.Variants = append(d.Variants, v)
	}
	return nil
}

// told is what a figure of a kind shows of a variant's answers.
func (p *pooled) told(steps []int, of poolKind) (Variant, error) {
	views, err := p.at(steps)
	if err != nil {
		return Variant{}, err
	}
	v := told(p.sample)
	v.Seeds, v.Steps = v.Seeds[:1], nil
	split, _ := p.cell.Eval["split"].(string)
	v.Pools = &Pools{Env: p.cell.Env, Split: split}
	if of.front {
		v.Pools.Front = p.front
	}
	for _, view := range views {
		if slices.Contains(v.Steps, view.pool.Step) { // a figure may name a step twice
			continue
		}
		pool := record.Pool{Step: view.pool.Step, ID: view.pool.ID}
		for i := range view.pool.Answers {
			pool.Answers = append(pool.Answers, of.keep(&view.pool.Answers[i]))
		}
		v.Steps = append(v.Steps, view.pool.Step)
		v.Pools.At = append(v.Pools.At, pool)
	}
	slices.Sort(v.Steps)
	slices.SortFunc(v.Pools.At, func(a, b record.Pool) int { return a.Step - b.Step })
	return v, nil
}

// pooled are the variants of a figure of answers.
func (d *Data) pooled() ([]*pooled, error) {
	shown, _ := shorten(d.samples())
	out := make([]*pooled, len(shown))
	for i, s := range shown {
		from := d.Variants[i].Pools
		p := &pooled{
			sample: s, pools: map[int]*record.Pool{}, steps: s.steps, front: from.Front,
			cell: record.Cell{Env: from.Env, Eval: map[string]any{"split": from.Split}},
		}
		for j := range from.At {
			p.pools[from.At[j].Step] = &from.At[j]
		}
		out[i] = p
		if err := sameProblem(out[0], p); err != nil {
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
		return draw.Sentences(note+".", "Before training.")
	}
	return draw.Sentences(note+".", lastStepNote(shown))
}
