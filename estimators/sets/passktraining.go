package sets

import (
	"math"

	"modebench/envs"
	"modebench/estimators"
)

// PassKTraining is the analytical advantage of pass@k training (Chen et al.,
// 2508.10751). With c of a group's N rollouts correct, W wrong and
//
//	rho = 1 - C(W, k) / C(N, k),  sd = sqrt(rho (1 - rho))
//
// the estimate of pass@k and the deviation of a set's reward, a correct rollout has
// the advantage (1 - rho) / (sd + epsilon), and a wrong one
//
//	(1 - rho - C(W-1, k-1) / C(N-1, k-1)) / (sd + epsilon)
//
// in O(N), without forming binomials. Times sd + epsilon it is the marginal set
// advantage of "any of k correct" (SetRL's objective "pass"). Groups whose sets of
// k all do or all do not hold a correct rollout get zeros. It looks at correctness
// alone, as the published code takes rewards of 0 and 1 only.
type PassKTraining struct {
	estimators.Groupwise
	K       int     `param:"k" doc:"answers of which any is to be correct; training takes groups of more than k, since one set alone gives zeros" min:"1"`
	Epsilon float64 `param:"epsilon" doc:"added to the deviation of a set's reward" min:"0"`
	odds    odds
}

func (e *PassKTraining) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasCorrect, MinGroup: e.K, TrainGroup: e.K + 1, NoPenalty: true}
}

func (e *PassKTraining) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.EachBy(dst, b, e.GatherCorrect, func(dst, correct []float64, _ []*estimators.Rollout) error {
		if err := checkSetSize("k", e.K, len(correct)); err != nil {
			return err
		}
		e.odds.fill(len(correct), e.K)
		c := countOnes(correct)
		failed := e.odds.free[c] // 1 - rho: all k are drawn past the c correct ones
		sd := math.Sqrt(failed * (1 - failed))
		if sd < estimators.Tiny {
			clear(dst)
			return nil
		}
		for i, x := range correct {
			dst[i] = failed
			if x == 0 {
				dst[i] -= e.odds.miss[c]
			}
			dst[i] /= sd + e.Epsilon
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 60, estimators.Method{
		// The published code is an advantage for verl, without a loss.
		Name: "passk-training", Summary: "analytical advantage of pass@k with set rewards over their deviation", Trains: true,
		Source:     "Chen et al. 2025 (2508.10751)",
		Estimator:  estimators.From(PassKTraining{K: 4, Epsilon: 1e-6}),
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, Why: "it looks at correctness, not at rewards"},
		Target: func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return estimators.PassAt(i.Estimator.(*PassKTraining).K, s), nil
		},
	})
}
