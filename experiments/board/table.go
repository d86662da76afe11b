package board

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/metrics/stats"
)

// A Table is the board: the methods that fit all tasks in the order of their scores, then those
// that fit fewer, with the ranks that the seeds carry.
type Table struct {
	Policy string
	Tasks  []string
	Seeds  int
	Rows   []Line
	Unfit  map[string][]string // by method, the tasks that it does not fit

	Results []*Result // that it is made of

	among int // how many rows there were before Keep; 0: all are there
}

// A Line is a method on the board, tuned by area unless a member's comment names another tuning.
type Line struct {
	Method string
	Same   []string // other methods that have its evaluations on every task
	Rank   stats.Rank
	// Separated is how many methods of the board are surely above it or surely below.
	Separated int
	// Beats is the share of runs that are above GRPO's on the same task and seed, in the
	// mean over tasks.
	Beats    stats.Interval
	Sure     int   // 1: surely above GRPO; -1: surely below; 0: neither (stats.SureWins)
	Tuned    Means // by area
	Untuned  Means // with the fields as the method has them
	Accurate Means // tuned for accuracy
	// LevelDiversity is the diversity on first reaching each of Levels, over the seeds that reach it, and
	// Reached their share.
	LevelDiversity, Reached [3]float64
	Areas                   map[string]stats.Interval // by task
	Settings                map[string]string         // that were chosen, by task
}

// Reference is the method that others are held against.
const Reference = "grpo"

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
			known[s.Method] = true
		}
		for _, u := range r.Unfit {
			t.Unfit[u.Method] = append(t.Unfit[u.Method], r.Task)
		}
	}
	names, same := Distinct(slices.Sorted(maps.Keys(known)), func(name string) string { return Evaluations(results, name) })
	tables, err := Scores(results, names)
	if err != nil {
		return nil, err
	}
	ranks, err := stats.RankMethods(tables)
	if err != nil {
		return nil, err
	}
	reference := slices.Index(names, Reference) // Scores needs it
	for i, name := range names {
		line := Line{Method: name, Same: same[name], Rank: ranks.Ranks[i], Beats: noInterval, Areas: map[string]stats.Interval{}, Settings: map[string]string{}}
		if i != reference {
			if line.Beats, err = stats.PairedImprovement(tables[reference], tables[i]); err != nil {
				return nil, err
			}
		}
		line.Sure = b2i(ranks.Above[i][reference]) - b2i(ranks.Above[reference][i])
		for j := range names {
			line.Separated += b2i(ranks.Above[i][j] || ranks.Above[j][i])
		}
		line.fill(results)
		t.Rows = append(t.Rows, line)
	}
	// A score over some tasks is compared with no score over all.
	slices.SortStableFunc(t.Rows, func(a, b Line) int {
		return cmp.Or(cmp.Compare(len(b.Areas), len(a.Areas)), cmp.Compare(b.Rank.IQM.Mean, a.Rank.IQM.Mean), cmp.Compare(a.Method, b.Method))
	})
	return t, nil
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
		if slices.ContainsFunc(results[:i], func(o *Result) bool { return o.Task == r.Task }) {
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

// Distinct leaves one of the methods that have the same evaluations everywhere, which hashes name: the
// reference, else the first of names, which are sorted. same has the others.
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

// Scores are the tables of scores that ranks are of, by method: areas in units of those of the
// Reference, by task.
func Scores(results []*Result, methods []string) ([]stats.Table, error) {
	units, err := Units(results)
	if err != nil {
		return nil, err
	}
	out := make([]stats.Table, len(methods))
	for i, name := range methods {
		out[i] = stats.Table{}
		for _, r := range results {
			if row := r.Tuned(name); row != nil {
				for _, x := range row.BySeed("area") {
					out[i][r.Task] = append(out[i][r.Task], x/units[r.Task])
				}
			}
		}
	}
	return out, nil
}

// Units are the areas of the reference, in the mean over seeds, by task. Scores are in these
// units, as rliable's are in those of a human: tasks differ in how far any method gets, and an
// interquartile mean of plain areas would be of the tasks in the middle alone.
func Units(results []*Result) (map[string]float64, error) {
	out := map[string]float64{}
	for _, r := range results {
		s := r.Standing(Reference)
		if s == nil {
			return nil, input.Errorf("task %s has no result of %s, which scores are measured by", r.Task, Reference)
		}
		unit := s.Row(Tuned).Mean("area")
		if !(unit > 0) {
			return nil, input.Errorf("task %s: the area of %s is %v in the mean over seeds, want one above 0 to measure by", r.Task, Reference, unit)
		}
		out[r.Task] = unit
	}
	return out, nil
}

// fill computes the numbers of a line besides its rank.
func (l *Line) fill(results []*Result) {
	var tuned, untuned, accurate []*Evaluated
	for _, r := range results {
		s := r.Standing(l.Method)
		if s == nil {
			continue
		}
		row := s.Row(Tuned)
		tuned, untuned, accurate = append(tuned, row), append(untuned, s.Row(Paper)), append(accurate, s.Row(Accurate))
		l.Areas[r.Task], l.Settings[r.Task] = stats.MeanInterval(row.BySeed("area")), row.Setting
	}
	l.Tuned, l.Untuned, l.Accurate = meansOf(tuned), meansOf(untuned), meansOf(accurate)
	l.LevelDiversity, l.Reached = levels(tuned)
}

// levels are the diversity at each of Levels over the seeds of tuned rows that reach it, and their share.
func levels(rows []*Evaluated) (diversity, reached [3]float64) {
	for i, column := range LevelColumns {
		var xs []float64
		for _, row := range rows {
			xs = append(xs, row.BySeed(column)...)
		}
		diversity[i], reached[i] = AtLevel(xs)
	}
	return diversity, reached
}

// AtLevel is the mean diversity of the seeds that reached an accuracy, and their share. Seeds that did
// not have NaN.
func AtLevel(diversity []float64) (mean, reached float64) {
	n := 0
	for _, x := range diversity {
		n += b2i(!math.IsNaN(x))
	}
	return Mean(diversity), float64(n) / float64(len(diversity))
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
	t.among = len(t.Rows)
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
