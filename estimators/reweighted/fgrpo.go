package reweighted

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/exact"
)

// FGRPO scales the advantages of a group by how much of it is not solved yet (F-GRPO;
// Plyusov et al., 2602.06717, eqs. 12-13):
//
//	A_i = (1 - n_c / N)^gamma base_i
//
// with n_c of the group's N rollouts correct and the same factor for all of them. The base is any
// group-relative advantage; the paper has GRPO, DAPO and CISPO. Here it is GRPO's z-score as
// package estimators has it (ddof 0, epsilon 1e-6). The paper tries gamma 0.5 and 1, and 0.5 is the
// default here. AnamikaLochab/UCPO, core_algos.py, which has the method as a baseline, uses ddof 1
// and epsilon 1e-8, and takes a reward above 0 for correct; here correctness is the judge's.
//
// Within a group nothing changes but the length of the step, so advantages still sum to 0.
// Groups of equal rewards get zeros, and so do groups that are all right, whatever their
// rewards. A group of one is left as GRPO has it.
type FGRPO struct {
	estimators.GRPO
	Gamma float64 `param:"gamma" doc:"exponent of the share of rollouts that are not correct; 0: GRPO" min:"0" when:"train.group>1"`
}

func (*FGRPO) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward | envs.HasCorrect)
}

func (e *FGRPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		if len(rollouts) == 1 {
			return nil
		}
		wrong := float64(len(rollouts) - countCorrect(rollouts))
		focus := power(wrong/float64(len(rollouts)), e.Gamma)
		for i := range dst {
			dst[i] *= focus
		}
		return nil
	})
}

func countCorrect(rollouts []*estimators.Rollout) int {
	n := 0
	for _, r := range rollouts {
		if r.Candidates[0].Correct {
			n++
		}
	}
	return n
}

// power is x^by for x of 0 or more; 0^0 is 1.
func power(x, exponent float64) float64 {
	if exponent == 0 {
		return 1
	}
	return exact.Exp(exponent * exact.Log(x))
}

func init() {
	estimators.Register(estimators.Reweighted, 60, estimators.Method{
		Name: "f-grpo", Summary: "GRPO scaled by a power of the share of rollouts that are not correct", Trains: true,
		Source:     "Plyusov et al. 2026 (2602.06717), eqs. 12-13",
		Estimator:  estimators.From(FGRPO{GRPO: estimators.ZScore, Gamma: 0.5}),
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, Why: "a z-score times a factor of the group"},
	})
}
