package maclaurin

import "modebench/estimators"

// VRCond is the conditional mean of the log-probability's gradient over correct rollouts,
// less its mean over all, which reduces the variance (Tajwar et al., 2602.02710;
// tajwarfahim/maxrl, maclaurin.py, vr_cond_weights). With s of N rollouts correct,
//
//	A_i = (N - s)/(s N)   where rollout i is correct
//	A_i = -1/N            for a wrong one
//
// It is estimators.MaxRL under fidelity "paper" and epsilon 0, over N, and in expectation
// the gradient of the series to order N. A rollout is correct by the judge's verdict; the code
// takes a reward above 0.5. Groups that are all correct have 0, those that are all wrong -1/N;
// a group of one is 0 where correct and -1 where not.
type VRCond struct{ weighing }

func (e *VRCond) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.weigh(dst, b, func(n, right int) (ofCorrect, ofOthers float64) {
		return float64(n-right) / float64(max(right, 1)*n), -1 / float64(n)
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 82, estimators.Method{
		Name: "maxrl-vr-cond", Summary: "the mean over correct rollouts less that over all; weights of a sum", Trains: true,
		Source:     "Tajwar et al. 2026 (2602.02710); tajwarfahim/maxrl",
		Estimator:  estimators.From(VRCond{}),
		Properties: byCorrectness,
		Target: func(_ *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return series(s.Group, s), nil
		},
	})
}
