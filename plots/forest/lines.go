package forest

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/claims"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// Measures of a figure of claims.
const (
	claimLine   = vg.Length(10)  // of text
	claimGap    = vg.Length(7)   // between claims
	claimIndent = vg.Length(11)  // of the lines below a claim's text
	claimPaper  = vg.Length(17)  // the head of a paper
	claimSpec   = vg.Length(14)  // the head of a spec
	claimAxis   = vg.Length(37)  // ticks, what the sides mean, and the name
	claimTicks  = vg.Length(19)  // ticks alone
	claimPage   = vg.Length(330) // of claims, above which there are ticks at the top too
)

// Least and largest widths of the names at the left and of the effects at the right.
var (
	claimNames   = [2]vg.Length{120, 200}
	claimEffects = [2]vg.Length{60, 135}
	// A claim that has one line, in a figure where all do, has its text there in place of a name.
	claimTexts = vg.Length(262)
)

// claimLooks are the marks of answers. Each has a shape of its own, filled where something is
// shown and hollow if it is not, so that it can be told in a grey print.
var claimLooks = map[stats.Answer]draw.GlyphStyle{
	stats.Supported:    {Color: draw.Blue, Radius: 2.9, Shape: draw.Corners{N: 24, Turn: 0}},
	stats.Opposed:      {Color: draw.Red, Radius: 2.9, Shape: draw.Corners{N: 4, Turn: math.Pi / 4}},
	stats.NoDifference: {Color: draw.Orange, Radius: 3.2, Shape: draw.Corners{N: 4, Turn: 0}},
	stats.Mixed:        {Color: draw.Purple, Radius: 3.3, Shape: draw.Corners{N: 3, Turn: math.Pi / 2}},
	stats.Undecided:    {Color: draw.Subtle, Radius: 2.8, Shape: draw.Hollow{N: 24, Turn: 0}},
	stats.Untestable:   {Color: draw.Grey, Radius: 2.1, Shape: draw.CrossGlyph{}},
}

// text writes the effect at a setting in the unit of the metric. The numbers of an interval
// have the same decimals, so that rounding leaves the mean between its bounds.
func (r Row) text(i int) string {
	effect := r.Effects.At(i, AnySeeds)
	if effect.N == 0 {
		return "n/a"
	}
	text := r.signed(effect.Mean, short(effect.Mean))
	if draw.Bounded(effect.Low, effect.High) {
		n := decimals(effect.Mean, 3)
		if width := effect.High - effect.Low; width > 0 {
			n = min(n, decimals(width, 2))
		}
		write := func(x float64) string { return r.signed(x, strconv.FormatFloat(x, 'f', n, 64)) }
		text = fmt.Sprintf("%s [%s, %s]", write(effect.Mean), write(effect.Low), write(effect.High))
	}
	if r.Form == FormRatio {
		text += " times"
	}
	return text
}

func (r Row) signed(x float64, text string) string {
	if r.Form == FormDifference && x > 0 {
		return "+" + text
	}
	return text
}

// short writes three digits of a number, and all before its point.
func short(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// decimals returns how many decimals show x with the given significant digits.
func decimals(x float64, digits int) int {
	if x == 0 {
		return digits - 1
	}
	return min(max(digits-1-int(math.Floor(math.Log10(math.Abs(x)))), 0), 9)
}

// Widths of the lines of effects.
const (
	claimRange = vg.Length(0.7)
	claimBar   = vg.Length(3.6)
)

// settingPainter draws the effect at a setting, and writes it at the right. A setting that
// cannot be tested has no effect on the axis: it has the reason there.
func (r Row) settingPainter(i int) func(c draw.Canvas, p Plot, mid vg.Length) {
	s, effect := r.Settings[i], r.drawn().At(i, AnySeeds)
	return func(c draw.Canvas, p Plot, mid vg.Length) {
		base := draw.TextLine(mid-claimLine/2, mid+claimLine/2)
		draw.Write(c, draw.SmallFont, draw.Black, p.Edge, base, 1, draw.Elided(r.text(i), p.Edge-p.Right))
		look := claimLooks[s.Answer]
		if effect.N > 0 {
			r.paintBound(c, p, mid)
			p.PaintInterval(c, mid, effect, look)
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
	draw.Polygon(c, draw.Mixed(look.Color, draw.White, 0.45), draw.LineStyle{Color: look.Color, Width: 0.5},
		draw.Box(low, mid-half, high, mid+half))
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

func (r Row) countsWidth() vg.Length {
	width := vg.Length(0)
	for _, answer := range claims.AtSettings {
		if n := r.Count(answer); n > 0 {
			width += draw.TextWidth(draw.SmallFont, strconv.Itoa(n)) + countMark + countGap
		}
	}
	return width
}
