package sets

import (
	"modebench/envs"
	"modebench/estimators"
)

// MaxAtK optimises the expected best of k answers (Bagirov et al., 2510.23393,
// on-policy; the same credit is PKPO's s, Walder and Karkhanis, 2505.15201). A
// rollout's credit sums over the k-subsets I of the group's n rollouts
//
//	s_i = C(n, k)^-1 sum over I with i of max over I of r
//
// and the advantage is the group-relative one of the credits: the z-score that
// the former found best. With rewards in ascending order (ranks from 1)
//
//	s_i = r_i C(i-1, k-1) / C(n, k) + sum over j > i of r_j C(j-2, k-2) / C(n, k)
//
// in O(n log n), and no binomial is ever formed. sum_i s_i grad log pi(y_i) is an unbiased estimate
// of the gradient of E[max of k]; with s centred (scale "none") it is (n-k)/n times that in
// expectation, and with the z-score another direction.
//
// k = 1 is GRPO (with n times its epsilon, since credits are rewards over n), and
// k = n gives zeros: every rollout is in the only subset.
type MaxAtK struct {
	estimators.GRPO
	K       int `param:"k" doc:"answers of which the best counts; training takes groups of more than k, since one subset alone gives zeros" min:"1"`
	ranks   ranks
	credits []float64
}

func (e *MaxAtK) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: e.K, TrainGroup: e.K + 1}
}

func (e *MaxAtK) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		if err := checkSetSize("k", e.K, len(rewards)); err != nil {
			return err
		}
		e.credits = estimators.Resize(e.credits, len(rewards))
		e.ranks.credit(e.credits, rewards, e.K)
		e.Relative(dst, e.credits)
		return nil
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 70, estimators.Method{
		// VPO gives no k for its runs.
		Name: "max-at-k", Summary: "z-score of the credit for the best of k", Trains: true,
		Source:     "Bagirov et al. 2025; VPO sec. 4.2",
		Estimator:  estimators.From(MaxAtK{GRPO: estimators.ZScore, K: 4}),
		Loss:       estimators.VPOLoss,
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, Why: "a z-score of credits in which a constant has the share k/n"},
		Target:     maxTarget(func(e estimators.Estimator) int { return e.(*MaxAtK).K }),
	})
}
