// Package frameworks holds methods as training frameworks run them, if settings alone cannot
// express the difference: GRPO in TRL, NeMo-RL and prime-rl, GDPO in verl, REINFORCE++ in OpenRLHF.
package frameworks

import (
	"math"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// BatchScaled is GRPO under TRL's scale_rewards "batch" (grpo_trainer.py): the mean is of the
// group, and the deviation is of all rewards of the batch, centred on the batch's own mean,
//
//	A_i = (r_i - mean of the group) / (sd of the batch + epsilon)
//
// where sd divides by the number less ddof. A group of equal rewards, and so a group of one,
// has 0; where the whole batch has no deviation, all have.
type BatchScaled struct {
	estimators.Groupwise
	DDoF    int       `param:"ddof" doc:"delta degrees of freedom of the standard deviation of the batch" min:"0" max:"1" when:"train.group>1"`
	Epsilon float64   `param:"epsilon" doc:"added to the standard deviation" min:"0" when:"train.group>1"`
	all     []float64 // rewards of the batch
}

func (e *BatchScaled) Advantages(dst [][]float64, b *estimators.Batch) error {
	e.all = e.all[:0]
	err := e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		e.all = append(e.all, rewards...)
		clear(dst)
		return nil
	})
	if err != nil || len(e.all) == 0 {
		return err
	}
	_, sd := estimators.Deviation(e.all, e.DDoF)
	if sd < estimators.Rounding(e.all) {
		return nil
	}
	scale := 1 / (sd + e.Epsilon)
	if scale == 0 {
		scale = math.NaN() // the squares overflowed: reported, not taken for no signal
	}
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		estimators.Centre(dst, rewards)
		for i := range dst {
			dst[i] *= scale
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.Baselines, 125, estimators.Method{
		Name: "grpo@trl-batch", Summary: "TRL, scale_rewards batch: group mean, sample deviation of the batch", Trains: true,
		Source:    "TRL GRPOTrainer (1.10.0.dev0)",
		Estimator: estimators.From(BatchScaled{DDoF: 1, Epsilon: 1e-4}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, AcrossGroups: true,
			Why: "centred rewards over the deviation of the batch",
		},
	})
}

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

// LeaveOneOut is NeMo-RL's GRPO by default (advantage_estimator.py and utils.py): mean and
// deviation are those of the group's other rollouts,
//
//	A_i = (r_i - mean of the others) / (sd of the others + epsilon)
//
// where sd divides by G - 2, the number of the others less 1. Where the others have one
// reward, and in groups of two, it is r_i - mean of the others: of 1, 0, 0, 0 the first has
// 1, as in RLOO, and the others are scaled. A group of one has 0.
//
// The code takes a deviation of the others for a mean of squares less a squared mean, in
// single precision, so that equal rewards other than 0 and 1 can have a deviation of rounding
// errors and large advantages. Here their advantages are 0.
type LeaveOneOut struct {
	estimators.Groupwise
	Epsilon float64   `param:"epsilon" doc:"added to the standard deviation of the others" min:"0" when:"train.group>2"`
	rest    []float64 // the rewards of the others
}

func (*LeaveOneOut) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: 1, TrainGroup: 2}
}

func (e *LeaveOneOut) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		if len(rewards) == 1 {
			dst[0] = 0
			return nil
		}
		rounding := estimators.Rounding(rewards)
		for i, r := range rewards {
			e.rest = append(append(e.rest[:0], rewards[:i]...), rewards[i+1:]...)
			mean, sd := estimators.Deviation(e.rest, 1)
			dst[i] = r - mean
			if math.Abs(dst[i]) < rounding {
				dst[i] = 0
			}
			switch {
			case math.IsInf(sd, 0):
				dst[i] = sd // the squares overflowed: reported, not taken for no signal
			case sd >= rounding:
				dst[i] /= sd + e.Epsilon
			}
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.Baselines, 145, estimators.Method{
		Name: "grpo@nemo", Summary: "NeMo-RL: mean and sample deviation of the others, a lone success undivided", Trains: true,
		Source:    "NeMo-RL advantage_estimator.py (2026)",
		Estimator: estimators.From(LeaveOneOut{Epsilon: 1e-6}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 0.01},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Neither,
			Why: "each is over the deviation of its own others, and a lone one is not divided",
		},
	})
}
