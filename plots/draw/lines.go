package draw

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Point is one point of a line: a mean with its interval. Missing bounds are infinite or NaN.
type Point struct{ X, Mean, Low, High float64 }

// banded reports whether the point has an interval that can be drawn.
func (p Point) banded() bool { return Bounded(p.Low, p.High) }

// Bounded reports whether an interval has bounds that can be drawn.
func Bounded(low, high float64) bool {
	return !math.IsInf(low, 0) && !math.IsInf(high, 0) && !math.IsNaN(low) && !math.IsNaN(high)
}

// A Trace is one line of a panel.
type Trace struct {
	Points []Point
	Look   Look
}

// Lines is a panel of lines with bands around them, bands below all lines. The
// horizontal axis runs from low to high, which differ.
func Lines(m Measure, traces []Trace, low, high float64) (*plot.Plot, error) {
	bottom, top := m.Axis(Reach(traces))
	return LinesWithin(m, traces, Span{Low: low, High: high}, Span{Low: bottom, High: top})
}

// LinesWithin is Lines with the ranges of both axes given. Lines that go to 0 leave a panel with a
// logarithmic axis at its lower edge.
func LinesWithin(m Measure, traces []Trace, x, y Span) (*plot.Plot, error) {
	p := Panel()
	p.Y.Tick.Marker = Ticks{Count: 6, Whole: m.Whole}
	SetSpans(p, x, y)
	AddGrid(p)
	for _, t := range traces {
		if t.Look.Exact {
			continue
		}
		if err := addBands(p, t, len(traces)); err != nil {
			return nil, err
		}
	}
	for i, t := range traces {
		if err := addLine(p, t, float64(i)/float64(len(traces))); err != nil {
			return nil, err
		}
	}
	SetSpans(p, x, y)
	return p, nil
}

// MarksRoom reserves room for marks along the edges of a panel. plot does that only if there
// are marks, and panels beside each other should have their axes in line.
type MarksRoom struct{}

// Plot draws nothing.
func (MarksRoom) Plot(draw.Canvas, *plot.Plot) {}

// GlyphBoxes are a mark in two opposite corners.
func (MarksRoom) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	const r = 1.2 * markRadius
	box := vg.Rectangle{Min: vg.Point{X: -r, Y: -r}, Max: vg.Point{X: r, Y: r}}
	return []plot.GlyphBox{{Rectangle: box}, {X: 1, Y: 1, Rectangle: box}}
}

// WriteInside writes a text in the middle of a panel.
func WriteInside(p *plot.Plot, s string) error {
	centre := plotter.XY{X: p.X.Min + (p.X.Max-p.X.Min)/2, Y: p.Y.Min + (p.Y.Max-p.Y.Min)/2}
	label, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{centre}, Labels: []string{s}})
	if err != nil {
		return err
	}
	label.TextStyle[0] = text.Style{Font: SmallFont, Color: Subtle, Handler: p.TextHandler, XAlign: text.XCenter, YAlign: text.YCenter}
	p.Add(label)
	return nil
}

// Reach is the range of the means, and the range to show of the bands. With few
// seeds a bootstrap interval can be a hundred times wider than everything else
// in the panel, at single steps or throughout. So of each line's interval ends
// the outermost tenth does not count, and no band reaches further from the means
// than the means are apart. A band that goes on is cut off at the panel's edge.
func Reach(traces []Trace) (low, high, bandLow, bandHigh float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, t := range traces {
		for _, p := range t.Points {
			low, high = min(low, p.Mean), max(high, p.Mean)
		}
	}
	bandLow, bandHigh = low, high
	for _, t := range traces {
		var lows, highs []float64
		for _, p := range t.Points {
			if p.banded() && !t.Look.Exact {
				lows, highs = append(lows, p.Low), append(highs, p.High)
			}
		}
		if n := len(lows); n > 0 {
			slices.Sort(lows)
			slices.Sort(highs)
			bandLow, bandHigh = min(bandLow, lows[n/10]), max(bandHigh, highs[n-1-n/10])
		}
	}
	if gap := high - low; gap > 0 {
		bandLow, bandHigh = max(bandLow, low-gap), min(bandHigh, high+gap)
	}
	return low, high, bandLow, bandHigh
}

// addBands fills between the ends of the intervals, one polygon for each
// stretch of points that have one.
func addBands(p *plot.Plot, t Trace, lines int) error {
	for start := 0; start < len(t.Points); {
		end := start
		for end < len(t.Points) && t.Points[end].banded() {
			end++
		}
		if end-start > 1 {
			band := bandOutline(t.Points[start:end], p.Y.Min, p.Y.Max)
			if err := AddArea(p, band, t.Look.translucent(lines)); err != nil {
				return err
			}
		}
		start = end + 1
	}
	return nil
}

// bandOutline goes along the upper ends of the intervals and back along the lower ends; parts
// outside the panel are cut off.
func bandOutline(points []Point, bottom, top float64) plotter.XYs {
	clamp := func(v float64) float64 { return min(max(v, bottom), top) }
	var outline plotter.XYs
	for _, q := range points {
		outline = append(outline, plotter.XY{X: q.X, Y: clamp(q.High)})
	}
	for i := len(points) - 1; i >= 0; i-- {
		outline = append(outline, plotter.XY{X: points[i].X, Y: clamp(points[i].Low)})
	}
	return outline
}

// addLine draws the means. The phase, in [0, 1), staggers the marks of
// different lines so that they do not cover each other.
func addLine(p *plot.Plot, t Trace, phase float64) error {
	means := make(plotter.XYs, len(t.Points))
	for i, q := range t.Points {
		means[i] = plotter.XY{X: q.X, Y: q.Mean}
	}
	line, err := plotter.NewLine(means)
	if err != nil {
		return err
	}
	line.LineStyle = t.Look.Line()
	p.Add(line)
	mark := t.Look.Mark
	if mark == nil && len(means) == 1 {
		mark = Corners{24, 0} // a line of one point cannot be seen
	}
	if mark == nil {
		return nil
	}
	scatter, err := plotter.NewScatter(marked(means, phase))
	if err != nil {
		return err
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: t.Look.Color, Radius: markRadius, Shape: mark}
	p.Add(scatter)
	return nil
}

// marked picks the points that carry a mark: all of a short line, about six of
// a long one.
func marked(means plotter.XYs, phase float64) plotter.XYs {
	const all, some = 12, 6
	if len(means) <= all {
		return means
	}
	var out plotter.XYs
	for i := range some {
		index := (float64(i) + 0.15 + 0.7*phase) / some * float64(len(means)-1)
		out = append(out, means[int(math.Round(index))])
	}
	return out
}
