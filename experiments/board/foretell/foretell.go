// Package foretell holds two boards against each other: does a short one foretell a long one?
//
// Compare compares them (foretell.go). Its answer is a Comparison (comparison.go): how alike the
// boards order methods, column by column and task by task (seeds.go), how alike each
// orders them on other seeds and tasks (repeat.go), which methods the short board misleads
// about (methods.go), and how an audit of the methods' steps compares with either (steps.go).
package foretell

import (
	"math"
	"slices"
	"strings"

	"modebench/experiments/board"
	"modebench/internal/input"
	"modebench/internal/plural"
)

// Compare compares two boards. Each is results of one policy, of one task each, as in board.NewTable.
// Steps are those of the audit, or nil. Boards that share fewer than three methods are an error.
func Compare(short, long []*board.Result, steps *Steps) (*Comparison, error) {
	f := &Comparison{}
	var err error
	if f.Short, err = board.NewTable(short); err != nil {
		return nil, err
	}
	if f.Long, err = board.NewTable(long); err != nil {
		return nil, err
	}
	f.share()
	if len(f.Shared) < fewestMethods {
		return nil, input.Errorf("the boards share %s: want %d or more, by name", plural.Count(len(f.Shared), "method"), fewestMethods)
	}
	for _, scope := range scopes(f.Short.Tasks, f.Long.Tasks) {
		f.Over = append(f.Over, f.compare(scope, f.Everywhere, false))
	}
	for _, scope := range kindred(f.Short.Tasks, f.Long.Tasks) {
		f.Tasks = append(f.Tasks, f.compare(scope, f.onTasks(scope), true))
	}
	for i, t := range []*board.Table{f.Short, f.Long} {
		f.Seeds = append(f.Seeds, repeats(t, f.Names()[i])...)
		f.Within = append(f.Within, within(t, f.Names()[i]))
	}
	if steps != nil {
		f.Steps = f.audited(steps)
	}
	return f, nil
}

// scopes are the parts of two boards that are compared in the mean over tasks.
func scopes(short, long []string) []Scope {
	out := []Scope{{Short: short, Long: long}}
	shared := slices.DeleteFunc(slices.Clone(short), func(task string) bool { return !slices.Contains(long, task) })
	if len(shared) > 0 && (len(shared) < len(short) || len(shared) < len(long)) {
		out = append(out, Scope{Short: shared, Long: shared})
	}
	return out
}

// kindred are the pairs of tasks of the same name, and of names that differ by the split alone.
func kindred(short, long []string) (out []Scope) {
	family := func(task string) string {
		return strings.TrimSuffix(strings.TrimSuffix(task, "-held-out"), "-ood")
	}
	for _, same := range []bool{true, false} {
		for _, a := range short {
			for _, b := range long {
				if family(a) == family(b) && (a == b) == same {
					out = append(out, Scope{Short: []string{a}, Long: []string{b}})
				}
			}
		}
	}
	return out
}

// onTasks are the methods of both boards that fit the tasks of a scope, by name.
func (f *Comparison) onTasks(s Scope) (out []string) {
	short, long := resultsOf(f.Short, s.Short), resultsOf(f.Long, s.Long)
	for _, b := range f.Shared {
		if fits(short, b.Method) && fits(long, b.Method) {
			out = append(out, b.Method)
		}
	}
	slices.Sort(out)
	return out
}

// resultsOf are the table's results of tasks, in the order of the table.
func resultsOf(t *board.Table, tasks []string) (out []*board.Result) {
	for _, r := range t.Results {
		if slices.Contains(tasks, r.Task) {
			out = append(out, r)
		}
	}
	return out
}

// fits reports whether a method has a row on all tasks.
func fits(results []*board.Result, method string) bool {
	return !slices.ContainsFunc(results, func(r *board.Result) bool { return r.Standing(method) == nil })
}

// compare fills the columns of a scope, of single tasks or of means over tasks. It leaves out those
// that fewer than three methods have.
func (f *Comparison) compare(s Scope, methods []string, single bool) Scope {
	short, long := resultsOf(f.Short, s.Short), resultsOf(f.Long, s.Long)
	for _, column := range slices.Concat(splitColumns, meanColumns) {
		a, b := newSheet(short, methods, column, single), newSheet(long, methods, column, single)
		out := Agreement{Column: column, Tau: tauOf(a.all(), b.all()), Halves: [2]float64{math.NaN(), math.NaN()}, Ceiling: math.NaN()}
		if out.Tau.N < fewestMethods {
			continue
		}
		if single && column == scoreColumn {
			out.Column = "area"
		}
		if slices.Contains(splitColumns, column) {
			out.Halves, out.Ceiling = ceilingOf(a, b)
		}
		s.Columns = append(s.Columns, out)
	}
	return s
}
