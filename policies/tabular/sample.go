package tabular

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
)

// An arena holds the tokens of all rollouts of a call end to end.
type arena struct {
	tokens  []envs.Token
	logp    []float64
	entropy []float64
	start   []int

	// What an update of the same rollouts would have to find again.
	places []place
}

// holds says whether a rollout is the arena's number i: of its length, and in
// its place.
func (a *arena) holds(i int, r *policies.Rollout) bool {
	lo, hi := a.start[i], a.start[i+1]
	return len(r.Tokens) == hi-lo && len(r.Logp) == hi-lo && len(r.Entropy) == hi-lo &&
		(hi == lo || &r.Tokens[0] == &a.tokens[lo] && &r.Logp[0] == &a.logp[lo] && &r.Entropy[0] == &a.entropy[lo])
}

// A place is a token's row and its index among the row's legal ones.
type place struct {
	row   *row
	index int
}

func (a *arena) clear() {
	a.tokens, a.logp, a.entropy = a.tokens[:0], a.logp[:0], a.entropy[:0]
	a.start, a.places = a.start[:0], a.places[:0]
}

// Sample implements policies.Policy.
func (p *Policy) Sample(problems []envs.Problem, n int, opt policies.SampleOptions) ([]policies.Group, error) {
	if err := check(n, opt); err != nil {
		return nil, err
	}
	a := &p.arena
	a.clear()
	for _, problem := range problems {
		t, err := p.table(problem)
		if err != nil {
			return nil, err
		}
		key := opt.Key.Str(problem.ID())
		for i := range n {
			a.start = append(a.start, len(a.tokens))
			if err := p.rollout(t, key.Int(uint64(i)), opt); err != nil {
				return nil, err
			}
		}
	}
	a.start = append(a.start, len(a.tokens))
	p.hand(problems, n)
	return p.groups, nil
}

func check(n int, opt policies.SampleOptions) error {
	switch {
	case n < 1:
		return fmt.Errorf("cannot sample %d rollouts, want 1 or more", n)
	case opt.Greedy:
		return nil
	case !(opt.Temperature > 0 && opt.Temperature <= math.MaxFloat64):
		return fmt.Errorf("temperature %v, want above 0 and finite (or greedy)", opt.Temperature)
	case !(opt.TopP > 0 && opt.TopP <= 1):
		return fmt.Errorf("top-p %v, want above 0 and at most 1", opt.TopP)
	}
	return nil
}

// hand slices the arena into rollouts. It runs after sampling, when the arena
// no longer moves.
func (p *Policy) hand(problems []envs.Problem, n int) {
	a := &p.arena
	if total := len(problems) * n; cap(p.rollouts) < total {
		p.rollouts = make([]policies.Rollout, total)
	} else {
		p.rollouts = p.rollouts[:total]
	}
	for i := range p.rollouts {
		// A rollout that lies where the last call's lay is left as it is: a
		// comparison costs less than writing three slices.
		if r := &p.rollouts[i]; !a.holds(i, r) {
			lo, hi := a.start[i], a.start[i+1]
			*r = policies.Rollout{Tokens: a.tokens[lo:hi:hi], Logp: a.logp[lo:hi:hi], Entropy: a.entropy[lo:hi:hi]}
		}
	}
	p.groups = p.groups[:0]
	for i, problem := range problems {
		p.groups = append(p.groups, policies.Group{Problem: problem, Rollouts: p.rollouts[i*n : (i+1)*n : (i+1)*n]})
	}
}

var errEndless = errors.New("an answer has more than a million tokens: the environment's grammar does not end")

const maxTokens = 1 << 20

func (p *Policy) rollout(t *table, key rng.Key, opt policies.SampleOptions) error {
	a := &p.arena
	start := len(a.tokens)
	var pcg rand.PCG
	key.Seed(&pcg)
	temperature := opt.Temperature
	if opt.Greedy {
		temperature = 1
	}
	for r := t.root; !r.done; {
		r.refresh(temperature)
		var i int
		switch {
		case opt.Greedy:
			i = argmax(r.prob)
		case opt.TopP < 1:
			i = p.nucleus.cut(r.prob, opt.TopP).pick(rng.Uniform(&pcg))
		default:
			i = pick(r.prob, rng.Uniform(&pcg))
		}
		a.tokens = append(a.tokens, r.legal[i])
		a.logp = append(a.logp, r.logp[i])
		a.entropy = append(a.entropy, r.entropy)
		a.places = append(a.places, place{r, i})
		if len(a.tokens)-start > maxTokens {
			return errEndless
		}
		next := r.next[i]
		if next == nil {
			var err error
			if next, err = p.follow(t, r, i, a.tokens[start:]); err != nil {
				return err
			}
		}
		r = next
	}
	return nil
}

// pick inverts the cumulative distribution at u in [0, 1). Rounding may leave
// the sum just short of u; then the last entry with any mass is meant.
func pick(prob []float64, u float64) int {
	sum, last := 0.0, 0
	for i, p := range prob {
		if sum += p; u < sum {
			return i
		}
	}
	for i, p := range prob {
		if p > 0 {
			last = i
		}
	}
	return last
}

// argmax returns the lowest index of the largest entry.
func argmax(xs []float64) int {
	best := 0
	for i, x := range xs {
		if x > xs[best] {
			best = i
		}
	}
	return best
}

// A nucleus is the smallest set of most likely tokens whose mass reaches top-p,
// renormalised; equal probabilities stand in token order.
type nucleus struct {
	order []int
	mass  float64
	prob  []float64 // zero outside the nucleus
}

func (n *nucleus) cut(prob []float64, topP float64) *nucleus {
	n.order, n.prob = n.order[:0], n.prob[:0]
	for i := range prob {
		n.prob = append(n.prob, 0)
		n.order = append(n.order, i)
		// Insertion keeps the order stable; rows are short.
		for j := i; j > 0 && prob[n.order[j]] > prob[n.order[j-1]]; j-- {
			n.order[j], n.order[j-1] = n.order[j-1], n.order[j]
		}
	}
	n.mass = 0
	for _, i := range n.order {
		n.prob[i] = prob[i]
		if n.mass += prob[i]; n.mass >= topP {
			break
		}
	}
	for i := range n.prob {
		n.prob[i] /= n.mass
	}
	return n
}

func (n *nucleus) pick(u float64) int { return pick(n.prob, u) }
