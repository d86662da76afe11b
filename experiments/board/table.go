package board

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/metrics/stats"
)

// A Table is the board: the methods that fit all tasks in the order of their scores, then those
// that fit fewer, with the ranks that the seeds carry.
type Table struct {
	Policy string
	Tasks  []string
	Seeds  int // that a method has at most
	Rows   []Line
	Unfit  map[string][]string // by method, the tasks that it does not fit

	Results []*Result // that it is made of

	among int // how many rows there were before Keep; 0: all are there
}

// A Line is a method on the board, with the settings that were chosen on each task unless a field's comment
// names others.
type Line struct {
	Method  string
	Made    string   // of a submitted row, Reproduced or SelfReported
	Same    []string // other methods that have its evaluations on every task
	Control string   // Row.Control
	Rank    stats.Rank
	// Above and Below are the methods that are surely above it and surely below.
	Above, Below []string
	// Score is the area in units of the reference's on each task, in the mean over tasks, with the
	// interval of the paired differences. Decision is the answer beside the reference, and Seeds the
	// number of seeds of each task behind it.
	Score    stats.Interval
	Decision stats.Decision
	Seeds    int
	// Paired has columns by name: the value of the reference, moved by the paired differences from it.
	Paired map[string]stats.Interval
	Means  Means
	// Carried is the score with one setting for all tasks beside that of the reference, and Carries the
	// answer; NaN and "" without such a setting.
	Carried  stats.Interval
	Carries  stats.Standing
	Paper    float64                   // the score with the source's setting, on tuning seeds
	Areas    map[string]stats.Interval // by task
	Settings map[string]string         // that were chosen, by task
}

// Means are means over tasks of means over seeds, by Columns; NaN if no task has a number.
type Means []float64

// Mean is that of the column with a name.
func (m Means) Mean(column string) float64 {
	return m[slices.IndexFunc(Columns, func(c Column) bool { return c.Name == column })]
}

// Margin is the largest difference from the reference that counts as equal, in units of its area.
const Margin = .05

// pairedColumns are the columns whose differences from the reference are shown.
var pairedColumns = []string{"accuracy", "gain", "end_gain", "solved@16_gain"}

// NewTable ranks the methods of results, of one task each. Results of several policies or of
// other seeds are an error, and so is a task without a result of Reference.
func NewTable(results []*Result) (*Table, error) {
	if err := checkTasks(results); err != nil {
		return nil, err
	}
	t := &Table{Policy: results[0].Policy, Seeds: results[0].Seeds[1], Unfit: map[string][]string{}, Results: results}
	known := map[string]bool{}
	for _, r := range results {
		t.Tasks = append(t.Tasks, r.Task)
		for _, s := range r.Standings {
			if s.Row(Tuned) != nil {
				known[s.Method] = true
			}
		}
		for _, u := range r.Unfit {
			t.Unfit[u.Method] = append(t.Unfit[u.Method], r.Task)
		}
	}
	names, same := Distinct(slices.Sorted(maps.Keys(known)), func(name string) string { return Evaluations(results, name) })
	control, err := controls()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t.Rows = append(t.Rows, Line{Method: name, Same: same[name], Control: control[name], Paired: map[string]stats.Interval{}, Areas: map[string]stats.Interval{}, Settings: map[string]string{}})
	}
	for _, fill := range []func(names []string) error{t.rank, t.compare, t.carry} {
		if err := fill(names); err != nil {
			return nil, err
		}
	}
	for i := range t.Rows {
		t.Rows[i].fill(results)
	}
	// Scores over fewer tasks are not comparable: they come last.
	slices.SortStableFunc(t.Rows, func(a, b Line) int {
		return cmp.Or(cmp.Compare(len(b.Areas), len(a.Areas)), cmp.Compare(b.Score.Mean, a.Score.Mean), cmp.Compare(a.Method, b.Method))
	})
	return t, nil
}

// controls are the Row.Control of the grid, by method.
func controls() (map[string]string, error) {
	g, err := Published()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, r := range g.Methods {
		out[r.Name] = r.Control
	}
	return out, nil
}

// checkTasks is an error unless the results are of different tasks, of one policy and the same seeds.
func checkTasks(results []*Result) error {
	if len(results) == 0 {
		return input.Errorf("there are no results of the board")
	}
	for i, r := range results {
		if first := results[0]; r.Policy != first.Policy || !slices.Equal(r.Seeds, first.Seeds) || !slices.Equal(r.Tuning, first.Tuning) {
			return input.Errorf("tasks %s and %s are of policies %s and %s, seeds %v and %v: one table is of the same ones", first.Task, r.Task, first.Policy, r.Policy, first.Seeds, r.Seeds)
		}
		if OfTask(results[:i], r.Task) != nil {
			return input.Errorf("task %s is there twice", r.Task)
		}
	}
	return nil
}

// noInterval is a missing interval.
var noInterval = stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}

// Evaluations are the hashes of a method's evaluations, as it is tuned, on each task.
func Evaluations(results []*Result, method string) string {
	var hashes strings.Builder
	for _, r := range results {
		if row := r.Tuned(method); row != nil {
			fmt.Fprintf(&hashes, "%s ", row.Same)
		} else {
			hashes.WriteString("- ")
		}
	}
	return hashes.String()
}

// Distinct keeps one method of those with the same hashes: the reference, else the first of the sorted
// names. same has the others by the name that is kept.
func Distinct(names []string, hashes func(name string) string) (out []string, same map[string][]string) {
	same = map[string][]string{}
	first := map[string]string{}
	for _, name := range referenceFirst(names) {
		hash := hashes(name)
		if kept, known := first[hash]; known {
			same[kept] = append(same[kept], name)
			continue
		}
		first[hash] = name
		out = append(out, name)
	}
	slices.Sort(out)
	return out, same
}

// referenceFirst lists names with the reference before all others.
func referenceFirst(names []string) []string {
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return b2i(a != Reference) - b2i(b != Reference) })
}

// fill computes the numbers of a line that need no other method but the reference.
func (l *Line) fill(results []*Result) {
	var rows []*Evaluated
	var paper []float64
	for _, r := range results {
		s := r.Standing(l.Method)
		if s == nil || s.Row(Tuned) == nil {
			continue
		}
		row := s.Row(Tuned)
		rows = append(rows, row)
		l.Areas[r.Task], l.Settings[r.Task] = stats.MeanInterval(row.First("area")), row.Setting
		paper = append(paper, s.lastScore(s.Paper)/r.Standing(Reference).lastScore(r.Tuned(Reference).Setting))
	}
	l.Means, l.Paper = meansOf(rows), Mean(paper)
	l.Seeds = l.Decision.Seeds
	for _, row := range rows {
		l.Seeds = min(l.Seeds, row.N()) // an undecided method may lack the seeds of the next look
	}
}

// meansOf are the means over rows of one method, of a task each.
func meansOf(rows []*Evaluated) Means {
	var out Means
	for _, c := range Columns {
		xs := each.Map(rows, func(row *Evaluated) float64 { return row.Mean(c.Name) })
		out = append(out, Mean(xs))
	}
	return out
}

// lastScore is the score of a setting in the last round; NaN if it was not there.
func (s *Standing) lastScore(setting string) float64 {
	if tried := First(s.Tried, func(t *Tried) bool { return t.Setting == setting }); tried != nil && len(tried.Scores) > 0 {
		return tried.scoreIn(len(tried.Scores) - 1)
	}
	return math.NaN()
}

// Keep leaves the rows of some methods in the table. The rows do not change: ranks are those
// among all methods of the results. A method with the same records as another method keeps the
// row that both share. A method without a row is an error.
func (t *Table) Keep(methods []string) error {
	var names []string
	for _, l := range t.Rows {
		names = append(names, l.Methods()...)
	}
	for _, name := range methods {
		if !slices.Contains(names, name) {
			return input.Errorf("these results have no method %q; %swithout --methods all are printed", name, nearest.Hint(name, names))
		}
	}
	t.among = max(t.among, len(t.Rows))
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(l Line) bool { return !slices.ContainsFunc(methods, l.is) })
	return nil
}

// Methods are the method of the line and those that have its evaluations.
func (l Line) Methods() []string { return append([]string{l.Method}, l.Same...) }

// is reports whether the line is that of a method.
func (l Line) is(method string) bool { return slices.Contains(l.Methods(), method) }

// has reports whether a row is left of a method.
func (t *Table) has(method string) bool {
	return slices.ContainsFunc(t.Rows, func(l Line) bool { return l.is(method) })
}
