package plots

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/experiments/record"
)

// gridFigure is a heat map for each metric at the last evaluated step. Rows and
// columns are combinations of fields of the experiment, under heads with a level
// for every field. The heat maps stand side by side as far as they fit.
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
	shape := newGridShape(table.rows, table.cols, maps)
	content := shape.width()
	width := max(content, columnWidth)
	blocks := heading(fig.Title, width)
	for start := 0; start < len(maps); start += shape.perLine {
		blocks = append(blocks, shape.line(maps[start:min(start+shape.perLine, len(maps))], (width-content)/2))
	}
	note := sentences(gridNote(fig, shown), lastStepNote(shown), seedNote(shown, false))
	return page(width, append(blocks, paragraphs(smallFont, subtle, width, note)...)...), nil
}

// gridNote names the axes that all variants share and no head shows.
func gridNote(fig record.Figure, shown []sample) string {
	return sharedNote(slices.DeleteFunc(shared(shown), func(a record.Axis) bool {
		return slices.Contains(fig.Rows, a.Field) || slices.Contains(fig.Cols, a.Field)
	}), shown)
}

// A heatMap holds the numbers of one panel.
type heatMap struct {
	measure
	low, high float64     // of the colours
	cells     [][]float64 // by row and column; NaN: nothing measured
	wide      []float64   // by row: a value for all columns, or NaN
}

// filled looks up the metric of every variant in the table. A variant without it
// has an empty cell.
func (t *table) filled(metric string, shown []sample) (heatMap, error) {
	h := heatMap{measure: describe(metric), low: math.Inf(1), high: math.Inf(-1)}
	for range t.rows.len() {
		row := make([]float64, t.cols.len())
		for j := range row {
			row[j] = math.NaN()
		}
		h.cells = append(h.cells, row)
		h.wide = append(h.wide, math.NaN())
	}
	found := false
	for i, s := range shown {
		at := s.interval(metric, s.last())
		if at.N == 0 {
			continue
		}
		found = true
		if place := t.places[i]; place.col == allColumns {
			h.wide[place.row] = at.Mean
		} else {
			h.cells[place.row][place.col] = at.Mean
		}
		h.low, h.high = min(h.low, at.Mean), max(h.high, at.Mean)
	}
	if !found {
		return h, unknown("metric", metric, shown)
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

// texts are what the cells say, and the numbers that span all columns.
func (h heatMap) texts() (cells, wide []string) {
	for i, row := range h.cells {
		for _, v := range row {
			cells = append(cells, h.text(v))
		}
		wide = append(wide, h.text(h.wide[i]))
	}
	return cells, wide
}

// text is what a cell says; one without a variant, or whose variant lacks the
// metric, has a dash.
func (h heatMap) text(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return h.format(v)
}

// paint draws the cells of a panel whose first one has its upper left corner at
// left and top.
func (h heatMap) paint(c draw.Canvas, g gridShape, left, top vg.Length) {
	for i, row := range h.cells {
		low, high := top-g.bottomOf(i), top-g.topOf(i)
		if !math.IsNaN(h.wide[i]) {
			h.paintCell(c, h.wide[i], left, left+g.data(), low, high)
			continue
		}
		for j, v := range row {
			h.paintCell(c, v, left+g.leftOf(j), left+g.rightOf(j), low, high)
		}
	}
}

func (h heatMap) paintCell(c draw.Canvas, v float64, left, right, low, high vg.Length) {
	box := vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: right, Y: high}}
	fill, ink := rgb(0xF3F3F3), subtle
	if !math.IsNaN(v) {
		fill = viridis(h.fraction(v))
		ink = readable(fill)
	}
	c.SetColor(fill)
	c.Fill(box.Path())
	c.SetLineStyle(draw.LineStyle{Color: white, Width: 0.8})
	c.Stroke(box.Path())
	write(c, smallFont, ink, (left+right)/2, textLine(low, high), 0.5, h.text(v))
}

// textLine is the baseline of text in the middle between two heights.
func textLine(low, high vg.Length) vg.Length { return (low+high)/2 - 0.35*smallFont.Size }
