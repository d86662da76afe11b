package board

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"modebench/experiments/record"
)

// scored scores the entries of one stage by its runs, in the order of entries. One that the
// runs lack is an error.
func (t Task) scored(runs []*record.Run, entries []Entry) ([]*Seeds, error) {
	place := map[string]int{}
	for i, e := range entries {
		place[e.label()] = i
	}
	out := make([]*Seeds, len(entries))
	for _, run := range runs {
		by, err := t.scales(run)
		if err != nil {
			return nil, err
		}
		for _, v := range run.Variants {
			i, ok := place[v.Name]
			if !ok {
				continue // what scores are measured by
			}
			if out[i], err = t.score(run, v, by); err != nil {
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

// Tried is what the settings of each method came to on tuning seeds, in the order of entries.
func (t Task) Tried(runs []*record.Run, entries []Entry) (map[string][]Tried, error) {
	scored, err := t.scored(runs, entries)
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

// best is the setting with the largest value, the first of several; 0 where none has one.
func best(tried []Tried, value func(Tried) float64) int {
	at := 0
	for i, s := range tried {
		if x := value(s); x > value(tried[at]) || math.IsNaN(value(tried[at])) && !math.IsNaN(x) {
			at = i
		}
	}
	return at
}

// A Chosen entry is one to evaluate, and as what.
type Chosen struct {
	Entry
	As []string // of Roles
}

// Choose lists what to evaluate of the method: the setting with the best score on tuning seeds,
// and where there is one that is not tuned, that one and the one with the best accuracy. tried is what its settings
// came to, in their order. A setting that is several of these is listed once.
func (n Entrant) Choose(tried []Tried) []Chosen {
	var out []Chosen
	add := func(e Entry, role string) {
		for i := range out {
			if out[i].Setting == e.Setting {
				out[i].As = append(out[i].As, role)
				return
			}
		}
		out = append(out, Chosen{e, []string{role}})
	}
	add(n.Settings[best(tried, func(s Tried) float64 { return float64(s.Score) })], Tuned)
	if n.Paper == nil {
		return out
	}
	add(n.Settings[best(tried, func(s Tried) float64 { return float64(s.Accuracy) })], Accurate)
	add(*n.Paper, Paper)
	return out
}

// Result is what the chosen entries came to on evaluation seeds.
func (t Task) Result(runs []*record.Run, chosen []Chosen, tried map[string][]Tried, unfit []Unfit) (*Result, error) {
	var entries []Entry
	for _, c := range chosen {
		entries = append(entries, c.Entry)
	}
	scored, err := t.scored(runs, entries)
	if err != nil {
		return nil, err
	}
	of := map[string]*Standing{}
	var out []*Standing
	for i, e := range chosen {
		if of[e.Method] == nil {
			of[e.Method] = &Standing{Method: e.Method, Tried: tried[e.Method]}
			out = append(out, of[e.Method])
		}
		of[e.Method].Rows = append(of[e.Method].Rows, t.row(e.Setting, e.As, scored[i]))
	}
	r := &Result{
		Version: Version, Task: t.Name, Policy: t.Policy, Budget: t.Budget, K: t.K,
		Tuning: t.Tuning().numbers(), Seeds: t.Evaluation().numbers(),
		Unfit: slices.SortedFunc(slices.Values(unfit), func(a, b Unfit) int { return cmp.Compare(a.Method, b.Method) }),
	}
	for _, s := range out {
		r.Standings = append(r.Standings, *s)
	}
	slices.SortFunc(r.Standings, func(a, b Standing) int { return cmp.Compare(a.Method, b.Method) })
	return r, nil
}

// Measured is what the chosen entries came to on evaluation seeds of a task of the profile.
func (t Task) Measured(runs []*record.Run, chosen []Chosen, tried map[string][]Tried, unfit []Unfit) (*Measured, error) {
	var entries []Entry
	for _, c := range chosen {
		entries = append(entries, c.Entry)
	}
	scored, err := t.scored(runs, entries)
	if err != nil {
		return nil, err
	}
	m := &Measured{
		Version: Version, Capability: t.Name, Budget: t.Budget, Tuning: t.Tuning().numbers(), Seeds: t.Evaluation().numbers(),
		Unfit: slices.SortedFunc(slices.Values(unfit), func(a, b Unfit) int { return cmp.Compare(a.Method, b.Method) }),
	}
	if len(runs) > 0 {
		by, err := t.scales(runs[0]) // all of them have the same base policy
		if err != nil {
			return nil, err
		}
		base, err := t.baseScores(by, t.Evaluation())
		if err != nil {
			return nil, err
		}
		m.Base = fours(base)
	}
	for i, c := range chosen {
		s := Scored{Method: c.Method, Setting: c.Setting, Same: scored[i].Same, Cells: scored[i].Cells, Scores: fours(scored[i].Values["score"])}
		for _, at := range tried[c.Method] {
			s.Tried = append(s.Tried, TriedScore{at.Setting, at.Score})
		}
		m.Methods = append(m.Methods, s)
	}
	slices.SortFunc(m.Methods, func(a, b Scored) int { return cmp.Compare(a.Method, b.Method) })
	return m, nil
}
