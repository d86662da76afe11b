package board

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/lined"
)

// NewResult is a result of the task before any run. It lists the methods that do not fit.
func (t Task) NewResult(unfit []Unfit) *Result {
	r := &Result{
		Version: Version, Task: t.Name, Policy: t.Policy, Budget: t.Budget, K: t.K,
		Tuning: t.Protocol().numbers(), Seeds: t.Evaluation().Numbers(), Range: t.Range,
	}
	r.Standings, r.Unfit = Merged(nil, nil, nil, unfit, methodOf)
	return r
}

// Evaluate adds the runs of entries in a role on the seeds of a look. Gains are measured from the reference
// in among; nil: in this result. If an entry has seeds already, the new ones come after them.
func (r *Result) Evaluate(t Task, runs []*record.Run, entries []Entry, role string, among *Result) error {
	if among == nil {
		among = r
	}
	reference := among.Reached()
	if len(entries) == 1 && entries[0].Method == Reference && role == Tuned { // its gain is measured from itself
		scored, err := t.Scored(runs, entries, nil)
		if err != nil {
			return err
		}
		reference = map[int]Trace{}
		for i, trace := range scored[0].Traces {
			reference[scored[0].Numbers[i]] = trace
		}
	}
	scored, err := t.Scored(runs, entries, reference)
	if err != nil {
		return err
	}
	if err := r.note(t, runs[0]); err != nil {
		return err
	}
	for i, e := range entries {
		s, row := r.Standing(e.Method), t.row(e, role, scored[i])
		if s == nil {
			return fmt.Errorf("task %s: %s was not tuned", t.Name, e.Method)
		}
		if before := First(s.Rows, func(have *Evaluated) bool { return have.Setting == e.Setting }); before != nil {
			before.extend(row)
		} else {
			s.Rows = append(s.Rows, row)
		}
	}
	return nil
}

// Lacks reports whether the chosen setting of a method has still to be evaluated. If another setting was
// chosen before, its rows are dropped.
func (r *Result) Lacks(e Entry) bool {
	s := r.Standing(e.Method)
	row := s.Row(Tuned)
	if row != nil && row.Setting != e.Setting {
		s.Rows, row = []Evaluated{}, nil
	}
	return row == nil
}

// note adds the base policy of a run's seeds, unless the result has them.
func (r *Result) note(t Task, run *record.Run) error {
	scales, err := t.scales(run)
	if err != nil {
		return err
	}
	first, n := math.MaxInt, float64(r.Base.Seeds)
	var diversity, entropy []float64
	var solved, found [][]float64
	for _, seed := range slices.Sorted(maps.Keys(scales)) {
		first = min(first, seed-r.Seeds[0])
		base := scales[seed].Base
		diversity, entropy = append(diversity, Metric(base, t.Diversity)), append(entropy, Metric(base, "entropy_mode"))
		solved, found = append(solved, curve(base, t.Solved, t.K)), append(found, curve(base, t.Found, t.K))
	}
	if first != r.Base.Seeds {
		return nil
	}
	mean := func(before lined.Number, more float64) lined.Number {
		if n == 0 {
			return lined.Four(more)
		}
		return lined.Four((float64(n*float64(before)) + float64(float64(len(diversity))*more)) / (n + float64(len(diversity))))
	}
	b := &r.Base
	b.Diversity, b.Entropy = mean(b.Diversity, Mean(diversity)), mean(b.Entropy, Mean(entropy))
	if n == 0 {
		b.Solved, b.Found = make([]lined.Number, len(t.K)), make([]lined.Number, len(t.K))
	}
	for i := range t.K {
		b.Solved[i], b.Found[i] = mean(b.Solved[i], meanOf(solved, i)), mean(b.Found[i], meanOf(found, i))
	}
	b.Seeds += len(diversity)
	return nil
}

// Carry notes that an entry is the one setting of its method for all tasks, and reports whether it
// has still to be evaluated. A setting that was carried before is not any more.
func (r *Result) Carry(e Entry) bool {
	s := r.Standing(e.Method)
	carried := func(role string) bool { return role == Carried }
	for i := range s.Rows {
		s.Rows[i].As = slices.DeleteFunc(s.Rows[i].As, carried)
	}
	row := First(s.Rows, func(have *Evaluated) bool { return have.Setting == e.Setting })
	if row != nil {
		row.As = append(row.As, Carried)
	}
	s.Rows = slices.DeleteFunc(s.Rows, func(have Evaluated) bool { return len(have.As) == 0 })
	return row == nil
}

// row puts the numbers of a setting's seeds in a look into the form of results.
func (t Task) row(e Entry, as string, s *Seeds) Evaluated {
	r := Evaluated{Setting: e.Setting, As: []string{as}, Same: s.Same, Cells: []string{s.Cells}, Means: map[string]lined.Number{}, Seeds: map[string][]lined.Number{}}
	for _, c := range Columns {
		if c.Uses&ofSeeds == 0 {
			r.Means[c.Name] = lined.Four(Mean(s.Values[c.Name]))
		}
	}
	for _, c := range bySeed {
		for _, x := range s.Values[c] {
			r.Seeds[c] = append(r.Seeds[c], lined.Four(x))
		}
	}
	r.Trace = meanTrace(s.Traces, float64(t.Budget))
	for i := range t.K {
		r.Solved = append(r.Solved, lined.Four(meanOf(s.Solved, i)))
		r.Found = append(r.Found, lined.Four(meanOf(s.Found, i)))
	}
	if e.Method == Reference && as == Tuned {
		for _, trace := range s.Traces {
			r.Paths = append(r.Paths, trace.path())
		}
	}
	return r
}

// path is the trace in the form of results.
func (t Trace) path() (out [][3]lined.Number) {
	for _, p := range t {
		out = append(out, [3]lined.Number{lined.Four(p.Accuracy), lined.Four(p.Diversity), lined.Four(p.Solved)})
	}
	return out
}

// extend adds the seeds of the next look.
func (e *Evaluated) extend(more Evaluated) {
	n, m := float64(e.N()), float64(more.N())
	mean := func(a, b lined.Number) lined.Number {
		switch x, y := float64(a), float64(b); {
		case math.IsNaN(x):
			return b
		case math.IsNaN(y):
			return a
		default:
			return lined.Four((float64(n*x) + float64(m*y)) / (n + m))
		}
	}
	for c, x := range e.Means {
		e.Means[c] = mean(x, more.Means[c])
	}
	e.Trace = e.Trace[:min(len(e.Trace), len(more.Trace))]
	for i := range e.Trace {
		for c := range e.Trace[i] {
			e.Trace[i][c] = mean(e.Trace[i][c], more.Trace[i][c])
		}
	}
	for i := range e.Solved {
		e.Solved[i], e.Found[i] = mean(e.Solved[i], more.Solved[i]), mean(e.Found[i], more.Found[i])
	}
	for _, c := range bySeed {
		e.Seeds[c] = append(e.Seeds[c], more.Seeds[c]...)
	}
	e.Cells, e.Paths = append(e.Cells, more.Cells...), append(e.Paths, more.Paths...)
}

// meanOf is the mean of the i-th entries.
func meanOf(lists [][]float64, i int) float64 {
	return Mean(each.Map(lists, func(list []float64) float64 { return list[i] }))
}

// meanTrace is the mean of the seeds' traces, at some of the evaluations that all have.
func meanTrace(all []Trace, budget float64) (out [][4]lined.Number) {
	n := math.MaxInt
	for _, t := range all {
		n = min(n, len(t))
	}
	kept := min(n, traced)
	for j := range kept {
		i := 0
		if kept > 1 {
			i = j * (n - 1) / (kept - 1)
		}
		var columns [4][]float64
		for _, t := range all {
			for c, x := range []float64{t[i].Drawn / budget, t[i].Accuracy, t[i].Diversity, t[i].Entropy} {
				columns[c] = append(columns[c], x)
			}
		}
		var point [4]lined.Number
		for c := range columns {
			point[c] = lined.Four(Mean(columns[c]))
		}
		out = append(out, point)
	}
	return out
}
