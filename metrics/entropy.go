package metrics

import "modebench/internal/exact"

func init() {
	register(
		Metric{rank: 150, Name: "entropy_sequence", Doc: "entropy over rollouts, nats", Detail: "[0, log(rollouts)]; of sampled rollouts, from the distributions that the policy drew them from",
			Label: "sequence entropy", Unit: "nats", Axis: AxisFromZero, Delta: natsDelta, Policy: true},
		Metric{rank: 370, Name: "entropy_token", Doc: "entropy per token, nats", Detail: ">= 0; by the chain rule the entropy of a rollout over its expected length",
			Label: "token entropy", Unit: "nats", Axis: AxisFromZero, Delta: Delta{0.01, "a hundredth of a nat a token, a tenth of one over an answer of ten tokens"}, Policy: true},
	)
}

// Entropy returns the entropy over the outcomes, in nats.
func (d Distribution) Entropy() float64 {
	h := 0.0
	for i := range d.Outcomes {
		h += surprise(d.Outcomes[i].P)
	}
	return max(0, h)
}

// surprise returns -p log p, with 0 log 0 = 0.
func surprise(p float64) float64 {
	if p == 0 {
		return 0
	}
	return -float64(p * exact.Log(p))
}
