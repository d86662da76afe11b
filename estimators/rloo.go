package estimators

import (
	"modebench/estimators/loss"
)

// RLOO subtracts the mean of the group's other rewards (Kool et al., 2019; Ahmadian et al., 2024):
//
//	A_i = r_i - sum_{j != i} r_j / (G-1) = G/(G-1) (r_i - mean r)
//
// A group of one has no others: its advantage is 0, or r under singleton "raw" (verl's rloo).
type RLOO struct {
	Groupwise
	Singleton string `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward" choices:"zero,raw" when:"train.group=1"`
}

func (e *RLOO) Advantages(dst [][]float64, b *Batch) error {
	return e.Each(dst, b, e.leaveOneOut)
}

// leaveOneOut writes each reward less the mean of the others to dst, which may be the same slice.
func (e *RLOO) leaveOneOut(dst, rewards []float64, _ []*Rollout) error {
	if len(rewards) == 1 {
		dst[0] = singleton(e.Singleton, rewards[0])
		return nil
	}
	mean, cutoff := Mean(rewards), Rounding(rewards)
	scale := float64(len(rewards)) / float64(len(rewards)-1)
	for i, r := range rewards {
		dst[i] = scale * (r - mean)
	}
	ZeroBelow(dst, cutoff)
	return nil
}

func init() {
	Register(Baselines, 40, Method{
		Name: "rloo", Summary: "the mean of the group's other rewards as baseline", Trains: true,
		Source:     "Kool et al. 2019; Ahmadian et al. 2024",
		Estimator:  From(RLOO{Singleton: "zero"}),
		Loss:       loss.Function{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
		Properties: Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "differences of rewards"},
	})
}
