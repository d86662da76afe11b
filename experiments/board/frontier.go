package board

import (
	"cmp"
	"math"
	"slices"

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

// AtAccuracy is a number of a run when it first reaches an accuracy, on the straight line between two
// evaluations; NaN if it never reaches it.
func (t Trace) AtAccuracy(accuracy float64, number func(Point) float64) float64 {
	i, part := t.crossing(accuracy)
	switch {
	case i < 0:
		return math.NaN()
	case i == 0:
		return number(t[0])
	}
	return between(number(t[i-1]), number(t[i]), part)
}

// The numbers of an evaluation in which runs are compared at equal accuracy.
func diversity(p Point) float64 { return p.Diversity }
func solved(p Point) float64    { return p.Solved }

const (
	leastShared = .1 // of the way: runs that share less are not compared at equal accuracy
	accuracies  = 50 // at which they are compared
)

// Above is how far a number lies above that of another run at equal accuracy,
//
//	1/a* integral over a from 0 to a* of (number_t(a) - number_o(a)), a* = min(max accuracy_t, max accuracy_o, 1),
//
// where number(a) is AtAccuracy. The integral is a mean over the middles of 50 equal parts. It is NaN if a*
// is less than a tenth of the way from the base policy to the optimum.
func (t Trace) Above(o Trace, number func(Point) float64) float64 {
	end := min(t.highest(), o.highest(), 1)
	if !(end >= leastShared) {
		return math.NaN()
	}
	sum := 0.0
	for i := range accuracies {
		a := float64(end*(float64(i)+.5)) / accuracies
		sum += t.AtAccuracy(a, number) - o.AtAccuracy(a, number)
	}
	return sum / accuracies
}

// highest is the highest accuracy of a run.
func (t Trace) highest() float64 {
	highest := math.Inf(-1)
	for _, p := range t {
		highest = max(highest, p.Accuracy)
	}
	return highest
}

// halfway is the accuracy when half of a budget was drawn, on the straight line between two evaluations. A
// run that ends before has its last accuracy.
func (t Trace) halfway(budget float64) float64 {
	i := slices.IndexFunc(t, func(p Point) bool { return p.Drawn >= budget/2 })
	if i <= 0 {
		return t.last().Accuracy
	}
	return between(t[i-1].Accuracy, t[i].Accuracy, (budget/2-t[i-1].Drawn)/(t[i].Drawn-t[i-1].Drawn))
}

// TokensTo is the number of tokens drawn before a run had made a part of its own way, from its
// accuracy before training to that at the end; NaN if it did not improve.
func (t Trace) TokensTo(part float64) float64 {
	first, last := t[0].Accuracy, t[len(t)-1].Accuracy
	if !(last > first) {
		return math.NaN()
	}
	i, way := t.crossing(between(first, last, part))
	if i == 0 {
		return t[0].Drawn
	}
	return between(t[i-1].Drawn, t[i].Drawn, way)
}

// crossing finds the first evaluation with an accuracy, and the part of the way from the
// evaluation before it at which the accuracy is reached; -1 if no evaluation has it.
func (t Trace) crossing(accuracy float64) (first int, part float64) {
	first = slices.IndexFunc(t, func(p Point) bool { return p.Accuracy >= accuracy })
	if first <= 0 {
		return first, 1
	}
	from, to := t[first-1].Accuracy, t[first].Accuracy
	return first, (accuracy - from) / (to - from)
}

// between is the number at a part of the way from one to another.
func between(from, to, part float64) float64 { return from + float64(part*(to-from)) }

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
