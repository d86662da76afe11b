package board

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"modebench/experiments/analysis"
	"modebench/internal/latex"
	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// Formats are the formats of the table.
func Formats() []string { return []string{"text", "markdown", "latex", "csv", "json"} }

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
	case "json":
		return t.json()
	}
	return nil, fmt.Errorf("format %q: want one of %q", format, Formats())
}

// head is the first line of the board.
func (t *Table) head() string {
	return fmt.Sprintf("modebench board %d, policy %s: %d methods on %s, %d seeds each", Version, t.Policy, len(t.Rows), counted(len(t.Tasks), "task"), t.Seeds)
}

// legend says how the table is to be read.
const legend = `rank: those that the seeds leave open (95%, all methods at once). Methods with ranks in common
are not told apart. score: the area in units of GRPO's on each task; interquartile mean over
tasks and seeds [95% interval]. area: that under the frontier of accuracy and diversity, of which
the base policy has 0 and the exact optimum 1. accuracy, diversity: after training. at 90%: the
diversity on first reaching nine tenths of the way in accuracy, and the share of seeds that reach
it. > grpo: probability that a seed's score is above GRPO's. untuned: the area of the method's
own fields.
`

var columns = []string{"rank", "method", "score", "area", "accuracy", "diversity", "at 90%", "> grpo", "untuned"}

// cells are the columns of a line.
func (t *Table) cells(l Line) []string {
	name := l.Method
	if n := len(l.Areas); n < len(t.Tasks) {
		name += fmt.Sprintf(" (%d of %d tasks)", n, len(t.Tasks))
	}
	return []string{
		span(l.Rank), name, interval(l.Rank.IQM), decimals(l.Area), decimals(l.Accuracy), decimals(l.Diversity),
		fmt.Sprintf("%s (%s)", decimals(l.At[2]), decimals(l.Reached[2])), interval(l.Beats), decimals(l.Untuned),
	}
}

// span is the ranks that are open.
func span(r stats.Rank) string {
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

func interval(i stats.Interval) string {
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

// markdown has the table, then the score on each task.
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
	b.WriteString("\nThe area on each task, in the mean over seeds:\n\n")
	row(append([]string{"method"}, t.Tasks...))
	fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(t.Tasks)+1))
	for _, l := range t.Rows {
		row(append([]string{"`" + l.Method + "`"}, t.areas(l)...))
	}
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
	var b bytes.Buffer
	fmt.Fprintf(&b, "%% \\usepackage{booktabs,longtable}\n%% %s\n\\begin{longtable}{l%s}\n\\toprule\n", t.head(), strings.Repeat("l", len(columns)-1))
	row := func(cells []string) {
		for i := range cells {
			cells[i] = latex.Text(cells[i])
		}
		fmt.Fprintf(&b, "%s \\\\\n", strings.Join(cells, " & "))
	}
	row(append([]string(nil), columns...))
	b.WriteString("\\midrule\n\\endhead\n")
	for _, l := range t.Rows {
		row(t.cells(l))
	}
	b.WriteString("\\bottomrule\n\\end{longtable}\n")
	for _, note := range t.notes() {
		fmt.Fprintf(&b, "\\noindent %s.\\par\n", latex.Text(note))
	}
	return b.Bytes()
}

// csv has a row for each method, with the score on every task.
func (t *Table) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := []string{"method", "same", "tasks", "rank_low", "rank_high", "score", "score_low", "score_high", "area", "accuracy", "diversity",
		"at50", "at75", "at90", "reached50", "reached75", "reached90", "tokens90", "above_grpo", "above_grpo_low", "above_grpo_high", "untuned", "accuracy_tuned_for"}
	for _, task := range t.Tasks {
		head = append(head, "area "+task)
	}
	if err := w.Write(head); err != nil {
		return nil, err
	}
	for _, l := range t.Rows {
		row := []string{l.Method, strings.Join(l.Same, " "), strconv.Itoa(len(l.Areas)), strconv.Itoa(l.Rank.Low), strconv.Itoa(l.Rank.High)}
		xs := []float64{l.Rank.IQM.Mean, l.Rank.IQM.Low, l.Rank.IQM.High, l.Area, l.Accuracy, l.Diversity,
			l.At[0], l.At[1], l.At[2], l.Reached[0], l.Reached[1], l.Reached[2], l.Tokens, l.Beats.Mean, l.Beats.Low, l.Beats.High, l.Untuned, l.Accurate}
		for _, task := range t.Tasks {
			x := math.NaN()
			if i, ok := l.Areas[task]; ok {
				x = i.Mean
			}
			xs = append(xs, x)
		}
		for _, x := range xs {
			cell := ""
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				cell = strconv.FormatFloat(x, 'g', 6, 64)
			}
			row = append(row, cell)
		}
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// lineJSON is a line as JSON; what is not defined is null.
type lineJSON struct {
	Method    string                     `json:"method"`
	Same      []string                   `json:"same"`
	Rank      [2]int                     `json:"rank"` // from, to
	Score     [3]lined.Number            `json:"score"`
	Area      lined.Number               `json:"area"`
	Accuracy  lined.Number               `json:"accuracy"`
	Diversity lined.Number               `json:"diversity"`
	At        [3]lined.Number            `json:"diversity_at"` // of Levels
	Reached   [3]lined.Number            `json:"reached"`
	Tokens    lined.Number               `json:"tokens90"`
	Beats     [3]lined.Number            `json:"above_grpo"`
	Untuned   lined.Number               `json:"untuned"`
	Accurate  lined.Number               `json:"accuracy_tuned_for"`
	Tasks     map[string][3]lined.Number `json:"tasks"`
}

func (t *Table) json() ([]byte, error) {
	three := func(i stats.Interval) [3]lined.Number {
		return [3]lined.Number{lined.Number(i.Mean), lined.Number(i.Low), lined.Number(i.High)}
	}
	var rows []lineJSON
	for _, l := range t.Rows {
		row := lineJSON{
			Method: l.Method, Same: append([]string{}, l.Same...), Rank: [2]int{l.Rank.Low, l.Rank.High}, Score: three(l.Rank.IQM),
			Area: lined.Number(l.Area), Accuracy: lined.Number(l.Accuracy), Diversity: lined.Number(l.Diversity), Tokens: lined.Number(l.Tokens),
			Beats: three(l.Beats), Untuned: lined.Number(l.Untuned), Accurate: lined.Number(l.Accurate), Tasks: map[string][3]lined.Number{},
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

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
