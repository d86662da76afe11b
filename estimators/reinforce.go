package estimators

import (
	"modebench/estimators/loss"
)

// Reinforce is the score function without a baseline: A_i = r_i (Williams, 1992).
type Reinforce struct{ Groupwise }

func (e *Reinforce) Advantages(dst [][]float64, b *Batch) error {
	return e.Each(dst, b, Copied)
}

func init() {
	Register(Baselines, 30, Method{
		Name: "reinforce", Summary: "score function without a baseline", Trains: true,
		Source:     "Williams 1992",
		Estimator:  From(Reinforce{}),
		Loss:       loss.Function{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
		Properties: Properties{Scale: Linear, MovesEqualRewards: true, Why: "the reward itself"},
	})
}
