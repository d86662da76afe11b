// Package forest draws claims with their answers: effects with their intervals, in units of the
// smallest one that matters or as ratios, on a shared axis.
package forest

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// A Plot is the place of the axis on a page.
type Plot struct {
	draw.Scale            // in units of delta, with a band that is too small to matter, or of ratios
	Left, Right vg.Length // its ends
	Edge        vg.Length // of the page, to which effects in figures go
}

// Columns are the widths of a page, of the names at its left and of the effects in figures at
// its right.
type Columns struct{ Names, Effects, Width vg.Length }

// Axis is the length of the axis.
func (k Columns) Axis() vg.Length { return k.Width - k.Names - k.Effects - 2*draw.CellGap }

// Plot is the axis on a page that begins at x.
func (k Columns) Plot(axis draw.Scale, x vg.Length) Plot {
	left := x + k.Names + draw.CellGap
	return Plot{axis, left, left + k.Axis(), x + k.Width}
}

// At is the position of an effect.
func (p Plot) At(x float64) vg.Length {
	return p.Left + vg.Length(p.Share(x))*(p.Right-p.Left)
}

// smallBand colours the effects too small to matter: from -1 to 1 delta.
var smallBand = draw.RGB(0xE9E9E9)

// seam is the overlap of the grounds of lines below each other, so that nothing shows between
// them.
const seam = vg.Length(0.2)

// PaintGround draws what lies behind effects: the band that is too small to matter, and lines at
// the ticks.
func (p Plot) PaintGround(c draw.Canvas) {
	low, high := c.Min.Y-seam, c.Max.Y+seam
	same := 1.0
	if !p.Ratios {
		same = 0
		draw.Polygon(c, smallBand, draw.LineStyle{}, draw.Box(p.At(-1), low, p.At(1), high))
	}
	for _, tick := range p.Ticks() {
		style := draw.LineStyle{Color: draw.Faint, Width: 0.5}
		if tick == same {
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
		draw.Write(c, draw.SmallFont, draw.Black, p.At(tick), base, 0.5, p.Label(tick))
	}
}

// labelled are the ticks with room for a label, those that a reader looks for first. Of two sides
// of 0 both have one or none.
func (p Plot) labelled() []float64 {
	var out []float64
	for _, tick := range p.First() {
		if !slices.ContainsFunc(out, func(label float64) bool { return label != tick && p.touch(label, tick) }) && !slices.Contains(out, tick) {
			out = append(out, tick)
		}
	}
	room := slices.Clone(out)
	return slices.DeleteFunc(out, func(tick float64) bool {
		return tick != 0 && slices.Contains(p.First(), -tick) && !slices.Contains(room, -tick)
	})
}

// touch reports whether the labels of two ticks are closer than a reader can part them.
func (p Plot) touch(a, b float64) bool {
	const gap = 4
	distance := math.Abs(float64(p.At(a) - p.At(b)))
	return distance < float64(draw.TextWidth(draw.SmallFont, p.Label(a))+draw.TextWidth(draw.SmallFont, p.Label(b)))/2+gap
}

// PaintAxis draws the axis below top: its ticks, what its sides mean, and its name.
func (p Plot) PaintAxis(c draw.Canvas, top vg.Length) {
	p.PaintTicks(c, top, -1)
	line := top - 4 - 2.1*draw.SmallFont.Size
	middle := (p.Left + p.Right) / 2
	if !p.Ratios {
		draw.Write(c, draw.SmallFont, draw.Subtle, p.Left, line, 0, "against it")
		if p.Right-p.Left > draw.TextWidth(draw.SmallFont, "against it  too small  as claimed") {
			draw.Write(c, draw.SmallFont, draw.Subtle, middle, line, 0.5, "too small")
		}
		draw.Write(c, draw.SmallFont, draw.Subtle, p.Right, line, 1, "as claimed")
		draw.Write(c, draw.LabelFont, draw.Black, middle, line-1.2*draw.LabelFont.Size, 0.5, "effect in units of delta")
		return
	}
	draw.Write(c, draw.SmallFont, draw.Subtle, p.Left, line, 0, "less")
	draw.Write(c, draw.SmallFont, draw.Subtle, p.Right, line, 1, "more")
	draw.Write(c, draw.LabelFont, draw.Black, middle, line-1.2*draw.LabelFont.Size, 0.5, "times as much")
}

// Widths of the lines of effects.
const (
	whisker = vg.Length(1.1)
	arrow   = vg.Length(3.5) // length of an arrow's head
)

// PaintInterval draws an effect with its interval.
func (p Plot) PaintInterval(c draw.Canvas, mid vg.Length, effect stats.Interval, look draw.GlyphStyle) {
	if draw.Bounded(effect.Low, effect.High) {
		p.PaintRange(c, mid, effect.Low, effect.High, draw.LineStyle{Color: look.Color, Width: whisker})
	}
	x := p.At(effect.Mean)
	if off := p.Off(effect.Mean); off != 0 {
		p.paintArrow(c, mid, off, look)
		x -= vg.Length(off) * (arrow + look.Radius)
	}
	c.DrawGlyphNoClip(look, vg.Point{X: x, Y: mid})
}

// PaintBound draws the ratio that a claim names, with a head to the side where the claim is right: -1
// to the left, 1 to the right.
func (p Plot) PaintBound(c draw.Canvas, mid vg.Length, bound float64, side vg.Length) {
	const high, long = vg.Length(4.5), vg.Length(3)
	x := p.At(bound)
	c.StrokeLine2(draw.LineStyle{Color: draw.Black, Width: 0.9}, x, mid-high, x, mid+high)
	draw.Polygon(c, draw.Black, draw.LineStyle{}, []vg.Point{{X: x + side*long, Y: mid + high - 1.5}, {X: x, Y: mid + high}, {X: x, Y: mid + high - 3}})
}

// PaintRange draws a line, with an arrow if it continues beyond the axis.
func (p Plot) PaintRange(c draw.Canvas, mid vg.Length, low, high float64, style draw.LineStyle) {
	c.StrokeLine2(style, p.At(low), mid, p.At(high), mid)
	for _, end := range []float64{low, high} {
		if off := p.Off(end); off != 0 {
			p.paintArrow(c, mid, off, draw.GlyphStyle{Color: style.Color})
		}
	}
}

func (p Plot) paintArrow(c draw.Canvas, mid vg.Length, off int, look draw.GlyphStyle) {
	tip := p.Left
	if off > 0 {
		tip = p.Right
	}
	back := tip - vg.Length(off)*arrow
	const half = 2
	draw.Polygon(c, look.Color, draw.LineStyle{}, []vg.Point{{X: tip, Y: mid}, {X: back, Y: mid + half}, {X: back, Y: mid - half}})
}

// Quantile is that of numbers in ascending order, one or more, linear between them.
func Quantile(sorted []float64, p float64) float64 {
	position := p * float64(len(sorted)-1)
	i := min(int(position), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (position-float64(i))*(sorted[j]-sorted[i])
}
