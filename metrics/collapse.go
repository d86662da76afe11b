package metrics

import "fmt"

// CollapseMetric is the one metric of a whole run and not of an evaluation.
const CollapseMetric = "collapse_step"

// CollapseShare is the share of the initial entropy at which a policy counts as
// collapsed. The threshold is this suite's own convention, no paper's.
const CollapseShare = 0.1

func init() {
	register(Metric{rank: 640, Name: CollapseMetric, Doc: fmt.Sprintf("step from which on entropy_token stays at or below %v of its value before training; the last step if it does not", CollapseShare), Detail: "training steps; the last step is a lower bound",
		Delta: Delta{10, "ten steps; specs train for 100 to 1000"}, Run: true, Setting: "every", Policy: true})
}

// CollapseStep returns the entropy-collapse step of a run that was evaluated after
// the given ascending numbers of steps: the first of them from which on the entropy
// (nats, >= 0) stays at or below CollapseShare of the first one, and true; or, where
// it ends above that, the last of them and false. So the mean over seeds is a mean
// restricted to the steps that were trained: where some seed did not collapse, it is
// a lower bound. An entropy that is 0 from the first on has collapsed there.
//
// There is one entropy per number of steps, and at least one.
func CollapseStep(steps []int, entropies []float64) (step int, collapsed bool) {
	limit := CollapseShare * entropies[0]
	first := len(entropies)
	for first > 0 && entropies[first-1] <= limit {
		first--
	}
	if first == len(entropies) {
		return steps[len(steps)-1], false
	}
	return steps[first], true
}
