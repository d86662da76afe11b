package estimators

import "modebench/envs"

// Base is no training at all: every advantage is zero. It is the method `base`,
// the row every table holds the others against, and stands in for `optimum`,
// which has no policy. It takes rollouts of any number of candidates.
type Base struct{}

// Needs implements Estimator.
func (*Base) Needs() Needs { return Needs{MinGroup: 1, Chains: true} }

// Advantages implements Estimator.
func (*Base) Advantages(dst [][]float64, b *Batch) error {
	if err := checkShape(dst, b); err != nil {
		return err
	}
	for _, group := range dst {
		clear(group)
	}
	return nil
}

// Reinforce is the score function without a baseline: A_i = r_i (Williams,
// 1992).
type Reinforce struct{ groupwise }

// Needs implements Estimator.
func (*Reinforce) Needs() Needs { return Needs{Fields: envs.HasReward, MinGroup: 1} }

// Advantages implements Estimator.
func (e *Reinforce) Advantages(dst [][]float64, b *Batch) error {
	return e.each(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		copy(dst, rewards)
		return nil
	})
}

// RLOO subtracts the mean of the group's other rewards (Kool et al., 2019;
// Ahmadian et al., 2024):
//
//	A_i = r_i - sum_{j != i} r_j / (G-1) = G/(G-1) (r_i - mean r)
//
// A group of one has no others: its advantage is 0, or r under singleton "raw"
// (verl's rloo).
type RLOO struct {
	groupwise
	Singleton string `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward" choices:"zero,raw"`
}

// Needs implements Estimator.
func (*RLOO) Needs() Needs { return Needs{Fields: envs.HasReward, MinGroup: 1} }

// Advantages implements Estimator.
func (e *RLOO) Advantages(dst [][]float64, b *Batch) error {
	return e.each(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		e.leaveOneOut(dst, rewards)
		return nil
	})
}

// leaveOneOut writes each reward less the mean of the others to dst, which may be
// the same slice.
func (e *RLOO) leaveOneOut(dst, rewards []float64) {
	if len(rewards) == 1 {
		dst[0] = singleton(e.Singleton, rewards[0])
		return
	}
	mean, cutoff := mean(rewards), rounding(rewards)
	scale := float64(len(rewards)) / float64(len(rewards)-1)
	for i, r := range rewards {
		dst[i] = scale * (r - mean)
	}
	snap(dst, cutoff)
}

// singleton is the advantage of a group of one.
func singleton(policy string, r float64) float64 {
	if policy == "raw" {
		return r
	}
	return 0
}

// mean is the arithmetic mean in rollout order.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
