package boardplot

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"modebench/experiments/board"
	"modebench/internal/lined"
	"modebench/internal/plural"
	"modebench/internal/table"
	"modebench/metrics/stats"
	"modebench/plots"
	"modebench/plots/sheets"
)

// overAll is the slice of the board that is the mean over all tasks.
const overAll = "all tasks"

// Interactive has the numbers of the interactive figures of the board. Slices are the tasks,
// behind the mean over all of them. The charts have the names of the drawn figures as ids, and the
// columns of paths are those that a result keeps of the training of a method.
func (b *Board) Interactive() *plots.Interactive {
	out := &plots.Interactive{Slice: "task", Slices: []string{overAll}, Methods: b.interactiveMethods()}
	for _, r := range b.results {
		out.Slices = append(out.Slices, r.Task)
	}
	for _, c := range board.Columns {
		b.addColumn(out, c.Name, cmp.Or(c.Title, plots.MetricTitle(c.Name), c.Name),
			func(l board.Line) stats.Interval { return overTasks(l, c.Name) },
			func(e *board.Evaluated) stats.Interval { return columnOf(e, c.Name) })
	}
	families := []string{"pass", "coverage"}
	for i, k := range b.ks() {
		for j, family := range families {
			name := fmt.Sprintf("%s@%d", family, k)
			b.addColumn(out, name, cmp.Or(plots.MetricTitle(name), name),
				func(board.Line) stats.Interval { return stats.Interval{} }, // of all tasks
				func(e *board.Evaluated) stats.Interval {
					if values := [][]lined.Number{e.Solved, e.Found}[j]; i < len(values) {
						return alone(float64(values[i]))
					}
					return stats.Interval{}
				})
		}
	}
	out.Paths = b.interactivePaths()
	out.Charts = []plots.Chart{
		{ID: "frontier", Kind: plots.ChartPair, Title: frontierTitle, Metrics: []string{"accuracy", "gain"}, Front: true},
		{ID: "traces", Kind: plots.ChartPaths, Title: boardTraces.title, Metrics: []string{"accuracy", "diversity"}, Slice: 1},
		b.scoreChart(),
		{ID: "entropy", Kind: plots.ChartPaths, Title: boardEntropy.title, Metrics: []string{"share of the budget", "entropy"}, Slice: 1},
		{ID: "pass-at-k", Kind: plots.ChartByK, Title: boardSolved.title, Metrics: []string{"pass"}, Slice: 1},
		{ID: "coverage-at-k", Kind: plots.ChartByK, Title: boardFound.title, Metrics: []string{"coverage"}, Slice: 1},
	}
	return out
}

// interactiveMethods are all methods of the table. Those that are not highlighted have looks too, for
// the reader who lets them.
func (b *Board) interactiveMethods() []plots.InteractiveMethod {
	var out []plots.InteractiveMethod
	for _, l := range b.table.Rows {
		m := plots.InteractiveMethod{Name: l.Method, Group: l.Method, Partly: !b.everywhere(l)}
		look, highlighted := b.lookOf(l.Method)
		if m.Shown = highlighted; !highlighted {
			look = sheets.Look(l.Method)
		}
		m.SetLook(look)
		out = append(out, m)
	}
	return out
}

func (b *Board) ks() []int {
	var out []int
	for _, r := range b.results {
		out = append(out, r.K...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// alone is a number without an interval; NaN has N = 0.
func alone(x float64) stats.Interval {
	if math.IsNaN(x) {
		return stats.Interval{}
	}
	return stats.Interval{N: 1, Mean: x, Low: math.NaN(), High: math.NaN()}
}

// columnOf is a column of a method on a task, with its interval if results keep it by seed.
func columnOf(e *board.Evaluated, column string) stats.Interval {
	if seeds := slices.DeleteFunc(slices.Clone(e.First(column)), math.IsNaN); len(seeds) > 0 {
		return stats.MeanInterval(seeds)
	}
	return alone(e.Mean(column))
}

// overTasks is a column in the mean over tasks, with the interval of the paired differences from the
// reference where the table has one. N is 0 if no task has the column.
func overTasks(l board.Line, column string) stats.Interval {
	if i, ok := l.Paired[column]; ok && !math.IsNaN(i.Mean) {
		i.N = max(1, i.N)
		return unlessReference(l, i)
	}
	return alone(l.Means.Mean(column))
}

// addColumn adds a metric: its value over all tasks, and on each task that a method fits.
func (b *Board) addColumn(t *plots.Interactive, name, title string, mean func(l board.Line) stats.Interval, value func(e *board.Evaluated) stats.Interval) {
	row := make([]*plots.InteractiveValues, len(t.Methods))
	found := false
	for i, l := range b.table.Rows {
		list := []stats.Interval{mean(l)}
		for _, r := range b.results {
			var measured stats.Interval
			if e := r.Tuned(l.Method); e != nil {
				measured = value(e)
			}
			list = append(list, measured)
		}
		if slices.ContainsFunc(list, func(value stats.Interval) bool { return value.N > 0 }) {
			row[i], found = plots.NewInteractiveValues(list), true
		}
	}
	if found {
		t.Add(plots.InteractiveMetric{Name: name, Title: title}, row)
	}
}

func (b *Board) interactivePaths() *plots.InteractivePaths {
	out := &plots.InteractivePaths{Columns: []string{"share of the budget", "accuracy", "diversity", "entropy"}, Values: [][][][]plots.Rounded{nil}}
	for _, r := range b.results {
		lines := make([][][]plots.Rounded, len(b.table.Rows))
		for i, l := range b.table.Rows {
			if e := r.Tuned(l.Method); e != nil {
				for _, p := range e.Trace {
					lines[i] = append(lines[i], []plots.Rounded{plots.Rounded(p[0]), plots.Rounded(p[1]), plots.Rounded(p[2]), plots.Rounded(p[3])})
				}
			}
		}
		out.Values = append(out.Values, lines)
	}
	return out
}

func (b *Board) scoreChart() plots.Chart {
	c := plots.Chart{ID: "ranks", Kind: plots.ChartRows, Title: "Scores with their intervals", Axis: "score: area in units of " + board.Reference + "'s", Zero: 1}
	for i, m := range b.interactiveMethods() {
		l := b.table.Rows[i]
		score := unlessReference(l, l.Score)
		c.Rows = append(c.Rows, plots.ChartRow{Label: m.Name, Group: string(l.Decision.Standing), Method: i, Mark: m.Mark, Color: m.Color, Mean: plots.Rounded(score.Mean), Low: plots.Rounded(score.Low), High: plots.Rounded(score.High)})
	}
	slices.SortStableFunc(c.Rows, func(x, y plots.ChartRow) int { return cmp.Compare(y.Mean, x.Mean) })
	return c
}

// TableHTML is the table of a page, which sorts.
func (b *Board) TableHTML() template.HTML {
	return table.HTML(b.table.PageColumns(), b.table.Rows, true)
}

// TasksHTML is the table of the areas on each task.
func (b *Board) TasksHTML() template.HTML {
	var columns []table.Column[board.Line]
	for i, c := range b.table.PageColumns() {
		if c.Class == "screen" || i == 0 {
			c.Class = strings.TrimPrefix(c.Class, "screen")
			columns = append(columns, c)
		}
	}
	return table.HTML(columns, b.table.Rows, false)
}

// A Position is the place of a method among all others, for a page: a line, and facts with their names.
type Position struct {
	ID, Method, Line string
	Facts            [][2]string
}

// Positions are those of the methods, in the order of the table: the answer beside the reference, and by name
// the methods from which each surely differs.
func (b *Board) Positions() (out []Position) {
	n := len(b.table.Rows)
	for _, l := range b.table.Rows {
		s := Position{ID: "position-" + l.Method, Method: l.Method}
		s.Line = fmt.Sprintf("rank %s of %d, surely above %d and below %d", board.Span(l.Rank), n, len(l.Below), len(l.Above))
		add := func(name, text string) {
			if text != "" {
				s.Facts = append(s.Facts, [2]string{name, text})
			}
		}
		if l.Method != board.Reference {
			s.Line = string(l.Decision.Standing) + "; " + s.Line
			add("beside "+board.Reference, fmt.Sprintf("%s: score %s, from %d seeds of each task", l.Decision.Standing, board.Interval(l.Score).Text, l.Seeds))
			if l.Carries != "" {
				add("with one setting for all tasks", fmt.Sprintf("%s: score %s", l.Carries, board.Interval(l.Carried).Text))
			}
		}
		add("control", l.Control)
		add("same records", strings.Join(l.Same, ", "))
		add(fmt.Sprintf("surely above %d", len(l.Below)), strings.Join(l.Below, ", "))
		add(fmt.Sprintf("surely below %d", len(l.Above)), strings.Join(l.Above, ", "))
		add("not told apart", fmt.Sprintf("from the other %d", n-1-len(l.Below)-len(l.Above)))
		var settings []string
		for _, task := range b.table.Tasks {
			if setting := l.Settings[task]; setting != "" {
				settings = append(settings, task+": "+setting)
			}
		}
		add("settings", strings.Join(settings, "; "))
		out = append(out, s)
	}
	return out
}

// Terms explain the columns of the table, in their order: [heading, meaning].
func (b *Board) Terms() (out [][2]string) {
	for _, c := range b.table.PageColumns() {
		if c.Legend != "" {
			out = append(out, [2]string{c.Title, c.Legend + "."})
		}
	}
	return out
}

// Title is that of a page.
func (b *Board) Title() string { return fmt.Sprintf("modebench board %d", board.Version) }

// Facts are the few words below the title of a page: the policy, methods, tasks and seeds.
func (b *Board) Facts() []string {
	return []string{
		"policy: " + b.table.Policy, plural.Count(len(b.table.Rows), "method"), plural.Count(len(b.table.Tasks), "task"),
		"up to " + plural.Count(b.table.Seeds, "seed") + " each",
	}
}
