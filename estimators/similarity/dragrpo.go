package similarity

import (
	"slices"

	"modebench/estimators"
)

// DRAGRPO divides rewards by how much a rollout is like all others (DRA-GRPO, 2505.09655;
// xiwenc1/DRA-GRPO, grpo_trainer.py, SMI reweighting):
//
//	r'_i = r_i / (sum over j of cos(e_i, e_j) + 1e-6)
//
// over all N rollouts, itself with its cosine 1 among them, and then the z-score of r'.
// Cosines are not clamped: a negative sum turns a reward's sign, and one near -1e-6
// blows it up. Equal rewards still differ after that. The equation is the code's.
//
// The code compares the rollouts of one device's batch, which in the published runs is one
// group; over "batch" compares all of the step. A rollout without an embedding, whose sum
// there is 0 and its reward 1,000,000 times as large, is here like itself alone. A group of
// one has the advantage 0, or under singleton "raw" its r'.
type DRAGRPO struct {
	similar
	terms []float64
}

func (e *DRAGRPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.each(dst, b, func() {
		for i, r := range e.rewards {
			e.shaped = append(e.shaped, r/(e.alike(i)+1e-6))
		}
	})
}

// alike is the sum of a rollout's cosines, in order of size: sums near 0 are divided by,
// and must not depend on the order of rollouts.
func (e *DRAGRPO) alike(i int) float64 {
	row := e.row(i)
	if row == nil {
		return 1
	}
	e.terms = append(e.terms[:0], row...)
	slices.Sort(e.terms)
	sum := 0.0
	for _, c := range e.terms {
		sum += c
	}
	return sum
}

func init() {
	estimators.Register(estimators.SetDiversity, 50, estimators.Method{
		Name: "dra-grpo", Summary: "rewards over the sum of a rollout's cosines with all of the group, z-score", Trains: true,
		Source:    "DRA-GRPO 2025 (2505.09655); xiwenc1/DRA-GRPO",
		Estimator: estimators.From(DRAGRPO{similar: similar{GRPO: sampleDeviation, Over: "group"}}),
		Loss:      openRS,
		Properties: estimators.Properties{
			Scale: estimators.Invariant, ZeroSum: true, MovesEqualRewards: true,
			Why: "a z-score of rewards over similarities: a constant is worth what they are",
		},
		Target: noTarget,
	})
}
