package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "grid", Place: 4, Doc: "metrics over two sets of fields",
			Fields: []string{"metrics", "rows", "cols"}, Check: checkGrid,
		},
		note:   "At the last evaluation: mean over seeds [95% interval].",
		gather: ofMetrics(numbers.MeasureLast),
		draw:   gridFigure,
		values: lastValues,
	})
}

// checkGrid is the check that rows and columns are fields that occur, and give every
// variant shown a cell of its own.
func checkGrid(fig record.Figure, of record.Recorded) error {
	if err := checkMetrics(fig, of); err != nil {
		return err
	}
	if len(fig.Rows) == 0 || len(fig.Cols) == 0 {
		return fmt.Errorf("figure %q is a grid: it names the fields of its rows and cols", fig.Name)
	}
	if err := checkFields(fig, of); err != nil {
		return err
	}
	taken := map[string]string{}
	for _, v := range of.Variants {
		if !fig.Shows(v.Variant) {
			continue
		}
		cell := ""
		for _, field := range slices.Concat(fig.Rows, fig.Cols) {
			value, _ := v.Value(field)
			cell += value + "\x00"
		}
		if other, ok := taken[cell]; ok {
			return fmt.Errorf("figure %q: %q and %q fall into one cell; add the field they differ in to rows or cols", fig.Name, other, v.Label)
		}
		taken[cell] = v.Label
	}
	return nil
}

// gridFigure is a heat map for each metric at the last evaluated step. Rows and
// columns are combinations of fields of the experiment, under heads with a level
// for every field. The heat maps stand side by side as far as they fit.
func gridFigure(d *Data) (*draw.Figure, error) {
	fig, shown := d.Figure, d.Variants
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
	maps := make([]draw.HeatMap, len(fig.Metrics))
	for i, metric := range fig.Metrics {
		if maps[i], err = table.filled(metric, shown); err != nil {
			return nil, err
		}
	}
	shape := draw.NewGridShape(table.rows, table.cols, maps)
	content := shape.Width()
	width := max(content, draw.ColumnWidth)
	blocks := draw.Heading(fig.Title, width)
	for start := 0; start < len(maps); start += shape.PerLine {
		blocks = append(blocks, shape.Line(maps[start:min(start+shape.PerLine, len(maps))], (width-content)/2))
	}
	note := draw.Sentences(gridNote(fig, shown), sheets.LastStepNote(shown), sheets.SeedNote(shown, false))
	return draw.NotedPage(width, note, blocks...), nil
}

// gridNote names the axes that all variants share and no head shows.
func gridNote(fig record.Figure, shown []numbers.Variant) string {
	return numbers.SharedNote(slices.DeleteFunc(numbers.Shared(shown), func(a record.Axis) bool {
		return slices.Contains(fig.Rows, a.Field) || slices.Contains(fig.Cols, a.Field)
	}), shown)
}

// filled looks up the metric of every variant in the table. A variant without it
// has an empty cell.
func (t *tableau) filled(metric string, shown []numbers.Variant) (draw.HeatMap, error) {
	h := draw.HeatMap{Measure: describe(metric), Low: math.Inf(1), High: math.Inf(-1)}
	for range t.rows.Len() {
		row := make([]float64, t.cols.Len())
		for j := range row {
			row[j] = math.NaN()
		}
		h.Cells = append(h.Cells, row)
		h.Wide = append(h.Wide, math.NaN())
	}
	found := false
	for i, s := range shown {
		at := s.Interval(metric, s.Last())
		if at.N == 0 {
			continue
		}
		found = true
		if place := t.places[i]; place.col == allColumns {
			h.Wide[place.row] = at.Mean
		} else {
			h.Cells[place.row][place.col] = at.Mean
		}
		h.Low, h.High = min(h.Low, at.Mean), max(h.High, at.Mean)
	}
	if !found {
		return h, numbers.UnknownMetric("metric", metric, shown)
	}
	if h.InUnit(h.Low, h.High) {
		h.Low, h.High = 0, 1
	}
	return h, nil
}
