package problem

import (
	"cmp"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/plots/draw"
)

// layerCount is the room that a count of two digits takes; more reach into the margin.
const layerCount = vg.Length(13)

// A view is where the shapes of a drawing lie on a page.
type view struct {
	corner vg.Point // the upper left one
	scale  vg.Length
}

func (v view) at(p [2]float64) vg.Point {
	// The conversions keep a product from being fused with a sum.
	return vg.Point{X: v.corner.X + vg.Length(vg.Length(p[0])*v.scale), Y: v.corner.Y - vg.Length(vg.Length(p[1])*v.scale)}
}

// paint draws a shape that n answers share; those that belong to the problem have n = 1.
func (v view) paint(c draw.Canvas, s envs.Shape, n int) {
	points := each.Map(s.Points, v.at)
	style, size := lookOf(s.Role, s.Hue), vg.Length(s.Size)*v.scale
	line := draw.LineStyle{Color: style.ink, Width: style.width, Dashes: style.dashes}
	switch s.Kind {
	case envs.Polygon:
		paintArea(c, s, style, points)
	case envs.Line:
		paintLine(c, s.Role, line, points, size, n)
	case envs.Segments:
		var path vg.Path
		for i := 0; i+1 < len(points); i += 2 {
			path = append(path, draw.PathOf(points[i:i+2])...)
		}
		if s.Role == envs.Route { // a mark beside a route
			line.Width, line.Dashes = 0.8, nil
		}
		c.SetLineStyle(line)
		c.Stroke(path)
	case envs.Circle:
		paintCircle(c, s, style, points[0], size)
	case envs.Ring:
		path := draw.PathOf(draw.Ring(points[0], size, 20, 0))
		path.Close()
		for _, line := range []draw.LineStyle{{Color: draw.White, Width: 2.4}, {Color: style.ink, Width: 1.1}} {
			c.SetLineStyle(line)
			c.Stroke(path)
		}
	case envs.Cross:
		paintCross(c, style.ink, points[0])
	case envs.Label:
		write(c, s, style, points[0], size)
	case envs.Count:
		writeCount(c, s, points[0], n)
	}
}

func paintArea(c draw.Canvas, s envs.Shape, style look, corners []vg.Point) {
	edge := draw.LineStyle{Color: style.ink, Width: style.width, Dashes: style.dashes}
	if s.Role == envs.Route {
		edge = draw.LineStyle{Color: draw.White, Width: 0.3}
	}
	if s.Role != envs.Taken {
		draw.Polygon(c, style.fill, edge, corners)
		return
	}
	draw.Polygon(c, style.fill, draw.LineStyle{}, corners)
	c.SetLineStyle(draw.LineStyle{Color: style.ink, Width: 0.5})
	c.Stroke(hatching(corners[0], corners[2], s.Hue == 0))
	draw.Polygon(c, color.Transparent, edge, corners)
}

// hatching is lines across the rectangle between two opposite corners, which rise or fall to
// the right.
func hatching(a, b vg.Point, rising bool) vg.Path {
	const step = vg.Length(2.6) // along an edge
	var path vg.Path
	low, size := vg.Point{X: min(a.X, b.X), Y: min(a.Y, b.Y)}, vg.Point{X: max(a.X, b.X) - min(a.X, b.X), Y: max(a.Y, b.Y) - min(a.Y, b.Y)}
	for at := step / 2; at < size.X+size.Y; at += step {
		// From the left or lower edge to the upper or right one.
		from := vg.Point{X: max(0, at-size.Y), Y: min(at, size.Y)}
		to := vg.Point{X: min(at, size.X), Y: max(0, at-size.X)}
		if rising {
			from.Y, to.Y = size.Y-from.Y, size.Y-to.Y
		}
		path.Move(low.Add(from))
		path.Line(low.Add(to))
	}
	return path
}

// paintLine draws a line. That of a route is wider the more answers share it, up to size; its
// white edge lifts it off those that it crosses.
func paintLine(c draw.Canvas, role envs.Role, style draw.LineStyle, points []vg.Point, size vg.Length, n int) {
	if role == envs.Route {
		limit := cmp.Or(size, 2*style.Width)
		style.Width = min(min(style.Width, 0.65*limit)*vg.Length(1+0.45*math.Log2(float64(n))), limit)
		if len(points) == 2 {
			// A step: its dashes go on in the next one, and its ends meet it.
			along := points[1].Sub(points[0])
			length := vg.Length(math.Hypot(float64(along.X), float64(along.Y)))
			style.Dashes = fitted(style.Dashes, length)
			points = []vg.Point{points[0].Sub(along.Scale(style.Width / 2 / length)), points[1].Add(along.Scale(style.Width / 2 / length))}
		} else if edge := min(style.Width+1.4, 2.3*limit-style.Width); edge > style.Width {
			c.SetLineStyle(draw.LineStyle{Color: draw.White, Width: edge})
			c.Stroke(draw.PathOf(points))
		}
	}
	c.SetLineStyle(style)
	c.Stroke(draw.PathOf(points))
}

// paintCircle fills a circle: a dot if it is too small for an edge.
func paintCircle(c draw.Canvas, s envs.Shape, style look, at vg.Point, radius vg.Length) {
	corners, edge := 24, draw.LineStyle{Color: style.ink, Width: style.width}
	switch {
	case radius < 2:
		corners, edge = 6, draw.LineStyle{}
	case s.Role == envs.Wall && s.Hue == 1, s.Role == envs.Curve:
		edge = draw.LineStyle{Color: draw.White, Width: radius / 6}
		edge.Width = min(edge.Width, 0.8)
	}
	draw.Polygon(c, style.fill, edge, draw.Ring(at, radius, corners, math.Pi/2))
}

// paintCross marks a wrong answer, or the end of a route that does not arrive.
func paintCross(c draw.Canvas, ink color.Color, at vg.Point) {
	const half = vg.Length(2.2)
	for _, style := range []draw.LineStyle{{Color: draw.White, Width: 2.4}, {Color: ink, Width: 1.2}} {
		c.StrokeLine2(style, at.X-half, at.Y-half, at.X+half, at.Y+half)
		c.StrokeLine2(style, at.X-half, at.Y+half, at.X+half, at.Y-half)
	}
}

func write(c draw.Canvas, s envs.Shape, style look, at vg.Point, size vg.Length) {
	font, ink := draw.SmallFont, style.ink
	switch s.Role {
	case envs.Head:
		font = draw.PanelFont
	case envs.Wall:
		ink = draw.White
	case envs.Tile, envs.Taken:
		half := vg.Point{X: draw.TextWidth(font, s.Text)/2 + 0.8, Y: 0.42 * font.Size}
		draw.Polygon(c, style.fill, draw.LineStyle{}, draw.Box(at.X-half.X, at.Y-half.Y, at.X+half.X, at.Y+half.Y))
		ink = draw.Black
	case envs.Tint:
		ink = draw.Black
	}
	font.Size = max(font.Size, size)
	draw.Write(c, font, ink, at.X, at.Y-vg.Length(0.35*font.Size), vg.Length(s.Align), s.Text)
}

const countMark = vg.Length(9)

// writeCount writes a number of answers behind a mark, a cross for wrong ones. In a circle the
// number has no mark; beside a faint mark of its own it is left out if it is 1, and lies on white.
func writeCount(c draw.Canvas, s envs.Shape, at vg.Point, n int) {
	text := strconv.Itoa(n)
	line, wide := at.Y-0.35*draw.SmallFont.Size, draw.TextWidth(draw.SmallFont, text)
	if n == 0 { // the mark alone, of a legend or a layer, with room for two digits
		text, wide = "", layerCount
	}
	switch s.Role {
	case envs.Faint:
		if n < 2 {
			return
		}
		half := vg.Point{X: wide/2 + 0.5, Y: 0.4 * draw.SmallFont.Size}
		c.SetColor(draw.White)
		c.Fill(vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}.Path())
	case envs.Plain, envs.Wrong:
		left := at.X - vg.Length(s.Align)*(wide+countMark)
		sign := vg.Point{X: left + countMark/2 - 1, Y: at.Y}
		if s.Role == envs.Wrong {
			paintCross(c, draw.Red, sign)
		} else {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: draw.Black, Radius: 2.6, Shape: draw.Corners{N: 3, Turn: math.Pi}}, sign)
		}
		draw.Write(c, draw.SmallFont, draw.Black, left+countMark, line, 0, text)
		return
	}
	draw.Write(c, draw.SmallFont, draw.Black, at.X, line, vg.Length(s.Align), text)
}

// fitted stretches dashes so that a whole number of them makes a step: then they go on from one
// step to the next.
func fitted(dashes []vg.Length, step vg.Length) []vg.Length {
	period := vg.Length(0)
	for _, d := range dashes {
		period += d
	}
	var out []vg.Length
	for _, d := range dashes {
		times := max(1, math.Round(float64(step/period)))
		out = append(out, d*step/(period*vg.Length(times)))
	}
	return out
}
