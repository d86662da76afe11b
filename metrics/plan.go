package metrics

import "slices"

// A plan is how candidates are drawn from n chains of m candidates: it is the
// same for all problems of one size.
type plan struct {
	n, m int // n is 0 for distributions
	// lengths lists, ascending, the numbers of first candidates of a chain that
	// choices look at. The last is m.
	lengths []int
	choices []choice // for each of Options.K
	samples choice   // for Options.Samples; distributions only
}

// prepare returns the plan for n chains (0: a distribution) of m candidates.
func (p *plan) prepare(o *Options, n, m int) {
	if p.lengths != nil && p.n == n && p.m == m {
		return
	}
	*p = plan{n: n, m: m, lengths: []int{m}, choices: p.choices[:0]}
	sizes := o.K
	if n == 0 {
		sizes = append(slices.Clone(sizes), o.Samples)
	}
	for _, k := range sizes {
		if r := k % m; r > 0 && !slices.Contains(p.lengths, r) {
			p.lengths = append(p.lengths, r)
		}
	}
	slices.Sort(p.lengths)
	for _, k := range o.K {
		p.choices = append(p.choices, p.choice(k))
	}
	if n == 0 {
		p.samples = p.choice(o.Samples)
	}
}

func (p *plan) choice(k int) choice {
	c := choice{q: k / p.m, r: k % p.m, n: p.n, part: len(p.lengths) - 1}
	if c.r > 0 {
		c.part = slices.Index(p.lengths, c.r)
	}
	if p.n > 0 {
		c.tabulate()
	}
	return c
}

// tails holds, for each of plan.lengths and each event, the mass of the chains
// that show the event among as many first candidates.
type tails struct {
	events int
	data   []float64
}

// within returns the masses of all events within plan.lengths[i].
func (t tails) within(i int) []float64 { return t.data[i*t.events : (i+1)*t.events] }

// whole returns the masses within whole chains.
func (t tails) whole() []float64 { return t.data[len(t.data)-t.events:] }

// expected returns the expected number of events that the candidates of a choice show.
func (t tails) expected(c *choice) float64 { return c.expected(t.whole(), t.within(c.part)) }

// best returns the expected highest score, where event i is to score at least scores[i].
func (t tails) best(c *choice, scores []float64) float64 {
	return c.best(scores, t.whole(), t.within(c.part))
}

// scratch is memory that a table uses again from problem to problem. Each slice
// belongs to one function of the table.
type scratch struct {
	event, latest, rank []int32
	tails               []float64
	ranked              []scored
	ascending, scores   []float64
	sums                []float64
	frontNumber         []int32
	masses              [4][]float64
	above               []float64
	ballot              ballot
	tally               tally
	elections           []election // by number of k
}

// A scored is a reward vector by number, with its score.
type scored struct {
	score  float64
	number int32
}
