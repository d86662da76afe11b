package plots

import (
	"errors"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/experiments/record"
)

// gridFigure is a heat map for each metric at the last evaluated step: rows and
// columns are combinations of fields of the experiment.
func gridFigure(fig record.Figure, shown []sample) (*Figure, error) {
	if len(fig.Metrics) == 0 {
		return nil, errors.New("a grid needs at least one metric; metrics is empty")
	}
	if len(fig.Rows) == 0 && len(fig.Cols) == 0 {
		return nil, errors.New("a grid needs fields for its rows or columns; rows and cols are empty")
	}
	table, err := tabulate(fig, shown)
	if err != nil {
		return nil, err
	}
	maps := make([]heatMap, len(fig.Metrics))
	for i, metric := range fig.Metrics {
		if maps[i], err = table.filled(metric, shown); err != nil {
			return nil, err
		}
	}
	shape := table.shape(maps)
	perLine := max(1, int((pageWidth-shape.left+panelGap)/(shape.data()+panelGap)))
	perLine = min(perLine, len(maps))
	content := shape.left + vg.Length(perLine)*(shape.data()+panelGap) - panelGap
	width := max(content, columnWidth)
	blocks := heading(fig.Title, width)
	for start := 0; start < len(maps); start += perLine {
		blocks = append(blocks, shape.line(maps[start:min(start+perLine, len(maps))], (width-content)/2))
	}
	note := lastStepNote(shown) + " " + seedNote(shown, false)
	return page(width, append(blocks, paragraphs(smallFont, subtle, width, note)...)...), nil
}

// A heatMap holds the numbers of one panel.
type heatMap struct {
	measure
	low, high float64     // of the colours
	cells     [][]float64 // by row and column; NaN: no such variant
	wide      []float64   // by row: a value for all columns, or NaN
}

// filled looks up the metric of every variant in the table.
func (t *table) filled(metric string, shown []sample) (heatMap, error) {
	h := heatMap{measure: describe(metric), low: math.Inf(1), high: math.Inf(-1)}
	for range t.rows {
		row := make([]float64, len(t.cols))
		for j := range row {
			row[j] = math.NaN()
		}
		h.cells = append(h.cells, row)
		h.wide = append(h.wide, math.NaN())
	}
	for i, s := range shown {
		at := s.interval(metric, s.last())
		if at.N == 0 {
			return h, s.unknown("metric", metric, s.metrics())
		}
		if place := t.places[i]; place.col == allColumns {
			h.wide[place.row] = at.Mean
		} else {
			h.cells[place.row][place.col] = at.Mean
		}
		h.low, h.high = min(h.low, at.Mean), max(h.high, at.Mean)
	}
	if h.inUnit(h.low, h.high) {
		h.low, h.high = 0, 1
	}
	return h, nil
}

// fraction places a value between the ends of the colour map.
func (h heatMap) fraction(v float64) float64 {
	if h.high == h.low {
		return 0.5
	}
	return (v - h.low) / (h.high - h.low)
}

// A gridShape holds the measures that all panels of a grid share.
type gridShape struct {
	*table
	left   vg.Length // room for row labels
	names  vg.Length // room for column labels
	cell   vg.Length // width of a cell
	turned bool      // column labels stand upright
}

const (
	cellHeight  = vg.Length(16)
	cellPadding = vg.Length(4)
	narrowCell  = vg.Length(28)
	wideCell    = vg.Length(64)
)

// shape measures the texts of all panels. Column labels that would make wide
// cells stand upright.
func (t *table) shape(maps []heatMap) gridShape {
	g := gridShape{table: t, cell: narrowCell, names: leading(smallFont)}
	for _, h := range maps {
		for i, row := range h.cells {
			for _, v := range row {
				g.cell = max(g.cell, textWidth(smallFont, h.text(v))+2*cellPadding)
			}
			need := textWidth(smallFont, h.text(h.wide[i])) + 2*cellPadding
			g.cell = max(g.cell, need/vg.Length(len(t.cols)))
		}
	}
	label := widest(t.cols)
	if fits := label + 2*cellPadding; fits <= max(g.cell, wideCell) {
		g.cell = max(g.cell, fits)
	} else {
		g.turned = true
		g.names = label + cellPadding
	}
	for _, h := range maps {
		g.cell = max(g.cell, min(textWidth(panelFont, h.title()), wideCell)/vg.Length(len(t.cols)))
	}
	g.left = max(widest(t.rows), textWidth(smallFont, t.rowHead)) + 5
	return g
}

func widest(texts []string) vg.Length {
	most := vg.Length(0)
	for _, s := range texts {
		most = max(most, textWidth(smallFont, s))
	}
	return most
}

// data is the width of a panel's cells.
func (g gridShape) data() vg.Length { return g.cell * vg.Length(len(g.cols)) }

// line draws panels side by side, with the row labels on the left of the first.
func (g gridShape) line(maps []heatMap, indent vg.Length) block {
	titles := make([][]string, len(maps))
	most := 1
	for i, h := range maps {
		titles[i] = h.lines(panelFont, g.data()+panelGap/2)
		most = max(most, len(titles[i]))
	}
	heading := vg.Length(most) * leading(panelFont)
	if g.colHead != "" {
		heading += leading(smallFont)
	}
	if g.turned {
		heading += cellPadding
	}
	body := cellHeight * vg.Length(len(g.rows))
	return block{height: heading + g.names + body, paint: func(c draw.Canvas) {
		left, bottom := c.Min.X+indent+g.left, c.Min.Y
		g.paintRowLabels(c, left, bottom+body)
		for i, h := range maps {
			middle := left + g.data()/2
			lead := leading(panelFont) * vg.Length(most-len(titles[i])) // titles end on one line
			writeLines(c, panelFont, black, middle, c.Max.Y-lead, 0.5, titles[i])
			write(c, smallFont, subtle, middle, bottom+body+g.names+2, 0.5, g.colHead)
			g.paintColLabels(c, left, bottom+body)
			g.paintCells(c, h, left, bottom+body)
			left += g.data() + panelGap
		}
	}}
}

func (g gridShape) paintRowLabels(c draw.Canvas, right, top vg.Length) {
	write(c, smallFont, subtle, right-5, top+3, 1, g.rowHead)
	for i, label := range g.rows {
		write(c, smallFont, black, right-5, textLine(top, i), 1, label)
	}
}

// textLine is the baseline of text in the middle of the i-th row below top.
func textLine(top vg.Length, i int) vg.Length {
	return top - cellHeight*(vg.Length(i)+0.5) - 0.35*smallFont.Size
}

func (g gridShape) paintColLabels(c draw.Canvas, left, bottom vg.Length) {
	for j, label := range g.cols {
		middle := left + g.cell*(vg.Length(j)+0.5)
		if !g.turned {
			write(c, smallFont, black, middle, bottom+3, 0.5, label)
			continue
		}
		c.Push()
		c.Translate(vg.Point{X: middle + 0.35*smallFont.Size, Y: bottom + 3})
		c.Rotate(math.Pi / 2)
		write(c, smallFont, black, 0, 0, 0, label)
		c.Pop()
	}
}

func (g gridShape) paintCells(c draw.Canvas, h heatMap, left, top vg.Length) {
	for i, row := range h.cells {
		if !math.IsNaN(h.wide[i]) {
			paintCell(c, h, h.wide[i], left, left+g.data(), top, i)
			continue
		}
		for j, v := range row {
			x := left + g.cell*vg.Length(j)
			paintCell(c, h, v, x, x+g.cell, top, i)
		}
	}
}

func paintCell(c draw.Canvas, h heatMap, v float64, left, right, top vg.Length, i int) {
	box := vg.Rectangle{
		Min: vg.Point{X: left, Y: top - cellHeight*vg.Length(i+1)},
		Max: vg.Point{X: right, Y: top - cellHeight*vg.Length(i)},
	}
	fill, ink := rgb(0xF3F3F3), subtle
	if !math.IsNaN(v) {
		fill = viridis(h.fraction(v))
		ink = readable(fill)
	}
	c.SetColor(fill)
	c.Fill(box.Path())
	c.SetLineStyle(draw.LineStyle{Color: white, Width: 0.8})
	c.Stroke(box.Path())
	write(c, smallFont, ink, (left+right)/2, textLine(top, i), 0.5, h.text(v))
}

// text is what a cell says; a cell without a variant has a dash.
func (h heatMap) text(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return h.format(v)
}
