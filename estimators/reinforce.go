package estimators

import (
	"modebench/envs"
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

// ReMax subtracts the reward of the problem's greedy rollout (Li et al., 2310.10505):
//
//	A_i = r_i - r(greedy)
//
// That baseline does not depend on the sampled answers, so the policy gradient stays
// unbiased, for groups of any size and without a normalisation. A divergence that
// is taken from rewards (Rollout.Penalty) is not taken from the greedy rollout's.
type ReMax struct{ Groupwise }

func (*ReMax) Requirements() Requirements { return Reads(envs.HasReward, GroupGreedy) }

func (e *ReMax) Advantages(dst [][]float64, b *Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		baseline, err := e.Greedy()
		for i, r := range rewards {
			dst[i] = r - baseline
		}
		return err
	})
}

func init() {
	Register(Baselines, 180, Method{
		// The coefficient of the divergence is not known here: without one.
		Name: "remax", Summary: "the reward of the greedy rollout as baseline", Trains: true,
		Source:     "Li et al. 2023",
		Estimator:  From(ReMax{}),
		Loss:       loss.Function{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
		Properties: Properties{Scale: Linear, MovesEqualRewards: true, Why: "rewards less one of the same scale, which stays where only the group's are shifted"},
	})
}
