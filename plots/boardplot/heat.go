package boardplot

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/internal/plural"
	"modebench/plots/draw"
)

const heatTitle = "Every method on every task"

// Measures of the heat map.
const (
	heatLine   = vg.Length(9.8) // of a method
	heatGap    = vg.Length(8)   // between panels
	heatScale  = vg.Length(120) // length of the scale of colours
	heatWidest = vg.Length(26)  // of a cell
)

// A heatPanel is a column of results, by method and task.
type heatPanel struct {
	name   string
	values [][]float64 // [method][task]; NaN if the method does not fit the task
}

// heat draws the area, accuracy and diversity of every method on every task, in the order of the
// table.
func (b *Board) heat() *draw.Figure {
	var panels []heatPanel
	for _, column := range []string{"area", "accuracy", "diversity"} {
		p := heatPanel{name: column}
		for _, l := range b.table.Rows {
			var row []float64
			for _, r := range b.results {
				value := math.NaN()
				if e := r.Tuned(l.Method); e != nil {
					value = e.Mean(column)
				}
				row = append(row, value)
			}
			p.values = append(p.values, row)
		}
		panels = append(panels, p)
	}
	rows := b.table.Rows
	digits := draw.TextWidth(draw.SmallFont, strconv.Itoa(len(rows))) + 4
	left := digits + b.nameWidth() + 5
	cell := (draw.PageWidth - left - heatGap*vg.Length(len(panels)-1)) / vg.Length(len(panels)*len(b.results))
	cell = min(cell, heatWidest)
	head := draw.Widest(b.table.Tasks) + draw.Leading(draw.PanelFont) + 6
	body := draw.Block{Height: head + heatLine*vg.Length(len(rows)), Paint: func(c draw.Canvas) {
		top := c.Max.Y - head
		for i := range rows {
			b.writeMethod(c, i, digits, draw.TextLine(top-heatLine*vg.Length(i+1), top-heatLine*vg.Length(i)))
		}
		x := c.Min.X + left
		for _, p := range panels {
			width := cell * vg.Length(len(b.results))
			draw.Write(c, draw.PanelFont, draw.Black, x+width/2, c.Max.Y-0.9*draw.PanelFont.Size, 0.5, p.name)
			for j, r := range b.results {
				draw.WriteUpright(c, r.Task, x+cell*(vg.Length(j)+0.5), top+3)
			}
			for i, row := range p.values {
				for j, v := range row {
					paintHeat(c, v, vg.Rectangle{
						Min: vg.Point{X: x + cell*vg.Length(j), Y: top - heatLine*vg.Length(i+1)},
						Max: vg.Point{X: x + cell*vg.Length(j+1), Y: top - heatLine*vg.Length(i)},
					})
				}
			}
			x += width + heatGap
		}
	}}
	note := fmt.Sprintf("In hundredths, means over %s. Area: that under the frontier of accuracy and diversity. Accuracy and diversity are those after training. Accuracy is of the way from the base policy to the optimum, and below 0 where a method ends below the base policy.", plural.Count(b.table.Seeds, "seed"))
	return draw.NotedPage(draw.PageWidth, note, append(draw.Heading(heatTitle, draw.PageWidth), body, heatLegend(left))...)
}

// paintHeat draws a cell: its colour from 0 to 1, and the value in hundredths.
func paintHeat(c draw.Canvas, v float64, box vg.Rectangle) {
	text := ""
	if !math.IsNaN(v) {
		text = strconv.Itoa(int(math.Round(100 * v)))
	}
	draw.PaintCell(c, box, v, text, 0.5)
}

func heatLegend(indent vg.Length) draw.Block {
	const bar, steps = vg.Length(7), 50
	return draw.Block{Height: bar + 11, Paint: func(c draw.Canvas) {
		left := c.Min.X + indent
		for i := range steps {
			from := left + heatScale*vg.Length(i)/steps
			c.SetColor(draw.Viridis((float64(i) + 0.5) / steps))
			to := min(from+heatScale/steps+0.6, left+heatScale) // no seams
			c.Fill(vg.Rectangle{Min: vg.Point{X: from, Y: c.Max.Y - bar}, Max: vg.Point{X: to, Y: c.Max.Y}}.Path())
		}
		for i := range 5 {
			share := float64(i) / 4
			draw.Write(c, draw.SmallFont, draw.Black, left+heatScale*vg.Length(share), c.Max.Y-bar-8, 0.5, strconv.Itoa(25*i))
		}
	}}
}
