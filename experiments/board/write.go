package board

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"modebench/experiments/analysis"
	"modebench/internal/latex"
	"modebench/internal/lined"
	"modebench/internal/plural"
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
	rates := ""
	if t.Policy == "transformer" {
		rates = ", unequal rates"
	}
	return fmt.Sprintf("modebench board %d%s, policy %s: %s on %s, %d seeds each", Version, rates, t.Policy, methods, plural.Of(len(t.Tasks), "task"), t.Seeds)
}

// legend says how the table is to be read.
const legend = `rank: from 1 + how many methods are surely above it to as many as are not surely below; surely
above is higher on more runs (task and seed) than chance explains, 95% for all pairs at once. score:
the area in units of GRPO's on each task; interquartile mean over tasks and seeds [95% interval].
area: that under the frontier of accuracy and diversity, of which the base policy has 0 and the exact
optimum 1. accuracy, diversity: after training. at 90%: the diversity on first reaching nine tenths of
the way in accuracy, and the share of seeds that reach it. > grpo: share of runs whose area is
above GRPO's; + surely above it, - surely below. untuned: the area of the method's own fields.
Methods that do not fit all tasks come last: their scores are of other tasks.
`

var columns = []string{"rank", "method", "score", "area", "accuracy", "diversity", "at 90%", "> grpo", "untuned"}

// cells are the columns of a line.
func (t *Table) cells(l Line) []string {
	name := l.Method
	if n := len(l.Areas); n < len(t.Tasks) {
		name += fmt.Sprintf(" (%d of %d tasks)", n, len(t.Tasks))
	}
	return []string{
		Span(l.Rank), name, Interval(l.Rank.IQM), decimals(l.Area), decimals(l.Accuracy), decimals(l.Diversity),
		fmt.Sprintf("%s (%s)", decimals(l.At[2]), decimals(l.Reached[2])), Interval(l.Beats) + []string{" -", "", " +"}[1+l.Sure], decimals(l.Untuned.Area),
	}
}

// Span writes the ranks that are open.
func Span(r stats.Rank) string {
	if r.Low == r.High {
		return strconv.Itoa(r.Low)
	}
	return fmt.Sprintf("%d-%d", r.Low, r.High)
}

func decimals(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}

// Interval writes a mean with its interval; "-" where there is none.
func Interval(i stats.Interval) string {
	if math.IsNaN(i.Mean) {
		return "-"
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Mean, i.Low, i.High)
}

// notes say what the table leaves out.
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
	fmt.Fprintf(&b, "%s\n%s\n", t.head(), legend)
	rows := [][]string{columns}
	for _, l := range t.Rows {
		rows = append(rows, t.cells(l))
	}
	b.WriteString(analysis.AlignColumns(rows))
	for i, note := range t.notes() {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", note)
	}
	return b.Bytes()
}

// moreColumns are the columns of a second table.
var moreColumns = []string{"method", "at 50%", "at 75%", "best@64", "collapsed", "tokens", "tuned for accuracy: accuracy", "diversity", "untuned: accuracy", "diversity"}

// moreLegend says how the second table is to be read.
const moreLegend = `at 50%, at 75%: as at 90% above. best@64: the best of 64 answers, from the base policy's one answer (0)
to the optimum (1). collapsed: the share of seeds whose entropy over strategies stays at or below a tenth
of its beginning. tokens: the share of the budget until nine tenths of the method's own gain are made.
Then accuracy and diversity where the method is tuned for accuracy alone, and where it is not tuned:`

// more are the columns of a line in the second table.
func (l Line) more() []string {
	at := func(i int) string { return fmt.Sprintf("%s (%s)", decimals(l.At[i]), decimals(l.Reached[i])) }
	return []string{"`" + l.Method + "`", at(0), at(1), decimals(l.Best), decimals(l.Collapsed), decimals(l.Tokens),
		decimals(l.Accurate.Accuracy), decimals(l.Accurate.Diversity), decimals(l.Untuned.Accuracy), decimals(l.Untuned.Diversity)}
}

// markdown has the table and what it has no room for: other tunings, and the area and the chosen
// setting on each task.
func (t *Table) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s.\n\n", t.head())
	row := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	row(columns)
	fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(columns)))
	for _, l := range t.Rows {
		cells := t.cells(l)
		cells[1] = "`" + strings.Replace(cells[1]+" ", " ", "` ", 1)
		cells[1] = strings.TrimSpace(cells[1])
		row(cells)
	}
	for i, note := range t.notes() {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s.\n", note)
	}
	section := func(legend string, head []string, cells func(Line) []string) {
		fmt.Fprintf(&b, "\n%s\n\n", legend)
		row(head)
		fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(head)))
		for _, l := range t.Rows {
			row(cells(l))
		}
	}
	tasks := append([]string{"method"}, t.Tasks...)
	section(moreLegend, moreColumns, Line.more)
	section("The area on each task, in the mean over seeds:", tasks, func(l Line) []string {
		return append([]string{"`" + l.Method + "`"}, t.areas(l)...)
	})
	section("The setting that was chosen on each task:", tasks, func(l Line) []string {
		cells := []string{"`" + l.Method + "`"}
		for _, task := range t.Tasks {
			cells = append(cells, cmp.Or(l.Settings[task], "-"))
		}
		return cells
	})
	return b.Bytes()
}

// areas are the line's scores on the tasks.
func (t *Table) areas(l Line) (out []string) {
	for _, task := range t.Tasks {
		cell := "-"
		if x, ok := l.Areas[task]; ok {
			cell = decimals(x.Mean)
		}
		out = append(out, cell)
	}
	return out
}

func (t *Table) latex() []byte {
	rows := [][]string{columns}
	for _, l := range t.Rows {
		rows = append(rows, t.cells(l))
	}
	var b bytes.Buffer
	b.WriteString(latex.Table(t.head(), rows))
	for _, note := range t.notes() {
		fmt.Fprintf(&b, "\\noindent %s.\\par\n", latex.Text(note))
	}
	return b.Bytes()
}

// lineJSON is a line as JSON; what is not defined is null.
type lineJSON struct {
	Method string          `json:"method"`
	Same   []string        `json:"same"`
	Rank   [2]int          `json:"rank"` // from, to
	Score  [3]lined.Number `json:"score"`
	meansJSON
	At       [3]lined.Number            `json:"diversity_at"` // of Levels
	Reached  [3]lined.Number            `json:"reached"`
	Beats    [3]lined.Number            `json:"above_grpo"`
	Sure     int                        `json:"surely_above_grpo"`
	Untuned  meansJSON                  `json:"untuned"`
	Accurate meansJSON                  `json:"tuned_for_accuracy"`
	Tasks    map[string][3]lined.Number `json:"tasks"`
	Settings map[string]string          `json:"settings"`
}

// meansJSON are Means as JSON.
type meansJSON struct {
	Area      lined.Number `json:"area"`
	Accuracy  lined.Number `json:"accuracy"`
	Diversity lined.Number `json:"diversity"`
	Best      lined.Number `json:"best@64"`
	Tokens    lined.Number `json:"tokens90"`
	Collapsed lined.Number `json:"collapsed"`
}

func (m Means) json() meansJSON {
	return meansJSON{lined.Number(m.Area), lined.Number(m.Accuracy), lined.Number(m.Diversity), lined.Number(m.Best), lined.Number(m.Tokens), lined.Number(m.Collapsed)}
}

func (t *Table) json() ([]byte, error) {
	three := func(i stats.Interval) [3]lined.Number {
		return [3]lined.Number{lined.Number(i.Mean), lined.Number(i.Low), lined.Number(i.High)}
	}
	var rows []lineJSON
	for _, l := range t.Rows {
		row := lineJSON{
			Method: l.Method, Same: append([]string{}, l.Same...), Rank: [2]int{l.Rank.Low, l.Rank.High}, Score: three(l.Rank.IQM),
			meansJSON: l.Means.json(), Beats: three(l.Beats), Sure: l.Sure, Untuned: l.Untuned.json(), Accurate: l.Accurate.json(),
			Tasks: map[string][3]lined.Number{}, Settings: l.Settings,
		}
		for i := range l.At {
			row.At[i], row.Reached[i] = lined.Number(l.At[i]), lined.Number(l.Reached[i])
		}
		for task, x := range l.Areas {
			row.Tasks[task] = three(x)
		}
		rows = append(rows, row)
	}
	text, err := json.Marshal(map[string]any{"board": Version, "policy": t.Policy, "tasks": t.Tasks, "seeds": t.Seeds, "methods": rows, "unfit": t.Unfit})
	return append(text, '\n'), err
}
