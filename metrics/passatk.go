package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// PassAtK estimates the probability that at least one of k independent answers
// is correct, from n >= 1 answers of which c are correct:
//
//	1 - C(n-c, k)/C(n, k)
//
// (Chen et al. 2021, eq. 1). It is the share of the k-subsets that hold a
// correct answer, and the unbiased estimator of 1-(1-p)^k. The result lies in
// [0, 1] and has an absolute error of about min(c, k)*2^-53.
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
	return 1 - missing(n, c, k), nil
}

// missing returns C(n-c, k)/C(n, k): the share of the k-subsets of n answers
// that hold none of c given ones.
func missing(n, c, k int) float64 {
	if k > n-c {
		return 0
	}
	// The ratio is symmetric in c and k. As a product of min(c, k) factors
	// neither binomial is ever formed, so nothing overflows.
	few, many := min(c, k), max(c, k)
	share := 1.0
	for i := n - few + 1; i <= n; i++ {
		share *= float64(i-many) / float64(i)
	}
	return share
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
	best := make([]float64, len(ks))
	for i, k := range ks {
		best[i] = bestOfSorted(sorted, k)
	}
	return best, nil
}

// bestOfSorted is BestAtK for ascending scores and a valid k.
func bestOfSorted(sorted []float64, k int) float64 {
	n := len(sorted)
	// The weights C(i-1, k-1)/C(n, k) from the top down, relative to the first,
	// which is k/n; so the mean (k = 1) of zeros and ones is rounded only once.
	weight, sum := 1.0, 0.0
	for i := n; ; i-- {
		sum += float64(weight * sorted[i-1])
		if i == k {
			break
		}
		weight *= float64(i-k) / float64(i-1)
	}
	// What lies beyond the possible maxima is rounding alone.
	return min(max(float64(k)*sum/float64(n), sorted[k-1]), sorted[n-1])
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
	return coverageOf(counts, n, k, existing), nil
}

// coverageOf is CoverageAtK for valid arguments.
func coverageOf(counts []int, n, k, existing int) float64 {
	sum := 0.0
	for _, c := range counts {
		sum += 1 - missing(n, c, k)
	}
	return min(1, sum/float64(min(k, existing)))
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

// maxScore bounds the magnitude of scores. Far beyond any reward in use, it
// keeps sums and differences of scores from overflowing.
const maxScore = 1e300

// checkScore reports a score that cannot be averaged.
func checkScore(s float64) error {
	if !(math.Abs(s) <= maxScore) {
		return fmt.Errorf("got %v, want a number within %v of 0", s, maxScore)
	}
	return nil
}
