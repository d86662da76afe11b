package plots

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A lineKind is a kind of figure made of line panels: a panel for each metric, with a line
// for every variant that has it.
type lineKind struct {
	noun     string // of its metrics, in an error
	describe func(metric string) draw.Measure
	label    string                                             // of the horizontal axis
	rows     string                                             // the same in a table
	shared   bool                                               // panels beside each other share the axis
	places   func(metric string, shown []numbers.Variant) []int // on the axis, ascending
	scale    func(place int) float64
	ticks    func(places []int, s *sheets.Sheet) plot.Ticker
	value    func(v numbers.Variant, metric string, place int) stats.Interval
	level    func(v numbers.Variant) bool // a value known at one place holds at all places
	note     func(shown []numbers.Variant, metrics []string) string
}

// A horizontal is a horizontal axis with the places of values on it.
type horizontal struct {
	places    []int
	low, high float64 // they differ
}

func (k *lineKind) axis(metric string, shown []numbers.Variant) (axis horizontal) {
	if axis.places = k.places(metric, shown); len(axis.places) > 0 {
		axis.low, axis.high = sheets.Apart(k.scale(axis.places[0]), k.scale(axis.places[len(axis.places)-1]))
	}
	return axis
}

func (k *lineKind) points(v numbers.Variant, metric string, axis horizontal) (out []sheets.Point) {
	for _, place := range axis.places {
		if value := k.value(v, metric, place); value.N > 0 {
			out = append(out, sheets.Point{X: k.scale(place), At: value})
		}
	}
	return out
}

// traces draws the points of each variant. A level one is drawn over the whole axis.
func (k *lineKind) traces(metric string, axis horizontal, sheet *sheets.Sheet) []draw.Trace {
	return sheet.Traces(k.describe(metric), func(v numbers.Variant) []sheets.Point {
		points := k.points(v, metric, axis)
		if len(points) == 1 && k.level(v) {
			points = []sheets.Point{{X: axis.low, At: points[0].At}, {X: axis.high, At: points[0].At}}
		}
		return points
	})
}

func (k *lineKind) figure(d *Data, metrics []string) (*draw.Figure, Values, error) {
	shown, common := numbers.Shorten(d.Variants)
	sheet := sheets.New(d.Figure, shown, len(metrics))
	for _, metric := range metrics {
		m, axis := k.describe(metric), k.axis(metric, shown)
		traces := k.traces(metric, axis, sheet)
		if len(traces) == 0 {
			return nil, nil, numbers.UnknownMetric(k.noun, metric, shown)
		}
		p, err := draw.Lines(m, traces, axis.low, axis.high)
		if err != nil {
			return nil, nil, err
		}
		p.X.Label.Text, p.X.Tick.Marker = k.label, k.ticks(axis.places, sheet)
		sheet.Add(p, m)
	}
	note := draw.Sentences(common, k.note(shown, metrics), sheet.Absences(), sheets.SeedNote(shown, true))
	return sheet.Page(note), k.values(metrics, shown), nil
}

func (k *lineKind) values(metrics []string, shown []numbers.Variant) (out Values) {
	for _, metric := range metrics {
		axis := k.axis(metric, shown)
		p := PanelValues{Title: k.describe(metric).Title(), Axis: k.rows, Low: axis.low, High: axis.high, Columns: lineColumns(shown)}
		for _, place := range numbers.Thinned(axis.places, maxRows) {
			row := ValueRow{Name: fmt.Sprint(place), X: k.scale(place)}
			for _, v := range shown {
				value := k.value(v, metric, place)
				if k.level(v) && value.N == 0 {
					if points := k.points(v, metric, axis); len(points) == 1 {
						value = points[0].At
					}
				}
				row.Cells = append(row.Cells, value)
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out
}

func stepsOf(shown []numbers.Variant) []int {
	var out []int
	for _, v := range shown {
		out = append(out, v.Steps...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// familyLines are families of metrics, such as pass@k, by k at the last evaluated step.
func familyLines(k lineKind) lineKind {
	k.noun, k.places = "metric of the family", numbers.MeasuredKs
	k.value = func(v numbers.Variant, family string, place int) stats.Interval {
		return v.AtLast(fmt.Sprintf("%s@%d", family, place))
	}
	return k
}
