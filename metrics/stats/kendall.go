package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/internal/each"
	"modebench/internal/rng"
)

// KendallTau returns Kendall's tau-b (Kendall 1945) of two lists of scores, of which index i
// belongs to the same method, in [-1, 1]: over all pairs of methods,
//
//	tau = sum sign(x_i - x_j)*sign(y_i - y_j) / sqrt(pairs that differ in x * pairs that differ in y)
//
// with a 95% interval by the bootstrap over methods: the 2.5% and 97.5% quantiles of tau over
// 2000 resamples of the methods. So it shows how far tau would vary had other methods of the same
// kind been compared. The noise that seeds leave in the scores is in it as it is, and lowers
// tau. A method that is drawn twice ties with itself, which tau-b leaves out.
//
// N is the number of methods. The value does not depend on their order. Tau is NaN if all scores of
// a list are equal. If more than 1% of the resamples have no tau, the bounds are -1 and 1. It is an
// error if the lists differ in length, have fewer than two scores, or a score that is not finite.
func KendallTau(x, y []float64) (Interval, error) {
	if err := checkScores(x, y); err != nil {
		return Interval{}, err
	}
	signs := newPairSigns(x, y)
	n := len(x)
	counts := slices.Repeat([]int64{1}, n)
	tau := signs.tau(counts)
	if math.IsNaN(tau) {
		return Interval{n, tau, tau, tau}, nil
	}
	var source rand.PCG
	rng.New(uint64(n)).Str("kendall tau").Seed(&source)
	taus, undefined := make([]float64, 0, resamples), 0
	for range resamples {
		clear(counts)
		for range n {
			counts[(source.Uint64()>>32)*uint64(n)>>32]++
		}
		t := signs.tau(counts)
		if math.IsNaN(t) {
			undefined++
			t = tau
		}
		taus = append(taus, t)
	}
	if float64(undefined) > maxConstant*resamples {
		return Interval{n, tau, -1, 1}, nil
	}
	return percentiles(n, tau, n, taus), nil
}

// checkScores returns an error for lists without a tau.
func checkScores(x, y []float64) error {
	switch {
	case len(x) != len(y):
		return fmt.Errorf("tau: %d and %d scores: give both for every method", len(x), len(y))
	case len(x) < 2:
		return fmt.Errorf("tau of %d scores: it takes two or more", len(x))
	case !finite(x...) || !finite(y...):
		return errors.New("tau: a score is not finite")
	}
	return nil
}

// pairSigns are, for each pair i > j of methods, the signs of the differences of x and of y.
type pairSigns struct{ x, y [][]int8 }

func newPairSigns(x, y []float64) pairSigns {
	// By their scores, so that the order in which they came does not matter.
	order := each.Below(len(x))
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])) })
	var s pairSigns
	for a, i := range order {
		ofX, ofY := make([]int8, a), make([]int8, a)
		for b, j := range order[:a] {
			ofX[b], ofY[b] = int8(cmp.Compare(x[i], x[j])), int8(cmp.Compare(y[i], y[j]))
		}
		s.x, s.y = append(s.x, ofX), append(s.y, ofY)
	}
	return s
}

// tau is tau-b where each method occurs so often. All sums are of integers.
func (s pairSigns) tau(counts []int64) float64 {
	var agree, inX, inY int64
	for i, n := range counts {
		if n == 0 {
			continue
		}
		var a, u, v int64
		ofY := s.y[i]
		for j, sx := range s.x[i] {
			sy := ofY[j]
			m := counts[j]
			a += m * int64(sx*sy)
			u += m * int64(sx*sx)
			v += m * int64(sy*sy)
		}
		agree, inX, inY = agree+n*a, inX+n*u, inY+n*v
	}
	if inX == 0 || inY == 0 {
		return math.NaN()
	}
	// The product of the counts may overflow. Rounding may exceed 1.
	return min(1, max(-1, float64(agree)/(math.Sqrt(float64(inX))*math.Sqrt(float64(inY)))))
}

// percentiles is the interval of an estimate between the 2.5% and the 97.5% quantile of its
// resampled values, which it permutes. It holds the estimate.
func percentiles(n int, estimate float64, seeds int, resampled []float64) Interval {
	if seeds < MinValues {
		return Interval{n, estimate, math.Inf(-1), math.Inf(1)}
	}
	low, high, _ := bounds(resampled)
	return Interval{n, estimate, min(low, estimate), max(high, estimate)}
}
