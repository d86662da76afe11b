package plots

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/claims"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/forest"
)

// Measures of a figure of claims.
const (
	claimLine   = vg.Length(10)  // of text
	claimGap    = vg.Length(7)   // between claims
	claimIndent = vg.Length(11)  // of what stands below a claim's text
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
)

// claimLooks are the marks of answers. Each has a shape of its own, filled where something is
// shown and hollow where it is not, so that it tells in a grey print.
var claimLooks = map[stats.Answer]draw.GlyphStyle{
	stats.Supported:    {Color: draw.Blue, Radius: 2.9, Shape: draw.Corners{N: 24, Turn: 0}},
	stats.Opposed:      {Color: draw.Red, Radius: 2.9, Shape: draw.Corners{N: 4, Turn: math.Pi / 4}},
	stats.NoDifference: {Color: draw.Orange, Radius: 3.2, Shape: draw.Corners{N: 4, Turn: 0}},
	stats.Undecided:    {Color: draw.Subtle, Radius: 2.8, Shape: draw.Hollow{N: 24, Turn: 0}},
	stats.Untestable:   {Color: draw.Grey, Radius: 2.1, Shape: draw.CrossGlyph{}},
}

// text writes the effect at a setting in the unit of the metric. The numbers of an interval
// have the same decimals, so that rounding leaves the mean between its bounds.
func (r ClaimRow) text(i int) string {
	at := r.Effects.At(i, anySeeds)
	if at.N == 0 {
		return "n/a"
	}
	text := r.signed(at.Mean, short(at.Mean))
	if draw.Bounded(at.Low, at.High) {
		n := decimals(at.Mean, 3)
		if width := at.High - at.Low; width > 0 {
			n = min(n, decimals(width, 2))
		}
		write := func(x float64) string { return r.signed(x, strconv.FormatFloat(x, 'f', n, 64)) }
		text = fmt.Sprintf("%s [%s, %s]", write(at.Mean), write(at.Low), write(at.High))
	}
	if r.Form == formRatio {
		text += " times"
	}
	return text
}

// signed is a number in words, with its sign where it is a difference.
func (r ClaimRow) signed(x float64, text string) string {
	if r.Form == formDifference && x > 0 {
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

// decimals is how many show so many digits of a number: one less of 0.
func decimals(x float64, digits int) int {
	if x == 0 {
		return digits - 1
	}
	return min(max(digits-1-int(math.Floor(math.Log10(math.Abs(x)))), 0), 9)
}

// claimsFigure shows claims paper by paper. Below the text of a claim and the answer to it, each
// setting has a line: the effect with its 95% interval in units of delta. A claim of many
// settings has one line: a bar from the lower to the upper quartile, a thin line from the least
// to the largest, the mark at the median, and at the right how many settings have each answer.
// All claims share one axis.
func claimsFigure(d *Data) (*draw.Figure, error) {
	if len(d.Claims) == 0 {
		return nil, errors.New("there are no claims to show")
	}
	width := draw.PageWidth
	axis, columns := draw.BentTo(d.claimsReach()), d.claimColumns(width)
	blocks := draw.Heading(d.Figure.Title, width)
	if d.Claims[0].Paper != d.Claims[len(d.Claims)-1].Paper {
		blocks = append(blocks, draw.Paragraphs(draw.SmallFont, draw.Subtle, width, claimsTally(d.Claims)+".")...)
	}
	blocks = append(blocks, claimsLegend(width))
	for rest := d.Claims; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(r ClaimRow) bool { return r.Paper != rest[0].Paper })
		if n < 0 {
			n = len(rest)
		}
		blocks = append(blocks, d.paperBlock(rest[:n], axis, columns))
		rest = rest[n:]
	}
	return draw.NotedPage(width, d.claimsNote(axis), blocks...), nil
}

// claimColumns are the columns that all claims need.
func (d *Data) claimColumns(width vg.Length) forest.Columns {
	names, effects := claimNames[0], claimEffects[0]
	name := func(indent vg.Length, text string) {
		names = max(names, indent+draw.TextWidth(draw.SmallFont, text)+1)
	}
	for _, r := range d.Claims {
		if d.collapsed(r) {
			name(claimIndent, r.inShort())
			effects = max(effects, r.countsWidth())
			continue
		}
		for i, s := range r.Settings {
			effects = max(effects, draw.TextWidth(draw.SmallFont, r.text(i))+1)
			if len(r.Settings) > 1 {
				name(2*claimIndent, s.Label)
			} else {
				name(claimIndent, r.beside())
			}
		}
	}
	return forest.Columns{Names: min(names, claimNames[1]), Effects: min(effects, claimEffects[1]), Width: width}
}

// beside is the answer to a claim of one setting in words, without the reason where that stands
// in the place of the effect.
func (r ClaimRow) beside() string {
	if r.effect(0).N == 0 {
		return string(r.Answer)
	}
	return r.Outcome
}

// reasonAt is why there is no effect at a setting, "" where there is one.
func (r ClaimRow) reasonAt(i int) string {
	if r.effect(i).N > 0 {
		return ""
	}
	return cmp.Or(r.Settings[i].Reason, "not measured")
}

// reason is why there is no effect at any setting: the one that all have, if they have one.
func (r ClaimRow) reason() string {
	if len(r.known()) > 0 {
		return ""
	}
	for i := range r.Settings {
		if r.reasonAt(i) != r.reasonAt(0) {
			return "for several reasons"
		}
	}
	return r.reasonAt(0)
}

// inShort is the answer in words without the counts.
func (r ClaimRow) inShort() string {
	text, _, _ := strings.Cut(r.Outcome, " (")
	return text
}

// claimsReach is the size of the largest effect, and of the largest bound of an interval, in
// units of delta.
func (d *Data) claimsReach() float64 {
	most := 0.0
	for _, r := range d.Claims {
		for i := range r.Settings {
			at := r.effect(i)
			for _, x := range []float64{at.Mean, at.Low, at.High} {
				if !math.IsInf(x, 0) && !(d.collapsed(r) && x != at.Mean) {
					most = max(most, math.Abs(x))
				}
			}
		}
	}
	return most
}

// claimsNote says how the figure is to be read.
func (d *Data) claimsNote(axis draw.Bent) string {
	note := "Effects in units of delta, the smallest difference that matters, with the 95% interval over seeds: right of 0 where the claim is right; 0 is its bound where it names one. The shaded band, from -1 to 1, is too small to matter. The axis is linear near 0 and logarithmic beyond. At the right are the effects in the unit of the metric."
	if d.claimsReach() > axis.End {
		note = draw.Sentences(note, "An arrow marks what lies beyond the axis.")
	}
	if slices.ContainsFunc(d.Claims, d.collapsed) {
		note = draw.Sentences(note, "A claim of several settings that has one line: the mark is at the median of its effects, the bar goes from the lower to the upper quartile, the thin line from the least to the largest; at the right is how many settings have each answer.")
	}
	return note
}

// claimsTally counts the answers.
func claimsTally(rows []ClaimRow) string {
	var parts []string
	for _, answer := range claims.Answers {
		n := 0
		for _, r := range rows {
			if r.Answer == answer {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, answer))
		}
	}
	return draw.Counted(len(rows), "claim") + ": " + strings.Join(parts, ", ")
}

// claimsLegend has all answers, whichever occur: figures beside each other are read alike.
func claimsLegend(width vg.Length) draw.Block {
	var entries []draw.Entry
	for _, answer := range claims.Answers {
		entries = append(entries, draw.Entry{Text: string(answer), Paint: func(c draw.Canvas) {
			mid, look := c.Center(), claimLooks[answer]
			if answer != stats.Untestable {
				c.StrokeLine2(draw.LineStyle{Color: look.Color, Width: 1.1}, c.Min.X+3, mid.Y, c.Max.X-3, mid.Y)
			}
			c.DrawGlyphNoClip(look, mid)
		}})
	}
	return draw.Legend(entries, width)
}

// paperBlock is the part of a figure with the claims of one paper, above an axis of their own.
func (d *Data) paperBlock(rows []ClaimRow, axis draw.Bent, k forest.Columns) draw.Block {
	var parts []draw.Block
	add := func(height vg.Length, paint func(c draw.Canvas, p forest.Plot)) {
		parts = append(parts, draw.Block{Height: height, Paint: func(c draw.Canvas) {
			paint(c, k.Plot(axis, c.Min.X))
		}})
	}
	specs := slices.ContainsFunc(d.Claims, func(r ClaimRow) bool { return r.Spec != d.Claims[0].Spec })
	add(claimPaper, func(c draw.Canvas, _ forest.Plot) { paintPaper(c, rows, k.Width) })
	head := len(parts)
	for i, r := range rows {
		if specs && (i == 0 || r.Spec != rows[i-1].Spec) {
			add(claimSpec, func(c draw.Canvas, _ forest.Plot) {
				draw.Write(c, draw.LabelFont, draw.Subtle, c.Min.X, c.Min.Y+5, 0, r.Spec)
			})
		}
		for _, part := range d.claimParts(r, k) {
			add(part.height, part.paint)
		}
		if i < len(rows)-1 {
			add(claimGap, func(draw.Canvas, forest.Plot) {})
		}
	}
	if height := draw.Stacked(parts).Height; height > claimPage {
		add(claimTicks, func(c draw.Canvas, p forest.Plot) { p.PaintTicks(c, c.Min.Y+5, 1) })
		parts = slices.Insert(parts[:len(parts)-1], head, parts[len(parts)-1])
	}
	add(claimAxis, func(c draw.Canvas, p forest.Plot) { p.PaintAxis(c, c.Max.Y) })
	return draw.Stacked(parts)
}

// paintPaper draws the head of a paper: its name, and its answers counted.
func paintPaper(c draw.Canvas, rows []ClaimRow, width vg.Length) {
	base := c.Min.Y + 7
	draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, base, 0, capital(rows[0].Paper))
	draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+width, base, 1, claimsTally(rows))
	c.StrokeLine2(draw.LineStyle{Color: draw.Black, Width: 0.8}, c.Min.X, base-3.5, c.Min.X+width, base-3.5)
}

// capital is a name at the beginning of a line.
func capital(s string) string {
	return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):]
}

// A claimPart is a strip of the page.
type claimPart struct {
	height vg.Length
	paint  func(c draw.Canvas, p forest.Plot)
}

// claimParts are the strips of a claim: its text, the answer to it, and the lines of its
// settings; the answer stands beside the line where there is one.
func (d *Data) claimParts(r ClaimRow, k forest.Columns) []claimPart {
	text := r.Text + " (" + strings.Join(r.Metrics, ", ")
	switch {
	case r.Same:
		text += "; right within the band"
	case r.Bound:
		text += "; its bound is at 0"
	}
	text += ")"
	lines := draw.Wrap(draw.SmallFont, text, k.Width-claimIndent)
	parts := []claimPart{{claimLine * vg.Length(len(lines)), func(c draw.Canvas, _ forest.Plot) {
		c.DrawGlyphNoClip(claimLooks[r.Answer], vg.Point{X: c.Min.X + 4, Y: c.Max.Y - claimLine/2})
		writeClaim(c, draw.Black, claimIndent, lines)
	}}}
	switch {
	case d.collapsed(r):
		parts = append(parts, claimStrip(k, r.inShort(), draw.Subtle, claimIndent, r.reason(), r.paintSummary))
	case len(r.Settings) == 1:
		parts = append(parts, claimStrip(k, r.beside(), draw.Subtle, claimIndent, r.reasonAt(0), r.settingPainter(0)))
	default:
		outcome := draw.Wrap(draw.SmallFont, r.Outcome, k.Width-claimIndent)
		parts = append(parts, claimPart{claimLine * vg.Length(len(outcome)), func(c draw.Canvas, _ forest.Plot) {
			writeClaim(c, draw.Subtle, claimIndent, outcome)
		}})
		for i, s := range r.Settings {
			parts = append(parts, claimStrip(k, s.Label, draw.Black, 2*claimIndent, r.reasonAt(i), r.settingPainter(i)))
		}
	}
	return parts
}

// writeClaim writes lines from the top of a strip.
func writeClaim(c draw.Canvas, ink color.Color, indent vg.Length, lines []string) {
	for i, line := range lines {
		top := c.Max.Y - claimLine*vg.Length(i)
		draw.Write(c, draw.SmallFont, ink, c.Min.X+indent, draw.TextLine(top-claimLine, top), 0, line)
	}
}

// claimStrip is a strip with a name at the left and something on the axis, in the middle of its first
// line. The ground of the axis lies behind it, but where there is a reason in place of an effect.
func claimStrip(k forest.Columns, name string, ink color.Color, indent vg.Length, reason string, paint func(c draw.Canvas, p forest.Plot, mid vg.Length)) claimPart {
	lines := draw.Wrap(draw.SmallFont, name, k.Names-indent)
	var reasons []string
	if reason != "" {
		reasons = draw.Wrap(draw.SmallFont, reason, k.Axis()-claimIndent)
	}
	return claimPart{claimLine * vg.Length(max(len(lines), len(reasons))), func(c draw.Canvas, p forest.Plot) {
		writeClaim(c, ink, indent, lines)
		if reason == "" {
			p.PaintGround(c)
		}
		at := c
		at.Min.X = p.Left
		writeClaim(at, draw.Subtle, claimIndent, reasons)
		paint(c, p, c.Max.Y-claimLine/2)
	}}
}
