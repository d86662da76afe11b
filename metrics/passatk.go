package metrics

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// PassAtK estimates the probability that at least one of k independent answers
// is correct, from n >= 1 answers of which c are correct:
//
//	1 - C(n-c, k)/C(n, k)
//
// (Chen et al. 2021, eq. 1). It is the share of the k-subsets that hold a
// correct answer, and the unbiased estimator of 1-(1-p)^k. The result lies in
// [0, 1] and has a relative error of about n*2^-53 at most. It takes O(n) time.
//
// k outside 1..n is an error: no function of n answers is unbiased for a
// larger k. So is c outside 0..n.
func PassAtK(n, c, k int) (float64, error) {
	if err := checkSize(n, k); err != nil {
		return 0, err
	}
	if c < 0 || c > n {
		return 0, fmt.Errorf("%d correct answers of %d", c, n)
	}
	return singles(n, k).some[c], nil
}

// singles is the choice of k answers out of n rollouts with one answer each.
func singles(n, k int) choice {
	c := choice{q: k, n: n}
	c.tabulate()
	return c
}

// BestAtK estimates the expected highest score among k independent answers
// from n >= 1 scores in any order. With the scores sorted ascending it is
//
//	sum over i = k..n of g_i C(i-1, k-1)/C(n, k)
//
// (PKPO, arXiv 2505.15201, eq. 14): the mean of the maximum over all
// k-subsets, hence unbiased. The result has the unit of the scores and lies
// between the k-th smallest and the largest of them; it does not depend on
// their order. It takes O(n log n) time and leaves scores as they are.
//
// k outside 1..n, and a score that is NaN or beyond 1e300, are errors.
func BestAtK(scores []float64, k int) (float64, error) {
	best, err := BestAtKs(scores, []int{k})
	if err != nil {
		return 0, err
	}
	return best[0], nil
}

// BestAtKs returns BestAtK for each of ks, in their order, and sorts the scores
// only once. It takes O(n (log n + len(ks))) time.
func BestAtKs(scores []float64, ks []int) ([]float64, error) {
	for _, k := range ks {
		if err := checkSize(len(scores), k); err != nil {
			return nil, err
		}
	}
	for i, s := range scores {
		if err := checkScore(s); err != nil {
			return nil, fmt.Errorf("score %d: %w", i, err)
		}
	}
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	least := make([]float64, len(sorted)) // answers that score at least as much
	for i := range least {
		least[i] = float64(len(sorted) - i)
	}
	best := make([]float64, len(ks))
	held := choices.Get().(*[]choice)
	defer choices.Put(held)
	for i, k := range ks {
		best[i] = singlesAt(held, i, len(sorted), k).best(sorted, least, least)
	}
	return best, nil
}

// choices keeps the tables of choices from call to call: the next pool is likely to
// be of the same size, and making them takes as long as using them.
var choices = sync.Pool{New: func() any { return new([]choice) }}

// singlesAt is singles, kept as the i-th of some choices.
func singlesAt(held *[]choice, i, n, k int) *choice {
	for len(*held) <= i {
		*held = append(*held, choice{})
	}
	c := &(*held)[i]
	if c.n != n || c.q != k {
		*c = singles(n, k)
	}
	return c
}

// CoverageAtK estimates the share of the existing correct modes that k
// independent answers find:
//
//	sum over m of [1 - C(n-c_m, k)/C(n, k)] / min(k, existing)
//
// where counts holds c_m, the correct answers of mode m among n. The numerator
// is the mean number of distinct correct modes over the k-subsets, hence
// unbiased; the denominator is the most that k answers can find. The result
// lies in [0, 1]. The order of counts matters to the last bits only.
//
// Errors: k outside 1..n, a negative count, counts that add up to more than n,
// more positive counts than existing modes, existing < 1.
func CoverageAtK(counts []int, n, k, existing int) (float64, error) {
	if err := checkSize(n, k); err != nil {
		return 0, err
	}
	if existing < 1 {
		return 0, fmt.Errorf("%d existing modes, want at least 1", existing)
	}
	total, found := 0, 0
	for m, c := range counts {
		if c < 0 || c > n-total {
			return 0, fmt.Errorf("count %d is %d, want 0..%d (%d answers in all)", m, c, n-total, n)
		}
		total += c
		if c > 0 {
			found++
		}
	}
	if found > existing {
		return 0, fmt.Errorf("%d correct modes among the answers, but only %d exist", found, existing)
	}
	sum, choice := 0.0, singles(n, k)
	for _, c := range counts {
		sum += choice.some[c]
	}
	return min(1, sum/float64(min(k, existing))), nil
}

var errNoAnswers = errors.New("no answers")

// checkSize reports a k that k-subsets of n answers cannot have.
func checkSize(n, k int) error {
	switch {
	case n < 1:
		return errNoAnswers
	case k < 1:
		return fmt.Errorf("k is %d, want at least 1", k)
	case k > n:
		return fmt.Errorf("k is %d, but there are %d answers; no estimator is unbiased for k > n", k, n)
	}
	return nil
}
