package plots

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/claims"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// A claimPlot is where the axis lies on a page.
type claimPlot struct {
	draw.Bent
	left, right vg.Length
	edge        vg.Length // of the page, to which effects in figures go
}

// claimColumns are the widths of a page, of the names at its left and of the effects in figures at
// its right.
type claimColumns struct{ names, effects, width vg.Length }

// axis is the length of the axis.
func (k claimColumns) axis() vg.Length { return k.width - k.names - k.effects - 2*draw.CellGap }

// plot is the axis on a page that begins at x.
func (k claimColumns) plot(axis draw.Bent, x vg.Length) claimPlot {
	left := x + k.names + draw.CellGap
	return claimPlot{axis, left, left + k.axis(), x + k.width}
}

func (p claimPlot) at(x float64) vg.Length {
	return p.left + vg.Length(p.Share(x))*(p.right-p.left)
}

// seam is by how much the grounds of lines below each other overlap, so that nothing shows
// between them.
const seam = vg.Length(0.2)

// paintGround draws what lies behind effects: the band that is too small to matter, and lines at
// the ticks.
func (p claimPlot) paintGround(c draw.Canvas) {
	low, high := c.Min.Y-seam, c.Max.Y+seam
	band := []vg.Point{{X: p.at(-1), Y: low}, {X: p.at(1), Y: low}, {X: p.at(1), Y: high}, {X: p.at(-1), Y: high}}
	draw.Polygon(c, smallBand, draw.LineStyle{}, band)
	for _, tick := range p.Ticks() {
		style := draw.LineStyle{Color: draw.Faint, Width: 0.5}
		if tick == 0 {
			style = draw.LineStyle{Color: draw.Subtle, Width: 0.6}
		}
		c.StrokeLine2(style, p.at(tick), low, p.at(tick), high)
	}
}

// paintTicks draws the axis at a height, with its ticks above it (side 1) or below (side -1).
func (p claimPlot) paintTicks(c draw.Canvas, y, side vg.Length) {
	style := draw.LineStyle{Color: draw.Black, Width: 0.5}
	c.StrokeLine2(style, p.left, y, p.right, y)
	base := y + 5
	if side < 0 {
		base = y - 4 - 0.9*draw.SmallFont.Size
	}
	for _, tick := range p.Ticks() {
		c.StrokeLine2(style, p.at(tick), y, p.at(tick), y+3*side)
	}
	for _, tick := range p.labelled() {
		draw.Write(c, draw.SmallFont, draw.Black, p.at(tick), base, 0.5, draw.TickLabel(tick))
	}
}

// labelled are the ticks with room for a label. What a reader looks for comes first: 0, the ends
// of the band and of the axis.
func (p claimPlot) labelled() []float64 {
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
func (p claimPlot) touch(a, b float64) bool {
	const gap = 3
	apart := math.Abs(float64(p.at(a) - p.at(b)))
	return apart < float64(draw.TextWidth(draw.SmallFont, draw.TickLabel(a))+draw.TextWidth(draw.SmallFont, draw.TickLabel(b)))/2+gap
}

// paintAxis draws the axis below top: its ticks, what its sides mean, and its name.
func (p claimPlot) paintAxis(c draw.Canvas, top vg.Length) {
	p.paintTicks(c, top, -1)
	line := top - 4 - 2.1*draw.SmallFont.Size
	middle := (p.left + p.right) / 2
	draw.Write(c, draw.SmallFont, draw.Subtle, p.left, line, 0, "against it")
	draw.Write(c, draw.SmallFont, draw.Subtle, middle, line, 0.5, "too small")
	draw.Write(c, draw.SmallFont, draw.Subtle, p.right, line, 1, "as claimed")
	draw.Write(c, draw.LabelFont, draw.Black, middle, line-1.2*draw.LabelFont.Size, 0.5, "effect in units of delta")
}

// Widths of the lines of effects.
const (
	claimWhisker = vg.Length(1.1)
	claimRange   = vg.Length(0.7)
	claimBar     = vg.Length(3.6)
	claimArrow   = vg.Length(3.5) // length of an arrow's head
)

// settingPainter draws the effect at a setting, and writes it at the right. A setting that
// cannot be tested has no effect on the axis: it has the reason there.
func (r ClaimRow) settingPainter(i int) func(c draw.Canvas, p claimPlot, mid vg.Length) {
	s, at := r.Settings[i], r.effect(i)
	return func(c draw.Canvas, p claimPlot, mid vg.Length) {
		base := draw.TextLine(mid-claimLine/2, mid+claimLine/2)
		draw.Write(c, draw.SmallFont, draw.Black, p.edge, base, 1, draw.Elided(r.text(i), p.edge-p.right))
		look := claimLooks[s.Answer]
		if at.N > 0 {
			p.paintInterval(c, mid, at, look)
			return
		}
		c.DrawGlyphNoClip(look, vg.Point{X: p.left + 4, Y: mid})
	}
}

// paintInterval draws an effect with its interval.
func (p claimPlot) paintInterval(c draw.Canvas, mid vg.Length, at stats.Interval, look draw.GlyphStyle) {
	if draw.Bounded(at.Low, at.High) {
		p.paintRange(c, mid, at.Low, at.High, draw.LineStyle{Color: look.Color, Width: claimWhisker})
	}
	x := p.at(at.Mean)
	if off := p.Off(at.Mean); off != 0 {
		p.paintArrow(c, mid, off, look)
		x -= vg.Length(off) * (claimArrow + look.Radius)
	}
	c.DrawGlyphNoClip(look, vg.Point{X: x, Y: mid})
}

// paintRange draws a line, with an arrow where it goes on beyond the axis.
func (p claimPlot) paintRange(c draw.Canvas, mid vg.Length, low, high float64, style draw.LineStyle) {
	c.StrokeLine2(style, p.at(low), mid, p.at(high), mid)
	for _, end := range []float64{low, high} {
		if off := p.Off(end); off != 0 {
			p.paintArrow(c, mid, off, draw.GlyphStyle{Color: style.Color})
		}
	}
}

// paintArrow draws the head of an arrow at an end of the axis.
func (p claimPlot) paintArrow(c draw.Canvas, mid vg.Length, off int, look draw.GlyphStyle) {
	tip := p.at(float64(off) * p.End)
	back := tip - vg.Length(off)*claimArrow
	const half = 2
	draw.Polygon(c, look.Color, draw.LineStyle{}, []vg.Point{{X: tip, Y: mid}, {X: back, Y: mid + half}, {X: back, Y: mid - half}})
}

// paintSummary draws the effects at all settings in one line, with the count of the answers.
func (r ClaimRow) paintSummary(c draw.Canvas, p claimPlot, mid vg.Length) {
	r.paintCounts(c, p.edge, mid)
	look, list := claimLooks[r.Answer], r.known()
	if len(list) == 0 {
		c.DrawGlyphNoClip(look, vg.Point{X: p.left + 4, Y: mid})
		return
	}
	p.paintRange(c, mid, list[0], list[len(list)-1], draw.LineStyle{Color: look.Color, Width: claimRange})
	low, high := p.at(quantile(list, 0.25)), p.at(quantile(list, 0.75))
	const half = claimBar / 2
	draw.Polygon(c, draw.Mixed(color.NRGBAModel.Convert(look.Color).(color.NRGBA), draw.White, 0.45), draw.LineStyle{Color: look.Color, Width: 0.5},
		[]vg.Point{{X: low, Y: mid - half}, {X: high, Y: mid - half}, {X: high, Y: mid + half}, {X: low, Y: mid + half}})
	c.DrawGlyphNoClip(look, vg.Point{X: p.at(quantile(list, 0.5)), Y: mid})
}

// paintCounts writes how many settings have each answer, the last of them up to right.
func (r ClaimRow) paintCounts(c draw.Canvas, right, mid vg.Length) {
	base := draw.TextLine(mid-claimLine/2, mid+claimLine/2)
	for i := len(claims.Answers) - 1; i >= 0; i-- {
		answer := claims.Answers[i]
		n := r.count(answer)
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
func (r ClaimRow) countsWidth() vg.Length {
	width := vg.Length(0)
	for _, answer := range claims.Answers {
		if n := r.count(answer); n > 0 {
			width += draw.TextWidth(draw.SmallFont, strconv.Itoa(n)) + countMark + countGap
		}
	}
	return width
}
