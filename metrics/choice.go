package metrics

import (
	"encoding/binary"
	"slices"

	"modebench/internal/exact"
)

// A choice describes how k candidates are drawn, and gives the probability that at least one of
// them shows an event. The exchangeable unit is the chain of m candidates: k candidates are q =
// floor(k/m) whole chains and the first r = k mod m candidates of another chain.
//
// From a pool of n chains they are drawn in an ordered choice without
// replacement. Where c chains show the event anywhere, and p of them among
// their first r candidates, all k candidates miss it with probability
//
//	C(n-c, q)/C(n, q) * (n-p-q)/(n-q)
//
// (the second factor for r > 0 only). With one candidate a chain, pass@k is the 1 - C(n-c, k)/C(n,
// k) of Chen et al. 2021 (eq. 1), and best@k the sum over the ascending scores g_i of g_i C(i-1,
// k-1)/C(n, k) (PKPO, arXiv 2505.15201, eq. 14): means over all k-subsets, hence unbiased. From a
// distribution, chains are drawn independently; where a chain shows the event with probability c,
// and with probability p among its first r candidates, all miss it with probability
//
//	(1-c)^q (1-p)
type choice struct {
	q, r int
	part int // index of r in plan.lengths; that of m where r is 0
	n    int // chains of the pool; 0 for a distribution
	// By the number c of chains with the event, for pools only: the probability that one of q
	// chains has it, and that none has, the latter over n-q and for r > 0 only.
	some, none []float64
}

// hit returns the probability of the event, given c and p as above.
func (c *choice) hit(whole, part float64) float64 {
	if c.n == 0 {
		return c.independent(whole, part)
	}
	some := c.some[int(whole)]
	if c.r == 0 {
		return some
	}
	// 1 - none*(n-p-q)/(n-q) without a difference of numbers near 1.
	return min(1, some+float64(c.none[int(whole)]*part))
}

// independent is hit for a distribution. It has full relative accuracy for
// small probabilities. One above 1 (by the tolerance of a total) counts as 1.
func (c *choice) independent(whole, part float64) float64 {
	switch {
	case c.q > 0 && whole >= 1, c.r > 0 && part >= 1:
		return 1
	case c.q == 0:
		return part
	case c.r > 0:
		return -exact.Expm1(float64(float64(c.q)*exact.Log1p(-whole)) + exact.Log1p(-part))
	case c.q == 1:
		return whole
	}
	return -exact.Expm1(float64(float64(c.q) * exact.Log1p(-whole)))
}

// expected returns the expected number of events that k candidates show, given
// whole and part for each event.
func (c *choice) expected(whole, part []float64) float64 {
	sum := 0.0
	for e := range whole {
		sum += c.hit(whole[e], part[e])
	}
	return sum
}

// best returns the expected highest score of k candidates. For each of the
// ascending scores v_1 <= v_2 <= ... it is given whole and part for the event
// "at least v_i". Summation by parts turns the mean of the maximum into
//
//	v_1 + sum over i > 1 of (v_i - v_{i-1}) P(maximum >= v_i)
//
// whose terms are not negative, so that a rare high score is not lost in the
// difference of two probabilities close to 1.
func (c *choice) best(scores, whole, part []float64) float64 {
	sum := scores[0]
	for i := 1; i < len(scores); i++ {
		rise := scores[i] - scores[i-1]
		if rise == 0 {
			continue
		}
		if p := c.hit(whole[i], part[i]); p >= 1 {
			sum = scores[i]
		} else {
			// Only rounding takes the sum above the score.
			sum = min(scores[i], sum+float64(rise*p))
		}
	}
	return sum
}

// tabulate fills the tables some and, where r > 0, none.
func (c *choice) tabulate() {
	c.some = make([]float64, c.n+1)
	// With the chains in any fixed order, the chance that the i-th from the top is the highest of q
	// is C(n-i, q-1)/C(n, q): q/n for the first, and a fixed ratio from one to the next. So no
	// binomial is ever formed, nothing overflows, and for q = 1 the sum i/n is rounded only once.
	weight, sum := 1.0, 0.0
	for i := 1; i <= c.n; i++ {
		if i > c.n-c.q {
			c.some[i] = 1
			continue
		}
		sum += weight
		c.some[i] = min(1, float64(c.q)*sum/float64(c.n))
		weight *= float64(c.n-i+1-c.q) / float64(c.n-i)
	}
	if c.r == 0 {
		return
	}
	c.none = make([]float64, c.n+1)
	c.none[0] = 1 / float64(c.n-c.q)
	for i := 1; i <= c.n-c.q; i++ {
		c.none[i] = c.none[i-1] * (float64(c.n-i+1-c.q) / float64(c.n-i+1))
	}
}

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

// tally returns the tails of the events given by number for each candidate; -1 means no event.
func (t *Table) tally(a *answers, event []int32, events int) tails {
	lengths := t.plan.lengths
	out := tails{events, zeros(t.scratch.tails, len(lengths)*events)}
	t.scratch.tails = out.data
	latest := slices.Grow(t.scratch.latest[:0], events)[:events] // chain that showed it last, from 1
	t.scratch.latest = latest
	clear(latest)
	for i, e := range event {
		chain := int32(i/a.m + 1)
		if e < 0 || latest[e] == chain {
			continue
		}
		latest[e] = chain
		// It counts for all lengths that reach the candidate.
		for l := len(lengths) - 1; l >= 0 && lengths[l] > i%a.m; l-- {
			out.data[l*events+int(e)] += a.mass[chain-1]
		}
	}
	return out
}

// events numbers the candidates' events in scratch memory: number gives the
// event of candidate i, or -1.
func (t *Table) events(a *answers, number func(i int) int32) []int32 {
	event := t.scratch.event[:0]
	for i := range a.all {
		event = append(event, number(i))
	}
	t.scratch.event = event
	return event
}

// climb returns the ascending scores of the reward vectors under some weights,
// and the tails of "at least the i-th score".
func (t *Table) climb(a *answers, scores []float64) ([]float64, tails) {
	s := &t.scratch
	s.ranked, s.ascending = s.ranked[:0], s.ascending[:0]
	for number, score := range scores {
		s.ranked = append(s.ranked, scored{score, int32(number)})
	}
	slices.SortFunc(s.ranked, func(x, y scored) int {
		switch {
		case x.score < y.score:
			return -1
		case x.score > y.score:
			return 1
		}
		return int(x.number - y.number)
	})
	s.rank = slices.Grow(s.rank[:0], len(scores))[:len(scores)]
	for rank, v := range s.ranked {
		s.rank[v.number] = int32(rank)
		s.ascending = append(s.ascending, v.score)
	}
	if a.m == 1 || !a.exact {
		out := tails{len(scores), zeros(s.tails, len(t.plan.lengths)*len(scores))}
		s.tails = out.data
		a.climb(out, t.plan.lengths, s.rank)
		return s.ascending, out
	}
	// Distributions list thousands of chains, and many weights rank what few vectors
	// they have in one of a few ways.
	key := a.key[:0]
	for _, rank := range s.rank {
		key = binary.LittleEndian.AppendUint32(key, uint32(rank))
	}
	a.key = key
	out, known := a.climbed[string(key)]
	if !known {
		out = tails{len(scores), make([]float64, len(t.plan.lengths)*len(scores))}
		a.climb(out, t.plan.lengths, s.rank)
		a.climbed[string(key)] = out
	}
	return s.ascending, out
}

// climb fills out, which is all zeros, with the tails of "at least of the i-th rank".
func (a *answers) climb(out tails, lengths []int, rank []int32) {
	// First, for each length and rank, the mass of the chains whose best rank within that length it
	// is; for single answers that is the mass of the vector. Then the sums from the top.
	if a.m == 1 {
		for number, mass := range a.weight {
			out.data[rank[number]] = mass
		}
	} else {
		for chain, mass := range a.mass {
			highest, i := int32(0), chain*a.m
			for at, length := range lengths {
				for ; i < chain*a.m+length; i++ {
					highest = max(highest, rank[a.vector[i]])
				}
				out.data[at*out.events+int(highest)] += mass
			}
		}
	}
	for at := range lengths {
		row := out.within(at)
		for i := len(row) - 2; i >= 0; i-- {
			row[i] += row[i+1]
		}
	}
}
