package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/exact"
)

// AliveMass is the probability above which a mode counts as alive: a mode that
// fewer than one answer in fifty shows has collapsed for every practical group
// size. The threshold is this suite's own convention, no paper's.
const AliveMass = 0.02

// massTolerance is how far the probabilities of a Distribution may add up to
// something else than 1.
const massTolerance = 1e-9

// An Outcome is one possible rollout: its probability and what the judge says
// of its candidates, in their order.
type Outcome struct {
	P     float64
	Chain []*envs.Verdict
	Named int // as an entry of Pool.Named
}

// A Distribution is the exact distribution of a policy's rollout for one
// problem. Each outcome is a different rollout, all with the same number m >= 1
// of candidates; one of probability 0 changes nothing. Probabilities are used as
// given, not normalised.
type Distribution struct {
	Outcomes []Outcome
	Modes    int         // modes of correct answers that exist, as Pool.Modes
	Front    [][]float64 // exact Pareto front, as Pool.Front
}

// A Share is the probability of answering correctly, or incorrectly, in one
// mode.
type Share struct {
	Mode    envs.Mode
	Correct bool
	Mass    float64
}

// Shares returns the mass of each (mode, correct) pair that has an outcome,
// Degenerate included: correct ones first, then in the order of mode names. A
// chain's probability is spread evenly over its candidates. Each sum runs in the
// order of the outcomes.
func (d Distribution) Shares() []Share {
	type kind struct {
		mode    envs.Mode
		correct bool
	}
	var shares []Share
	number := map[kind]int{}
	for _, o := range d.Outcomes {
		for _, v := range o.Chain {
			k := kind{v.Mode, v.Correct}
			at, known := number[k]
			if !known {
				at = len(shares)
				number[k] = at
				shares = append(shares, Share{Mode: v.Mode, Correct: v.Correct})
			}
			shares[at].Mass += o.P / float64(len(o.Chain))
		}
	}
	slices.SortFunc(shares, compareShares)
	return shares
}

func compareShares(a, b Share) int {
	if a.Correct != b.Correct {
		if a.Correct {
			return -1
		}
		return 1
	}
	return strings.Compare(string(a.Mode), string(b.Mode))
}

// AddExact measures the distribution of one problem. With C the probability
// that a chain shows an event, and C_r that its first r candidates do, k
// candidates show it with probability
//
//	1 - (1-C)^q (1-C_r),    q = floor(k/m), r = k mod m
//
// from which the metrics at k follow as for pools. Probabilities of rare events
// keep their relative accuracy (to about 1e-15 at 1e-12, say).
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
	if len(t.opt.Weights) > 1 {
		t.addExactDistances(a)
	}
	t.addPlain(entropySequence, d.Entropy())
	modes, correct := Alive(d.Shares())
	t.addPlain(modesAlive, float64(modes))
	t.addPlain(correctModesAlive, float64(correct))
	return nil
}

// Entropy returns the entropy over the outcomes, in nats.
func (d Distribution) Entropy() float64 {
	h := 0.0
	for i := range d.Outcomes {
		h += surprise(d.Outcomes[i].P)
	}
	return max(0, h)
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

// Alive counts the modes that hold more than AliveMass of probability, and those
// whose correct answers do; Degenerate never counts. It takes what Shares
// returns.
func Alive(shares []Share) (modes, correct int) {
	masses := map[envs.Mode]float64{}
	for _, s := range shares {
		if s.Mode == envs.Degenerate {
			continue
		}
		before := masses[s.Mode]
		masses[s.Mode] = before + s.Mass
		if before <= AliveMass && before+s.Mass > AliveMass {
			modes++
		}
		if s.Correct && s.Mass > AliveMass {
			correct++
		}
	}
	return modes, correct
}

// surprise returns -p log p, with 0 log 0 = 0.
func surprise(p float64) float64 {
	if p == 0 {
		return 0
	}
	return -float64(p * exact.Log(p))
}
