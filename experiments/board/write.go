package board

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"modebench/internal/latex"
	"modebench/internal/lined"
	"modebench/internal/plural"
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// Formats are the formats of the table.
func Formats() []string { return []string{"text", "markdown", "latex", "csv", "csv-tasks", "json"} }

// Write writes the table in one of Formats.
func (t *Table) Write(format string) ([]byte, error) {
	switch format {
	case "text":
		return t.text(), nil
	case "markdown":
		return t.markdown(), nil
	case "latex":
		return t.latex(), nil
	case "csv":
		return t.csv()
	case "csv-tasks":
		return t.tasksCSV()
	case "json":
		return t.json()
	}
	return nil, fmt.Errorf("format %q: want one of %q", format, Formats())
}

// head is the first line of the board.
func (t *Table) head() string {
	methods := fmt.Sprintf("%d methods", len(t.Rows))
	if t.among > 0 {
		methods = fmt.Sprintf("%d of %d methods, ranked among all,", len(t.Rows), t.among)
	}
	return fmt.Sprintf("modebench board %d, policy %s: %s on %s, up to %d seeds each", Version, t.Policy, methods, plural.Count(len(t.Tasks), "task"), t.Seeds)
}

// partialNote ends the legend of the table.
const partialNote = "Methods that do not fit all tasks come last: their scores are of other tasks.\n"

// notes name the methods and tasks that the table leaves out.
func (t *Table) notes() (out []string) {
	for _, l := range t.Rows {
		if len(l.Same) > 0 {
			out = append(out, fmt.Sprintf("%s: the same records as %s on every task", strings.Join(l.Same, ", "), l.Method))
		}
	}
	return out
}

func (t *Table) text() []byte {
	var b bytes.Buffer
	columns := t.columns(InTable)
	fmt.Fprintf(&b, "%s\n%s%s\n%s", t.head(), table.Legend(columns, 100), partialNote, table.Rows(columns, t.Rows).Text())
	b.WriteString(table.Notes("%s\n", t.notes()))
	return b.Bytes()
}

// markdown has the table and the details that it has no room for: other tunings, and the area
// and the chosen setting on each task.
func (t *Table) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s.\n\n", t.head())
	b.WriteString(table.Rows(t.columns(InTable), t.Rows).Code(1).Markdown())
	b.WriteString(table.Notes("- %s.\n", t.notes()))
	method := []table.Column[Line]{{Title: "method", Cell: func(l Line) table.Value { return table.Text(l.Method) }}}
	section := func(legend string, columns []table.Column[Line]) {
		fmt.Fprintf(&b, "\n%s\n\n%s", legend, table.Rows(append(method, columns...), t.Rows).Code(0).Markdown())
	}
	details := t.columns(InDetails)
	section(table.Legend(details, 105), details)
	section("The area on each task, in the mean over seeds:", t.taskColumns(func(l Line, task string) table.Value {
		return table.Three.Number(l.areaOn(task).Numbers[0])
	}))
	section("The setting that was chosen on each task:", t.taskColumns(func(l Line, task string) table.Value {
		return table.Text(cmp.Or(l.Settings[task], "-"))
	}))
	return b.Bytes()
}

func (t *Table) latex() []byte {
	var b bytes.Buffer
	// A page is too narrow for the others.
	columns := slices.DeleteFunc(t.columns(InTable), func(c table.Column[Line]) bool {
		return slices.Contains([]string{"end gain", "one setting", "source's"}, c.Title)
	})
	grid, notes := table.Rows(columns, t.Rows), t.notes()
	short, shortened := strings.NewReplacer(" of ", "/", " tasks)", ")"), false
	for _, row := range grid {
		for i, cell := range row {
			if strings.HasSuffix(cell, " tasks)") {
				row[i], shortened = short.Replace(cell), true
			}
		}
	}
	if shortened {
		notes = append([]string{fmt.Sprintf("(1/%d): on one of the %d tasks", len(t.Tasks), len(t.Tasks))}, notes...)
	}
	b.WriteString(grid.LaTeX(t.head()))
	for _, note := range notes {
		fmt.Fprintf(&b, "\\noindent %s.\\par\n", latex.Text(note))
	}
	return b.Bytes()
}

// csv has a row for each method, with the area on every task.
func (t *Table) csv() ([]byte, error) {
	var rows []table.Object
	for _, l := range t.Rows {
		row := table.Object{
			{"method", l.Method}, {"same", strings.Join(l.Same, " ")}, {"control", l.Control}, {"tasks", len(l.Areas)}, {"rank_low", l.Rank.Low}, {"rank_high", l.Rank.High},
			{"score", l.Score.Mean}, {"score_low", l.Score.Low}, {"score_high", l.Score.High}, {"beside_grpo", string(l.Decision.Standing)}, {"seeds", l.Seeds},
		}
		for _, column := range Names(InData) {
			if i, ok := l.Paired[column]; ok {
				row = append(row, table.Member{column, i.Mean}, table.Member{column + "_low", i.Low}, table.Member{column + "_high", i.High})
			} else {
				row = append(row, table.Member{column, l.Means.Mean(column)})
			}
		}
		if l.Made != "" {
			row = append(row, table.Member{"row", l.Made})
		}
		row = append(row, table.Member{"one_setting", l.Carried.Mean}, table.Member{"one_setting_low", l.Carried.Low}, table.Member{"one_setting_high", l.Carried.High},
			table.Member{"one_setting_beside_grpo", string(l.Carries)}, table.Member{"source", l.Paper})
		for _, task := range t.Tasks {
			row = append(row, table.Member{"area " + task, l.areaOn(task).Numbers[0]})
		}
		rows = append(rows, row)
	}
	return table.Records(rows).CSV()
}

// tasksCSV has a row for each setting that was evaluated of a method on a task, with all of
// Columns in the mean over seeds.
func (t *Table) tasksCSV() ([]byte, error) {
	var rows []table.Object
	for _, r := range t.Results {
		for _, s := range slices.SortedFunc(slices.Values(r.Standings), func(a, b Standing) int { return cmp.Compare(a.Method, b.Method) }) {
			if !t.has(s.Method) {
				continue
			}
			for _, e := range s.Rows {
				row := table.Object{{"task", r.Task}, {"method", s.Method}, {"as", strings.Join(e.As, " ")}, {"setting", e.Setting}}
				for _, column := range Names(0) {
					row = append(row, table.Member{column, e.Mean(column)})
				}
				rows = append(rows, row)
			}
		}
	}
	return table.Records(rows).CSV()
}

// object has the columns of means in data.
func (m Means) object() (out table.Object) {
	for _, column := range Names(InData) {
		out = append(out, table.Member{column, lined.Number(m.Mean(column))})
	}
	return out
}

// object is a method in JSON.
func (l Line) object() table.Object {
	tasks, paired := map[string][3]lined.Number{}, map[string][3]lined.Number{}
	for task, area := range l.Areas {
		tasks[task] = Bounds(area)
	}
	for column, i := range l.Paired {
		paired[column] = Bounds(i)
	}
	return slices.Concat(table.Object{
		{"method", l.Method}, {"same", l.Same}, {"control", l.Control}, {"rank", [2]int{l.Rank.Low, l.Rank.High}}, {"score", Bounds(l.Score)},
		{"beside_grpo", l.Decision.Standing}, {"seeds", l.Seeds}, {"surely_above", l.Above}, {"surely_below", l.Below},
	}, l.Means.object(), table.Object{
		{"paired", paired}, {"one_setting", Bounds(l.Carried)}, {"one_setting_beside_grpo", l.Carries}, {"source", lined.Number(l.Paper)}, {"tasks", tasks}, {"settings", l.Settings},
	})
}

// Bounds are a mean and the ends of its interval, as JSON has them.
func Bounds(i stats.Interval) [3]lined.Number { return numbers([3]float64{i.Mean, i.Low, i.High}) }

func numbers(xs [3]float64) (out [3]lined.Number) {
	for i, x := range xs {
		out[i] = lined.Number(x)
	}
	return out
}

func (t *Table) json() ([]byte, error) {
	var rows []table.Object
	for _, l := range t.Rows {
		row := l.object()
		if l.Made != "" {
			row = append(row, table.Member{"row", l.Made})
		}
		rows = append(rows, row)
	}
	text, err := json.Marshal(map[string]any{"board": Version, "policy": t.Policy, "tasks": t.Tasks, "seeds": t.Seeds, "methods": rows, "unfit": t.Unfit})
	return append(text, '\n'), err
}
