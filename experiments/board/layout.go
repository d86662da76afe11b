package board

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"modebench/internal/table"
	"modebench/metrics/stats"
)

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
	if len(t.Rows) > 0 && t.Rows[0].Made != "" {
		add(InTable, "row", "whether the row was run again and is the same to the bit", func(l Line) table.Value { return table.Text(l.Made) })
	}
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

// cell is a method's number in a column, with its paired interval (Line.Paired) if it has one.
func (c Column) cell(l Line) table.Value {
	if i, ok := l.Paired[c.Name]; ok {
		return l.interval(i)
	}
	return table.Three.Number(l.Means.Mean(c.Name))
}

// interval is an interval of paired differences. That of the reference has no bounds.
func (l Line) interval(i stats.Interval) table.Value {
	if l.is(Reference) {
		return table.Three.Mean(i.Mean, math.NaN(), math.NaN())
	}
	return Interval(i)
}

// answer is the method's answer beside the reference with its number of seeds, as in "better (12)".
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

// Span writes the ranks that a method may have, as in "3-7".
func Span(r stats.Rank) string {
	if r.Low == r.High {
		return strconv.Itoa(r.Low)
	}
	return fmt.Sprintf("%d-%d", r.Low, r.High)
}

const (
	rankLegend = "from 1 + how many methods are surely above it to as many as are not surely below, by paired differences in area, 95% for all pairs at once"

	scoreLegend = "the area in units of GRPO's, in the mean over tasks [the interval that the answer is from]"

	besideLegend = "better, worse, equal (within 0.05 of GRPO's area) or undecided, 95% for all methods and looks at once, and the seeds that it took"
)
