package tabular

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/envs"
	"modebench/internal/exact"
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
	places      []place
	updates     uint64  // of the policy, when the rollouts were drawn
	temperature float64 // at which

	handed []int // start, when the rollouts were last sliced
	room   int   // and the capacity, which tells whether the arena has moved since
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
func (p *Policy) Sample(tasks []envs.Task, n int, opt policies.SampleOptions) ([]policies.Group, error) {
	if err := check(n, opt); err != nil {
		return nil, err
	}
	a := &p.arena
	a.clear()
	a.updates, a.temperature = p.updates, opt.Temperature
	if opt.Greedy {
		a.temperature = 1
	}
	for k, task := range tasks {
		t, err := p.recallTable(k, task)
		if err != nil {
			return nil, err
		}
		key := opt.Key.Str(t.id)
		for i := range n {
			a.start = append(a.start, len(a.tokens))
			if err := p.rollout(t, key.Int(uint64(i)), &opt); err != nil {
				return nil, err
			}
		}
	}
	a.start = append(a.start, len(a.tokens))
	p.hand(tasks, n)
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
func (p *Policy) hand(tasks []envs.Task, n int) {
	a := &p.arena
	total := len(tasks) * n
	if !p.inPlace(len(tasks), n) {
		a.handed, a.room = append(a.handed[:0], a.start...), a.capacity()
		if cap(p.rollouts) < total {
			p.rollouts = make([]policies.Rollout, total)
		}
		p.rollouts = p.rollouts[:total]
		for i := range p.rollouts {
			lo, hi := a.start[i], a.start[i+1]
			p.rollouts[i] = policies.Rollout{Number: i % n, Tokens: a.tokens[lo:hi:hi], Logp: a.logp[lo:hi:hi], Entropy: a.entropy[lo:hi:hi]}
		}
	}
	p.groups = p.groups[:0]
	for i, task := range tasks {
		p.groups = append(p.groups, policies.Group{Task: task, Rollouts: p.rollouts[i*n : (i+1)*n : (i+1)*n]})
	}
}

// inPlace says whether the rollouts that the last call handed out lie where this
// call's are to lie, so that slicing the arena again, which costs as much as
// drawing from a bandit, can be left out.
func (p *Policy) inPlace(groups, n int) bool {
	a := &p.arena
	if len(p.rollouts) != groups*n || len(p.groups) != groups || a.room != a.capacity() || !slices.Equal(a.handed, a.start) {
		return false
	}
	for g := range groups {
		for i := range n {
			if p.rollouts[g*n+i].Number != i {
				return false
			}
		}
	}
	return true
}

// capacity grows whenever one of the arena's slices moves.
func (a *arena) capacity() int { return cap(a.tokens) + cap(a.logp) + cap(a.entropy) }

var errEndless = errors.New("a rollout has more than a million tokens: the environment's grammar does not end")

const maxTokens = 1 << 20

func (p *Policy) rollout(t *table, key rng.Key, opt *policies.SampleOptions) error {
	a := &p.arena
	start := len(a.tokens)
	var pcg rand.PCG
	key.Seed(&pcg)
	var w path
	for node := t.root; node != done; {
		r := t.rowOf(node)
		r.refresh(a.temperature, a.updates)
		var i int
		entropy := r.entropy
		switch {
		case opt.Greedy:
			i, entropy = argmax(r.prob), 0
		case opt.TopP < 1:
			i = p.nucleus.cut(r.prob, opt.TopP).pick(rng.Uniform(&pcg))
			entropy = p.nucleus.entropy()
		default:
			i = pick(r.cumulative, rng.Uniform(&pcg))
		}
		a.tokens = append(a.tokens, r.legal[i])
		a.logp = append(a.logp, r.logp[i])
		a.entropy = append(a.entropy, entropy)
		a.places = append(a.places, place{r, i})
		if len(a.tokens)-start > maxTokens {
			return errEndless
		}
		next := t.words[int(node)+1+i]
		if next == unknown {
			var err error
			if next, err = p.follow(t, node, i, a.tokens[start:], &w); err != nil {
				return err
			}
		}
		node = next
	}
	return nil
}

// pick inverts a cumulative distribution at u in [0, 1): the first entry above
// u. Rounding may leave the last sum just short of u; then the last entry with
// any mass is meant.
func pick(cumulative []float64, u float64) int {
	for i, sum := range cumulative {
		if u < sum {
			return i
		}
	}
	last := len(cumulative) - 1
	for last > 0 && cumulative[last] == cumulative[last-1] {
		last--
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
	sums  []float64 // running sums of prob
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

// entropy of the cut distribution, in nats.
func (n *nucleus) entropy() float64 {
	h := 0.0
	for _, p := range n.prob {
		if p > 0 {
			h -= float64(p * exact.Log(p))
		}
	}
	return max(h, 0)
}

func (n *nucleus) pick(u float64) int {
	n.sums = n.sums[:0]
	sum := 0.0
	for _, p := range n.prob {
		sum += p
		n.sums = append(n.sums, sum)
	}
	return pick(n.sums, u)
}
