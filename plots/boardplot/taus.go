package boardplot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/board"
	"modebench/experiments/board/foretell"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

const (
	tauLine   = vg.Length(9.7) // of a row
	tauIndent = vg.Length(5)   // of a row below its head
	tauMark   = vg.Length(2.3)
)

// A tauRow is a line of the panel of taus: a head, or one or two taus.
type tauRow struct {
	text    string
	head    bool
	taus    []stats.Interval // of two, the second is hollow
	ceiling float64
}

func tauRows(f *foretell.Comparison) (out []tauRow) {
	add := func(head string, rows []tauRow) {
		if len(rows) > 0 {
			out = append(append(out, tauRow{text: head, head: true}), rows...)
		}
	}
	for i, s := range f.Over {
		head, columns := "over all tasks", append([]string{"score"}, board.Names(board.InFigure)...)
		if i > 0 {
			head, columns = fmt.Sprintf("over %s that both have", plural.Count(len(s.Short), "task")), columns[:3]
		}
		add(head, agreements(s.Columns, columns))
	}
	var tasks []tauRow
	for _, s := range f.Tasks {
		for _, row := range agreements(s.Columns, []string{"area"}) {
			row.text = strings.ReplaceAll(s.Title(), "multiplication", "mult.")
			tasks = append(tasks, row)
		}
	}
	add("area, task by task", tasks)
	var repeats []tauRow
	for _, r := range f.Seeds {
		if r.Column == "score" {
			repeat := strings.NewReplacer(" seeds and the other ", " and ", " seed and the other ", " and ", "one task and another", "two tasks").Replace(r.Occasions)
			if strings.Contains(repeat, "tuning") {
				repeat = "tuning and evaluation"
			}
			repeats = append(repeats, tauRow{text: r.Board + ": " + repeat, taus: []stats.Interval{r.Tau}, ceiling: r.Ceiling})
		}
	}
	add("a board against itself, score", repeats)
	var steps []tauRow
	for _, s := range f.Steps {
		if slices.Contains([]string{"cosine pass@1", "cosine pass@8", "cosine pass@64", "snr in groups of 16"}, s.Column) {
			steps = append(steps, tauRow{text: s.Column, taus: []stats.Interval{s.Tuned[0], s.Tuned[3]}, ceiling: math.NaN()})
		}
	}
	add("the audit against the score", steps)
	return out
}

// agreements are rows of the columns that are there. A tau that may be anything from -1 to 1 is
// left out: it would stretch the axis without a result.
func agreements(all []foretell.Agreement, columns []string) (out []tauRow) {
	for _, name := range columns {
		if i := slices.IndexFunc(all, func(a foretell.Agreement) bool { return a.Column == name }); i >= 0 && all[i].Tau.High-all[i].Tau.Low < 2 {
			out = append(out, tauRow{text: name, taus: []stats.Interval{all[i].Tau}, ceiling: all[i].Ceiling})
		}
	}
	return out
}

// paintTaus draws the rows from the top of the canvas, and the axis of taus below them, axis high.
func paintTaus(c draw.Canvas, rows []tauRow, axis vg.Length) {
	labels := vg.Length(0)
	low := 0.0
	for _, r := range rows {
		if !r.head {
			labels = max(labels, tauIndent+draw.TextWidth(draw.SmallFont, r.text))
		}
		for _, t := range r.taus {
			low = min(low, t.Low, t.Mean)
		}
	}
	values := draw.TextWidth(draw.SmallFont, "-0.00") + 5
	s := strip{left: c.Min.X + labels + 6, right: c.Max.X - values, low: max(-1, math.Floor(low*10)/10), high: 1, ticks: draw.Ticks{Count: 5}, name: "Kendall's tau"}
	bottom := c.Min.Y + axis
	line := (c.Max.Y - bottom) / vg.Length(max(1, len(rows)))
	s.paint(c, bottom)
	c.StrokeLine2(draw.LineStyle{Color: draw.Subtle, Width: 0.7}, s.place(0), bottom, s.place(0), c.Max.Y)
	for i, r := range rows {
		mid := c.Max.Y - line*(vg.Length(i)+0.5)
		base := draw.TextLine(mid-line/2, mid+line/2)
		if r.head {
			draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X, base, 0, r.text)
			continue
		}
		draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+tauIndent, base, 0, r.text)
		if !math.IsNaN(r.ceiling) {
			x := s.place(r.ceiling)
			c.StrokeLine2(draw.LineStyle{Color: draw.Orange, Width: 2}, x, mid-3.4, x, mid+3.4)
		}
		for j, t := range r.taus {
			if math.IsNaN(t.Mean) {
				continue
			}
			aside := vg.Length(0)
			mark := draw.GlyphStyle{Color: draw.Blue, Radius: tauMark, Shape: draw.Corners{N: 24}}
			if len(r.taus) > 1 {
				aside = 2 - 4*vg.Length(j)
			}
			if j > 0 {
				mark.Shape = draw.Hollow{N: 24}
			}
			s.paintInterval(c, t, draw.Mixed(mark.Color, draw.White, 0.3), mid+aside, mark)
		}
		if len(r.taus) == 1 && !math.IsNaN(r.taus[0].Mean) {
			draw.Write(c, draw.SmallFont, draw.Black, c.Max.X, base, 1, fmt.Sprintf("%.2f", r.taus[0].Mean))
		}
	}
}
