package board

import (
	"cmp"
	"math"
	"slices"

	"modebench/internal/each"
	"modebench/metrics"
)

// A Point is one evaluation of a policy under training.
type Point struct {
	Drawn     float64 // tokens drawn in training so far
	Accuracy  float64 // of the way from the base policy (0) to the exact optimum (1)
	Diversity float64 // share of all that there is to find, in [0, 1]
	Solved    float64 // by solvedAt answers, as Task.Solved
	Entropy   float64 // over modes, nats; NaN if the task has no modes
}

// A Trace is the evaluations of a run, in order. The first is of the base policy.
type Trace []Point

func (t Trace) last() Point { return t[len(t)-1] }

// Area is the area under the frontier of accuracy and diversity,
//
//	integral over a from 0 to 1 of max{ diversity_t : accuracy_t >= a },
//
// which is 0 for the base policy and 1 for the exact optimum. A run has the diversity of an
// evaluation for every accuracy up to the evaluation's. Accuracies that it never reaches add
// nothing.
func (t Trace) Area() float64 {
	points := slices.Clone(t)
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(b.Accuracy, a.Accuracy) })
	area, best := 0.0, 0.0
	for i, p := range points {
		best = max(best, p.Diversity)
		to := 0.0
		if i+1 < len(points) {
			to = share(points[i+1].Accuracy)
		}
		area += float64(best * (share(p.Accuracy) - to))
	}
	return area
}

func share(x float64) float64 { return min(max(x, 0), 1) }

// along is the accuracy and a number of each evaluation.
func (t Trace) along(number func(Point) float64) metrics.Path {
	return each.Map(t, func(p Point) metrics.PathPoint { return metrics.PathPoint{Way: p.Accuracy, Value: number(p)} })
}

// AtAccuracy is a number of a run when it first reaches an accuracy, on the straight line between two
// evaluations; NaN if it never reaches it.
func (t Trace) AtAccuracy(accuracy float64, number func(Point) float64) float64 {
	return t.along(number).ValueAt(accuracy)
}

// The numbers of an evaluation in which runs are compared at equal accuracy.
func diversity(p Point) float64 { return p.Diversity }
func solved(p Point) float64    { return p.Solved }

// leastShared is the least part of the way that two runs share if they are compared at equal accuracy.
const leastShared = .1

// Above is how far a number lies above that of another run at equal accuracy,
//
//	1/a* integral over a from 0 to a* of (number_t(a) - number_o(a)), a* = min(max accuracy_t, max accuracy_o, 1),
//
// where number(a) is AtAccuracy. The integral is a mean over the middles of 50 equal parts. It is NaN if a*
// is less than a tenth of the way from the base policy to the optimum.
func (t Trace) Above(o Trace, number func(Point) float64) float64 {
	sum, n := 0.0, 0
	for mine, other := range t.along(number).AtEqual(o.along(number), 0, 1, leastShared) {
		sum, n = sum+(mine-other), n+1
	}
	return sum / float64(n) // NaN if they share less
}

// halfway is the accuracy when half of a budget was drawn, on the straight line between two evaluations. A
// run that ends before has its last accuracy.
func (t Trace) halfway(budget float64) float64 {
	drawn := metrics.Path(each.Map(t, func(p Point) metrics.PathPoint { return metrics.PathPoint{Way: p.Drawn, Value: p.Accuracy} }))
	if half := drawn.ValueAt(budget / 2); !math.IsNaN(half) {
		return half
	}
	return t.last().Accuracy
}

// TokensTo is the number of tokens drawn before a run had made a part of its own way, from its
// accuracy before training to that at the end; NaN if it did not improve.
func (t Trace) TokensTo(part float64) float64 {
	first, last := t[0].Accuracy, t[len(t)-1].Accuracy
	if !(last > first) {
		return math.NaN()
	}
	return t.AtAccuracy(metrics.Between(first, last, part), func(p Point) float64 { return p.Drawn })
}

// Collapse is the number of tokens drawn before the entropy over modes collapsed
// (metrics.CollapseStep); NaN if it did not collapse, or the task has no modes.
func (t Trace) Collapse() float64 {
	var drawn []int
	var entropies []float64
	for _, p := range t {
		drawn, entropies = append(drawn, int(p.Drawn)), append(entropies, p.Entropy)
	}
	if tokens, collapsed := metrics.CollapseStep(drawn, entropies); collapsed {
		return float64(tokens)
	}
	return math.NaN()
}

// collapsed is 1 if the entropy over modes collapsed and 0 if not; NaN if the task has no modes.
func (t Trace) collapsed() float64 {
	if math.IsNaN(t[0].Entropy) {
		return math.NaN()
	}
	return float64(b2i(!math.IsNaN(t.Collapse())))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
