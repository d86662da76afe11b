package estimators

import (
	"fmt"
	"math"
)

// What an estimator needs that lies in a package of its own, as package plugin does.

// registered are the methods of other packages.
var registered []Method

// Register makes a method of another package known to Lookup. Its package calls it once,
// from an init function. The method is in no family, so listings of all methods, and
// name = "*" in a spec, leave it out. Its loss is PPO's clip, averaged over the tokens of
// an answer and then over answers, without a reference; newEstimator returns an estimator
// with the method's defaults.
func Register(m Method, newEstimator func() Estimator) {
	m.estimator, m.loss, m.Candidates = newEstimator, plain, max(m.Candidates, 1)
	registered = append(registered, m)
}

// Accept says whether an estimator with these needs can fill dst from the batch: dst has
// room for one advantage a rollout, the batch holds what is needed, and rollouts are
// chains only where the estimator takes them.
func (n Needs) Accept(dst [][]float64, b *Batch) error {
	if err := checkShape(dst, b); err != nil {
		return err
	}
	if err := n.Check(b); err != nil {
		return err
	}
	if n.Chains {
		return nil
	}
	for g := range b.Groups {
		for i := range b.Groups[g].Rollouts {
			if c := len(b.Groups[g].Rollouts[i].Candidates); c != 1 {
				return b.InGroup(g, errNotOne(i, c))
			}
		}
	}
	return nil
}

// InGroup puts the name of group g before an error.
func (b *Batch) InGroup(g int, err error) error {
	return fmt.Errorf("group %d (problem %q): %w", g, b.Groups[g].Problem, err)
}

// ZeroVoters makes the advantages of rollouts that only vote 0, and those that are only
// rounding, below 1e-12 in size.
func (b *Batch) ZeroVoters(dst [][]float64) {
	for g := range dst {
		for i := range dst[g] {
			if !b.Groups[g].Rollouts[i].Train || math.Abs(dst[g][i]) < tiny {
				dst[g][i] = 0
			}
		}
	}
}
