package plots

import (
	"errors"

	"gonum.org/v1/plot"

	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A lineKind is a kind of figure made of line panels: a panel for each metric, with a line
// for every variant that has it. Its fields are what such kinds differ in.
type lineKind struct {
	none     string // the error of a figure without metrics
	metric   string // what its metrics are, in an error
	describe func(metric string) draw.Measure
	// axis is the horizontal axis of a metric's panel on a sheet; all are the variants of
	// all sheets on the page.
	axis   func(metric string, s *sheets.Sheet, all []numbers.Variant) horizontal
	points func(v numbers.Variant, metric string, axis horizontal) []sheets.Point // on that axis
	note   func(shown []numbers.Variant, metrics []string) string                 // what else the note says; "" for nothing
}

// A horizontal is a horizontal axis.
type horizontal struct {
	label     string
	low, high float64 // they differ
	at        []int   // the places on it, of families of metrics
	ticks     plot.Ticker
}

// figure draws a panel for each metric.
func (k *lineKind) figure(d *Data, metrics []string) (*draw.Figure, error) {
	if len(metrics) == 0 {
		return nil, errors.New(k.none)
	}
	shown, common := numbers.Shorten(d.Variants)
	sheet := sheets.New(d.Figure, shown, len(metrics))
	for _, metric := range metrics {
		m, axis := k.describe(metric), k.axis(metric, sheet, shown)
		traces := sheet.Traces(m, func(v numbers.Variant) []sheets.Point { return k.points(v, metric, axis) })
		if len(traces) == 0 {
			return nil, numbers.UnknownMetric(k.metric, metric, shown)
		}
		p, err := draw.Lines(m, traces, axis.low, axis.high)
		if err != nil {
			return nil, err
		}
		p.X.Label.Text, p.X.Tick.Marker = axis.label, axis.ticks
		sheet.Add(p, m)
	}
	return sheet.Page(draw.Sentences(common, k.note(shown, metrics), sheet.Absences(), sheets.SeedNote(shown, true))), nil
}

// across draws a variant that was measured once, because it does not train, over the whole
// axis.
func across(points []sheets.Point, axis horizontal) []sheets.Point {
	if len(points) != 1 {
		return points
	}
	from, to := points[0], points[0]
	from.X, to.X = axis.low, axis.high
	return []sheets.Point{from, to}
}

// stepRange is the range of evaluated steps over all variants.
func stepRange(shown []numbers.Variant) (first, last int) {
	first, last = shown[0].Steps[0], shown[0].Last()
	for _, v := range shown {
		first, last = min(first, v.Steps[0]), max(last, v.Last())
	}
	return first, last
}
