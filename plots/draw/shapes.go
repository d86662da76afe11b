package draw

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ring is a regular polygon around a point, its first corner at an angle.
func Ring(centre vg.Point, radius vg.Length, corners int, turn float64) []vg.Point {
	out := make([]vg.Point, corners)
	for i := range out {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(corners))
		out[i] = vg.Point{X: centre.X + radius*vg.Length(cos), Y: centre.Y + radius*vg.Length(sin)}
	}
	return out
}

// Box are the corners of a rectangle, in order.
func Box(left, bottom, right, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// Polygon fills an area and draws its edge.
func Polygon(c draw.Canvas, fill color.Color, edge draw.LineStyle, points []vg.Point) {
	path := PathOf(points)
	path.Close()
	c.SetColor(fill)
	c.Fill(path)
	if edge.Width > 0 {
		c.SetLineStyle(edge)
		c.Stroke(path)
	}
}

// PathOf is a path of straight lines through the points.
func PathOf(points []vg.Point) vg.Path {
	var path vg.Path
	for i, p := range points {
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	return path
}

// Corners is a filled regular polygon with a thin white edge, which lifts it off
// the line it sits on. (A disc is one with many corners: gonum's canvases do not
// agree on arcs.)
type Corners struct {
	N    int
	Turn float64 // angle of the first corner
}

// DrawGlyph draws a regular polygon around pt.
func (k Corners) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	radius := sty.Radius * 1.2
	if k.N > 6 {
		radius = sty.Radius // round shapes look larger
	}
	Polygon(*c, sty.Color, draw.LineStyle{Color: White, Width: 0.4}, Ring(pt, radius, k.N, k.Turn))
}

// Hollow is the outline of a regular polygon, white inside: a mark of an unsettled result.
type Hollow struct {
	N    int
	Turn float64 // angle of the first corner
}

// DrawGlyph draws the outline of a regular polygon around pt.
func (k Hollow) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	const edge = 1
	Polygon(*c, White, draw.LineStyle{Color: sty.Color, Width: edge}, Ring(pt, sty.Radius-edge/2, k.N, k.Turn))
}

// WhiskerWidth is that of the lines of whiskers.
const WhiskerWidth = vg.Length(0.8)

// whiskerCap is half the length of the stroke across an end of a whisker.
const whiskerCap = vg.Length(2.2)

// Whisker draws the interval from low to high on an axis that shows the values from first to
// last. The part outside of the axis is left out, and an end there has no cap. place returns
// the point that shows a value, moved across the axis by aside points.
func Whisker(c draw.Canvas, style draw.LineStyle, low, high, first, last float64, place func(value float64, aside vg.Length) vg.Point) {
	stroke := func(a, b vg.Point) { c.StrokeLine2(style, a.X, a.Y, b.X, b.Y) }
	stroke(place(max(low, first), 0), place(min(high, last), 0))
	for _, end := range []float64{low, high} {
		if end >= first && end <= last {
			stroke(place(end, -whiskerCap), place(end, whiskerCap))
		}
	}
}
