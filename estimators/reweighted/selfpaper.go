package reweighted

import (
	"modebench/envs"
	"modebench/estimators"
)

// SelfPaper is GRPO that leaves out the problems which the greedy answer solves (SELF,
// 2510.02230, as tajwarfahim/maxrl, core_algos.py, has it under the name self_paper):
//
//	A_i = 0       where the greedy rollout's reward is exactly 1
//	A_i = base_i  elsewhere
//
// after the base's normalisation, which is the z-score with ddof 1 and epsilon 1e-6. A greedy
// reward of 0.99 masks nothing. The paper, of which only this code was read, adds a divergence that
// is no part of the advantage. Groups of equal rewards get zeros. A group of one has the advantage
// 0, or under singleton "raw", as in the code, its reward over 1 + epsilon, unless it is masked.
type SelfPaper struct{ estimators.GRPO }

func (*SelfPaper) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward, estimators.GroupGreedy)
}

func (e *SelfPaper) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		greedy, err := e.Greedy()
		if greedy == 1 {
			clear(dst)
		} else {
			e.Relative(dst, rewards)
		}
		return err
	})
}

func init() {
	estimators.Register(estimators.Reweighted, 100, estimators.Method{
		Name: "self-paper", Summary: "GRPO on the problems that the greedy answer does not solve", Trains: true,
		Source:     "SELF 2025 (2510.02230), as tajwarfahim/maxrl has it",
		Estimator:  estimators.From(SelfPaper{estimators.SampleZScore}),
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, Why: "a z-score, or zeros: the greedy rollout's reward stays where only the group's change"},
	})
}
