package metrics

import (
	"fmt"
	"math"
	"slices"

	"modebench/envs"
)

func init() {
	register(Metric{rank: 70, Name: "front_coverage@k", Doc: "expected distinct vectors of the exact Pareto front among k answers, over the most there could be", Detail: "over min(k, vectors of the front); [0, 1]; needs the front",
		Label: "front coverage@k", Axis: AxisShare, Delta: shareDelta, Reads: envs.HasReward, Vectors: true, add: (*Table).addFrontCoverage,
		ceiling: func(_ *Table, g *truth, _ int) (float64, bool) { return 1, len(g.front) > 0 }})
}

// addFrontCoverage adds front_coverage@k.
func (t *Table) addFrontCoverage(a *answers) {
	if len(a.front) == 0 || len(t.opt.K) == 0 {
		return
	}
	s := &t.scratch
	s.frontNumber = a.frontNumbers(s.frontNumber)
	tails := t.tally(a, t.events(a, func(i int) int32 { return s.frontNumber[a.vector[i]] }), len(a.front))
	for i, k := range t.opt.K {
		t.addAt("front_coverage", i, min(1, tails.expected(&t.plan.choices[i])/float64(min(k, len(a.front)))))
	}
}

// checkFront reports the first fault of a front: a vector of another length than the weights, a
// vector that is not finite or too large, or a vector that another vector equals or dominates.
func checkFront(front [][]float64, weights []float64) error {
	for i, r := range front {
		if len(r) != len(weights) {
			return fmt.Errorf("front[%d]: %d entries, want %d (one per weight)", i, len(r), len(weights))
		}
		if err := checkReward(r, weights); err != nil {
			return fmt.Errorf("front[%d]: %w", i, err)
		}
	}
	for i, r := range front {
		for j, other := range front {
			if i != j && envs.Covers(other, r) {
				return fmt.Errorf("front[%d]: equal to front[%d] or dominated by it, want the Pareto front", i, j)
			}
		}
	}
	return nil
}

// reaches is envs.Covers up to a tolerance, relative for components above 1.
func reaches(u, v []float64) bool {
	for j, x := range u {
		if v[j] > x+float64(roundedOtherwise*max(1, math.Abs(x))) {
			return false
		}
	}
	return true
}

// roundedOtherwise is how far apart two rewards may lie that are the same number,
// computed in two ways.
const roundedOtherwise = 1e-9

// checkReached reports a candidate that contradicts the front.
func (a *answers) checkReached() error {
	if len(a.front) == 0 {
		return nil
	}
	for number, r := range a.vectors {
		if !slices.ContainsFunc(a.front, func(u []float64) bool { return reaches(u, r) }) {
			return fmt.Errorf("%s: reward %v, but no vector of front reaches it",
				a.where(slices.Index(a.vector, int32(number))), r)
		}
	}
	return nil
}

// frontNumbers gives the index in the front of each reward vector, or -1, with
// the tolerance of checkReached. The result replaces dst.
func (a *answers) frontNumbers(dst []int32) []int32 {
	dst = dst[:0]
	for _, r := range a.vectors {
		dst = append(dst, int32(slices.IndexFunc(a.front, func(u []float64) bool {
			return reaches(u, r) && reaches(r, u)
		})))
	}
	return dst
}

// frontBest returns the highest w.r on the front, and whether it bounds that of
// every answer: if there is a front and no weight is negative.
func frontBest(front [][]float64, weights []float64) (best float64, bounds bool) {
	best = envs.Truth{Front: front}.Best(weights)
	return best, len(front) > 0 && !slices.ContainsFunc(weights, func(w float64) bool { return w < 0 })
}
