package reweighted

import (
	"modebench/envs"
	"modebench/estimators"
)

// UniquenessAware divides a group-relative advantage by how common its strategy is in the
// group (2601.08763, eqs. 1-5):
//
//	A_i = base_i / f_i^alpha
//
// f_i is the number of rollouts of the group in the cluster of rollout i, itself counted.
// Clusters are modes here, and a language model's judgement in the paper, which sees
// problems and rollouts and not which are correct. A rollout without a mode is a cluster of
// its own. The paper has alpha in [0, 1] and does not give the value of its runs; the
// default here is 1. The authors' repository holds no code.
//
// Both signs are divided: a wrong rollout in a big cluster is punished less than a lone one.
// Weights are not normalised, so that advantages do not sum to 0. Groups of equal rewards
// get zeros, and a group of one GRPO's.
type UniquenessAware struct {
	estimators.GRPO
	Alpha    float64 `param:"alpha" doc:"exponent of the number of rollouts of the same mode; 0: GRPO" min:"0" when:"train.group>1"`
	clusters estimators.Clusters
}

func (*UniquenessAware) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward | envs.HasMode)
}

func (e *UniquenessAware) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		e.clusters.Assign(rollouts)
		for i := range dst {
			dst[i] *= power(float64(e.clusters.SizeOf(i)), -e.Alpha)
		}
		return nil
	})
}

func init() {
	weakKL := estimators.PlainLoss
	weakKL.KLCoef = 1e-3
	estimators.Register(estimators.Reweighted, 70, estimators.Method{
		Name: "uniqueness-aware", Summary: "GRPO over the number of rollouts of the same mode", Trains: true,
		Source:     "Hu et al. 2026 (2601.08763), eq. 5",
		Estimator:  estimators.From(UniquenessAware{GRPO: estimators.ZScore, Alpha: 1}),
		Loss:       weakKL,
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, Why: "a z-score times weights that do not depend on rewards and do not cancel"},
		Target:     estimators.NoTarget("its weights depend on who else is in the group"),
	})
}
