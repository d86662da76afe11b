package sheets

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// A Point of a line: where, and the interval there.
type Point struct {
	X  float64
	At stats.Interval
}

// Apart widens an axis that has no length.
func Apart(low, high float64) (float64, float64) {
	if low == high {
		return low - 0.5, high + 0.5
	}
	return low, high
}

// InkOf is the colour of a mark as that of its name: a little darker, so that it can be read.
func InkOf(mark color.Color) color.NRGBA {
	return draw.Mixed(mark, draw.Black, 0.25)
}

// OtherLook is the look of methods that are not highlighted.
var OtherLook = draw.Look{Color: draw.RGB(0xD0D0D0), Width: 0.5}

// An Axis is an axis of a panel of two metrics.
type Axis struct {
	draw.Measure
	draw.Span
	Ticks int // about how many
	cut   bool
}

// Limited gives an axis, x or y, the limits and the logarithm that its figure asks for; list has the values
// to show.
func (a Axis) Limited(fig record.Figure, axis string, list []stats.Interval) (out Axis, err error) {
	a.cut = fig.Logarithmic(axis) || len(fig.Limits(axis)) > 0
	a.Span, err = Limited(fig, axis, a.Span, func() (draw.Span, error) {
		low, high, err := positive(a.Measure, each.Map(list, func(v stats.Interval) float64 {
			if v.N == 0 {
				return 0
			}
			return v.Mean
		}))
		return draw.LogSpan(low, high), err
	})
	return a, err
}

// Limited is the span of an axis, x or y: the limits of its figure, or the usual ones, which positive gives if the
// axis is logarithmic.
func Limited(fig record.Figure, axis string, usual draw.Span, positive func() (draw.Span, error)) (span draw.Span, err error) {
	span = usual
	if limits := fig.Limits(axis); len(limits) > 0 {
		span.Low, span.High = limits[0], limits[1]
	} else if fig.Logarithmic(axis) {
		span, err = positive()
	}
	span.Log = fig.Logarithmic(axis)
	return span, err
}

// positive is the range of the values above 0.
func positive(m draw.Measure, values []float64) (low, high float64, err error) {
	low, high = math.Inf(1), 0
	for _, v := range values {
		if v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	if high == 0 {
		err = fmt.Errorf("a logarithmic axis needs a value above 0 of %s", m.Title())
	}
	return low, high, err
}

// Shown is a value as the axis shows it: one beyond the limits as if it were not measured.
func (a Axis) Shown(v stats.Interval) stats.Interval {
	if a.cut && (v.Mean < a.Low || v.Mean > a.High) {
		v.N = 0
	}
	return v
}

// MeansAxis is the axis of the means of some intervals. Those over no seeds do not count.
func MeansAxis(m draw.Measure, list []stats.Interval) Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, value := range list {
		if value.N > 0 {
			low, high = min(low, value.Mean), max(high, value.Mean)
		}
	}
	a := Axis{Measure: m}
	a.Low, a.High = m.Axis(low, high, low, high)
	return a
}

// PairPanel is a panel between two axes whose data are painted.
func PairPanel(x, y Axis, paint draw.Painted) *plot.Plot {
	p := draw.Panel()
	p.X.Label.Text = x.Title()
	p.X.Tick.Marker, p.Y.Tick.Marker = draw.Ticks{Count: x.Ticks, Whole: x.Whole}, draw.Ticks{Count: y.Ticks, Whole: y.Whole}
	draw.AddGrid(p)
	p.Add(draw.MarksRoom{}, paint)
	draw.SetSpans(p, x.Span, y.Span)
	if x.Log {
		p.X.Tick.Marker = draw.LogTicks{Width: tickRoom * vg.Length(x.Ticks)}
	}
	return p
}

// tickRoom is the width of a panel for each of its ticks.
const tickRoom = vg.Length(42)

// A Dot is a mark in a panel of two metrics. N of a metric is 0 if it is not measured.
type Dot struct {
	X, Y stats.Interval
	Name string
	Look draw.Look
}

// Measured reports whether the dot has both metrics.
func (d Dot) Measured() bool { return d.X.N > 0 && d.Y.N > 0 }

// CutOff reports whether a whisker reaches past the ends of its axis.
func (d Dot) CutOff(x, y Axis) bool {
	return CutOff(d.X, x.Low, x.High) || CutOff(d.Y, y.Low, y.High)
}

// Place is the place of the means.
func (d Dot) Place(c draw.Canvas, p *plot.Plot) vg.Point {
	x, y := p.Transforms(&c)
	return vg.Point{X: x(d.X.Mean), Y: y(d.Y.Mean)}
}

// PaintMark draws the mark.
func (d Dot) PaintMark(c draw.Canvas, p *plot.Plot, radius vg.Length) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: d.Look.Color, Radius: radius, Shape: d.Look.Mark}, d.Place(c, p))
}

// PaintWhiskers draws the intervals of the mark on both axes.
func (d Dot) PaintWhiskers(c draw.Canvas, p *plot.Plot, ink color.Color, width vg.Length) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: ink, Width: width}
	if draw.Bounded(d.X.Low, d.X.High) {
		draw.Whisker(c, style, d.X.Low, d.X.High, p.X.Min, p.X.Max, func(v float64, aside vg.Length) vg.Point {
			return vg.Point{X: x(v), Y: y(d.Y.Mean) + aside}
		})
	}
	if draw.Bounded(d.Y.Low, d.Y.High) {
		draw.Whisker(c, style, d.Y.Low, d.Y.High, p.Y.Min, p.Y.Max, func(v float64, aside vg.Length) vg.Point {
			return vg.Point{X: x(d.X.Mean) + aside, Y: y(v)}
		})
	}
}
