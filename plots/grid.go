package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "grid", Place: 4, Doc: "metrics over two sets of fields",
			Fields: append([]string{"metrics", "rows", "cols"}, sizeFields...), Check: checkGrid,
		},
		needs:  "a grid needs at least one metric",
		note:   lastNote,
		gather: ofMetrics(numbers.MeasureLast),
		draw:   gridFigure,
	})
}

// checkGrid checks that rows and columns are fields that occur, and give every variant shown a
// cell of its own.
func checkGrid(fig record.Figure, recorded record.Recorded) error {
	if err := checkFields(fig, recorded); err != nil {
		return err
	}
	if len(fig.Rows) == 0 || len(fig.Cols) == 0 {
		return fmt.Errorf("figure %q is a grid: it names the fields of its rows and cols", fig.Name)
	}
	taken := map[string]string{}
	for _, v := range shownVariants(fig, recorded) {
		cell := ""
		for _, field := range slices.Concat(fig.Rows, fig.Cols) {
			value, _ := v.Value(field)
			cell += value + "\x00"
		}
		if before, ok := taken[cell]; ok {
			return fmt.Errorf("figure %q: %q and %q fall into one cell; add the field they differ in to rows or cols", fig.Name, before, v.Label)
		}
		taken[cell] = v.Label
	}
	return nil
}

// gridFigure is a heat map for each metric at the last evaluated step. Rows and
// columns are combinations of fields of the experiment, under heads with a level
// for every field. The heat maps are beside each other as far as they fit.
func gridFigure(d *Data) (*draw.Figure, Values, error) {
	fig, shown := d.Figure, d.Variants
	if len(fig.Rows) == 0 && len(fig.Cols) == 0 {
		return nil, nil, errors.New("a grid needs fields for its rows or columns; rows and cols are empty")
	}
	table, err := tabulate(fig, shown)
	if err != nil {
		return nil, nil, err
	}
	if err := wantMeasured(fig.Metrics, shown); err != nil {
		return nil, nil, err
	}
	maps := each.Map(fig.Metrics, func(metric string) draw.HeatMap { return table.filled(metric, shown) })
	note := draw.Sentences(gridNote(fig, shown), sheets.LastStepNote(shown), sheets.SeedNote(shown, false))
	page, err := heatPage(fig, table.rows, table.cols, maps, note)
	return page, lastValues(d), err
}

// heatPage has heat maps beside each other as far as they fit.
func heatPage(fig record.Figure, rows, cols draw.Side, maps []draw.HeatMap, note string) (*draw.Figure, error) {
	shape := draw.NewGridShape(rows, cols, maps, sheets.Width(fig, draw.PageWidth))
	content := shape.Width()
	width := sheets.Width(fig, max(content, draw.ColumnWidth))
	if content > width {
		return nil, fmt.Errorf("its cells need a width of at least %.1f inches, not %g", neededWidth(rows, cols, maps), fig.Width)
	}
	var blocks []draw.Block
	for part := range slices.Chunk(maps, shape.PerLine) {
		blocks = append(blocks, shape.Line(part, (width-content)/2))
	}
	return sheets.Page(fig, width, note, draw.Block{}, blocks...), nil
}

// neededWidth is the least width of a page, in tenths of an inch, into which its heat maps fit.
func neededWidth(rows, cols draw.Side, maps []draw.HeatMap) float64 {
	tenths := 10
	for page := vg.Length(72); draw.NewGridShape(rows, cols, maps, page).Width() > page; page = vg.Length(tenths) * 7.2 {
		tenths++
	}
	return float64(tenths) / 10
}

func gridNote(fig record.Figure, shown []numbers.Variant) string {
	return numbers.SharedNote(slices.DeleteFunc(numbers.Shared(shown), func(a record.Axis) bool {
		return slices.Contains(fig.Rows, a.Field) || slices.Contains(fig.Cols, a.Field)
	}), shown)
}

// filled looks up the metric of every variant in the table. A variant without it
// has an empty cell.
func (t *tableau) filled(metric string, shown []numbers.Variant) draw.HeatMap {
	h := draw.HeatMap{Measure: describe(metric), Low: math.Inf(1), High: math.Inf(-1)}
	for range t.rows.Len() {
		h.Cells = append(h.Cells, slices.Repeat([]float64{math.NaN()}, t.cols.Len()))
		h.Wide = append(h.Wide, math.NaN())
	}
	for i, v := range shown {
		value := v.AtLast(metric)
		if value.N == 0 {
			continue
		}
		if place := t.places[i]; place.col == allColumns {
			h.Wide[place.row] = value.Mean
		} else {
			h.Cells[place.row][place.col] = value.Mean
		}
		h.Low, h.High = min(h.Low, value.Mean), max(h.High, value.Mean)
	}
	if h.InUnit(h.Low, h.High) {
		h.Low, h.High = 0, 1
	}
	return h
}
