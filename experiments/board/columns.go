package board

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"modebench/internal/table"
	"modebench/metrics/stats"
)

// A Column is a number that the board keeps of each seed of a method on a task. All results, tables,
// pages and figures of boards iterate Columns, so that a new column is an entry there.
type Column struct {
	Name    string // in results, CSV and JSON
	Title   string // for axes and menus; "": that of the metric of this name
	Head    string // heading in tables of methods; "": Name
	Legend  string // for readers of these tables, without a full stop
	Uses    Uses
	measure func(f *Final) float64
}

// Uses are the tables, files and figures that have a column, beside the results.
type Uses int

// The uses of a column.
const (
	InTable        Uses = 1 << iota // table of methods as text, LaTeX and Markdown
	InDetails                       // second table of methods in Markdown
	OnPage                          // table of methods on the HTML page
	InData                          // methods as CSV and JSON: tuned, not tuned, tuned for accuracy
	ofSeeds                         // results keep it of every seed
	Compared                        // between two boards, in the mean over tasks
	ComparedByTask                  // between two boards, task by task
)

// Columns are the columns of the board. The first is the score that ranks.
var Columns = []Column{
	{Name: "area", Title: "area under accuracy and diversity", Uses: InDetails | OnPage | InData | ofSeeds, measure: func(f *Final) float64 { return f.trace.Area() },
		Legend: "the area under the frontier of accuracy and diversity, 0 for the base policy and 1 for the exact optimum"},
	{Name: "accuracy", Uses: InTable | OnPage | InData | ofSeeds | ComparedByTask, measure: func(f *Final) float64 { return f.trace.last().Accuracy },
		Legend: "after training, the share of the way from the base policy (0) to the exact optimum (1)"},
	{Name: "gain", Title: "diversity above GRPO's at equal accuracy", Uses: InTable | OnPage | InData | ofSeeds | Compared | ComparedByTask,
		measure: func(f *Final) float64 { return f.above(diversity) },
		Legend:  "diversity less that of GRPO on its own way at the same accuracy, in the mean over the accuracies that both reach"},
	{Name: "solved@16_gain", Title: "pass@16 above GRPO's at equal accuracy", Head: "pass@16 gain", Uses: InTable | OnPage | InData | ofSeeds | Compared,
		measure: func(f *Final) float64 { return f.above(solved) }, Legend: "the same of pass@16 (on mazes best@16)"},
	{Name: "diversity", Uses: InDetails | OnPage | InData | ofSeeds | ComparedByTask, measure: func(f *Final) float64 { return f.trace.last().Diversity },
		Legend: "after training, the share of all correct strategies that 64 answers find"},
	{Name: "halfway", Title: "accuracy after half of the budget", Uses: InDetails | InData, measure: func(f *Final) float64 { return f.trace.halfway(f.budget) },
		Legend: "the accuracy after half of the budget, for those who stop early"},
	{Name: "solved@64", Title: "pass@64 (on mazes best@64)", Uses: InDetails | OnPage | InData | ofSeeds | Compared | ComparedByTask,
		measure: func(f *Final) float64 { return Metric(f.Last, f.solved+"@64") }, Legend: "pass@64 after training (on mazes best@64)"},
	{Name: "best@64", Uses: InDetails | OnPage | InData | Compared | ComparedByTask, measure: func(f *Final) float64 { return f.Scaled("reward", Metric(f.Last, "best@64")) },
		Legend: "the best of 64 answers, from the base policy's one answer (0) to the optimum (1)"},
	// Best of 64 answers under random weights of the reward's components, in the unit of the reward.
	{Name: "ew_best@64", measure: func(f *Final) float64 { return Metric(f.Last, "ew_best@64") }},
	{Name: "distinct", Title: "distinct correct strategies of 64 answers", Uses: Compared, measure: func(f *Final) float64 { return Metric(f.Last, "distinct_correct") }},
	{Name: "entropy", Title: "entropy over strategies (nats)", Uses: Compared | ComparedByTask | ofSeeds, measure: func(f *Final) float64 { return Metric(f.Last, "entropy_mode") }},
	// The entropy collapses when it falls to a tenth of its beginning for good.
	{Name: "collapsed", Title: "share of seeds whose entropy collapses", Uses: InDetails | OnPage | InData | Compared, measure: func(f *Final) float64 { return f.trace.collapsed() },
		Legend: "the share of seeds whose entropy over strategies stays at or below a tenth of its beginning"},
	{Name: "tokens90", Title: "share of the budget until 90% of the gain in accuracy", Head: "tokens", Uses: InDetails | InData | Compared | ComparedByTask,
		measure: func(f *Final) float64 { return f.trace.TokensTo(.9) / f.budget }, Legend: "the share of the budget until nine tenths of the method's own gain are made"},
}

// above is how far a number of the evaluations lies above the reference's at equal accuracy; NaN if the
// reference is not known.
func (f *Final) above(number func(Point) float64) float64 {
	if f.reference == nil {
		return math.NaN()
	}
	return f.trace.Above(f.reference, number)
}

// Names are the names of the columns with any of some uses; 0: of all.
func Names(uses Uses) (out []string) {
	for _, c := range Columns {
		if uses == 0 || c.Uses&uses != 0 {
			out = append(out, c.Name)
		}
	}
	return out
}

// Means are means over tasks of means over seeds, by Columns; NaN if no task has a number.
type Means []float64

// Mean is that of the column with a name.
func (m Means) Mean(column string) float64 {
	return m[slices.IndexFunc(Columns, func(c Column) bool { return c.Name == column })]
}

// meansOf are the means over rows of one method, of a task each.
func meansOf(rows []*Evaluated) Means {
	var out Means
	for _, c := range Columns {
		var xs []float64
		for _, row := range rows {
			xs = append(xs, row.Mean(c.Name))
		}
		out = append(out, Mean(xs))
	}
	return out
}

// cell is the column for readers. A column that is compared has the interval of the paired differences
// from the reference, at the reference's value.
func (c Column) cell(l Line) table.Value {
	if i, ok := l.Paired[c.Name]; ok {
		return l.interval(i)
	}
	return table.Three.Number(l.Means.Mean(c.Name))
}

// interval is an interval of paired differences. The reference has none.
func (l Line) interval(i stats.Interval) table.Value {
	if l.is(Reference) {
		return table.Three.Mean(i.Mean, math.NaN(), math.NaN())
	}
	return Interval(i)
}

// PageColumns are the columns of the table of methods on the HTML page. Those of tasks have the class
// "screen": on paper they are a table of their own.
func (t *Table) PageColumns() []table.Column[Line] {
	out := t.columns(OnPage)
	out[0].Class, out[1].Ends = "name", "ends"
	for i := 2; i < len(out)-1; i++ {
		out[i].Ends = "interval"
	}
	return out
}

// columns are those of a table of methods for readers, by its use.
func (t *Table) columns(use Uses) (out []table.Column[Line]) {
	add := func(uses Uses, title, legend string, cell func(l Line) table.Value) {
		if uses&use != 0 {
			out = append(out, table.Column[Line]{Title: title, Legend: legend, Cell: cell})
		}
	}
	add(OnPage, "method", "", func(l Line) table.Value { return table.Text(l.Method) })
	add(InTable|OnPage, "rank", rankLegend, func(l Line) table.Value {
		return table.Value{Text: Span(l.Rank), Numbers: []float64{float64(l.Rank.Low), float64(l.Rank.Low), float64(l.Rank.High)}}
	})
	add(InTable, "method", "", func(l Line) table.Value {
		if n := len(l.Areas); n < len(t.Tasks) {
			return table.Text(fmt.Sprintf("%s (%d of %d tasks)", l.Method, n, len(t.Tasks)))
		}
		return table.Text(l.Method)
	})
	add(InTable|OnPage, "score", scoreLegend, func(l Line) table.Value { return l.interval(l.Score) })
	add(InTable|OnPage, "beside grpo", besideLegend, func(l Line) table.Value { return table.Text(l.answer()) })
	for _, c := range Columns {
		add(c.Uses, cmp.Or(c.Head, c.Name), c.Legend, c.cell)
	}
	add(InTable|OnPage, "one setting", "the score with one setting for all tasks, beside GRPO with one", func(l Line) table.Value { return l.interval(l.Carried) })
	add(InTable|OnPage, "source's", "the score with the source's own fields, on tuning seeds", func(l Line) table.Value { return table.Three.Number(l.Paper) })
	if use == OnPage {
		for _, c := range t.taskColumns(Line.areaOn) {
			c.Title, c.Class = "area "+c.Title, "screen"
			out = append(out, c)
		}
	}
	add(OnPage, "tasks", "how many tasks the method fits", func(l Line) table.Value {
		return table.Value{Text: fmt.Sprint(len(l.Areas)), Numbers: []float64{float64(len(l.Areas))}}
	})
	return out
}

// answer is the method's beside the reference, and the number of seeds that it took.
func (l Line) answer() string {
	if l.is(Reference) {
		return "-"
	}
	return fmt.Sprintf("%s (%d)", l.Decision.Standing, l.Seeds)
}

// taskColumns have a cell for each task.
func (t *Table) taskColumns(cell func(l Line, task string) table.Value) (out []table.Column[Line]) {
	for _, task := range t.Tasks {
		out = append(out, table.Column[Line]{Title: task, Cell: func(l Line) table.Value { return cell(l, task) }})
	}
	return out
}

// areaOn is the area on a task with its interval.
func (l Line) areaOn(task string) table.Value {
	if area, ok := l.Areas[task]; ok {
		return Interval(area)
	}
	return Interval(noInterval)
}

// Interval is the value of a mean with its interval.
func Interval(i stats.Interval) table.Value { return table.Three.Mean(i.Mean, i.Low, i.High) }

const (
	rankLegend = "from 1 + how many methods are surely above it to as many as are not surely below, by paired differences in area, 95% for all pairs at once"

	scoreLegend = "the area in units of GRPO's, in the mean over tasks [the interval that the answer is from]"

	besideLegend = "better, worse, equal (within 0.05 of GRPO's area) or undecided, 95% for all methods and looks at once, and the seeds that it took"
)
