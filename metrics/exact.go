package metrics

import (
	"fmt"
	"math"

	"modebench/envs"
)

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
