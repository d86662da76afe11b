package board

import (
	"slices"

	"modebench/experiments/record"
	"modebench/internal/input"
)

// A Place is the rank of a user's method among those of the board.
type Place struct {
	Method string
	Table  *Table            // with the method in it
	Line   Line              // of the method; Method and Same name those with the same records
	Same   []string          // methods with its records on every task
	Near   []Neighbour       // the nearest three
	Tasks  []TaskPlace       // each task that it fits, in the order of tables
	Unfit  map[string]string // tasks that it does not fit, and why
	Cost   *Cost             // nil: not known
	Audit  *record.Audit     // of the method and the reference; nil: not made
}

// near is how many neighbours are named.
const near = 3

// A TaskPlace is the place of a method on a task, beside its neighbours and the reference.
type TaskPlace struct {
	Task string
	Same []string  // methods with its records here
	Rows []TaskRow // the method first, then its neighbours and the reference
}

// TaskRow are the figures of a method on a task, in the mean over seeds.
type TaskRow struct {
	Method, Setting         string
	Area                    float64
	LevelDiversity, Reached [3]float64 // as Line's, of Levels
}

// NewPlace puts the results of a method into those of the board, which it does not change.
func NewPlace(published, added []*Result, method string, unfit map[string]string) (*Place, error) {
	var results []*Result
	for _, r := range published {
		all := *r
		all.Standings, all.Unfit = slices.Clone(r.Standings), slices.Clone(r.Unfit)
		if i := slices.IndexFunc(added, func(o *Result) bool { return o.Task == r.Task }); i >= 0 {
			if err := all.Add(added[i]); err != nil {
				return nil, input.Errorf("the results to place %s among: %w", method, err)
			}
		} else {
			all.Unfit = append(all.Unfit, Unfit{method, unfit[r.Task]})
		}
		results = append(results, &all)
	}
	table, err := NewTable(results)
	if err != nil {
		return nil, err
	}
	p := &Place{Method: method, Table: table, Unfit: unfit}
	for _, line := range table.Rows {
		if line.is(method) {
			p.Line, p.Same = line, slices.DeleteFunc(line.Methods(), func(n string) bool { return n == method })
		}
	}
	p.Near = table.neighbours(method)
	p.Near = p.Near[:min(near, len(p.Near))]
	for _, r := range results {
		if row := r.Tuned(method); row != nil {
			p.Tasks = append(p.Tasks, p.onTask(r, row))
		}
	}
	return p, nil
}

// compared are the method, its neighbours and the reference, each once.
func (p *Place) compared() []string {
	names := []string{p.Method}
	for _, n := range p.Near {
		names = append(names, n.Method)
	}
	if !slices.Contains(names, Reference) {
		names = append(names, Reference)
	}
	return names
}

// onTask compares the method with its neighbours on a task.
func (p *Place) onTask(r *Result, tuned *Evaluated) TaskPlace {
	out := TaskPlace{Task: r.Task}
	for _, s := range r.Standings {
		if s.Method != p.Method && s.Row(Tuned).Same == tuned.Same {
			out.Same = append(out.Same, s.Method)
		}
	}
	for _, name := range p.compared() {
		if row := r.Tuned(name); row != nil {
			diversity, reached := levels([]*Evaluated{row})
			out.Rows = append(out.Rows, TaskRow{name, row.Setting, row.Mean("area"), diversity, reached})
		}
	}
	return out
}

// Rows lists the rows of the table around the method's, in the table's order: those of the
// neighbours and of the reference.
func (p *Place) Rows() (out []Line) {
	for _, line := range p.Table.Rows {
		if slices.ContainsFunc(p.compared(), line.is) {
			out = append(out, line)
		}
	}
	return out
}
