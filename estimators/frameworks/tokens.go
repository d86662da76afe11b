package frameworks

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

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
// single token, of which verl makes an error. verl's weights are 1 unless they are set.
type GDPO struct {
	estimators.OverTokens
	Epsilon   float64 `param:"epsilon" doc:"added to the standard deviations of the components in a group" min:"0"`
	Singleton string  `param:"singleton" doc:"what a component of a group of one rollout brings into the normalisation: 0, or its raw value over 1 + epsilon" choices:"zero,raw" when:"train.group=1"`
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
	estimators.Register(estimators.VectorRewards, 55, estimators.Method{
		Name: "gdpo@verl", Summary: "verl: sample z-score of each component, their sum normalised over the tokens of the batch", Trains: true,
		Source:    "verl core_algos.py (2026-08)",
		Estimator: estimators.From(GDPO{Epsilon: 1e-6, Singleton: "raw"}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Invariant, AcrossGroups: true,
			Why: "a z-score of z-scores: over tokens, not over rollouts, it sums to 0",
		},
	})
}
