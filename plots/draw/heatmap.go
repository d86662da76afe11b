package draw

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A HeatMap holds the numbers of one panel.
type HeatMap struct {
	Measure
	Low, High float64     // of the colours
	Cells     [][]float64 // by row and column; NaN: nothing measured
	Wide      []float64   // by row: a value for all columns, or NaN
}

func (h HeatMap) fraction(v float64) float64 {
	if h.High == h.Low && !math.IsNaN(v) {
		return 0.5
	}
	return (v - h.Low) / (h.High - h.Low)
}

func (h HeatMap) texts() (cells, wide []string) {
	for i, row := range h.Cells {
		for _, v := range row {
			cells = append(cells, h.text(v))
		}
		wide = append(wide, h.text(h.Wide[i]))
	}
	return cells, wide
}

// text is the text of a cell; a cell without a variant, or whose variant lacks the metric, has
// a dash.
func (h HeatMap) text(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return h.Format(v)
}

// paint draws the cells of a panel whose first one has its upper left corner at
// left and top.
func (h HeatMap) paint(c draw.Canvas, g gridShape, left, top vg.Length) {
	for i, row := range h.Cells {
		low, high := top-g.bottomOf(i), top-g.topOf(i)
		if !math.IsNaN(h.Wide[i]) {
			h.paintCell(c, h.Wide[i], left, left+g.data(), low, high)
			continue
		}
		for j, v := range row {
			h.paintCell(c, v, left+g.leftOf(j), left+g.rightOf(j), low, high)
		}
	}
}

func (h HeatMap) paintCell(c draw.Canvas, v float64, left, right, low, high vg.Length) {
	box := vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: right, Y: high}}
	PaintCell(c, box, h.fraction(v), h.text(v), 0.8)
}

// PaintCell draws a cell of a table: its colour at a place of Viridis, grey for NaN, its text, and
// a white edge.
func PaintCell(c draw.Canvas, box vg.Rectangle, shade float64, text string, edge vg.Length) {
	fill := empty
	if !math.IsNaN(shade) {
		fill = Viridis(shade)
	}
	PaintFilled(c, box, fill, text, edge)
}

// empty is the colour of a cell without a value.
var empty = RGB(0xF3F3F3)

// PaintFilled draws a cell in a colour, with a text that can be read on it.
func PaintFilled(c draw.Canvas, box vg.Rectangle, fill color.NRGBA, text string, edge vg.Length) {
	ink := Readable(fill)
	if fill == empty {
		ink = Subtle
	}
	c.SetColor(fill)
	c.Fill(box.Path())
	c.SetLineStyle(draw.LineStyle{Color: White, Width: edge})
	c.Stroke(box.Path())
	Write(c, SmallFont, ink, (box.Min.X+box.Max.X)/2, TextLine(box.Min.Y, box.Max.Y), 0.5, text)
}
