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
	overTokens
	Scale   string  `param:"scale" doc:"batch: divide by the standard deviation of the batch's tokens; none: do not" choices:"batch,none"`
	Epsilon float64 `param:"epsilon" doc:"the least variance that is divided by the root of" min:"0" when:"scale=batch"`
}

func (*ReinforcePP) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward, estimators.RolloutTokens)
}

func (e *ReinforcePP) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		copy(dst, rewards)
		return nil
	}, e.normalise)
}

// normalise replaces the returns of the batch by its advantages.
func (e *ReinforcePP) normalise(returns, lengths []float64) {
	estimators.Whiten(returns, lengths, 0, func(variance float64) float64 {
		if e.Scale == "none" {
			return 1
		}
		return max(variance, e.Epsilon)
	})
}

// ReinforcePPBaseline is ReinforcePP with the mean of the group as baseline.
type ReinforcePPBaseline struct{ ReinforcePP }

func (e *ReinforcePPBaseline) Advantages(dst [][]float64, b *estimators.Batch) error {
	centred := estimators.GRPO{Scale: "none", Singleton: "zero"}
	return e.each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		centred.Relative(dst, rewards)
		return nil
	}, e.normalise)
}

func init() {
	openRLHF := loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k1", KLCoef: 0.01, KLInReward: true}
	properties := estimators.Properties{
		ShiftInvariant: true, Scale: estimators.Invariant, AcrossGroups: true, MovesEqualRewards: true,
		Why: "a z-score of the batch's tokens: over those, not over rollouts, it sums to 0",
	}
	estimators.Register(estimators.Baselines, 165, estimators.Method{
		Name: "reinforce++@openrlhf", Summary: "OpenRLHF: population variance of at least 1e-8", Trains: true,
		Source:     "OpenRLHF experience_maker.py (2026)",
		Estimator:  estimators.From(ReinforcePP{Scale: "batch", Epsilon: 1e-8}),
		Loss:       openRLHF,
		Properties: properties,
	})
	estimators.Register(estimators.Baselines, 175, estimators.Method{
		Name: "reinforce++-baseline@openrlhf", Summary: "OpenRLHF: population variance of at least 1e-8, a lone rollout is 0", Trains: true,
		Source:     "OpenRLHF experience_maker.py (2026)",
		Estimator:  estimators.From(ReinforcePPBaseline{ReinforcePP{Scale: "batch", Epsilon: 1e-8}}),
		Loss:       openRLHF,
		Properties: properties,
	})
}
