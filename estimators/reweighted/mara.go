package reweighted

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// MARA takes the reference's preferences out of the rewards of good rollouts (mode anchored reward
// augmentation; GX-Chen et al., 2510.20817, alg. 1, read at second hand in two accounts that agree),
// before the usual group-relative advantage:
//
//	r'_i = r_z + beta (log pi_ref(y_z) - log pi_ref(y_i))    where r_i >= tau
//	r'_i = r_i                                               elsewhere
//
// z, the anchor, is the likeliest under pi_ref of the group's rollouts with r >= tau; of equally likely
// rollouts the best. pi_ref is the frozen base policy, and log pi_ref(y) the sum over a
// rollout's tokens. The optimum of E[r'] - beta KL(pi || pi_ref) is proportional to pi_ref e^(r'/beta),
// which is pi_ref(z) e^(r_z/beta) for every good answer: all are equally likely.
//
// For that, beta has to be the coefficient of the divergence, and the paper sets both to one value. They
// are two fields here, beta and kl_coef, with our default 0.1 and the exact divergence. A z-score
// divides r' by its deviation and not the divergence, so the statement holds under scale "none" alone.
//
// A group without a reward of tau or more is not changed, nor is the anchor, so that a group of one is
// as in GRPO. At beta 0 good rollouts share the anchor's reward. A divergence that is subtracted from
// rewards (kl_in_reward) counts after the comparison with tau.
type MARA struct {
	estimators.GRPO
	Tau     float64 `param:"tau" doc:"the least reward of a good rollout" when:"train.group>1"`
	Beta    float64 `param:"beta" doc:"weight of log-probabilities under the base policy; the paper sets it to kl_coef" min:"0" when:"train.group>1"`
	worths  []float64
	logrefs []float64
}

func (*MARA) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward, estimators.RolloutTokens|estimators.TokenReference)
}

func (e *MARA) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.shape(dst, rewards, rollouts, e.Gathered().Scalarisation(b))
		e.Relative(dst, dst)
		return nil
	})
}

func (e *MARA) shape(dst, rewards []float64, rollouts []*estimators.Rollout, weights []float64) {
	e.worths, e.logrefs = e.worths[:0], e.logrefs[:0]
	anchor := -1
	for i, r := range rollouts {
		worth, logref := r.Candidates[0].Scalar(weights), 0.0
		if r.PerToken != nil { // nil: a rollout without tokens
			for _, logp := range r.PerToken.Reference {
				logref += logp
			}
		}
		e.worths, e.logrefs = append(e.worths, worth), append(e.logrefs, logref)
		if worth >= e.Tau && (anchor < 0 || logref > e.logrefs[anchor] || logref == e.logrefs[anchor] && worth > e.worths[anchor]) {
			anchor = i
		}
	}
	copy(dst, rewards)
	for i, worth := range e.worths {
		if worth >= e.Tau {
			dst[i] = e.worths[anchor] + float64(e.Beta*(e.logrefs[anchor]-e.logrefs[i])) - rollouts[i].Penalty
		}
	}
}

func init() {
	estimators.Register(estimators.Reweighted, 110, estimators.Method{
		Name: "mara", Summary: "GRPO on rewards that make up for the low likelihood of good answers under the base policy", Trains: true,
		Source:    "GX-Chen et al. 2025 (2510.20817), alg. 1",
		Estimator: estimators.From(MARA{GRPO: estimators.ZScore, Tau: 1, Beta: 0.1}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "exact", KLCoef: 0.1},
		Properties: estimators.Properties{
			Scale: estimators.Neither, ZeroSum: true, MovesEqualRewards: true,
			Why: "a z-score of rewards plus log-probabilities under the base policy, where rewards reach a threshold",
		},
		Target: estimators.NoTarget("its rewards depend on which good rollout of the group is likeliest under the base policy"),
	})
}
