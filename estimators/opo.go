package estimators

import (
	"modebench/envs"
	"modebench/estimators/loss"
)

// OPO subtracts the mean reward of the group's tokens (Hao et al., 2505.23585):
//
//	A_i = r_i - sum_j l_j r_j / sum_j l_j
//
// with l_j the number of tokens of rollout j. It is the baseline of least variance
// where the squared norm of a rollout's score grows with its length. The own rollout
// is part of it: with equal lengths the expected step is (G-1)/G that of
// REINFORCE, and with lengths that depend on the answer it has another direction. It
// is over tokens, not rollouts, that a group's advantages sum to 0. A group of one
// has its own reward as baseline, or under singleton "raw", as in verl's code, 0.
type OPO struct {
	Groupwise
	Singleton string `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward" choices:"zero,raw" when:"train.group=1"`
	lengths   []float64
}

func (*OPO) Requirements() Requirements { return Reads(envs.HasReward, RolloutTokens) }

func (e *OPO) Advantages(dst [][]float64, b *Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*Rollout) error {
		if err := e.CheckLengths(); err != nil {
			return err
		}
		if len(rewards) == 1 {
			dst[0] = singleton(e.Singleton, rewards[0])
			return nil
		}
		e.lengths = e.lengths[:0]
		for _, r := range rollouts {
			e.lengths = append(e.lengths, float64(r.Tokens))
		}
		_, baseline := weightedMean(rewards, e.lengths)
		for i, r := range rewards {
			dst[i] = r - baseline
		}
		ZeroBelow(dst, Rounding(rewards))
		return nil
	})
}

func init() {
	Register(Baselines, 190, Method{
		// Exactly on-policy, so without a clip; no divergence and no entropy bonus.
		Name: "opo", Summary: "the mean reward of the group's tokens as baseline, exactly on-policy", Trains: true,
		Source:     "Hao et al. 2025",
		Estimator:  From(OPO{Singleton: "zero"}),
		Loss:       loss.Function{Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: Properties{ShiftInvariant: true, Scale: Linear, Why: "differences of rewards: over tokens, not over rollouts, they sum to 0"},
	})
}
