package maclaurin

import (
	"fmt"

	"modebench/envs"
	"modebench/estimators"
)

// Oversample draws more rollouts than the order of the series (Tajwar et al., 2602.02710;
// tajwarfahim/maxrl, maclaurin.py, oversample_subset_vr_weights): over all sets S of T of a
// group's N rollouts, of which s are correct, n(S) of those in S,
//
//	A_i = mean over S of 1[i in S]/n(S) - beta/N   where rollout i is correct
//	A_i = -beta/N                                  for a wrong one
//
// The mean is sum over j = 1..min(T, s) of C(s-1, j-1) C(N-s, T-j)/(j C(N, T)). At T = N and
// beta 1 it is VRCond. In expectation it is the gradient of the series to order T at any beta,
// which takes the gradient of a constant. A group of fewer than T rollouts is an error.
//
// A rollout is correct by the judge's verdict; the code takes a reward above 0.5. Groups
// that are all correct have (1 - beta)/N, those that are all wrong -beta/N. The default of
// the order is ours: the published scripts take it from whoever runs them.
type Oversample struct {
	weighing
	Order int     `param:"order" doc:"T, the order at which the series ends, at most the rollouts of a group" min:"1" max:"65536"`
	Beta  float64 `param:"beta" doc:"weight of the mean over all rollouts that is subtracted" min:"0"`
}

func (e *Oversample) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasCorrect, MinGroup: e.Order, NoPenalty: true}
}

func (e *Oversample) Advantages(dst [][]float64, b *estimators.Batch) error {
	for g := range b.Groups {
		if n := b.Groups[g].Trained(); n > 0 && n < e.Order {
			return b.InGroup(g, fmt.Errorf("%d rollouts to train on, want at least order = %d: there is no set of as many", n, e.Order))
		}
	}
	return e.weigh(dst, b, e.weights)
}

func (e *Oversample) weights(n, right int) (ofCorrect, ofOthers float64) {
	ofOthers = -e.Beta / float64(n)
	share := 0.0
	for j := 1; j <= min(e.Order, right); j++ {
		if e.Order-j <= n-right {
			share += within(right-1, n-right, e.Order-1, j-1) / float64(j)
		}
	}
	// A set has a certain rollout with the chance T/N.
	return float64(share*float64(e.Order))/float64(n) + ofOthers, ofOthers
}

func init() {
	estimators.Register(estimators.AnswerSets, 83, estimators.Method{
		Name: "maxrl-oversample", Summary: "the mean over the correct rollouts of a set of T, over all such sets; weights of a sum", Trains: true,
		Source:     "Tajwar et al. 2026 (2602.02710); tajwarfahim/maxrl",
		Estimator:  estimators.From(Oversample{Order: 4, Beta: 1}),
		Properties: byCorrectness,
		Target: func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return series(i.Estimator.(*Oversample).Order, s), nil
		},
	})
}
