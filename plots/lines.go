package plots

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"modebench/experiments/record"
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
	scale    func(place float64) float64
	ticks    func(places []int, s *sheets.Sheet) plot.Ticker
	value    func(v numbers.Variant, metric string, place int) stats.Interval
	level    func(v numbers.Variant) bool // a value known at one place holds at all places
	note     func(shown []numbers.Variant, metrics []string) string
}

// A horizontal is a horizontal axis with the places of values on it.
type horizontal struct {
	places []int // within its limits
	all    []int
	draw.Span
}

func (k *lineKind) axis(metric string, shown []numbers.Variant) (axis horizontal) {
	if axis.places = k.places(metric, shown); len(axis.places) > 0 {
		axis.Low, axis.High = sheets.Apart(k.scaled(axis.places[0]), k.scaled(axis.places[len(axis.places)-1]))
	}
	axis.all = axis.places
	return axis
}

func (k *lineKind) scaled(place int) float64 { return k.scale(float64(place)) }

// within is the axis within the limits of the figure: the places beyond them are left out, and of a
// logarithmic axis those below 1.
func (k *lineKind) within(fig record.Figure, axis horizontal) (_ horizontal, err error) {
	if axis.places == nil {
		return axis, nil
	}
	axis.places = slices.DeleteFunc(slices.Clone(axis.places), func(place int) bool {
		x := float64(place)
		return len(fig.X) > 0 && (x < fig.X[0] || x > fig.X[1]) || fig.Logarithmic("x") && place < 1
	})
	if len(axis.places) == 0 {
		return axis, errors.New("nothing is measured within the limits of its horizontal axis")
	}
	axis.Span, err = sheets.Limited(fig, "x", axis.Span, func() (draw.Span, error) {
		if len(axis.places) == 1 {
			return draw.LogSpan(axis.High, axis.High), nil
		}
		return draw.Span{Low: k.scaled(axis.places[0]), High: axis.High}, nil
	})
	if len(fig.X) > 0 {
		axis.Low, axis.High = k.scale(fig.X[0]), k.scale(fig.X[1])
	}
	return axis, err
}

func (k *lineKind) points(v numbers.Variant, metric string, places []int) (out []sheets.Point) {
	for _, place := range places {
		if value := k.value(v, metric, place); value.N > 0 {
			out = append(out, sheets.Point{X: k.scaled(place), At: value})
		}
	}
	return out
}

// traces draws the points of each variant. A level one is drawn over the whole axis.
func (k *lineKind) traces(metric string, axis horizontal, sheet *sheets.Sheet) []draw.Trace {
	return sheet.Traces(k.describe(metric), func(v numbers.Variant) []sheets.Point {
		if points := k.points(v, metric, axis.all); len(points) == 1 && k.level(v) {
			return []sheets.Point{{X: axis.Low, At: points[0].At}, {X: axis.High, At: points[0].At}}
		}
		return k.points(v, metric, axis.places)
	})
}

// mark puts the ticks and the name on the horizontal axis of a panel.
func (k *lineKind) mark(p *plot.Plot, axis horizontal, sheet *sheets.Sheet) {
	p.X.Label.Text, p.X.Tick.Marker = k.label, draw.LogTicks{Width: sheet.PanelWidth()}
	if !axis.Log {
		p.X.Tick.Marker = k.ticks(axis.places, sheet)
	}
}

func (k *lineKind) figure(d *Data, metrics []string) (*draw.Figure, Values, error) {
	shown, common := numbers.Shorten(d.Variants)
	sheet := sheets.New(d.Figure, shown, len(metrics))
	for _, metric := range metrics {
		m := k.describe(metric)
		axis, err := k.within(d.Figure, k.axis(metric, shown))
		if err != nil {
			return nil, nil, err
		}
		traces := k.traces(metric, axis, sheet)
		if len(traces) == 0 {
			return nil, nil, numbers.UnknownMetric(k.noun, metric, shown)
		}
		p, err := sheet.Lines(m, traces, axis.Span)
		if err != nil {
			return nil, nil, err
		}
		k.mark(p, axis, sheet)
		sheet.Add(p, m)
	}
	note := draw.Sentences(common, k.note(shown, metrics), sheet.Absences(), sheets.SeedNote(shown, true))
	return sheet.Page(note), k.values(metrics, shown), nil
}

func (k *lineKind) values(metrics []string, shown []numbers.Variant) (out Values) {
	for _, metric := range metrics {
		axis := k.axis(metric, shown)
		p := PanelValues{Title: k.describe(metric).Title(), Axis: k.rows, Low: axis.Low, High: axis.High, Columns: lineColumns(shown)}
		for _, place := range numbers.Thinned(axis.places, maxRows) {
			row := ValueRow{Name: fmt.Sprint(place), X: k.scaled(place)}
			for _, v := range shown {
				value := k.value(v, metric, place)
				if k.level(v) && value.N == 0 {
					if points := k.points(v, metric, axis.all); len(points) == 1 {
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
