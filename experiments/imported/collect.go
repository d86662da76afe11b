package imported

import (
	"cmp"
	"fmt"
	"slices"

	"modebench/envs/judging"
	"modebench/internal/each"
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
	SkipBad    bool            // leave out records that cannot be read, and note them
	Embeddings bool            // measure the metrics of embeddings
	Reading    judging.Reading // how answers are read; "": strictly
	Notes      func(line string)
}

// A File is a log that was read.
type File struct {
	Name    string `json:"name"` // without its folder
	SHA256  string `json:"sha256"`
	Lines   int    `json:"completions"`
	Skipped int    `json:"skipped,omitempty"` // records that could not be read
	Form    Form   `json:"form"`

	path, label string // label: of lines without one
	filter      string // of the first line, in the form lm-eval
}

type importer struct {
	opt      Options
	files    []*File
	problems *problems
	groups   []*group
	byName   map[[2]string]*group
}

// A group becomes a variant: completions with one label, to problems of one kind.
type group struct {
	name  string
	kind  *problem // any of them
	cells []*cell  // by seed, once all logs are read
}

// A cell is the completions of a group with one seed.
type cell struct {
	seed  int
	pools []*pool // by step, then by the number of the problem, once all logs are read
	byKey map[[2]int]*pool
	files []*File // that they are from
}

// A pool is the completions of one problem at one step, in the order of the logs.
type pool struct {
	step    int
	problem *problem
	texts   []string
}

func (p *pool) answers() int { return len(p.texts) * p.problem.ref.Candidates }

// take adds the completions of a line to their pool.
func (m *importer) take(file *File, l *Line) error {
	q, err := m.problems.find(l)
	if err != nil {
		return err
	}
	key := [2]string{l.Label, q.kind}
	g := m.byName[key]
	if g == nil {
		g = &group{name: l.Label, kind: q}
		m.byName[key], m.groups = g, append(m.groups, g)
	}
	i := slices.IndexFunc(g.cells, func(c *cell) bool { return c.seed == l.Seed })
	if i < 0 {
		i, g.cells = len(g.cells), append(g.cells, &cell{seed: l.Seed, byKey: map[[2]int]*pool{}})
	}
	c := g.cells[i]
	if len(c.files) == 0 || c.files[len(c.files)-1] != file {
		c.files = append(c.files, file)
	}
	place := [2]int{l.Step, q.ref.Index}
	p := c.byKey[place]
	if p == nil {
		p = &pool{step: l.Step, problem: q}
		c.byKey[place], c.pools = p, append(c.pools, p)
	}
	p.texts, file.Lines = append(p.texts, l.Texts...), file.Lines+len(l.Texts)
	return nil
}

func (m *importer) sort() {
	for _, g := range m.groups {
		slices.SortFunc(g.cells, func(a, b *cell) int { return cmp.Compare(a.seed, b.seed) })
		for _, c := range g.cells {
			slices.SortFunc(c.pools, func(a, b *pool) int {
				return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.problem.ref.Index, b.problem.ref.Index))
			})
		}
	}
}

// byStep are the pools of each step. There is one at least.
func (c *cell) byStep() (steps [][]*pool) {
	for i, p := range c.pools {
		if i == 0 || p.step != c.pools[i-1].step {
			steps = append(steps, nil)
		}
		last := len(steps) - 1
		steps[last] = append(steps[last], p)
	}
	return steps
}

// numbers are those of its problems, ascending.
func (c *cell) numbers() []int {
	out := each.Map(c.pools, func(p *pool) int { return p.problem.ref.Index })
	slices.Sort(out)
	return slices.Compact(out)
}

func smaller(a, b *pool) int { return cmp.Compare(a.answers(), b.answers()) }

// cut takes as many completions of each pool as are asked for, and leaves out the pools that
// have fewer.
func (m *importer) cut() error {
	n := m.opt.Samples
	if n == 0 {
		return nil
	}
	all, out := 0, 0
	for _, g := range m.groups {
		for _, c := range g.cells {
			all += len(c.pools)
			c.pools = slices.DeleteFunc(c.pools, func(p *pool) bool { return len(p.texts) < n })
			out -= len(c.pools)
			for _, p := range c.pools {
				p.texts = p.texts[:n]
			}
		}
		g.cells = slices.DeleteFunc(g.cells, func(c *cell) bool { return len(c.pools) == 0 })
	}
	out += all
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
	for _, g := range m.groups {
		for _, c := range g.cells {
			largest = max(largest, slices.MaxFunc(c.pools, smaller).answers())
			if p := slices.MinFunc(c.pools, smaller); smallest == 0 || p.answers() < smallest {
				smallest, where = p.answers(), fmt.Sprintf("%s at step %d of %s, seed %d", p.problem.ref, p.step, g.name, c.seed)
			}
		}
	}
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
		for _, c := range g.cells {
			// Each step has a part of the problems, once each.
			if len(c.pools) != len(c.byStep())*len(c.numbers()) {
				m.opt.Notes(fmt.Sprintf("%s, seed %d: not all steps answer the same problems, so that a curve over steps is of different ones", g.name, c.seed))
			}
		}
	}
	return nil
}
