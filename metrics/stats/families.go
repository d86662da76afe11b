package stats

import (
	"math"
	"slices"
)

// BenjaminiHochberg returns the p values ps adjusted for their number by the step-up
// rule of Benjamini and Hochberg (1995), in the order of ps: with p(1) <= ... <= p(m),
//
//	adjusted(i) = min over j >= i of min(1, m*p(j)/j)
//
// Rejecting where the adjusted value is at most Alpha keeps the expected share of wrong rejections
// among all at Alpha, if the tests are independent or positively dependent (Benjamini and Yekutieli
// 2001). A NaN stays NaN and does not count among the m: it means that no test was made.
func BenjaminiHochberg(ps []float64) []float64 {
	order := ascending(ps)
	adjusted, m := slices.Clone(ps), float64(len(order))
	running := 1.0
	for rank := len(order); rank >= 1; rank-- {
		i := order[rank-1]
		running = min(running, float64(m*ps[i])/float64(rank))
		adjusted[i] = running
	}
	return adjusted
}

// PartialConjunction returns a p value of the hypothesis that fewer than u of the m effects tested
// are there, by Bonferroni's rule (Benjamini and Heller 2008, eq. 5): with p(1) <= ... <= p(m),
//
//	p = min(1, (m-u+1) * p(u))
//
// It is valid whatever the dependence of the tests. At u = m it is the largest p value, and at u =
// 1 Bonferroni's. A NaN among ps does not count. It is NaN where u is not within 1 to m.
func PartialConjunction(ps []float64, u int) float64 {
	order := ascending(ps)
	m := len(order)
	if u < 1 || u > m {
		return math.NaN()
	}
	return min(1, float64(m-u+1)*ps[order[u-1]])
}
