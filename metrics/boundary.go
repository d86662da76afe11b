package metrics

import (
	"math"

	"modebench/internal/exact"
)

// This file compares a policy after training with the same policy before, problem by
// problem and answer by answer: does training solve what its base policy cannot?

// The metrics of this file, by name.
const (
	LostMetric     = "lost"
	GainedMetric   = "gained"
	CrossingMetric = "crossing"
	PassAreaMetric = "pass_area"
	UnsolvedMetric = "distinct_unsolved"
)

// NullSuffix ends the name of a comparison's null: the same comparison of a second,
// independent pool of the policy before training with the first one. What training did
// is the comparison less its null.
const NullSuffix = "_null"

// A Comparison is of one set of answers to some problems with another.
type Comparison struct {
	Solved []float64 // by problem: the probability of a correct answer among the largest k
	Pass   []float64 // by k: the mean of pass@k
}

// Compare returns the metrics that hold answers after training against those before it, by
// name. Both are to the same problems, with the same ks, which ascend. Lost and Gained say
// which of them there are.
func Compare(ks []int, before, after Comparison) map[string]float64 {
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

// Covers are the metrics of Cover, with the part of the answers that each asks for.
var Covers = []struct {
	Name string
	Tau  float64
}{{"cover_10", 0.1}, {"cover_50", 0.5}, {"cover_90", 0.9}}

// Lost returns the share of what was solved that is solved no longer. Both lists have a
// probability in [0, 1] for each problem, that of a correct answer among so many: of a pool
// 0 or 1. It is the sum of before (1 - after) over that of before, and not ok where nothing
// was solved (Yue et al. 2025, 2504.13837, and ProRL, 2505.24864, count so).
func Lost(before, after []float64) (share float64, ok bool) {
	lost, had := 0.0, 0.0
	for i, b := range before {
		lost += float64(b * (1 - after[i]))
		had += b
	}
	return lost / had, had > 0
}

// Gained returns the share of what was not solved that is solved now, the sum of
// (1 - before) after over that of 1 - before. It is not ok where everything was solved.
func Gained(before, after []float64) (share float64, ok bool) {
	gained, open := 0.0, 0.0
	for i, b := range before {
		gained += float64((1 - b) * after[i])
		open += 1 - b
	}
	return gained / open, open > 0
}

// Crossing returns log2 of the k from which one curve of pass@k lies above another: where
// their difference, linear in log2 k between the ks, becomes positive for good. The ks ascend,
// and there is a value of each curve for each. Where above ends no higher than below the
// answer is log2 of the largest k, which then is a lower bound, and false. Where it is above
// from the first k on the answer is log2 of that.
func Crossing(ks []int, above, below []float64) (doublings float64, crosses bool) {
	last := len(ks) - 1
	at := func(i int) float64 { return log2(ks[i]) }
	if above[last] <= below[last] {
		return at(last), false
	}
	i := last
	for i > 0 && above[i-1] > below[i-1] {
		i--
	}
	if i == 0 {
		return at(0), true
	}
	under, over := below[i-1]-above[i-1], above[i]-below[i]
	return at(i-1) + float64((at(i)-at(i-1))*under)/(under+over), true
}

// PassArea returns the area under a curve of pass@k over log2 k, by trapezoids, divided by
// its width: a mean of the curve over doublings of k, in [0, 1]. The ks ascend. Of one k it is
// the value there.
func PassArea(ks []int, pass []float64) float64 {
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

// Cover returns the share of problems of which at least a part tau of the answers is correct
// (Cover@tau, 2510.08325), by the accuracy at each problem.
func Cover(accuracies []float64, tau float64) float64 {
	n := 0
	for _, a := range accuracies {
		if a >= tau {
			n++
		}
	}
	return float64(n) / float64(len(accuracies))
}
