package record

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"modebench/internal/input"
)

// MaxEmbedded is how many answers of a pool are recorded with their embeddings: the first ones.
const MaxEmbedded = 64

// A Pool holds the answers to one problem that one evaluation measured or, if it enumerated
// all answers, a sample of the same size for the record alone.
type Pool struct {
	Step    int    `json:"step"`
	Problem int    `json:"problem"` // number of the problem in the split of [eval], from 0
	ID      string `json:"id"`      // of the problem
	// Answers by rollout and, within a chain, in order; none for an exact optimum.
	Answers []PoolAnswer `json:"answers"`
	// Front is the exact Pareto front of the problem, in the first of its pools alone: that of
	// step 0, unless it was imported.
	Front [][]float64 `json:"front,omitempty"`
}

// A PoolAnswer is one answer with the environment's verdict on it.
type PoolAnswer struct {
	Rollout   int       `json:"rollout"`         // number of its rollout, from 0
	Chain     int       `json:"chain,omitempty"` // number of the answer in a chain, from 1; 0: the rollout is one answer
	Text      string    `json:"text"`
	Mode      string    `json:"mode"` // "" is the degenerate mode
	Reward    []float64 `json:"reward"`
	Correct   bool      `json:"correct"`
	Valid     bool      `json:"valid"`               // it parses
	Embedding []float32 `json:"embedding,omitempty"` // of the first MaxEmbedded answers, where the environment has them
	Tokens    []string  `json:"tokens"`              // the words of the answer
}

// Pools reads the answers that a cell recorded, by step and problem; nil if it recorded no answers.
// If the records contradict each other, the error names the line.
func (r *Run) Pools(ref Ref) ([]Pool, error) {
	path := filepath.Join(r.Folder(ref), PoolsFile)
	pools, err := vouched(r, ref, PoolsFile, lines[Pool])
	if errors.Is(err, fs.ErrNotExist) && !input.Is[*DamageError](err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	components := 0 // as the first vector has
	for i := range pools {
		if i > 0 && !pools[i-1].before(&pools[i]) {
			return nil, fmt.Errorf("%s:%d: step %d, problem %d after step %d, problem %d, want ascending ones",
				path, i+1, pools[i].Step, pools[i].Problem, pools[i-1].Step, pools[i-1].Problem)
		}
		if err := pools[i].check(&components); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
	}
	return pools, nil
}

func (p *Pool) before(next *Pool) bool {
	return p.Step < next.Step || p.Step == next.Step && p.Problem < next.Problem
}

// check checks the numbers of a pool against each other.
func (p *Pool) check(components *int) error {
	if p.Step < 0 || p.Problem < 0 {
		return fmt.Errorf("step %d, problem %d, want 0 or more", p.Step, p.Problem)
	}
	vector := func(name string, i int, v []float64) error {
		*components = cmp.Or(*components, len(v))
		if len(v) == 0 || len(v) != *components {
			return fmt.Errorf("%s[%d]: a reward of %d components, want %d", name, i, len(v), max(*components, 1))
		}
		return nil
	}
	for i, v := range p.Front {
		if err := vector("front", i, v); err != nil {
			return err
		}
	}
	embedded := 0
	for i := range p.Answers {
		a := &p.Answers[i]
		if err := vector("answers", i, a.Reward); err != nil {
			return err
		}
		if a.Rollout < 0 || a.Chain < 0 {
			return fmt.Errorf("answers[%d]: rollout %d, chain %d, want 0 or more", i, a.Rollout, a.Chain)
		}
		embedded = cmp.Or(embedded, len(a.Embedding))
		if len(a.Embedding) != 0 && len(a.Embedding) != embedded {
			return fmt.Errorf("answers[%d]: an embedding of %d numbers, want %d as before", i, len(a.Embedding), embedded)
		}
	}
	return nil
}
