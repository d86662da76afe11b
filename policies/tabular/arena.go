package tabular

import "modebench/envs"

// An arena holds the tokens of all rollouts of a call end to end.
type arena struct {
	tokens  []envs.Token
	logp    []float64
	entropy []float64
	sampler []float64 // log-probabilities after a top-p cut; empty without one
	start   []int

	// An update of the same rollouts would otherwise look these up again.
	places      []place
	updates     uint64  // of the policy, when the rollouts were drawn
	temperature float64 // at which
	foreign     bool    // by another distribution than the policy's

	handed []int // start, when the rollouts were last sliced
	room   int   // and the capacity, which tells whether the arena has moved since
	cut    bool  // and whether they have sampler
}

// A place is a token's row and its index among the row's legal ones.
type place struct {
	row   *row
	index int
}

func (a *arena) clear() {
	a.tokens, a.logp, a.entropy, a.sampler = a.tokens[:0], a.logp[:0], a.entropy[:0], a.sampler[:0]
	a.start, a.places = a.start[:0], a.places[:0]
}

// capacity grows whenever one of the arena's slices moves.
func (a *arena) capacity() int {
	return cap(a.tokens) + cap(a.logp) + cap(a.entropy) + cap(a.sampler)
}
