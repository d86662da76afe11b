package metrics

import (
	"fmt"
	"math"
	"slices"

	"modebench/internal/each"
	"modebench/internal/exact"
)

// This file compares a policy after training with the same policy before, problem by
// problem and answer by answer: does training solve what its base policy cannot?

// The metrics of this file, by name.
const (
	LostMetric     = "lost"
	GainedMetric   = "gained"
	CrossingMetric = "crossing"
)

// NullSuffix ends the name of a comparison's null: the same comparison of a second,
// independent pool of the policy before training with the first one. The effect of
// training is the comparison less its null.
const NullSuffix = "_null"

// covers are the metrics of cover, with the part of the answers that each asks for.
var covers = []struct {
	name string
	tau  float64
}{{"cover_10", 0.1}, {"cover_50", 0.5}, {"cover_90", 0.9}}

func init() {
	half := Delta{0.5, "half a doubling: a factor of 1.4 in k"}
	boundary := func(rank int, name, setting, doc, detail string, delta Delta) {
		register(Metric{rank: rank, Name: name, Doc: doc, Detail: detail, Setting: setting, Delta: delta, Measure: MeasureBoundary, Policy: true})
	}
	boundary(470, LostMetric, "k", "share of the problems solved before training that are solved no longer, with the largest k answers", "[0, 1]; Yue et al. 2025, 2504.13837", shareDelta)
	boundary(480, GainedMetric, "k", "share of the problems not solved before training that are solved, with the largest k answers", "[0, 1]", shareDelta)
	boundary(490, CrossingMetric, "k", "log2 of the k from which on pass@k is below its value before training; of the largest k if it never is", "doublings; 5 is k = 32; the largest k is a lower bound", half)
	boundary(500, "pass_area", "k", "area under pass@k over log2 k, from the smallest k to the largest, over its width", "[0, 1]", shareDelta)
	for i, c := range covers {
		boundary(510+10*i, c.name, "", fmt.Sprintf("share of problems at which at least %v%% of answers are correct (Cover@tau, 2510.08325)", 100*c.tau), "[0, 1]", shareDelta)
	}
	boundary(540, "distinct_unsolved", "", "expected distinct answers in a pool, at problems without a correct answer", "count, >= 0", manyDelta)
	null := func(rank int, name, doc, detail string, delta Delta) {
		register(Metric{rank: rank, Name: name + NullSuffix, Doc: doc, Detail: detail, Setting: "k", Delta: delta, Measure: MeasureBoundaryNull, Policy: true})
	}
	null(550, LostMetric, "lost, of a second pool of answers of the policy before training instead of one after it: the effect of the draws alone", "[0, 1]", shareDelta)
	null(560, GainedMetric, "gained, of that second pool", "[0, 1]", shareDelta)
	null(570, CrossingMetric, "crossing, of that second pool", "doublings; of two pools of one policy any k", half)
}

// A Solving describes how an evaluation's answers solve its problems.
type Solving struct {
	Solved     []float64 // by problem: the probability of a correct answer among the largest k
	Pass       []float64 // by k: the mean of pass@k
	accuracies []float64 // by problem
	distinct   []float64 // distinct answers, by problem that no answer solves
}

// Add adds the problem that was added to the table last.
func (s *Solving) Add(t *Table) {
	pass, _ := t.Latest(atK("pass", slices.Max(t.opt.K)))
	accuracy, _ := t.Latest("accuracy")
	s.Solved, s.accuracies = append(s.Solved, pass), append(s.accuracies, accuracy)
	if accuracy == 0 {
		distinct, _ := t.Latest("distinct_incorrect")
		s.distinct = append(s.distinct, distinct)
	}
}

// Put adds pass_area, the covers and distinct_unsolved. The ks ascend; Pass is set.
func (s *Solving) Put(ks []int, to map[string]float64) {
	to["pass_area"] = passArea(ks, s.Pass)
	for _, c := range covers {
		to[c.name] = cover(s.accuracies, c.tau)
	}
	if len(s.distinct) > 0 {
		to["distinct_unsolved"] = total(s.distinct) / float64(len(s.distinct))
	}
}

// PassCurve is pass@k at each k, from metrics by name.
func PassCurve(ks []int, values map[string]float64) []float64 {
	return each.Map(ks, func(k int) float64 { return values[atK("pass", k)] })
}

// Compare returns the metrics that hold answers after training against those before it, by
// name. Both are to the same problems, with the same ks, which ascend. lost is left out if no
// problem was solved before, and gained if all were.
func Compare(ks []int, before, after Solving) map[string]float64 {
	out := map[string]float64{}
	if lost, ok := Lost(before.Solved, after.Solved); ok {
		out[LostMetric] = lost
	}
	if gained, ok := Gained(before.Solved, after.Solved); ok {
		out[GainedMetric] = gained
	}
	out[CrossingMetric], _ = Crossing(ks, before.Pass, after.Pass)
	return out
}

// Lost returns the share of the solved problems that are solved no longer. Both lists have a
// probability in [0, 1] for each problem, that of a correct answer among the largest k: of a pool
// 0 or 1. It is the sum of before (1 - after) over that of before, and not ok where nothing
// was solved (Yue et al. 2025, 2504.13837, and ProRL, 2505.24864, count so).
func Lost(before, after []float64) (share float64, ok bool) {
	return shareOf(before, func(i int) (weight, lost float64) { return before[i], 1 - after[i] })
}

// Gained returns the share of the unsolved problems that are solved after training, the sum of
// (1 - before) after over that of 1 - before. It is not ok where everything was solved.
func Gained(before, after []float64) (share float64, ok bool) {
	return shareOf(before, func(i int) (weight, gained float64) { return 1 - before[i], after[i] })
}

// shareOf is the weighted mean of a part over problems; not ok if all weights are 0.
func shareOf(problems []float64, values func(i int) (weight, part float64)) (share float64, ok bool) {
	sum, weights := 0.0, 0.0
	for i := range problems {
		weight, part := values(i)
		sum += float64(weight * part)
		weights += weight
	}
	return sum / weights, weights > 0
}

// Crossing returns log2 of the k from which one curve of pass@k lies above another: where
// their difference, linear in log2 k between the ks, becomes positive for good. The ks ascend,
// and there is a value of each curve for each. Where above ends no higher than below the
// answer is log2 of the largest k, which then is a lower bound, and false. If it is above
// from the first k on the answer is log2 of that.
func Crossing(ks []int, above, below []float64) (doublings float64, crosses bool) {
	last := len(ks) - 1
	doubling := func(i int) float64 { return log2(ks[i]) }
	if above[last] <= below[last] {
		return doubling(last), false
	}
	i := last
	for i > 0 && above[i-1] > below[i-1] {
		i--
	}
	if i == 0 {
		return doubling(0), true
	}
	under, over := below[i-1]-above[i-1], above[i]-below[i]
	return doubling(i-1) + float64((doubling(i)-doubling(i-1))*under)/(under+over), true
}

// passArea returns the area under a curve of pass@k over log2 k, by trapezoids, divided by
// its width: a mean of the curve over doublings of k, in [0, 1]. The ks ascend. Of one k it is
// the value there.
func passArea(ks []int, pass []float64) float64 {
	if len(ks) == 1 {
		return pass[0]
	}
	area := 0.0
	for i := 1; i < len(ks); i++ {
		width := log2(ks[i]) - log2(ks[i-1])
		area += float64(width * (pass[i] + pass[i-1]) / 2)
	}
	return area / (log2(ks[len(ks)-1]) - log2(ks[0]))
}

// log2 is exact for powers of two, and the same on every machine for others.
func log2(k int) float64 {
	fraction, exponent := math.Frexp(float64(k))
	return float64(exponent-1) + exact.Log(2*fraction)/math.Ln2
}

// cover returns the share of problems of which at least a part tau of the answers is correct
// (Cover@tau, 2510.08325), by the accuracy at each problem.
func cover(accuracies []float64, tau float64) float64 {
	n := each.Count(accuracies, func(a float64) bool { return a >= tau })
	return float64(n) / float64(len(accuracies))
}
