package metrics

import "modebench/internal/exact"

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
