package stats

import (
	"cmp"
	"math"
	"slices"
)

const (
	// Alpha is the level of a verdict: the chance, at most, that any of the tests
	// made together calls a difference where its hypothesis holds (after Holm's correction).
	Alpha = 0.05
	// MinSeeds is the fewest seeds, on each side, that a verdict needs: with six pairs the smallest
	// p value that PairedTest can give is 2/2^6 = 0.031, with five it is 0.063.
	MinSeeds = 6
)

// Holm returns the p values ps adjusted for their number by Holm's step-down
// rule (Holm 1979), in the order of ps: with p(1) <= ... <= p(m),
//
//	adjusted(i) = max over j <= i of min(1, (m-j+1) * p(j))
//
// Rejecting where the adjusted value is at most Alpha keeps the chance of one or
// more wrong rejections at Alpha, whatever the dependence of the tests. A NaN stays NaN and
// does not count among the m: it means that no test was made.
func Holm(ps []float64) []float64 {
	order := ascending(ps)
	adjusted := slices.Clone(ps)
	running := 0.0
	for rank, i := range order {
		running = max(running, min(1, float64(len(order)-rank)*ps[i]))
		adjusted[i] = running
	}
	return adjusted
}

// ascending returns the indices of the p values in their order, equal ones in their present
// order, without those of a NaN.
func ascending(ps []float64) []int {
	var order []int
	for i, p := range ps {
		if !math.IsNaN(p) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	return order
}

// SeedsForVerdict returns the fewest seeds (on each side) with which one of that many tests can be
// significant at all: the least n, at least MinSeeds, where the smallest p value that PairedTest
// (2/2^n) or UnpairedTest (2/C(2n,n)) can give, times tests, is at most Alpha. With fewer than one
// test it is that of one.
func SeedsForVerdict(tests int, paired bool) int {
	n := MinSeeds
	for float64(max(tests, 1))*smallestP(n, paired) > Alpha {
		n++
	}
	return n
}

// smallestP returns the smallest p value of n pairs, or of n seeds on each side without ties.
func smallestP(n int, paired bool) float64 {
	p := 2.0
	for i := 1; i <= n; i++ {
		if paired {
			p /= 2
		} else {
			p = float64(p*float64(i)) / float64(n+i)
		}
	}
	return p
}

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
