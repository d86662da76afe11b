package train

import (
	"slices"

	"modebench/envs"
	"modebench/policies"
)

// A rolloutSet holds the rollouts to one prompt, of which branches are measured: a sample,
// or all possible rollouts with their probabilities.
type rolloutSet struct {
	rollouts [][]envs.Token
	mass     []float64 // nil: a sample
}

// add copies a rollout into the set: the policy's next call overwrites it.
func (s *rolloutSet) add(tokens []envs.Token) { s.rollouts = append(s.rollouts, slices.Clone(tokens)) }

// addAll adds all possible rollouts with their probabilities.
func (s *rolloutSet) addAll(answers []policies.Answer) {
	for _, a := range answers {
		s.add(a.Tokens)
		s.mass = append(s.mass, a.P)
	}
}
