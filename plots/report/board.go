package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"

	"modebench/plots/boardplot"
)

type boardPage struct {
	frame
	Facts        []string
	Note         string
	Terms        [][2]string   // headings and their meanings
	Same         string        // which methods share a line; "" for none
	Table, Tasks template.HTML // all columns, and the areas on tasks alone
	Positions    []boardplot.Position
	Figures      []boardFigure
	Data         template.JS
}

// boardFigure is a drawing of the board, with a short name for the contents.
type boardFigure struct {
	ID, Title, Short string
	SVG              template.HTML
	Width            string
	Values           bool // the areas of the table are below it
}

const boardNote = "Every method after tuning among as many settings, in the order of the board: those that do not fit all tasks come last, and their scores are over fewer tasks. Numbers are means over tasks and seeds. Accuracy, gain and score have the intervals of paired differences from grpo."

// boardTitles are the figures' short names, and headings for those without a titled chart.
var boardTitles = map[string][2]string{
	"frontier": {"Frontier", ""}, "traces": {"Training", ""}, "ranks": {"Scores", "Scores with their intervals"},
	"tasks": {"Tasks", "Areas task by task"}, "entropy": {"Entropy", ""},
	"pass-at-k": {"Answers", ""}, "coverage-at-k": {"Strategies", ""},
}

// WriteBoard writes the page of a board: its table and its figures.
func WriteBoard(w io.Writer, b *boardplot.Board) error {
	p := boardPage{
		frame: newFrame(b.Title(), "bench board --html", "the results of its tasks", "", ""),
		Facts: b.Facts(), Note: boardNote, Same: b.SameNote(),
		Terms: b.Terms(), Table: b.TableHTML(), Tasks: b.TasksHTML(), Positions: b.Positions(),
	}
	data := b.Interactive()
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
		shown.Title = cmp.Or(shown.Title, names[1])
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
