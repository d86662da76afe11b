package board

import (
	"fmt"
	"math"
	"slices"

	"modebench/experiments/record"
)

// Scored scores the entries of one stage by its runs, in the order of entries. An entry that
// the runs lack is an error.
func (t Task) Scored(runs []*record.Run, entries []Entry) ([]*Seeds, error) {
	out := make([]*Seeds, len(entries))
	for _, run := range runs {
		scales, err := t.scales(run)
		if err != nil {
			return nil, err
		}
		for _, v := range run.Variants {
			i := slices.IndexFunc(entries, func(e Entry) bool { return e.label() == v.Name })
			if i < 0 {
				continue // a reference of the scores
			}
			if out[i], err = t.score(run, v, scales); err != nil {
				return nil, fmt.Errorf("task %s: %s: %w", t.Name, v.Name, err)
			}
		}
	}
	for i, e := range entries {
		if out[i] == nil {
			return nil, fmt.Errorf("task %s: the runs lack %q", t.Name, e.label())
		}
	}
	return out, nil
}

// Tried lists the scores of each method's settings on tuning seeds, in the order of entries.
func (t Task) Tried(runs []*record.Run, entries []Entry) (map[string][]Tried, error) {
	scored, err := t.Scored(runs, entries)
	if err != nil {
		return nil, err
	}
	out, score := map[string][]Tried{}, t.columns()[0].Name
	for i, e := range entries {
		s := scored[i]
		out[e.Method] = append(out[e.Method], Tried{e.Setting, Four(Mean(s.Values[score])), Four(Mean(s.Values["accuracy"]))})
	}
	return out, nil
}

// best is the setting with the largest value, the first of several; 0 if no setting has a value.
func best(tried []Tried, value func(Tried) float64) int {
	first := 0
	for i, s := range tried {
		if x, highest := value(s), value(tried[first]); x > highest || math.IsNaN(highest) && !math.IsNaN(x) {
			first = i
		}
	}
	return first
}

// A Chosen entry is an entry to evaluate, with its roles.
type Chosen struct {
	Entry
	As []string // of Roles
}

// Choose lists the entries of the method to evaluate: the setting with the best score on tuning
// seeds and, if the method has an untuned setting, that setting and the setting with the best
// accuracy. tried holds the scores of its settings, in their order. A setting with several of
// these roles is listed once.
func (n Entrant) Choose(tried []Tried) []Chosen {
	var out []Chosen
	add := func(e Entry, role string) {
		if c := First(out, func(c *Chosen) bool { return c.Setting == e.Setting }); c != nil {
			c.As = append(c.As, role)
		} else {
			out = append(out, Chosen{e, []string{role}})
		}
	}
	add(n.Settings[best(tried, func(s Tried) float64 { return float64(s.Score) })], Tuned)
	if n.Paper == nil {
		return out
	}
	add(n.Settings[best(tried, func(s Tried) float64 { return float64(s.Accuracy) })], Accurate)
	add(*n.Paper, Paper)
	return out
}

// Result is the result of the chosen entries on evaluation seeds.
func (t Task) Result(runs []*record.Run, chosen []Chosen, tried map[string][]Tried, unfit []Unfit) (*Result, error) {
	scored, err := t.Scored(runs, Entries(chosen))
	if err != nil {
		return nil, err
	}
	var standings []Standing
	for i, e := range chosen {
		s := First(standings, func(s *Standing) bool { return s.Method == e.Method })
		if s == nil {
			standings = append(standings, Standing{Method: e.Method, Tried: tried[e.Method]})
			s = &standings[len(standings)-1]
		}
		s.Rows = append(s.Rows, t.row(e.Setting, e.As, scored[i]))
	}
	r := &Result{
		Version: Version, Task: t.Name, Policy: t.Policy, Budget: t.Budget, K: t.K,
		Tuning: t.Tuning().Numbers(), Seeds: t.Evaluation().Numbers(),
	}
	r.Standings, r.Unfit = Merged(nil, standings, nil, unfit, methodOf)
	return r, nil
}

// Entries are the chosen entries without their roles.
func Entries(chosen []Chosen) (out []Entry) {
	for _, c := range chosen {
		out = append(out, c.Entry)
	}
	return out
}

// BaseScores are the task's Score of the base policy, by seed of the evaluation.
func (t Task) BaseScores(run *record.Run) ([]float64, error) {
	scales, err := t.scales(run)
	if err != nil {
		return nil, err
	}
	var out []float64
	stage := t.Evaluation()
	for seed := stage.FirstSeed; seed < stage.FirstSeed+stage.Seeds; seed++ {
		scale, ok := scales[seed]
		if !ok {
			return nil, fmt.Errorf("task %s: seed %d: the runs lack %s", t.Name, seed, Base)
		}
		out = append(out, t.Score(&Final{Last: scale.Base, Scale: scale}))
	}
	return out, nil
}
