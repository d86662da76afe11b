package plots

import (
	"maps"
	"slices"

	"modebench/metrics/stats"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// Values are the numbers that a figure shows, for readers who cannot see it or want to know
// one exactly: one element for each panel, and a single one for a grid, bars or a scatter.
type Values []PanelValues

// PanelValues is a table of a panel's numbers.
type PanelValues struct {
	Title   string // the metric with its unit; in figures of modes, the variant
	Axis    string // what the rows are: "training step", "k", "position h (tokens)", "method"
	Columns []ValueColumn
	Rows    []ValueRow
	// Low and High are the ends of the horizontal axis, in the unit of the rows' X;
	// equal where the rows lie on no such axis.
	Low, High float64
}

// A ValueColumn is a line of a figure, a layer of its modes, or a metric of a grid, of bars
// or of a scatter.
type ValueColumn struct {
	Label  string
	Color  string    // "#0072B2", as the figure draws it; "" where it has none of its own
	Line   bool      // it is drawn as a line, not as an area
	Dashes []float64 // of the line, in points: drawn, left out and so on; nil: solid
}

// A ValueRow holds the numbers at one place of the axis, one for each column: a mean
// over seeds with its 95% interval. N is 0 where nothing was measured; Low and High
// are NaN where the figure shows a mean alone.
type ValueRow struct {
	Name  string
	X     float64 // on the axis: the step, log2(k), or the position
	Cells []stats.Interval
}

// maxRows is how many rows a table of values has at most: more than anybody reads,
// and few enough that a page with many figures stays small.
const maxRows = 64

// listed picks the steps of a table: the steps of all samples, or maxRows of them.
func listed(shown []numbers.Variant) []int {
	set := map[int]bool{}
	for _, v := range shown {
		for _, step := range v.Steps {
			set[step] = true
		}
	}
	all := slices.Sorted(maps.Keys(set))
	stride := (len(all) + maxRows - 1) / maxRows
	var out []int
	for i := 0; i < len(all)-1; i += stride {
		out = append(out, all[i])
	}
	return append(out, all[len(all)-1])
}

// lineColumns are the variants with the colours of their lines.
func lineColumns(shown []numbers.Variant) []ValueColumn {
	var out []ValueColumn
	for i, l := range sheets.Looks(shown) {
		c := ValueColumn{Label: shown[i].Called, Color: sheets.Hex(l.Color), Line: true}
		for _, d := range l.Dashes {
			c.Dashes = append(c.Dashes, d.Points())
		}
		out = append(out, c)
	}
	return out
}

// lastValues are the metrics of every variant at the last step.
func lastValues(d *Data) (Values, error) {
	shown, _ := numbers.Shorten(d.Variants)
	p := PanelValues{Axis: "method"}
	for _, metric := range d.Figure.Metrics {
		p.Columns = append(p.Columns, ValueColumn{Label: describe(metric).Title()})
	}
	for _, s := range shown {
		row := ValueRow{Name: s.Called}
		for _, metric := range d.Figure.Metrics {
			row.Cells = append(row.Cells, s.Interval(metric, s.Last()))
		}
		p.Rows = append(p.Rows, row)
	}
	return Values{p}, nil
}
