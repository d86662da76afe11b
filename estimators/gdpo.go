package estimators

import (
	"fmt"

	"modebench/envs"
)

// GDPO normalises every reward component by itself before they are added (Liu
// et al., 2601.05242): with group z-scores of each component k,
//
//	A^k_i = (r^k_i - mean r^k) / (sd r^k + epsilon)
//	A^sum_i = sum over k of w_k A^k_i
//	A_i = (A^sum_i - mean) / (sd + epsilon)
//
// the last over all trained rollouts of the batch, so that groups are not independent of one
// another. Both deviations divide by the number less ddof. A component without variance in a group,
// and so a group of one, contributes 0; a batch without any signal gives zeros. With one component
// and one group it is GRPO, up to epsilon (the second normalisation undoes the first one's).
type GDPO struct {
	DDoF    int     `param:"ddof" doc:"delta degrees of freedom of the standard deviations, of a group and of the batch" min:"0" max:"1" when:"train.group>1"`
	Epsilon float64 `param:"epsilon" doc:"added to the standard deviations" min:"0" when:"train.group>1"`

	sums   []float64 // A^sum of all trained rollouts of the batch
	column []float64 // one component of a group
	scores []float64
}

func (*GDPO) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, MinGroup: 1, Vectors: true, NoPenalty: true}
}

func (e *GDPO) Advantages(dst [][]float64, b *Batch) error {
	if err := checkShape(dst, b); err != nil {
		return err
	}
	e.sums = e.sums[:0]
	for g := range b.Groups {
		if err := e.add(b, &b.Groups[g]); err != nil {
			return b.InGroup(g, err)
		}
	}
	Standardise(e.sums, e.sums, e.DDoF, e.Epsilon)
	return scatter(dst, b, e.sums)
}

func (e *GDPO) add(b *Batch, g *Group) error {
	weights := g.Scalarisation(b)
	start := len(e.sums)
	for i := range g.Rollouts {
		r := &g.Rollouts[i]
		if !r.Train {
			continue
		}
		if len(r.Candidates) != 1 {
			return errNotOne(i, len(r.Candidates))
		}
		if err := checkChain(r.Candidates, len(weights)); err != nil {
			return fmt.Errorf("rollout %d%w", i, err)
		}
		e.sums = append(e.sums, 0)
	}
	sums := e.sums[start:]
	e.scores = Resize(e.scores, len(sums))
	for k, w := range weights {
		e.column = e.column[:0]
		for i := range g.Rollouts {
			if g.Rollouts[i].Train {
				e.column = append(e.column, g.Rollouts[i].Candidates[0].Reward[k])
			}
		}
		Standardise(e.scores, e.column, e.DDoF, e.Epsilon)
		for i, a := range e.scores {
			sums[i] += float64(w * a)
		}
	}
	return nil
}

func init() {
	Register(VectorRewards, 50, Method{
		Name: "gdpo", Summary: "z-score of each reward component, their sum normalised over the batch", Trains: true,
		Source:     "Liu et al. 2026; VPO table 5",
		Estimator:  From(GDPO{DDoF: 1, Epsilon: 1e-6}),
		Loss:       VPOLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, AcrossGroups: true, Why: "a z-score of z-scores"},
	})
}
