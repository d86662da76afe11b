package frameworks

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// LengthShaped is prime-rl's GRPO with its length penalty (algo/grpo.py): the longer of a
// group's rollouts lose a part of the mean reward,
//
//	r'_i = r_i - weight mean r tokens_i / largest tokens,  A_i = r'_i - mean r'
//
// The code has two such terms more, over the tokens of the input and the number of turns.
// Both are the same for all rollouts of a group here, and so cancel. A group that is all wrong,
// and a group of one, have 0; a group that is all right is moved by lengths alone. The code's
// largest number of tokens is at least 1.
type LengthShaped struct {
	estimators.GRPO
	Weight float64 `param:"weight" doc:"share of the group's mean reward that the longest rollout loses" min:"0" when:"train.group>1"`
	shaped []float64
}

func (*LengthShaped) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward, estimators.RolloutTokens)
}

func (e *LengthShaped) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		longest := 1
		for _, r := range rollouts {
			longest = max(longest, r.Tokens)
		}
		mean := estimators.Mean(rewards)
		e.shaped = e.shaped[:0]
		for i, r := range rollouts {
			share := float64(r.Tokens) / float64(longest)
			e.shaped = append(e.shaped, rewards[i]-float64(e.Weight*mean*share))
		}
		if len(rewards) == 1 {
			e.shaped[0] = rewards[0] // under singleton "raw" the reward itself
		}
		e.Relative(dst, e.shaped)
		return nil
	})
}

func init() {
	estimators.Register(estimators.Baselines, 142, estimators.Method{
		Name: "grpo-length", Summary: "mean only, of rewards less a part of the group's mean by length", Trains: true,
		Source:    "prime-rl algo/grpo.py (2026)",
		Estimator: estimators.From(LengthShaped{GRPO: estimators.Centred, Weight: 0.25}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{
			Scale: estimators.Linear, ZeroSum: true, MovesEqualRewards: true,
			Why: "centred rewards, less lengths times their mean",
		},
		Target: estimators.NoTarget("its penalty of a length depends on the rewards of the group"),
	})
}
