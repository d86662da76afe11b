package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/exact"
)

// AliveMass is the probability above which a mode counts as alive: a mode that
// one answer in fifty does not show has collapsed for every practical group
// size. The threshold is this suite's own convention, no paper's.
const AliveMass = 0.02

// massTolerance is how far the probabilities of a Distribution may add up to
// something else than 1.
const massTolerance = 1e-9

// An Outcome is one possible answer: its probability and what the judge says
// of it.
type Outcome struct {
	P       float64
	Verdict envs.Verdict
}

// A Distribution is the exact distribution of a policy's answer to one
// problem. Each outcome is a different answer; one of probability 0 changes
// nothing. Probabilities are used as given, not normalised.
type Distribution struct {
	Outcomes []Outcome
	Modes    int // modes of correct answers that exist, as Pool.Modes
}

// A Share is the probability of answering correctly, or incorrectly, in one
// mode.
type Share struct {
	Mode    envs.Mode
	Correct bool
	Mass    float64
}

// Shares returns the mass of each (mode, correct) pair that has an outcome,
// Degenerate included: correct ones first, then in the order of mode names.
// Each sum runs in the order of the outcomes.
func (d Distribution) Shares() []Share {
	shares := make([]Share, len(d.Outcomes))
	for i := range d.Outcomes {
		o := &d.Outcomes[i]
		shares[i] = Share{o.Verdict.Mode, o.Verdict.Correct, o.P}
	}
	slices.SortStableFunc(shares, compareShares)
	merged := shares[:0]
	for _, s := range shares {
		if last := len(merged) - 1; last >= 0 && compareShares(merged[last], s) == 0 {
			merged[last].Mass += s.Mass
		} else {
			merged = append(merged, s)
		}
	}
	return merged
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

// Metrics returns the exact metrics, in this order:
//
//	for each k: pass@k, best@k, coverage@k
//	accuracy, reward, distinct_correct, distinct_incorrect,
//	entropy_mode, entropy_sequence, modes_alive, correct_modes_alive
//
// The package comment gives units and ranges. With p the mass of the correct
// answers, p_m that of the correct answers of mode m, v_1 < v_2 < ... the
// scalars w.r and F_i the probability of at most v_i:
//
//	pass@k     = 1 - (1-p)^k
//	best@k     = sum over i of v_i (F_i^k - F_{i-1}^k)
//	coverage@k = sum over m of [1 - (1-p_m)^k] / min(k, Modes)
//
// distinct_correct and distinct_incorrect are expectations for `samples`
// independent answers; a mode with correct and incorrect answers counts in
// both. Probabilities of rare events keep their relative accuracy (to about
// 1e-15 at p = 1e-12, say). coverage@k is left out where Modes < 1.
//
// Errors: no outcomes, a probability outside [0, 1] or a total that is not 1
// (within 1e-9), a k or samples below 1, a k given twice, a reward
// of another length than weights, |w.r| beyond 1e300, more correct modes of
// positive mass than Modes (where that is not negative).
func (d Distribution) Metrics(weights []float64, ks []int, samples int) ([]Value, error) {
	if err := checkKs(ks); err != nil {
		return nil, err
	}
	if samples < 1 {
		return nil, fmt.Errorf("samples is %d, want at least 1", samples)
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	steps, reward, err := d.ascent(weights)
	if err != nil {
		return nil, err
	}
	shares := d.Shares()
	right, wrong := split(shares)
	found := countAbove(right, 0)
	if d.Modes >= 0 && found > d.Modes {
		return nil, errTooManyModes(found, d.Modes)
	}
	accuracy := 0.0
	for _, s := range right {
		accuracy += s.Mass
	}
	accuracy = min(1, accuracy)

	out := make([]Value, 0, 3*len(ks)+8)
	put := func(name string, value float64) { out = append(out, Value{name, value, 1}) }
	for _, k := range ks {
		put(atK("pass", k), hit(accuracy, k))
		put(atK("best", k), steps.best(k))
		if d.Modes > 0 {
			put(atK("coverage", k), min(1, distinct(right, k)/float64(min(k, d.Modes))))
		}
	}
	byMode := mergeModes(right, wrong)
	put("accuracy", accuracy)
	put("reward", reward)
	put("distinct_correct", distinct(right, samples))
	put("distinct_incorrect", distinct(wrong, samples))
	put("entropy_mode", entropyOfShares(byMode))
	put("entropy_sequence", d.entropy())
	put("modes_alive", float64(countAbove(byMode, AliveMass)))
	put("correct_modes_alive", float64(countAbove(right, AliveMass)))
	return out, nil
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

// A step is a score and the probability of reaching at least that score.
type step struct{ score, above float64 }

// An ascent holds the attainable scores, ascending, starting with the lowest.
type ascent []step

// ascent returns the scores with their upper tail masses, and the mean score.
func (d Distribution) ascent(weights []float64) (ascent, float64, error) {
	steps := make(ascent, 0, len(d.Outcomes))
	mean := 0.0
	for i := range d.Outcomes {
		o := &d.Outcomes[i]
		score, err := scalar(&o.Verdict, weights)
		if err != nil {
			return nil, 0, fmt.Errorf("outcome %d: %w", i, err)
		}
		mean += float64(o.P * score)
		if o.P > 0 {
			steps = append(steps, step{score, o.P})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.score, b.score) })
	for i := len(steps) - 2; i >= 0; i-- {
		steps[i].above += steps[i+1].above
	}
	return steps, mean, nil
}

// best returns the expected maximum of k scores. Summation by parts turns the
// formula of Metrics into
//
//	v_1 + sum over i > 1 of (v_i - v_{i-1}) [1 - (1-T_i)^k],  T_i = P(v >= v_i)
//
// whose terms are not negative, so that a rare high score is not lost in the
// difference of two powers close to 1.
func (a ascent) best(k int) float64 {
	sum := a[0].score
	for i := 1; i < len(a); i++ {
		if rise := a[i].score - a[i-1].score; rise > 0 {
			sum += float64(rise * hit(a[i].above, k))
		}
	}
	return min(sum, a[len(a)-1].score)
}

// hit returns 1 - (1-p)^k, the probability that an event of probability p
// happens at least once in k independent trials, with full relative accuracy
// for small p. A p above 1 (by the tolerance of a total) counts as 1.
func hit(p float64, k int) float64 {
	switch {
	case p >= 1:
		return 1
	case k == 1:
		return p
	}
	return -exact.Expm1(float64(float64(k) * exact.Log1p(-p)))
}

// split divides the result of Shares into correct and incorrect ones.
func split(shares []Share) (right, wrong []Share) {
	at := 0
	for at < len(shares) && shares[at].Correct {
		at++
	}
	return shares[:at], shares[at:]
}

// Alive counts the modes that hold more than AliveMass of probability, and those
// whose correct answers do; Degenerate never counts.
func Alive(shares []Share) (modes, correct int) {
	right, wrong := split(shares)
	return countAbove(mergeModes(right, wrong), AliveMass), countAbove(right, AliveMass)
}

// mergeModes adds the correct and the incorrect mass of each mode.
func mergeModes(right, wrong []Share) []Share {
	all := make([]Share, 0, len(right)+len(wrong))
	for len(right) > 0 || len(wrong) > 0 {
		switch {
		case len(wrong) == 0 || len(right) > 0 && right[0].Mode < wrong[0].Mode:
			all, right = append(all, right[0]), right[1:]
		case len(right) == 0 || wrong[0].Mode < right[0].Mode:
			all, wrong = append(all, wrong[0]), wrong[1:]
		default:
			sum := right[0]
			sum.Mass += wrong[0].Mass
			all, right, wrong = append(all, sum), right[1:], wrong[1:]
		}
	}
	return all
}

// distinct returns the expected number of the shares' modes, other than
// Degenerate, that n independent answers show.
func distinct(shares []Share, n int) float64 {
	sum := 0.0
	for _, s := range shares {
		if s.Mode != envs.Degenerate {
			sum += hit(s.Mass, n)
		}
	}
	return sum
}

// countAbove counts the modes, other than Degenerate, of more than the given
// mass.
func countAbove(shares []Share, mass float64) int {
	count := 0
	for _, s := range shares {
		if s.Mode != envs.Degenerate && s.Mass > mass {
			count++
		}
	}
	return count
}

// entropyOfShares returns the entropy over the shares in nats.
func entropyOfShares(shares []Share) float64 {
	h := 0.0
	for _, s := range shares {
		h += surprise(s.Mass)
	}
	return max(0, h)
}

// entropy returns the entropy over the outcomes in nats.
func (d Distribution) entropy() float64 {
	h := 0.0
	for i := range d.Outcomes {
		h += surprise(d.Outcomes[i].P)
	}
	return max(0, h)
}

// surprise returns -p log p, with 0 log 0 = 0.
func surprise(p float64) float64 {
	if p == 0 {
		return 0
	}
	return -float64(p * exact.Log(p))
}
