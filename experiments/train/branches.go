package train

import (
	"modebench/envs"
	"modebench/policies"
)

// A spread is the rollouts to one prompt, kept where branches are measured: a sample,
// or all there are with their probabilities.
type spread struct {
	tokens []envs.Token // end to end
	ends   []int
	mass   []float64 // nil: a sample
}

func (s *spread) reset() { s.tokens, s.ends, s.mass = s.tokens[:0], s.ends[:0], nil }

// draw adds a rollout, which may be overwritten afterwards.
func (s *spread) draw(tokens []envs.Token) {
	s.tokens = append(s.tokens, tokens...)
	s.ends = append(s.ends, len(s.tokens))
}

// list adds all rollouts there are.
func (s *spread) list(answers []policies.Answer) {
	for _, a := range answers {
		s.draw(a.Tokens)
		s.mass = append(s.mass, a.P)
	}
}

func (s *spread) rollouts() [][]envs.Token {
	out, from := make([][]envs.Token, len(s.ends)), 0
	for i, end := range s.ends {
		out[i], from = s.tokens[from:end], end
	}
	return out
}
