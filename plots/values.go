package plots

import (
	"modebench/metrics/stats"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// Values are the numbers of a figure, for readers who cannot see it or want an exact number:
// one element for each panel, and a single one for a grid, bars or a scatter.
type Values []PanelValues

// PanelValues is a table of a panel's numbers.
type PanelValues struct {
	Title   string // the metric with its unit; in figures of modes, the variant
	Axis    string // the name of the rows: "training step", "k", "position h (tokens)", "method"
	Columns []ValueColumn
	Rows    []ValueRow
	// Low and High are the ends of the horizontal axis, in the unit of the rows' X;
	// equal if the rows lie on no such axis.
	Low, High float64
}

// A ValueColumn is a line of a figure, a layer of its modes, or a metric of a grid, of bars
// or of a scatter.
type ValueColumn struct {
	Label  string
	Color  string    // "#0072B2", as the figure draws it; "" without a colour of its own
	Line   bool      // it is drawn as a line, not as an area
	Dashes []float64 // of the line, in points: drawn, left out and so on; nil: solid
}

// A ValueRow holds the numbers at one place of the axis, one for each column: a mean
// over seeds with its 95% interval. N is 0 if nothing was measured; Low and High
// are NaN if the figure shows a mean alone.
type ValueRow struct {
	Name  string
	X     float64 // on the axis: the step, log2(k), or the position
	Cells []stats.Interval
}

// maxRows is how many rows a table of values has at most: more than anybody reads,
// and few enough that a page with many figures stays small.
const maxRows = 64

func lineColumns(shown []numbers.Variant) []ValueColumn {
	var out []ValueColumn
	for i, l := range sheets.Looks(shown) {
		out = append(out, ValueColumn{Label: shown[i].Called, Color: sheets.Hex(l.Color), Line: true, Dashes: l.DashPoints()})
	}
	return out
}

func lastValues(d *Data) Values {
	shown, _ := numbers.Shorten(d.Variants)
	p := PanelValues{Axis: "method"}
	for _, metric := range d.Figure.Metrics {
		p.Columns = append(p.Columns, ValueColumn{Label: describe(metric).Title()})
	}
	for _, v := range shown {
		row := ValueRow{Name: v.Called}
		for _, metric := range d.Figure.Metrics {
			row.Cells = append(row.Cells, v.AtLast(metric))
		}
		p.Rows = append(p.Rows, row)
	}
	return Values{p}
}
