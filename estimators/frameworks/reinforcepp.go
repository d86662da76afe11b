package frameworks

import (
	"modebench/envs"
	"modebench/estimators"
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
