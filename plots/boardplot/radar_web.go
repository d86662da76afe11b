package boardplot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/board/profile"
	"modebench/plots/draw"
)

// A web is the axes of a radar: the first points up and the others follow clockwise.
type web struct {
	at vg.Point
	n  int
}

// webIn is the web of a panel, in its middle and low enough for a name above it.
func webIn(c draw.Canvas, n int) web {
	return web{at: vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Min.Y + radarRadius + radarLabels + draw.SmallFont.Size}, n: n}
}

func (w web) angle(i int) float64 { return math.Pi/2 - 2*math.Pi*float64(i)/float64(w.n) }

// point is where a score is on an axis.
func (w web) point(i int, score float64) vg.Point { return w.along(i, radarRadius*vg.Length(score)) }

func (w web) along(i int, far vg.Length) vg.Point {
	sin, cos := math.Sincos(w.angle(i))
	return vg.Point{X: w.at.X + far*vg.Length(cos), Y: w.at.Y + far*vg.Length(sin)}
}

// paint draws the axes and rings at quarters.
func (w web) paint(c draw.Canvas) {
	thin := draw.LineStyle{Color: draw.RGB(0xD4D4D4), Width: 0.5}
	for i := range w.n {
		to := w.point(i, 1)
		c.StrokeLine2(thin, w.at.X, w.at.Y, to.X, to.Y)
	}
	for quarter := 1; quarter <= 4; quarter++ {
		style := thin
		if quarter == 4 {
			style = draw.LineStyle{Color: draw.RGB(0xA0A0A0), Width: 0.7}
		}
		var ring []vg.Point
		for i := range w.n + 1 {
			ring = append(ring, w.point(i%w.n, float64(quarter)/4))
		}
		c.StrokeLines(style, ring)
	}
}

// label writes the name of an axis outside its end.
func (w web) label(c draw.Canvas, i int, name string, ink color.Color) {
	at := w.along(i, radarRadius+radarLabels)
	sin, cos := math.Sincos(w.angle(i))
	draw.Write(c, draw.SmallFont, ink, at.X, at.Y-0.36*draw.SmallFont.Size*vg.Length(1-sin), vg.Length(1-cos)/2, name)
}

// radarKey says what the names around a radar stand for, and what is drawn in it.
func radarKey(axes []profile.Axis) draw.Block {
	return draw.Block{Height: radarHigh, Paint: func(c draw.Canvas) {
		const line, sample = vg.Length(10.2), vg.Length(18)
		names := vg.Length(0)
		for _, a := range axes {
			names = max(names, draw.TextWidth(draw.SmallFont, radarNames[a.Name]))
		}
		left, y := c.Min.X+12, c.Max.Y-0.9*draw.PanelFont.Size
		for _, a := range axes {
			draw.Write(c, draw.SmallFont, draw.Black, left+names, y, 1, radarNames[a.Name])
			draw.Write(c, draw.SmallFont, draw.Subtle, left+names+6, y, 0, a.Title)
			y -= line
		}
		y -= 5
		half := 0.35 * draw.SmallFont.Size
		for _, k := range []struct {
			text  string
			paint func(x, y vg.Length)
		}{
			{"mean and 95% interval", func(x, y vg.Length) {
				band := draw.Grey
				band.A = 0x48
				draw.Polygon(c, band, draw.LineStyle{}, []vg.Point{{X: x, Y: y - 3}, {X: x + sample, Y: y - 3}, {X: x + sample, Y: y + 3}, {X: x, Y: y + 3}})
				c.StrokeLine2(draw.LineStyle{Color: draw.Grey, Width: draw.LineWidth}, x, y, x+sample, y)
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: draw.Grey, Radius: radarMark, Shape: draw.Corners{N: 24}}, vg.Point{X: x + sample/2, Y: y})
			}},
			{"base policy, 64 answers", func(x, y vg.Length) { c.StrokeLine2(baseLine, x, y, x+sample, y) }},
			{"cannot enter", func(x, y vg.Length) { paintCross(c, vg.Point{X: x + sample/2, Y: y}) }},
		} {
			k.paint(left+4, y+half)
			draw.Write(c, draw.SmallFont, draw.Subtle, left+4+sample+6, y, 0, k.text)
			y -= line + 1
		}
	}}
}
