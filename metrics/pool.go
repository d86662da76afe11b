package metrics

import (
	"errors"
	"fmt"
	"math"

	"modebench/envs"
)

// Add measures the pool of one problem. The package comment describes the
// estimates. best@k, coverage@k and the like are unbiased; the order of
// the chains changes no bit of a result, but of best_first@k.
//
// Errors, after which the table is as before: no chains, an empty one or one of another length than
// the first, a k above the number of candidates, a reward of another length than the weights, |w.r|
// beyond 1e300 or a reward component beyond 1e150, more correct modes than Modes (if that is not
// negative), a front vector of another length or that is not finite, equal to or dominated by
// another vector, and a candidate whose rewards no front vector reaches (within 1e-9).
func (t *Table) Add(p Pool) error {
	a := &t.answers
	a.reset()
	a.exact, a.existing, a.front = false, p.Modes, p.Front
	if len(p.Chains) == 0 {
		return errNoAnswers
	}
	if p.Named != nil && len(p.Named) != len(p.Chains) {
		return fmt.Errorf("named: %d entries, want %d (one per chain)", len(p.Named), len(p.Chains))
	}
	for i, chain := range p.Chains {
		named := 0
		if p.Named != nil {
			named = p.Named[i]
		}
		if err := a.push(i, 1, chain, named); err != nil {
			return err
		}
	}
	for _, k := range t.opt.K {
		if err := checkSize(a.n*a.m, k); err != nil {
			return err
		}
	}
	if err := t.number(a); err != nil {
		return err
	}
	t.plan.prepare(&t.opt, a.n, a.m)
	t.measure(a)
	return nil
}

// number numbers vectors and modes, and checks both against the ground truth.
func (t *Table) number(a *answers) error {
	if err := checkFront(a.front, t.opt.Weights); err != nil {
		return err
	}
	if t.has(envs.HasReward) {
		if err := a.numberVectors(t.opt.Weights); err != nil {
			return err
		}
		if err := a.checkReached(); err != nil {
			return err
		}
	}
	if t.has(envs.HasMode) {
		a.numberModes()
	}
	if t.has(envs.HasEmbedding) {
		if err := a.numberEmbeddings(); err != nil {
			return err
		}
		a.embedded.weigh(a)
	}
	if !t.has(envs.HasCorrect|envs.HasMode) || a.existing < 0 {
		return nil
	}
	found := 0
	shown := make([]bool, len(a.modes))
	for i := range a.all {
		if e := a.modeIf(i, true); e >= 0 && !shown[e] {
			shown[e] = true
			found++
		}
	}
	if found > a.existing {
		return fmt.Errorf("%d distinct correct modes, but modes is %d", found, a.existing)
	}
	return nil
}

var errNoAnswers = errors.New("no answers")

// checkSize reports a k for which n answers have no k-subsets.
func checkSize(n, k int) error {
	switch {
	case n < 1:
		return errNoAnswers
	case k < 1:
		return fmt.Errorf("k is %d, want at least 1", k)
	case k > n:
		return fmt.Errorf("k is %d, but there are %d answers; no estimator is unbiased for k > n", k, n)
	}
	return nil
}

// massTolerance is how far the probabilities of a Distribution may add up to something else than 1.
const massTolerance = 1e-9

// An Outcome is one possible rollout: its probability and the verdicts
// on its candidates, in their order.
type Outcome struct {
	P     float64
	Chain []*envs.Verdict
	Named int // as an entry of Pool.Named
}

// A Distribution is the exact distribution of a policy's rollout for one problem. Each outcome is a
// different rollout, all with the same number m >= 1 of candidates; one of probability 0 changes
// nothing. Probabilities are used as given, not normalised.
type Distribution struct {
	Outcomes []Outcome
	Modes    int         // modes of correct answers that exist, as Pool.Modes
	Front    [][]float64 // exact Pareto front, as Pool.Front
}

// AddExact measures the distribution of one problem. With C the probability that a chain shows an
// event, and C_r that its first r candidates do, k candidates show it with probability
//
//	1 - (1-C)^q (1-C_r),    q = floor(k/m), r = k mod m
//
// from which the metrics at k follow as for pools. Probabilities of rare events
// keep their relative accuracy (to about 1e-15 at 1e-12).
//
// Errors, after which the table is as before: no outcomes, a probability outside
// [0, 1] or a total that is not 1 (within 1e-9), Options.Samples below 1, and
// those of Add that concern chains and truth.
func (t *Table) AddExact(d Distribution) error {
	if t.opt.Samples < 1 {
		return fmt.Errorf("samples is %d, want at least 1", t.opt.Samples)
	}
	if err := d.check(); err != nil {
		return err
	}
	a := &t.answers
	a.reset()
	a.exact, a.existing, a.front = true, d.Modes, d.Front
	for i, o := range d.Outcomes {
		if err := a.push(i, o.P, o.Chain, o.Named); err != nil {
			return err
		}
	}
	if err := t.number(a); err != nil {
		return err
	}
	t.plan.prepare(&t.opt, 0, a.m)
	t.measure(a)
	t.AddValue("entropy_sequence", d.Entropy())
	t.addAlive(d)
	return nil
}

// check reports outcomes that are no probability distribution.
func (d Distribution) check() error {
	total := 0.0
	for i := range d.Outcomes {
		p := d.Outcomes[i].P
		if !(p >= 0 && p <= 1+massTolerance) {
			return fmt.Errorf("outcome %d: probability %v, want a number in [0, 1]", i, p)
		}
		total += p
	}
	if !(math.Abs(total-1) <= massTolerance) {
		return fmt.Errorf("the probabilities of %d outcomes add up to %v, want 1 within %v",
			len(d.Outcomes), total, massTolerance)
	}
	return nil
}
