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
// candidate has a reward; "k", "id", "modes" and "front" may always be. The
// chains of a problem are of one length; those of another may have another.
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
	// Chains holds the rollouts in draw order, each with its candidates; all of a
	// problem have the same number of them.
	Chains [][]envs.Candidate
}

// measured lists the candidate fields that the metrics read.
var measured = []envs.Fields{envs.HasReward, envs.HasCorrect, envs.HasMode, envs.HasVariant}

// documentDraws is the number of scalarisations behind ew_best@k.
const documentDraws = 128

// Metrics returns the metrics of the pools, averaged over problems, in the order
// of Table.Values. The scalarisations of ew_best@k are 128 of Scalarisations. A
// metric is left out where no candidate carries a field that it reads:
//
//	reward              best@k, best_first@k, ew_best@k, regret@k,
//	                    front_coverage@k, reward, reward_l1, rho_bar, hypervolume
//	correct             pass@k, accuracy
//	reward and correct  reward_l1_correct
//	correct and mode    coverage@k, distinct_correct, distinct_incorrect
//	mode                entropy_mode
//	correct and variant distinct_variants, diversity_width, average_mode
//
// Errors name the path in the document. Besides the ones of ReadDocument (a
// document built in Go is checked here) these are a field that only some
// candidates carry, and those of Table.Add.
func (d *Document) Metrics() ([]Value, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	have, err := d.fields()
	if err != nil {
		return nil, err
	}
	o := Options{Weights: d.Weights, K: d.K}
	if len(d.Weights) > 1 && have&envs.HasReward != 0 {
		o.Draws = Scalarisations(len(d.Weights), documentDraws)
	}
	t := newTable(o, have)
	for i, problem := range d.Problems {
		pool := Pool{Modes: problem.Modes, Front: problem.Front, Chains: make([][]*envs.Verdict, len(problem.Chains))}
		for j, chain := range problem.Chains {
			for c := range chain {
				pool.Chains[j] = append(pool.Chains[j], &chain[c].Verdict)
			}
		}
		if err := t.Add(pool); err != nil {
			return nil, fmt.Errorf("problems[%d]: %w", i, err)
		}
	}
	return t.Values(), nil
}

// fields returns those of measured that every candidate carries, or an error if
// only some carry one.
func (d *Document) fields() (envs.Fields, error) {
	var have envs.Fields
	for _, field := range measured {
		found, lacking := "", ""
		for i, problem := range d.Problems {
			for j, chain := range problem.Chains {
				for c := range chain {
					switch {
					case field == envs.HasVariant && chain[c].Has&field == 0 && degenerate(&chain[c]):
						// has none, and bench judge does not write one
					case chain[c].Has&field == 0 && lacking == "":
						lacking = candidatePath(i, j, c)
					case chain[c].Has&field != 0 && found == "":
						found = candidatePath(i, j, c)
					}
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

// degenerate says that a candidate is known to have no strategy.
func degenerate(c *envs.Candidate) bool {
	return c.Has&envs.HasValid != 0 && c.Err != nil || c.Has&envs.HasMode != 0 && c.Mode == envs.Degenerate
}

func candidatePath(problem, chain, candidate int) string {
	return fmt.Sprintf("problems[%d].chains[%d][%d]", problem, chain, candidate)
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
	if len(problem.Front) > 0 && len(d.Weights) == 0 {
		return fmt.Errorf("weights: missing, but problems[%d] has a front", i)
	}
	if err := checkFront(problem.Front, d.Weights); err != nil {
		return fmt.Errorf("problems[%d].%w", i, err)
	}
	if len(problem.Chains) == 0 {
		return fmt.Errorf("problems[%d].chains: none, want at least 1", i)
	}
	m := len(problem.Chains[0])
	for j, chain := range problem.Chains {
		switch {
		case len(chain) == 0:
			return fmt.Errorf("problems[%d].chains[%d]: empty, want at least 1 candidate", i, j)
		case len(chain) != m:
			return fmt.Errorf("problems[%d].chains[%d]: %d candidates, want %d as in chains[0]", i, j, len(chain), m)
		}
		for c := range chain {
			if err := d.validateReward(&chain[c], candidatePath(i, j, c)); err != nil {
				return err
			}
		}
	}
	for j, k := range d.K {
		if n := m * len(problem.Chains); k > n {
			return fmt.Errorf("k[%d]: %d, but problems[%d] has %d candidates; no estimator is unbiased for more", j, k, i, n)
		}
	}
	return nil
}

func (d *Document) validateReward(c *envs.Candidate, path string) error {
	switch {
	case c.Has&envs.HasReward == 0:
		return nil
	case len(d.Weights) == 0:
		return fmt.Errorf("weights: missing, but %s has a reward", path)
	case len(c.Reward) != len(d.Weights):
		return fmt.Errorf("%s.%w", path, errRewardLength(len(c.Reward), len(d.Weights)))
	}
	return nil
}
