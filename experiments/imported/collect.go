package imported

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"modebench/envs/judging"
	"modebench/internal/input"
	"modebench/internal/plural"
)

// Options are the sources of an import and the records to make.
type Options struct {
	Out, Name  string // the manifest goes to the folder Name below Out
	Form       Form   // "": Auto
	Fields     Fields // in place of those of the form
	As         string // the label of lines without one; "": by their file
	Prompts    *Prompts
	K          []int           // ascending; nil: the powers of two up to the smallest pool
	Samples    int             // completions that are taken of each problem at each step, the first ones; 0: all
	Keep       int             // problems, the first ones, whose answers are recorded
	Embeddings bool            // measure the metrics of embeddings
	Reading    judging.Reading // how answers are read; "": strictly
	Notes      func(line string)
}

type importer struct {
	opt      Options
	logs     logs
	problems *problems
	groups   []*group
	byName   map[[2]string]*group
}

// A group becomes a variant: completions with one label, to problems of one kind.
type group struct {
	name  string
	kind  *problem // any of them
	cells map[int]*cell
}

// A cell is the completions of a group with one seed.
type cell struct {
	seed  int
	steps map[int]map[int]*pool // by step, then by the number of the problem
	files []*File               // that they are from
}

// A pool is the completions of one problem at one step, in the order of the logs.
type pool struct {
	problem *problem
	texts   []string
}

func (p *pool) answers() int { return len(p.texts) * p.problem.ref.Candidates }

// take adds a line to its pool.
func (m *importer) take(file *File, _ int, l *Line) error {
	q, err := m.problems.find(l)
	if err != nil {
		return err
	}
	key := [2]string{l.Label, q.kind}
	g := m.byName[key]
	if g == nil {
		g = &group{name: l.Label, kind: q, cells: map[int]*cell{}}
		m.byName[key], m.groups = g, append(m.groups, g)
	}
	c := g.cells[l.Seed]
	if c == nil {
		c = &cell{seed: l.Seed, steps: map[int]map[int]*pool{}}
		g.cells[l.Seed] = c
	}
	if len(c.files) == 0 || c.files[len(c.files)-1] != file {
		c.files = append(c.files, file)
	}
	if c.steps[l.Step] == nil {
		c.steps[l.Step] = map[int]*pool{}
	}
	p := c.steps[l.Step][q.ref.Index]
	if p == nil {
		p = &pool{problem: q}
		c.steps[l.Step][q.ref.Index] = p
	}
	p.texts = append(p.texts, l.Text)
	return nil
}

func (m *importer) eachPool(do func(g *group, c *cell, step int, p *pool)) {
	for _, g := range m.groups {
		for _, seed := range slices.Sorted(maps.Keys(g.cells)) {
			c := g.cells[seed]
			for _, step := range slices.Sorted(maps.Keys(c.steps)) {
				for _, number := range slices.Sorted(maps.Keys(c.steps[step])) {
					do(g, c, step, c.steps[step][number])
				}
			}
		}
	}
}

// cut takes as many completions of each pool as are asked for, and leaves out the pools that
// have fewer.
func (m *importer) cut() error {
	n := m.opt.Samples
	if n == 0 {
		return nil
	}
	all, out := 0, 0
	m.eachPool(func(_ *group, c *cell, step int, p *pool) {
		all++
		if len(p.texts) >= n {
			p.texts = p.texts[:n]
			return
		}
		out++
		delete(c.steps[step], p.problem.ref.Index)
	})
	for _, g := range m.groups {
		for _, c := range g.cells {
			maps.DeleteFunc(c.steps, func(_ int, pools map[int]*pool) bool { return len(pools) == 0 })
		}
		maps.DeleteFunc(g.cells, func(_ int, c *cell) bool { return len(c.steps) == 0 })
	}
	m.groups = slices.DeleteFunc(m.groups, func(g *group) bool { return len(g.cells) == 0 })
	if len(m.groups) == 0 {
		return input.Errorf("no problem has %s at any step: want fewer samples", plural.Count(n, "completion"))
	}
	if out > 0 {
		m.opt.Notes(fmt.Sprintf("left out: %d of %s (a problem at a step), which hold fewer than %s", out, plural.Count(all, "pool"), plural.Count(n, "completion")))
	}
	return nil
}

// chooseK chooses the k of metrics, or checks those asked for: no estimator is unbiased for
// more answers than the smallest pool has. It notes what in the logs is not even.
func (m *importer) chooseK() error {
	smallest, largest, where := 0, 0, ""
	m.eachPool(func(g *group, c *cell, step int, p *pool) {
		largest = max(largest, p.answers())
		if n := p.answers(); smallest == 0 || n < smallest {
			smallest, where = n, fmt.Sprintf("%s at step %d of %s, seed %d", p.problem.ref, step, g.name, c.seed)
		}
	})
	for _, k := range m.opt.K {
		if k > smallest {
			return input.Errorf("k = %d, but the smallest pool has %s: %s; no estimator is unbiased for more (with --samples N problems that have fewer than N are left out)", k, plural.Count(smallest, "answer"), where)
		}
	}
	if m.opt.K == nil {
		for k := 1; k <= smallest; k *= 2 {
			m.opt.K = append(m.opt.K, k)
		}
	}
	if smallest != largest {
		m.opt.Notes(fmt.Sprintf("pools hold %d to %d answers: counts such as distinct_correct grow with the pool, and entropy_mode is biased less in larger ones; --samples %d makes them equal", smallest, largest, smallest))
	}
	for _, g := range m.groups {
		for _, seed := range slices.Sorted(maps.Keys(g.cells)) {
			if c := g.cells[seed]; !c.even() {
				m.opt.Notes(fmt.Sprintf("%s, seed %d: not all steps answer the same problems, so that a curve over steps is of different ones", g.name, seed))
			}
		}
	}
	return nil
}

// even reports whether all steps answer the same problems.
func (c *cell) even() bool {
	var first []int
	for _, pools := range c.steps {
		numbers := slices.Sorted(maps.Keys(pools))
		if first == nil {
			first = numbers
		}
		if !slices.Equal(first, numbers) {
			return false
		}
	}
	return true
}

// inOrder sorts the pools of a step by the numbers of their problems.
func inOrder(pools map[int]*pool) []*pool {
	return slices.SortedFunc(maps.Values(pools), func(a, b *pool) int { return cmp.Compare(a.problem.ref.Index, b.problem.ref.Index) })
}
