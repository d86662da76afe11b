package numbers

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
)

// Pools are the answers of a variant that a figure shows: those that its first seed gave
// to one problem.
type Pools struct {
	Env   record.Component `json:"env"`             // the environment with its resolved parameters
	Split string           `json:"split"`           // that the problem is of
	Front [][]float64      `json:"front,omitempty"` // of the kind front: the exact Pareto front of the problem
	At    []Pool           `json:"at"`              // by step, those of the variant's steps
}

// A Pool is the answers at one step.
type Pool struct {
	Step    int      `json:"step"`
	ID      string   `json:"id"` // the problem's
	Answers []Answer `json:"answers"`
}

// An Answer holds the parts of an answer that a kind of figure draws.
type Answer struct {
	Mode      string    `json:"mode,omitempty"`
	Correct   bool      `json:"correct,omitempty"`
	Reward    []float64 `json:"reward,omitempty"`
	Tokens    Words     `json:"tokens,omitempty"`
	Embedding []float32 `json:"embedding,omitempty"`
}

// Words are the tokens of an answer. A file has them as one text, with a blank between two.
type Words []string

// MarshalText joins the words, which have no blanks.
func (w Words) MarshalText() ([]byte, error) { return []byte(strings.Join(w, " ")), nil }

// UnmarshalText splits the text into words.
func (w *Words) UnmarshalText(text []byte) error {
	*w = strings.Fields(string(text))
	return nil
}

// Check finds a word that a file cannot hold.
func (p *Pools) Check() error {
	for _, pool := range p.At {
		for i, a := range pool.Answers {
			for _, word := range a.Tokens {
				if len(strings.Fields(word)) != 1 || strings.TrimSpace(word) != word {
					return fmt.Errorf("answers[%d]: the word %q has blanks, and a figure's file puts one between two words", i, word)
				}
			}
		}
	}
	return nil
}

// OfStep is the pool of a step, or nil.
func (p *Pools) OfStep(step int) *Pool {
	if i := slices.IndexFunc(p.At, func(pool Pool) bool { return pool.Step == step }); i >= 0 {
		return &p.At[i]
	}
	return nil
}

// NewPool holds the parts of a pool that a kind of figure draws.
func NewPool(from *record.Pool, keep func(*record.PoolAnswer) Answer) Pool {
	pool := Pool{Step: from.Step, ID: from.ID}
	for i := range from.Answers {
		pool.Answers = append(pool.Answers, keep(&from.Answers[i]))
	}
	return pool
}
