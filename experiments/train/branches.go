package train

import (
	"modebench/envs"
	"modebench/policies"
)

// A rolloutSet holds the rollouts to one prompt, of which branches are measured: a sample,
// or all possible rollouts with their probabilities.
type rolloutSet struct {
	tokens []envs.Token // end to end
	ends   []int
	mass   []float64 // nil: a sample
}

func (s *rolloutSet) reset() { s.tokens, s.ends, s.mass = s.tokens[:0], s.ends[:0], nil }

// add copies a rollout into the set.
func (s *rolloutSet) add(tokens []envs.Token) {
	s.tokens = append(s.tokens, tokens...)
	s.ends = append(s.ends, len(s.tokens))
}

// addAll adds all possible rollouts with their probabilities.
func (s *rolloutSet) addAll(answers []policies.Answer) {
	for _, a := range answers {
		s.add(a.Tokens)
		s.mass = append(s.mass, a.P)
	}
}

func (s *rolloutSet) rollouts() [][]envs.Token {
	out, from := make([][]envs.Token, len(s.ends)), 0
	for i, end := range s.ends {
		out[i], from = s.tokens[from:end], end
	}
	return out
}
