package boardplot

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/board"
	"modebench/plots/draw"
	"modebench/plots/forest"
)

const heatTitle = "Every method on every task"

// Measures of the heat map.
const (
	heatLine   = vg.Length(9.8) // of a method
	heatGap    = vg.Length(8)   // between panels
	heatScale  = vg.Length(90)  // length of a scale of colours
	heatWidest = vg.Length(26)  // of a cell
)

// A heatPanel is a column of results, by method and task.
type heatPanel struct {
	name   string
	values [][]float64 // [method][task]; NaN if the method does not fit the task
	// low and high are the ends of the scale of colours: 0 and 1, or, of a difference, as much below 0 as
	// above.
	low, high float64
}

// scale fixes the ends of the colours. Of differences nine in ten lie between them.
func (p *heatPanel) scale(difference bool) {
	if p.low, p.high = 0, 1; !difference {
		return
	}
	var sizes []float64
	for _, row := range p.values {
		for _, v := range row {
			if !math.IsNaN(v) {
				sizes = append(sizes, math.Abs(v))
			}
		}
	}
	slices.Sort(sizes)
	p.high = 0.01
	if len(sizes) > 0 {
		p.high = max(p.high, math.Ceil(100*forest.Quantile(sizes, 0.9))/100)
	}
	p.low = -p.high
}

// color is that of a value.
func (p *heatPanel) color(v float64) color.NRGBA {
	if p.low < 0 {
		return draw.Signed(v / p.high)
	}
	return draw.Viridis(v)
}

// heat draws the area, accuracy and gain of every method on every task, in the order of the
// table.
func (b *Board) heat() *draw.Figure {
	var panels []heatPanel
	for _, column := range []string{"area", "accuracy", "gain"} {
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
		p.scale(column == "gain")
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
					p.paint(c, v, vg.Rectangle{
						Min: vg.Point{X: x + cell*vg.Length(j), Y: top - heatLine*vg.Length(i+1)},
						Max: vg.Point{X: x + cell*vg.Length(j+1), Y: top - heatLine*vg.Length(i)},
					})
				}
			}
			x += width + heatGap
		}
	}}
	note := fmt.Sprintf("In hundredths, means over seeds. Area: that under the frontier of accuracy and diversity. Accuracy: after training, of the way from the base policy to the optimum, and below 0 where a method ends below the base policy. Gain: diversity above %s's at equal accuracy; a cell without a number shares too little accuracy with it.", board.Reference)
	return draw.NotedPage(draw.PageWidth, note, append(draw.Heading(heatTitle, draw.PageWidth), body, heatLegend(left, panels))...)
}

// paint draws a cell: its colour, and the value in hundredths.
func (p *heatPanel) paint(c draw.Canvas, v float64, box vg.Rectangle) {
	const edge = 0.5
	if math.IsNaN(v) {
		draw.PaintCell(c, box, v, "", edge)
		return
	}
	draw.PaintFilled(c, box, p.color(v), strconv.Itoa(int(math.Round(100*v))), edge)
}

// heatLegend is a scale of colours for the first panel, whose second has the same, and one for the last.
func heatLegend(indent vg.Length, panels []heatPanel) draw.Block {
	const bar, steps, beside, gap = vg.Length(7), 50, vg.Length(10), vg.Length(24)
	return draw.Block{Height: bar + 11, Paint: func(c draw.Canvas) {
		left := c.Min.X + indent
		for _, p := range []heatPanel{panels[0], panels[len(panels)-1]} {
			value := func(share float64) float64 { return p.low + share*(p.high-p.low) }
			for i := range steps {
				from := left + heatScale*vg.Length(i)/steps
				c.SetColor(p.color(value((float64(i) + 0.5) / steps)))
				to := min(from+heatScale/steps+0.6, left+heatScale) // no seams
				c.Fill(vg.Rectangle{Min: vg.Point{X: from, Y: c.Max.Y - bar}, Max: vg.Point{X: to, Y: c.Max.Y}}.Path())
			}
			for _, share := range []float64{0, 0.5, 1} {
				draw.Write(c, draw.SmallFont, draw.Black, left+heatScale*vg.Length(share), c.Max.Y-bar-8, 0.5, strconv.Itoa(int(math.Round(100*value(share)))))
			}
			name := "area and accuracy"
			if p.low < 0 {
				name = p.name
			}
			draw.Write(c, draw.SmallFont, draw.Subtle, left+heatScale+beside, c.Max.Y-bar+0.5, 0, name)
			left += heatScale + beside + draw.TextWidth(draw.SmallFont, name) + gap
		}
	}}
}
