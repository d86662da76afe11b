package board

import (
	"math"
	"slices"
	"strings"

	"modebench/internal/input"
	"modebench/metrics/stats"
)

// A Foretelling says how well a short board foretells a long one: what is seen of the first, and
// holds of the second. "Short" and "long" say which is asked, and nothing else: any two boards can
// be held against each other.
type Foretelling struct {
	Short, Long *Table
	// Both has the methods that both boards have, in the order of the short one. Methods with the
	// same records on all tasks of both boards are one.
	Both []Both
	// Everywhere are the methods that fit all tasks of both boards, by name. Taus over all tasks
	// are of these.
	Everywhere []string
	Over       []Scope   // means over tasks: all of them, then those that both boards have
	Tasks      []Scope   // a task of the short board against one of the long one
	Seeds      []Repeat  // each board against itself
	Within     []Within  // the columns of each board against each other
	Steps      []StepTau // the audit against each board; none where there is no audit
}

// Names are what texts call the boards: their policies, or short and long where these are the same.
func (f *Foretelling) Names() [2]string {
	if f.Short.Policy == f.Long.Policy {
		return [2]string{"short", "long"}
	}
	return [2]string{f.Short.Policy, f.Long.Policy}
}

// A Scope is a part of both boards that is compared, column by column.
type Scope struct {
	Short, Long []string // tasks
	Columns     []Agreement
}

// An Agreement is how alike two boards order methods by a column.
type Agreement struct {
	Column string
	// Tau is Kendall's tau-b with its 95% interval over methods (stats.KendallTau); N is how many
	// methods have a value on both boards. NaN where fewer than three have one, or all are equal.
	Tau stats.Interval
	// Halves are the taus of each board with itself, by halves of its seeds (Repeat). Ceiling is the
	// tau to expect, from these, if the boards differed in their seeds alone (ceiling). NaN where results
	// do not keep the column by seed, or there is one seed.
	Halves  [2]float64
	Ceiling float64
}

// The columns that boards are compared by. Score is the interquartile mean of areas over tasks and
// seeds, in units of the Reference's; over a single task it is "area", the mean over seeds. The
// others are those of Columns in the mean over tasks.
const scoreColumn = "score"

var (
	// splitColumns are those of which results keep every seed, all of them.
	splitColumns = []string{scoreColumn, "accuracy", "diversity"}
	// meanColumns are known in the mean over seeds, or over those that reach a level.
	meanColumns = []string{"at50", "at75", "at90", "best@64", "distinct", "entropy", "collapsed", "tokens90"}
)

// fewestMethods is how many methods a tau takes.
const fewestMethods = 3

// NewForetelling compares two boards. Each is results of one policy, of one task each, as in NewTable.
// Steps are those of the audit; nil: none. Boards that share fewer than three methods are an error.
func NewForetelling(short, long []*Result, steps *Steps) (*Foretelling, error) {
	f := &Foretelling{}
	var err error
	if f.Short, err = NewTable(short); err != nil {
		return nil, err
	}
	if f.Long, err = NewTable(long); err != nil {
		return nil, err
	}
	f.both()
	if len(f.Both) < fewestMethods {
		return nil, input.Errorf("the boards share %s: want %d or more, by name", counted(len(f.Both), "method"), fewestMethods)
	}
	for _, scope := range scopes(f.Short.Tasks, f.Long.Tasks) {
		if err := f.compare(&scope, f.Everywhere, false); err != nil {
			return nil, err
		}
		f.Over = append(f.Over, scope)
	}
	for _, scope := range kindred(f.Short.Tasks, f.Long.Tasks) {
		if err := f.compare(&scope, f.onTasks(scope), true); err != nil {
			return nil, err
		}
		f.Tasks = append(f.Tasks, scope)
	}
	for i, t := range []*Table{f.Short, f.Long} {
		repeats, err := t.repeats(f.Names()[i])
		if err != nil {
			return nil, err
		}
		f.Seeds = append(f.Seeds, repeats...)
		within, err := t.within(f.Names()[i])
		if err != nil {
			return nil, err
		}
		f.Within = append(f.Within, within)
	}
	if steps != nil {
		if f.Steps, err = f.held(steps); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// scopes are the parts of two boards that are compared in the mean over tasks.
func scopes(short, long []string) []Scope {
	out := []Scope{{Short: short, Long: long}}
	var shared []string
	for _, task := range short {
		if slices.Contains(long, task) {
			shared = append(shared, task)
		}
	}
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
func (f *Foretelling) onTasks(s Scope) (out []string) {
	short, long := f.Short.of(s.Short), f.Long.of(s.Long)
	for _, b := range f.Both {
		if fits(short, b.Method) && fits(long, b.Method) {
			out = append(out, b.Method)
		}
	}
	slices.Sort(out)
	return out
}

// of are the table's results of tasks, in the order of the table.
func (t *Table) of(tasks []string) (out []*Result) {
	for _, r := range t.results {
		if slices.Contains(tasks, r.Task) {
			out = append(out, r)
		}
	}
	return out
}

// fits says whether a method has a row on all tasks.
func fits(results []*Result, method string) bool {
	return !slices.ContainsFunc(results, func(r *Result) bool { return r.standing(method) == nil })
}

// compare fills the columns of a scope, of single tasks or of means over tasks. It leaves out those
// that fewer than three methods have.
func (f *Foretelling) compare(s *Scope, methods []string, single bool) error {
	short, long := f.Short.of(s.Short), f.Long.of(s.Long)
	for _, column := range append(slices.Clone(splitColumns), meanColumns...) {
		a, b, err := newSheets(short, long, methods, column, single)
		if err != nil {
			return err
		}
		name := column
		if single && column == scoreColumn {
			name = "area"
		}
		tau, err := tauOf(a.all(), b.all())
		if err != nil {
			return err
		}
		if tau.N < fewestMethods {
			continue
		}
		out := Agreement{Column: name, Tau: tau, Halves: [2]float64{math.NaN(), math.NaN()}, Ceiling: math.NaN()}
		if slices.Contains(splitColumns, column) {
			if out.Halves, out.Ceiling, err = ceilingOf(a, b); err != nil {
				return err
			}
		}
		s.Columns = append(s.Columns, out)
	}
	return nil
}

// tauOf is Kendall's tau over the methods that have a value in both lists. Of fewer than three it is
// NaN.
func tauOf(x, y []float64) (stats.Interval, error) {
	x, y = known(x, y)
	if len(x) < fewestMethods {
		return stats.Interval{N: len(x), Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}, nil
	}
	return stats.KendallTau(x, y)
}

// known are the entries of two lists that have a value in both.
func known(x, y []float64) (a, b []float64) {
	for i := range x {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	return a, b
}

// meanTau is the mean of taus of pairs of lists, between the lowest and the highest of them, and how
// many there are. Pairs with fewer than three methods, or without a tau, do not count.
func meanTau(n int, pairs [][2][]float64) (stats.Interval, int, error) {
	var taus []float64
	for _, p := range pairs {
		x, y := known(p[0], p[1])
		if len(x) < fewestMethods {
			continue
		}
		tau, err := stats.Tau(x, y)
		if err != nil {
			return stats.Interval{}, 0, err
		}
		if !math.IsNaN(tau) {
			taus = append(taus, tau)
		}
	}
	if taus == nil {
		return stats.Interval{N: n, Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}, 0, nil
	}
	return stats.Interval{N: n, Mean: mean(taus), Low: slices.Min(taus), High: slices.Max(taus)}, len(taus), nil
}
