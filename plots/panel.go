package plots

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	markRadius = vg.Length(2.1)
	panelGap   = vg.Length(12)
)

// panel is an empty plot in the house style.
func panel() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the page is white already
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = labelFont
		axis.Label.Padding = 3
		axis.Tick.Label.Font = smallFont
		axis.Tick.Length = 3
		axis.Padding = 3
		axis.LineStyle = draw.LineStyle{Color: black, Width: 0.5}
		axis.Tick.LineStyle = axis.LineStyle
		axis.Tick.Marker = niceTicks{count: 6}
	}
	return p
}

// addGrid puts light lines behind the data at the ticks of both axes. It comes
// first, after the axes have their ticks.
func addGrid(p *plot.Plot) {
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: faint, Width: 0.5}
	grid.Vertical = grid.Horizontal
	p.Add(grid)
}

// A dot is one point of a line: a mean with its interval. The bounds are infinite, or NaN,
// where there is none.
type dot struct{ x, mean, low, high float64 }

// banded reports whether the point has an interval that can be drawn.
func (d dot) banded() bool { return bounded(d.low, d.high) }

// bounded reports whether an interval has bounds that can be drawn.
func bounded(low, high float64) bool {
	return !math.IsInf(low, 0) && !math.IsInf(high, 0) && !math.IsNaN(low) && !math.IsNaN(high)
}

// A trace is one line of a panel.
type trace struct {
	dots []dot
	look look
}

// lines is a panel of lines with bands around them, bands below all lines. The
// horizontal axis runs from low to high, which differ.
func lines(m measure, traces []trace, low, high float64) (*plot.Plot, error) {
	bottom, top := m.axis(reach(traces))
	return linesWithin(m, traces, low, high, bottom, top)
}

// linesWithin is lines with the range of the vertical axis given.
func linesWithin(m measure, traces []trace, low, high, bottom, top float64) (*plot.Plot, error) {
	p := panel()
	fix(p, low, high, bottom, top)
	p.Y.Tick.Marker = niceTicks{count: 6, whole: m.whole}
	addGrid(p)
	for _, t := range traces {
		if t.look.exact {
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
	fix(p, low, high, bottom, top)
	return p, nil
}

// marksRoom keeps room for marks along the edges of a panel, which plot does only
// where there are some: the axes of panels beside each other are to be in line.
type marksRoom struct{}

// Plot draws nothing.
func (marksRoom) Plot(draw.Canvas, *plot.Plot) {}

// GlyphBoxes are a mark in two opposite corners.
func (marksRoom) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	const r = 1.2 * markRadius
	box := vg.Rectangle{Min: vg.Point{X: -r, Y: -r}, Max: vg.Point{X: r, Y: r}}
	return []plot.GlyphBox{{Rectangle: box}, {X: 1, Y: 1, Rectangle: box}}
}

// writeInside puts a text into the middle of a panel.
func writeInside(p *plot.Plot, s string) error {
	at := plotter.XY{X: p.X.Min + (p.X.Max-p.X.Min)/2, Y: p.Y.Min + (p.Y.Max-p.Y.Min)/2}
	label, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{s}})
	if err != nil {
		return err
	}
	label.TextStyle[0] = text.Style{Font: smallFont, Color: subtle, Handler: p.TextHandler, XAlign: text.XCenter, YAlign: text.YCenter}
	p.Add(label)
	return nil
}

// fix sets the ranges of the axes. Adding data widens them, so it comes last.
func fix(p *plot.Plot, left, right, bottom, top float64) {
	p.X.Min, p.X.Max = left, right
	p.Y.Min, p.Y.Max = bottom, top
}

// reach is the range of the means, and the range to show of the bands. With few
// seeds a bootstrap interval can be a hundred times wider than everything else
// in the panel, at single steps or throughout. So of each line's interval ends
// the outermost tenth does not count, and no band reaches further from the means
// than the means are apart. A band that goes on is cut off at the panel's edge.
func reach(traces []trace) (low, high, bandLow, bandHigh float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, t := range traces {
		for _, p := range t.dots {
			low, high = min(low, p.mean), max(high, p.mean)
		}
	}
	bandLow, bandHigh = low, high
	for _, t := range traces {
		var lows, highs []float64
		for _, p := range t.dots {
			if p.banded() && !t.look.exact {
				lows, highs = append(lows, p.low), append(highs, p.high)
			}
		}
		if n := len(lows); n > 0 {
			slices.Sort(lows)
			slices.Sort(highs)
			bandLow, bandHigh = min(bandLow, lows[n/10]), max(bandHigh, highs[n-1-n/10])
		}
	}
	if apart := high - low; apart > 0 {
		bandLow, bandHigh = max(bandLow, low-apart), min(bandHigh, high+apart)
	}
	return low, high, bandLow, bandHigh
}

// addBands fills between the ends of the intervals, one polygon for each
// stretch of points that have one.
func addBands(p *plot.Plot, t trace, lines int) error {
	for start := 0; start < len(t.dots); {
		end := start
		for end < len(t.dots) && t.dots[end].banded() {
			end++
		}
		if end-start > 1 {
			band := bandOutline(t.dots[start:end], p.Y.Min, p.Y.Max)
			if err := addArea(p, band, t.look.translucent(lines)); err != nil {
				return err
			}
		}
		start = end + 1
	}
	return nil
}

// bandOutline goes along the upper ends of the intervals and back along the
// lower ones; what lies beyond the panel is cut off.
func bandOutline(points []dot, bottom, top float64) plotter.XYs {
	clamp := func(v float64) float64 { return min(max(v, bottom), top) }
	var outline plotter.XYs
	for _, q := range points {
		outline = append(outline, plotter.XY{X: q.x, Y: clamp(q.high)})
	}
	for i := len(points) - 1; i >= 0; i-- {
		outline = append(outline, plotter.XY{X: points[i].x, Y: clamp(points[i].low)})
	}
	return outline
}

func addArea(p *plot.Plot, outline plotter.XYs, fill color.Color) error {
	area, err := plotter.NewPolygon(outline)
	if err != nil {
		return err
	}
	area.Color = fill
	area.LineStyle.Width = 0
	p.Add(area)
	return nil
}

// addLine draws the means. The phase, in [0, 1), staggers the marks of
// different lines so that they do not cover each other.
func addLine(p *plot.Plot, t trace, phase float64) error {
	means := make(plotter.XYs, len(t.dots))
	for i, q := range t.dots {
		means[i] = plotter.XY{X: q.x, Y: q.mean}
	}
	line, err := plotter.NewLine(means)
	if err != nil {
		return err
	}
	line.LineStyle = t.look.line()
	p.Add(line)
	mark := t.look.mark
	if mark == nil && len(means) == 1 {
		mark = corners{24, 0} // a line of one point cannot be seen
	}
	if mark == nil {
		return nil
	}
	scatter, err := plotter.NewScatter(marked(means, phase))
	if err != nil {
		return err
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: t.look.color, Radius: markRadius, Shape: mark}
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
		at := (float64(i) + 0.15 + 0.7*phase) / some * float64(len(means)-1)
		out = append(out, means[int(math.Round(at))])
	}
	return out
}

// labelY puts the metric's name on the vertical axis, broken so that it is no
// longer than the panel is high.
func labelY(p *plot.Plot, m measure, height vg.Length) {
	p.Y.Label.Text = strings.Join(m.lines(labelFont, height), "\n")
}

// tile lays panels out in rows, all with data areas of the same size, each
// height high. Above every data area there is room for a head, which paintHead
// draws upwards from the bottom of the canvas it gets.
func tile(rows [][]*plot.Plot, width, height, head vg.Length, paintHead func(c draw.Canvas, col int)) block {
	tiles := draw.Tiles{Rows: len(rows), Cols: len(rows[0]), PadX: panelGap, PadY: panelGap + head, PadTop: head}
	total := head + (panelGap+head)*vg.Length(len(rows)-1)
	for _, row := range rows {
		total += height + axisHeight(row)
	}
	return block{height: total, paint: func(c draw.Canvas) {
		c.Max.X = c.Min.X + width
		for i, row := range plot.Align(rows, tiles, c) {
			for j, at := range row {
				p := rows[i][j]
				if p == nil {
					continue
				}
				p.Draw(at)
				if paintHead != nil {
					data := p.DataCanvas(at)
					data.Min.Y, data.Max.Y = data.Max.Y, data.Max.Y+head
					paintHead(data, j)
				}
			}
		}
	}}
}

// axisHeight is what the axes of the panels take below and above the data.
func axisHeight(row []*plot.Plot) vg.Length {
	probe := draw.NewCanvas(nil, 1000, 1000)
	most := vg.Length(0)
	for _, p := range row {
		if p != nil {
			data := p.DataCanvas(probe)
			most = max(most, 1000-(data.Max.Y-data.Min.Y))
		}
	}
	return most
}
