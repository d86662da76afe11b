package exploration

import "modebench/estimators"

// OutcomeBatch is batch exploration (Song, Kempe and Munos, 2509.06941; read at OutcomeUCB's
// source): a group-relative advantage less a penalty for answers that other rollouts of the
// group gave too,
//
//	A_i = base_i - c/n sum_{j != i} [a_i = a_j]
//
// n is the number of the group's rollouts. It remembers nothing. An answer of "" counts as no
// answer, and repeats no other. The rest is as for OutcomeUCB: the base, groups whose rollouts
// are all correct, groups of one.
type OutcomeBatch struct {
	estimators.GRPO
	C      float64 `param:"c" doc:"weight of the penalty" min:"0" when:"train.group>1"`
	Solved string  `param:"solved" doc:"groups whose rollouts are all correct get no penalty, or the same penalty as others" choices:"none,bonus" when:"c>0,train.group>1"`

	same map[string]int // rollouts of a group by answer; reused
}

func (e *OutcomeBatch) Requirements() estimators.Requirements { return required(e.Solved) }

func (e *OutcomeBatch) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		if !paid(rollouts, e.Solved, e.Singleton) {
			return nil
		}
		if e.same == nil {
			e.same = map[string]int{}
		}
		clear(e.same)
		for _, r := range rollouts {
			e.same[r.Candidates[0].Answer]++
		}
		for i, r := range rollouts {
			if answer := r.Candidates[0].Answer; answer != "" {
				dst[i] -= float64(e.C * float64(e.same[answer]-1) / float64(len(rollouts)))
			}
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.Exploration, 40, explored(estimators.Method{
		Name: "outcome-batch", Summary: "GRPO less a penalty for answers that others of the group gave",
		Source:    "Song et al. 2025 (2509.06941), Batch",
		Estimator: estimators.From(OutcomeBatch{GRPO: estimators.ZScore, C: 0.2, Solved: "none"}),
		Target:    estimators.NoTarget("its penalty is made within the group and added to a z-score"),
	}, false))
}
