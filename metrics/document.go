package metrics

import (
	"fmt"

	"modebench/envs"
)

// A Document is the pool document: judged answers from
// anywhere, with what is known about their problems. In JSON:
//
//	{"k": [1, 2, 4], "weights": [w, ...],
//	 "problems": [{"id": "p0", "modes": 12, "front": [[r, ...], ...],
//	               "chains": [[candidate, ...], ...]}]}
//
// A candidate is an envs.Candidate. "weights" may be left out where no
// candidate has a reward; "k", "id", "modes" and "front" may always be.
type Document struct {
	K        []int     // the k of pass@k and so on, without repetition
	Weights  []float64 // w, one entry per reward component
	Problems []Problem // at least one
}

// A Problem is the pool of one problem in a document.
type Problem struct {
	ID    string
	Modes int         // modes of correct answers that exist; -1 when absent
	Front [][]float64 // exact Pareto front in reward space; nil when absent
	// Chains holds the rollouts in draw order, each with its candidates. For
	// now a chain has exactly one: multi-answer chains come with the maze.
	Chains [][]envs.Candidate
}

// measured lists the candidate fields that the metrics read.
var measured = []envs.Fields{envs.HasReward, envs.HasCorrect, envs.HasMode}

// Metrics returns the metrics of Sampled, in its order, averaged over problems.
// coverage@k averages over the problems whose modes are known and positive,
// and is left out where there is none. A metric is left out as well where no
// candidate carries a field that it reads:
//
//	reward             best@k, reward
//	correct            pass@k, accuracy
//	correct and mode   coverage@k, distinct_correct, distinct_incorrect
//	mode               entropy_mode
//
// Errors name the path in the document. Besides the ones of ReadDocument (a
// document built in Go is checked here) these are a field that only some
// candidates carry, |w.r| beyond 1e300, and more correct modes in the answers
// than exist.
func (d *Document) Metrics() ([]Value, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	have, err := d.fields()
	if err != nil {
		return nil, err
	}
	t := newTable(d.K, have)
	for i, problem := range d.Problems {
		pool := Pool{Modes: problem.Modes, Verdicts: make([]envs.Verdict, len(problem.Chains))}
		for j, chain := range problem.Chains {
			pool.Verdicts[j] = chain[0].Verdict
		}
		if err := t.add(pool, d.Weights, d.K); err != nil {
			return nil, fmt.Errorf("problems[%d]: %w", i, err)
		}
	}
	return t.values(), nil
}

// fields returns those of measured that every candidate carries, or an error if
// only some carry one.
func (d *Document) fields() (envs.Fields, error) {
	var have envs.Fields
	for _, field := range measured {
		found, lacking := "", ""
		for i, problem := range d.Problems {
			for j, chain := range problem.Chains {
				switch {
				case chain[0].Has&field == 0 && lacking == "":
					lacking = candidatePath(i, j)
				case chain[0].Has&field != 0 && found == "":
					found = candidatePath(i, j)
				}
			}
		}
		if found != "" && lacking != "" {
			return 0, fmt.Errorf("%s.%s: missing, but %s has it", lacking, field.Names()[0], found)
		}
		if found != "" {
			have |= field
		}
	}
	return have, nil
}

// candidatePath names the candidate of a chain of one.
func candidatePath(problem, chain int) string {
	return fmt.Sprintf("problems[%d].chains[%d][0]", problem, chain)
}

// validate checks what holds for every document, whoever built it.
func (d *Document) validate() error {
	if err := checkKs(d.K); err != nil {
		return err
	}
	if len(d.Problems) == 0 {
		return fmt.Errorf("problems: none, want at least 1")
	}
	for i, problem := range d.Problems {
		if err := d.validateProblem(i, problem); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) validateProblem(i int, problem Problem) error {
	if problem.Modes < -1 {
		return fmt.Errorf("problems[%d].modes: %d, want a count", i, problem.Modes)
	}
	for j, r := range problem.Front {
		if len(r) != len(d.Weights) {
			return fmt.Errorf("problems[%d].front[%d]: %d entries, want %d (one per weight)",
				i, j, len(r), len(d.Weights))
		}
	}
	if len(problem.Chains) == 0 {
		return fmt.Errorf("problems[%d].chains: none, want at least 1", i)
	}
	for j, chain := range problem.Chains {
		switch {
		case len(chain) == 0:
			return fmt.Errorf("problems[%d].chains[%d]: empty, want 1 candidate", i, j)
		case len(chain) > 1:
			return fmt.Errorf("problems[%d].chains[%d]: %d candidates, want 1 (multi-answer chains are not supported yet)",
				i, j, len(chain))
		case chain[0].Has&envs.HasReward == 0:
		case len(d.Weights) == 0:
			return fmt.Errorf("weights: missing, but %s has a reward", candidatePath(i, j))
		case len(chain[0].Reward) != len(d.Weights):
			return fmt.Errorf("%s.%w", candidatePath(i, j), errRewardLength(len(chain[0].Reward), len(d.Weights)))
		}
	}
	for j, k := range d.K {
		if k > len(problem.Chains) {
			return fmt.Errorf("k[%d]: %d, but problems[%d] has %d candidates; no estimator is unbiased for more",
				j, k, i, len(problem.Chains))
		}
	}
	return nil
}
