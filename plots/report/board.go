package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"modebench/metrics/stats"
	"modebench/plots"
)

// boardPage is what the template of the board sees.
type boardPage struct {
	frame
	Facts   []string
	Note    string
	Terms   []fact
	Same    string // which methods share a line; "" for none
	Columns []boardColumn
	Rows    []boardRow
	Figures []boardFigure
	Data    template.JS
}

// boardColumn is a column of the table. Those of a task have no room on paper, where they are a
// table of their own.
type boardColumn struct {
	Name string
	Task bool
}

type boardCell struct {
	summaryCell
	Task bool
}

type boardRow struct {
	Method, Rank string
	Place, Tasks int
	First, Last  int // of its ranks
	Cells        []boardCell
}

// boardFigure is a drawing of the board, with a short name for the contents.
type boardFigure struct {
	ID, Title, Short string
	SVG              template.HTML
	Width            string
	Values           bool // the areas of the table stand below it
}

// boardNote says what the table is of.
const boardNote = "Every method after tuning among as many settings, in the order of the board: those that do not fit all tasks come last, and their scores are over fewer tasks. Numbers are means over tasks and seeds."

// boardTerms say what the columns of the table are, in their order.
var boardTerms = []fact{
	{"rank", "the range of places that the data allow."},
	{"score", "the area in units of GRPO's on each task, interquartile mean over tasks and seeds [95% interval]; GRPO's own need not be exactly 1, being such a mean."},
	{"area", "the area under the frontier of accuracy and diversity; before the name of a task, that on it alone."},
	{"accuracy", "the share of the way from the base policy (0) to the exact optimum (1)."},
	{"diversity", "the share of all correct strategies that 64 answers find."},
	{"at 90%", "the diversity on first reaching nine tenths of the way in accuracy."},
	{"reached 90%", "the share of seeds that do."},
	{"above grpo", "the share of runs whose area is above GRPO's."},
	{"untuned area", "the area with the fields as the method has them."},
	{"best@64", "the best of 64 answers, from the base policy's one answer (0) to the optimum (1)."},
	{"collapsed", "the share of seeds whose entropy over strategies stays at or below a tenth of its beginning."},
	{"tasks", "how many tasks the method fits."},
}

// boardTitles are the figures' short names, and their headings where the chart has none.
var boardTitles = map[string][2]string{
	"frontier": {"Frontier", ""}, "traces": {"Training", ""}, "ranks": {"Scores", "Scores with their intervals"},
	"profiles": {"Profiles", "Performance profiles"}, "tasks": {"Tasks", "Areas task by task"}, "entropy": {"Entropy", ""},
	"pass-at-k": {"Answers", ""}, "coverage-at-k": {"Strategies", ""},
}

// WriteBoard writes the page of a board: its table and its figures.
func WriteBoard(w io.Writer, b *plots.Board) error {
	p := boardPage{
		frame: newFrame("modebench board 1", "bench board --html", "the results of its tasks", "", ""),
		Facts: b.Facts(), Note: boardNote, Terms: boardTerms, Same: b.SameNote(),
	}
	data := b.Interactive()
	first := len(b.BoardColumns()) - len(data.Slices) + 1 // of the columns of tasks
	for i, name := range b.BoardColumns() {
		p.Columns = append(p.Columns, boardColumn{name, i >= first})
	}
	for i, r := range b.BoardRows() {
		row := boardRow{Method: r.Method, Rank: r.Rank, Place: i, First: r.First, Last: r.Last, Tasks: r.Tasks}
		for j, c := range r.Cells {
			row.Cells = append(row.Cells, boardCell{numberCell(c), p.Columns[j].Task})
		}
		p.Rows = append(p.Rows, row)
	}
	titles := map[string]string{}
	for _, c := range data.Charts {
		titles[c.ID] = c.Title
	}
	figures, err := b.Figures()
	if err != nil {
		return err
	}
	for _, f := range figures {
		names := boardTitles[f.Name]
		shown := boardFigure{ID: f.Name, Title: titles[f.Name], Short: names[0], Values: f.Name == "tasks"}
		if shown.Title == "" {
			shown.Title = names[1]
		}
		if shown.SVG, shown.Width, err = inline(f.Figure, f.Name+"-title", f.Name+"-"); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		p.Figures = append(p.Figures, shown)
	}
	if p.Data, err = asScript(data); err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := boardLayout.Execute(&buf, p); err != nil {
		return err
	}
	_, err = w.Write(buf.Bytes())
	return err
}

var boardLayout = template.Must(template.Must(layout.Clone()).New("board").Parse(boardHTML))

// numberCell is a number of the board. What a method has none of sorts last.
func numberCell(at stats.Interval) summaryCell {
	if at.N == 0 {
		return summaryCell{Mean: absent}
	}
	return summaryCell{Sort: strconv.FormatFloat(at.Mean, 'g', -1, 64), Mean: number(at.Mean), Rest: bracket(at), Low: bound(at.Low, at), High: bound(at.High, at)}
}
