// Package reweighted holds methods that weigh the rollouts of a group: by whether they are
// correct, by how likely or how rare they are, or by how many of them are correct.
package reweighted

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// WReinforce has one advantage for correct rollouts and one for all others, without a baseline (Zhu et
// al., 2506.01347; TianHongZXY/RLVR-Decomposed, core_algos.py, compute_psr_nsr_outcome_advantage):
//
//	A_i =  positive  where rollout i is correct
//	A_i = -negative  for a wrong one
//
// PSR learns from correct rollouts alone (1, 0), NSR from the others alone (0, 1), and W-REINFORCE from
// both with less weight on the correct ones (0.1, 1). In expectation each step is positive + negative
// times the gradient of pass@1, since grad log pi has the mean 0; they differ in the effect of one batch.
//
// The code drops the rows of a side that is not learnt from before the loss, whose mean over tokens is
// then over the kept side; here they stay with an advantage of 0, so that the loss is smaller by the
// kept share. A group of one is like any other.
type WReinforce struct {
	estimators.Groupwise
	Positive float64 `param:"positive" doc:"advantage of a correct rollout: lambda of W-REINFORCE" min:"0"`
	Negative float64 `param:"negative" doc:"minus the advantage of a rollout that is not correct" min:"0"`
}

func (*WReinforce) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasCorrect, MinGroup: 1, NoPenalty: true}
}

func (e *WReinforce) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.EachBy(dst, b, e.GatherCorrect, func(dst, correct []float64, _ []*estimators.Rollout) error {
		for i, c := range correct {
			dst[i] = e.Positive
			if c == 0 {
				dst[i] = -e.Negative
			}
		}
		return nil
	})
}

// weightedPass is the chance of a correct answer, positive + negative times.
func weightedPass(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
	target := estimators.PassAt(1, s)
	method := i.Estimator.(*WReinforce)
	target.Terms[0].Weight = method.Positive + method.Negative
	return target, nil
}

func init() {
	// The published scripts leave verl's entropy bonus of then at its default.
	published := loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3", EntropyCoef: 0.001}
	for _, m := range []struct {
		rank               int
		name, summary      string
		positive, negative float64
	}{
		{10, "psr", "REINFORCE on correct rollouts alone: 1, and 0 for the others", 1, 0},
		{20, "nsr", "REINFORCE on rollouts that are not correct: -1, and 0 for correct ones", 0, 1},
		{30, "w-reinforce", "REINFORCE with a small weight on correct rollouts: 0.1, and -1 for the others", 0.1, 1},
	} {
		estimators.Register(estimators.Reweighted, m.rank, estimators.Method{
			Name: m.name, Summary: m.summary, Trains: true,
			Source:    "Zhu et al. 2025 (2506.01347); TianHongZXY/RLVR-Decomposed",
			Estimator: estimators.From(WReinforce{Positive: m.positive, Negative: m.negative}),
			Loss:      published,
			Properties: estimators.Properties{
				ShiftInvariant: true, Scale: estimators.Invariant, MovesEqualRewards: true,
				Why: "it looks at correctness, not at rewards, and has no baseline",
			},
			Target: weightedPass,
		})
	}
}
