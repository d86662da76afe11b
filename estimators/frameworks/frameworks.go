// Package frameworks holds methods as training frameworks run them, if settings alone cannot
// express the difference: GRPO in TRL, NeMo-RL and prime-rl, GDPO in verl, REINFORCE++ in OpenRLHF.
package frameworks

import (
	"cmp"
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
	scale := cmp.Or(1/(sd+e.Epsilon), math.NaN()) // the squares overflowed: reported, not taken for no signal
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

// ReinforcePP is REINFORCE++ as OpenRLHF runs it (experience_maker.py): as
// estimators.ReinforcePP, but for small variances,
//
//	A_i = (r_i - m) / sqrt(max(v, epsilon))
//	m = sum_i l_i r_i / L,  v = sum_i l_i (r_i - m)^2 / L,  L = sum_i l_i
//
// over the trained rollouts of the whole batch, where l_i is the tokens of rollout i. With a
// baseline, r is the reward less the mean of its group, which leaves a group of one with 0.
// Scale "none" is OpenRLHF's no_std_norm: the mean is still taken from the rewards. A batch
// of equal rewards has zeros.
//
// Its divergence is in the reward, summed over the rollout and so the same for all its
// tokens, where the code gives a token what is still to come.
type ReinforcePP struct {
	estimators.OverTokens
	Scale   string  `param:"scale" doc:"batch: divide by the standard deviation of the batch's tokens; none: do not" choices:"batch,none"`
	Epsilon float64 `param:"epsilon" doc:"the least variance that is divided by the root of" min:"0" when:"scale=batch"`

	baseline bool
}

func (*ReinforcePP) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward, estimators.RolloutTokens)
}

func (e *ReinforcePP) Advantages(dst [][]float64, b *estimators.Batch) error {
	core := estimators.Copied
	if e.baseline {
		core = func(dst, rewards []float64, _ []*estimators.Rollout) error {
			estimators.Centre(dst, rewards)
			return nil
		}
	}
	return e.Normalised(dst, b, core, func(returns, lengths []float64) {
		estimators.Whiten(returns, lengths, 0, func(variance float64) float64 {
			if e.Scale == "none" {
				return 1
			}
			return max(variance, e.Epsilon)
		})
	})
}

func init() {
	for i, m := range []estimators.Method{{
		Name: "reinforce++@openrlhf", Summary: "OpenRLHF: population variance of at least 1e-8",
		Estimator: estimators.From(ReinforcePP{Scale: "batch", Epsilon: 1e-8}),
	}, {
		Name: "reinforce++-baseline@openrlhf", Summary: "OpenRLHF: population variance of at least 1e-8, a lone rollout is 0",
		Estimator: estimators.From(ReinforcePP{Scale: "batch", Epsilon: 1e-8, baseline: true}),
	}} {
		m.Trains, m.Source = true, "OpenRLHF experience_maker.py (2026)"
		m.Loss, m.Properties = estimators.ReinforcePPLoss, estimators.ReinforcePPProperties
		estimators.Register(estimators.Baselines, 165+10*i, m)
	}
}

// GDPO is verl's GDPO (core_algos.py): as estimators.GDPO, but for the last normalisation,
// which counts each rollout once for each of its l_i tokens,
//
//	A^sum_i = sum over k of w_k (r^k_i - mean r^k) / (sd r^k + epsilon)
//	A_i = (A^sum_i - m) / sqrt(v + 1e-8)
//	m = sum_i l_i A^sum_i / L,  v = sum_i l_i (A^sum_i - m)^2 / (L - 1),  L = sum_i l_i
//
// over the trained rollouts of the batch; the deviations of a group divide by G - 1. So
// advantages sum to 0 over tokens. A component without variance in a group contributes
// nothing, nor does a group of one: there verl takes the raw reward over 1 + epsilon, which
// is singleton "raw", and the default. A batch without any signal has zeros, and so has a
// single token, of which verl makes an error. verl's weights are 1 unless they are set, and
// VPO's published code does not set them (ryanboldi/vpo at 767db79f, train.sh): its description
// has a mean over components, and its code a sum, which the normalisation makes the same.
type GDPO struct {
	estimators.OverTokens
	Epsilon   float64 `param:"epsilon" doc:"added to the standard deviations of the components in a group" min:"0"`
	Singleton string  `param:"singleton" doc:"what a component of a group of one rollout brings into the normalisation: 0, or its raw value over 1 + epsilon" choices:"zero,raw" when:"train.group=1"`
	Weights   string  `param:"weights" doc:"of the components; reward: those of the reward; ones: 1 each" choices:"reward,ones" late:"reward" when:"reward.components>1"`
	column    []float64
	scores    []float64
}

func (*GDPO) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasReward, RolloutFields: estimators.RolloutTokens, MinGroup: 1, Vectors: true, NoPenalty: true}
}

func (e *GDPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	component := estimators.GRPO{Scale: "group", DDoF: 1, Epsilon: e.Epsilon, Singleton: e.Singleton}
	sums := func(dst, _ []float64, rollouts []*estimators.Rollout) error {
		clear(dst)
		for k, w := range e.Gathered().Scalarisation(b) {
			e.column = e.column[:0]
			for _, r := range rollouts {
				e.column = append(e.column, r.Candidates[0].Reward[k])
			}
			e.scores = append(e.scores[:0], e.column...)
			component.Relative(e.scores, e.column)
			if e.Weights == "ones" {
				w = 1
			}
			for i, a := range e.scores {
				dst[i] += float64(w * a)
			}
		}
		return nil
	}
	return e.Normalised(dst, b, sums, func(numbers, lengths []float64) {
		estimators.Whiten(numbers, lengths, 1, func(variance float64) float64 { return variance + 1e-8 })
	})
}

func init() {
	verl := estimators.Method{
		Name: "gdpo@verl", Summary: "verl: sample z-score of each component, their sum normalised over the tokens of the batch", Trains: true,
		Source:    "verl core_algos.py (2026-08)",
		Estimator: estimators.From(GDPO{Epsilon: 1e-6, Singleton: "raw", Weights: "reward"}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Invariant, AcrossGroups: true,
			Why: "a z-score of z-scores: over tokens, not over rollouts, it sums to 0",
		},
	}
	estimators.Register(estimators.VectorRewards, 55, verl)
	code := verl
	code.Name, code.Summary, code.Source = "gdpo@code", "VPO's code: verl's, with the weight 1 for each component", "ryanboldi/vpo at 767db79f, train.sh"
	code.Estimator = estimators.From(GDPO{Epsilon: 1e-6, Singleton: "raw", Weights: "ones"})
	code.Loss = estimators.VPOLoss
	estimators.Register(estimators.VectorRewards, 57, code)
}
