// Package forest draws the axis of a forest plot: effects in units of the smallest one that
// matters, with their intervals, on an axis that all of them share.
package forest

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// A Plot is where the axis lies on a page.
type Plot struct {
	draw.Bent
	Left, Right vg.Length // its ends
	Edge        vg.Length // of the page, to which effects in figures go
}

// Columns are the widths of a page, of the names at its left and of the effects in figures at
// its right.
type Columns struct{ Names, Effects, Width vg.Length }

// Axis is the length of the axis.
func (k Columns) Axis() vg.Length { return k.Width - k.Names - k.Effects - 2*draw.CellGap }

// Plot is the axis on a page that begins at x.
func (k Columns) Plot(axis draw.Bent, x vg.Length) Plot {
	left := x + k.Names + draw.CellGap
	return Plot{axis, left, left + k.Axis(), x + k.Width}
}

// At is where an effect lies.
func (p Plot) At(x float64) vg.Length {
	return p.Left + vg.Length(p.Share(x))*(p.Right-p.Left)
}

// smallBand is what is too small to matter: from -1 to 1 delta.
var smallBand = draw.RGB(0xE9E9E9)

// seam is by how much the grounds of lines below each other overlap, so that nothing shows
// between them.
const seam = vg.Length(0.2)

// PaintGround draws what lies behind effects: the band that is too small to matter, and lines at
// the ticks.
func (p Plot) PaintGround(c draw.Canvas) {
	low, high := c.Min.Y-seam, c.Max.Y+seam
	band := []vg.Point{{X: p.At(-1), Y: low}, {X: p.At(1), Y: low}, {X: p.At(1), Y: high}, {X: p.At(-1), Y: high}}
	draw.Polygon(c, smallBand, draw.LineStyle{}, band)
	for _, tick := range p.Ticks() {
		style := draw.LineStyle{Color: draw.Faint, Width: 0.5}
		if tick == 0 {
			style = draw.LineStyle{Color: draw.Subtle, Width: 0.6}
		}
		c.StrokeLine2(style, p.At(tick), low, p.At(tick), high)
	}
}

// PaintTicks draws the axis at a height, with its ticks above it (side 1) or below (side -1).
func (p Plot) PaintTicks(c draw.Canvas, y, side vg.Length) {
	style := draw.LineStyle{Color: draw.Black, Width: 0.5}
	c.StrokeLine2(style, p.Left, y, p.Right, y)
	base := y + 5
	if side < 0 {
		base = y - 4 - 0.9*draw.SmallFont.Size
	}
	for _, tick := range p.Ticks() {
		c.StrokeLine2(style, p.At(tick), y, p.At(tick), y+3*side)
	}
	for _, tick := range p.labelled() {
		draw.Write(c, draw.SmallFont, draw.Black, p.At(tick), base, 0.5, draw.TickLabel(tick))
	}
}

// labelled are the ticks with room for a label. What a reader looks for comes first: 0, the ends
// of the band and of the axis.
func (p Plot) labelled() []float64 {
	out := []float64{0, -1, 1, -p.End, p.End}
	for _, size := range []float64{10, 5, 2, 20} {
		touches := slices.ContainsFunc(out, func(other float64) bool { return p.touch(other, size) || p.touch(other, -size) })
		if !touches && size < p.End {
			out = append(out, -size, size)
		}
	}
	return out
}

// touch says whether the labels of two ticks are closer than a reader can part them.
func (p Plot) touch(a, b float64) bool {
	const gap = 3
	apart := math.Abs(float64(p.At(a) - p.At(b)))
	return apart < float64(draw.TextWidth(draw.SmallFont, draw.TickLabel(a))+draw.TextWidth(draw.SmallFont, draw.TickLabel(b)))/2+gap
}

// PaintAxis draws the axis below top: its ticks, what its sides mean, and its name.
func (p Plot) PaintAxis(c draw.Canvas, top vg.Length) {
	p.PaintTicks(c, top, -1)
	line := top - 4 - 2.1*draw.SmallFont.Size
	middle := (p.Left + p.Right) / 2
	draw.Write(c, draw.SmallFont, draw.Subtle, p.Left, line, 0, "against it")
	draw.Write(c, draw.SmallFont, draw.Subtle, middle, line, 0.5, "too small")
	draw.Write(c, draw.SmallFont, draw.Subtle, p.Right, line, 1, "as claimed")
	draw.Write(c, draw.LabelFont, draw.Black, middle, line-1.2*draw.LabelFont.Size, 0.5, "effect in units of delta")
}

// Widths of the lines of effects.
const (
	whisker = vg.Length(1.1)
	arrow   = vg.Length(3.5) // length of an arrow's head
)

// PaintInterval draws an effect with its interval.
func (p Plot) PaintInterval(c draw.Canvas, mid vg.Length, at stats.Interval, look draw.GlyphStyle) {
	if draw.Bounded(at.Low, at.High) {
		p.PaintRange(c, mid, at.Low, at.High, draw.LineStyle{Color: look.Color, Width: whisker})
	}
	x := p.At(at.Mean)
	if off := p.Off(at.Mean); off != 0 {
		p.paintArrow(c, mid, off, look)
		x -= vg.Length(off) * (arrow + look.Radius)
	}
	c.DrawGlyphNoClip(look, vg.Point{X: x, Y: mid})
}

// PaintRange draws a line, with an arrow where it goes on beyond the axis.
func (p Plot) PaintRange(c draw.Canvas, mid vg.Length, low, high float64, style draw.LineStyle) {
	c.StrokeLine2(style, p.At(low), mid, p.At(high), mid)
	for _, end := range []float64{low, high} {
		if off := p.Off(end); off != 0 {
			p.paintArrow(c, mid, off, draw.GlyphStyle{Color: style.Color})
		}
	}
}

// paintArrow draws the head of an arrow at an end of the axis.
func (p Plot) paintArrow(c draw.Canvas, mid vg.Length, off int, look draw.GlyphStyle) {
	tip := p.At(float64(off) * p.End)
	back := tip - vg.Length(off)*arrow
	const half = 2
	draw.Polygon(c, look.Color, draw.LineStyle{}, []vg.Point{{X: tip, Y: mid}, {X: back, Y: mid + half}, {X: back, Y: mid - half}})
}

// Quantile is that of numbers in ascending order, one or more, linear between them.
func Quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
}
