package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// Values are the numbers that a figure shows, for readers who cannot see it or want
// to know one exactly: a panel for each panel of the figure, but one for a grid or bars.
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

// A ValueColumn is a line of a figure, a layer of its modes or a metric of a grid or of bars.
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

// curveValues are the means of each metric by training step.
func curveValues(fig record.Figure, shown []sample) (Values, error) {
	shown, _ = shorten(shown)
	first, last := stepRange(shown)
	low, high := apart(float64(first), float64(last))
	steps := listed(shown)
	var out Values
	for _, metric := range fig.Metrics {
		p := PanelValues{Title: describe(metric).Title(), Axis: "training step", Low: low, High: high, Columns: lineColumns(shown)}
		for _, step := range steps {
			row := ValueRow{Name: fmt.Sprint(step), X: float64(step)}
			for _, s := range shown {
				row.Cells = append(row.Cells, s.atStep(metric, step))
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out, nil
}

// listed picks the steps of a table: the steps of all samples, or maxRows of them.
func listed(shown []sample) []int {
	set := map[int]bool{}
	for _, s := range shown {
		for _, step := range s.steps {
			set[step] = true
		}
	}
	all := sorted(set)
	stride := (len(all) + maxRows - 1) / maxRows
	var out []int
	for i := 0; i < len(all)-1; i += stride {
		out = append(out, all[i])
	}
	return append(out, all[len(all)-1])
}

// atStep is the metric at a step; what does not train has the same value at all of
// them.
func (s sample) atStep(metric string, step int) stats.Interval {
	if !s.variant.Trains && len(s.steps) == 1 {
		step = s.steps[0]
	}
	return s.interval(metric, step)
}

// kCurveValues are the means of each family by k at the last step.
func kCurveValues(fig record.Figure, shown []sample) (Values, error) {
	shown, _ = shorten(shown)
	var out Values
	for _, family := range fig.Metrics {
		ks := measuredKs(family, shown)
		if len(ks) == 0 {
			return nil, unknown("metric of the family", family, shown)
		}
		p := PanelValues{Title: describeFamily(family).Title(), Axis: "k", Columns: lineColumns(shown)}
		p.Low, p.High = apart(draw.Log2(ks[0]), draw.Log2(ks[len(ks)-1]))
		for _, k := range ks {
			row := ValueRow{Name: fmt.Sprint(k), X: draw.Log2(k)}
			for _, s := range shown {
				row.Cells = append(row.Cells, s.atK(family, k, ks))
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out, nil
}

// atK is the family's metric at k; a ceiling that is known at one k alone is drawn
// over all of them.
func (s sample) atK(family string, k int, ks []int) stats.Interval {
	if line := s.byK(family, ks); isCeiling(s.variant) && len(line) == 1 {
		return line[0].at
	}
	return s.interval(fmt.Sprintf("%s@%d", family, k), s.last())
}

// lineColumns are the variants with the colours of their lines.
func lineColumns(shown []sample) []ValueColumn {
	var out []ValueColumn
	for i, l := range looks(shown) {
		c := ValueColumn{Label: shown[i].label, Color: hex(l.Color), Line: true}
		for _, d := range l.Dashes {
			c.Dashes = append(c.Dashes, d.Points())
		}
		out = append(out, c)
	}
	return out
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// gridValues are the metrics of every variant at the last step.
func gridValues(fig record.Figure, shown []sample) (Values, error) {
	shown, _ = shorten(shown)
	p := PanelValues{Axis: "method"}
	for _, metric := range fig.Metrics {
		p.Columns = append(p.Columns, ValueColumn{Label: describe(metric).Title()})
	}
	for _, s := range shown {
		row := ValueRow{Name: s.label}
		for _, metric := range fig.Metrics {
			row.Cells = append(row.Cells, s.interval(metric, s.last()))
		}
		p.Rows = append(p.Rows, row)
	}
	return Values{p}, nil
}

// modesValues are the mean masses of the upper row of a figure of modes: the rewarded
// modes by rank, then the others.
func modesValues(fig record.Figure, shown []sample) (Values, error) {
	shown, err := panelled(fig.Panel, withMasses(shown))
	if err != nil {
		return nil, err
	}
	shown, _ = shorten(shown)
	layers, err := layersOf(shown)
	if err != nil {
		return nil, err
	}
	by := byRank(layers)
	var out Values
	for _, s := range shown {
		p := PanelValues{Title: s.label, Axis: "training step", Columns: layerColumns(by.layers)}
		for _, step := range listed([]sample{s}) {
			row := ValueRow{Name: fmt.Sprint(step), X: float64(step), Cells: make([]stats.Interval, len(by.layers))}
			floor := 0.0
			for i, top := range stack(s.rivers, slices.Index(s.steps, step), by) {
				row.Cells[i] = stats.Interval{N: s.seedCount(), Mean: top - floor, Low: math.NaN(), High: math.NaN()}
				floor = top
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out, nil
}

func layerColumns(layers []draw.Layer) []ValueColumn {
	out := make([]ValueColumn, len(layers))
	for i, l := range layers {
		out[i] = ValueColumn{Label: rankName(i), Color: hex(l.Color)}
		switch l.Group {
		case draw.PlainModes:
			out[i].Label = "without reward"
		case draw.Degenerate:
			out[i].Label = "degenerate"
		}
	}
	return out
}
