package forest

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/claims"
	"modebench/plots/draw"
)

// Widths of the lines of effects.
const (
	claimRange = vg.Length(0.7)
	claimBar   = vg.Length(3.6)
)

// settingPainter draws the effect at a setting, and writes it at the right. A setting that
// cannot be tested has no effect on the axis: it has the reason there.
func (r Row) settingPainter(i int) func(c draw.Canvas, p Plot, mid vg.Length) {
	s, at := r.Settings[i], r.drawn().At(i, AnySeeds)
	return func(c draw.Canvas, p Plot, mid vg.Length) {
		base := draw.TextLine(mid-claimLine/2, mid+claimLine/2)
		draw.Write(c, draw.SmallFont, draw.Black, p.Edge, base, 1, draw.Elided(r.text(i), p.Edge-p.Right))
		look := claimLooks[s.Answer]
		if at.N > 0 {
			r.paintBound(c, p, mid)
			p.PaintInterval(c, mid, at, look)
			return
		}
		c.DrawGlyphNoClip(look, vg.Point{X: p.Left + 4, Y: mid})
	}
}

// paintSummary draws the effects at all settings in one line, with the count of the answers.
func (r Row) paintSummary(c draw.Canvas, p Plot, mid vg.Length) {
	r.paintCounts(c, p.Edge, mid)
	look, list := claimLooks[r.Answer], ascending(r.drawn().Mean)
	if len(list) == 0 {
		c.DrawGlyphNoClip(look, vg.Point{X: p.Left + 4, Y: mid})
		return
	}
	r.paintBound(c, p, mid)
	p.PaintRange(c, mid, list[0], list[len(list)-1], draw.LineStyle{Color: look.Color, Width: claimRange})
	low, high := p.At(Quantile(list, 0.25)), p.At(Quantile(list, 0.75))
	const half = claimBar / 2
	draw.Polygon(c, draw.Mixed(color.NRGBAModel.Convert(look.Color).(color.NRGBA), draw.White, 0.45), draw.LineStyle{Color: look.Color, Width: 0.5},
		[]vg.Point{{X: low, Y: mid - half}, {X: high, Y: mid - half}, {X: high, Y: mid + half}, {X: low, Y: mid + half}})
	c.DrawGlyphNoClip(look, vg.Point{X: p.At(Quantile(list, 0.5)), Y: mid})
}

// paintBound marks the ratio that a claim names, and to which side of it the claim is right.
func (r Row) paintBound(c draw.Canvas, p Plot, mid vg.Length) {
	switch {
	case !r.ratio():
	case r.Below:
		p.PaintBound(c, mid, r.Times, -1)
	default:
		p.PaintBound(c, mid, r.Times, 1)
	}
}

// paintCounts writes how many settings have each answer, the last of them up to right.
func (r Row) paintCounts(c draw.Canvas, right, mid vg.Length) {
	base := draw.TextLine(mid-claimLine/2, mid+claimLine/2)
	for i := len(claims.AtSettings) - 1; i >= 0; i-- {
		answer := claims.AtSettings[i]
		n := r.Count(answer)
		if n == 0 {
			continue
		}
		text := strconv.Itoa(n)
		draw.Write(c, draw.SmallFont, draw.Black, right, base, 1, text)
		right -= draw.TextWidth(draw.SmallFont, text) + countMark
		c.DrawGlyphNoClip(claimLooks[answer], vg.Point{X: right, Y: mid})
		right -= countGap
	}
}

// From a count to the middle of its mark, and from there to the count before it.
const countMark, countGap = vg.Length(5), vg.Length(9.5)

// countsWidth is the width of what paintCounts writes.
func (r Row) countsWidth() vg.Length {
	width := vg.Length(0)
	for _, answer := range claims.AtSettings {
		if n := r.Count(answer); n > 0 {
			width += draw.TextWidth(draw.SmallFont, strconv.Itoa(n)) + countMark + countGap
		}
	}
	return width
}
