package forest

import (
	"cmp"
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/claims"
	"modebench/internal/each"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

func (d *Claims) claimColumns(width vg.Length) Columns {
	names, effects, widest := claimNames[0], claimEffects[0], claimNames[1]
	name := func(indent vg.Length, text string) {
		names = max(names, indent+draw.TextWidth(draw.SmallFont, text)+1)
	}
	if d.Detail == EveryClaim {
		names, widest = claimTexts, claimTexts
	}
	for _, r := range d.Rows {
		if d.Collapsed(r) {
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
	return Columns{Names: min(names, widest), Effects: min(effects, claimEffects[1]), Width: width}
}

// beside is the answer to a claim of one setting in words, without the reason if the reason takes
// the place of the effect.
func (r Row) beside() string {
	if r.Effect(0).N == 0 {
		return string(r.Answer)
	}
	return r.Outcome
}

// reasonAt explains a missing effect at a setting; "" if there is an effect.
func (r Row) reasonAt(i int) string {
	if r.Effect(i).N > 0 {
		return ""
	}
	return cmp.Or(r.Settings[i].Reason, "not measured")
}

// reason explains the missing effects of all settings, if they have the same reason.
func (r Row) reason() string {
	if len(r.Known()) > 0 {
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
func (r Row) inShort() string {
	if r.Answer == stats.Mixed {
		return string(r.Answer)
	}
	text, _, _ := strings.Cut(r.Outcome, " (")
	return text
}

func claimsTally(rows []Row) string {
	var parts []string
	for _, answer := range claims.Answers {
		n := each.Count(rows, func(r Row) bool { return r.Answer == answer })
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, answer))
		}
	}
	return plural.Count(len(rows), "claim") + ": " + strings.Join(parts, ", ")
}

// claimsLegend has all answers, whichever occur: figures beside each other are read alike.
func claimsLegend(width vg.Length) draw.Block {
	var entries []draw.Entry
	for _, answer := range claims.Answers {
		entries = append(entries, draw.Entry{Text: string(answer), Paint: func(c draw.Canvas) {
			mid, look := c.Center(), claimLooks[answer]
			if answer != stats.Untestable && answer != stats.Mixed { // these have no interval
				c.StrokeLine2(draw.LineStyle{Color: look.Color, Width: 1.1}, c.Min.X+3, mid.Y, c.Max.X-3, mid.Y)
			}
			c.DrawGlyphNoClip(look, mid)
		}})
	}
	return draw.Legend(entries, width)
}

type claimPart struct {
	height vg.Length
	paint  func(c draw.Canvas, p Plot)
}

// claimParts are the strips of a claim: its text, the answer to it, and the lines of its
// settings; the answer is beside the line of a single setting.
func (d *Claims) claimParts(r Row, k Columns) []claimPart {
	text := r.Text + " (" + strings.Join(r.Metrics, ", ")
	switch {
	case r.Same:
		text += "; right within the band"
	case r.ratio() && r.Bound:
		text += "; its bound is " + draw.Scale{Ratios: true}.Label(r.Times)
	case r.Bound:
		text += "; its bound is at 0"
	}
	text += ")"
	if d.Detail == EveryClaim {
		return []claimPart{d.claimInOne(r, text, k)}
	}
	lines := draw.Wrap(draw.SmallFont, text, k.Width-claimIndent)
	parts := []claimPart{{claimLine * vg.Length(len(lines)), func(c draw.Canvas, _ Plot) {
		c.DrawGlyphNoClip(claimLooks[r.Answer], vg.Point{X: c.Min.X + 4, Y: c.Max.Y - claimLine/2})
		writeClaim(c, draw.Black, claimIndent, lines)
	}}}
	switch {
	case d.Collapsed(r):
		parts = append(parts, claimStrip(k, r.inShort(), draw.Subtle, claimIndent, r.reason(), r.paintSummary))
	case len(r.Settings) == 1:
		parts = append(parts, claimStrip(k, r.beside(), draw.Subtle, claimIndent, r.reasonAt(0), r.settingPainter(0)))
	default:
		outcome := draw.Wrap(draw.SmallFont, r.Outcome, k.Width-claimIndent)
		parts = append(parts, claimPart{claimLine * vg.Length(len(outcome)), func(c draw.Canvas, _ Plot) {
			writeClaim(c, draw.Subtle, claimIndent, outcome)
		}})
		for i, s := range r.Settings {
			parts = append(parts, claimStrip(k, s.Label, draw.Black, 2*claimIndent, r.reasonAt(i), r.settingPainter(i)))
		}
	}
	return parts
}

// claimInOne is a claim in one strip: its text at the left, and its effects beside the first line.
func (d *Claims) claimInOne(r Row, text string, k Columns) claimPart {
	paint, reason := r.paintSummary, r.reason()
	if len(r.Settings) == 1 {
		paint, reason = r.settingPainter(0), r.reasonAt(0)
	}
	strip := claimStrip(k, text, draw.Black, claimIndent, reason, paint)
	return claimPart{strip.height, func(c draw.Canvas, p Plot) {
		c.DrawGlyphNoClip(claimLooks[r.Answer], vg.Point{X: c.Min.X + 4, Y: c.Max.Y - claimLine/2})
		strip.paint(c, p)
	}}
}

func writeClaim(c draw.Canvas, ink color.Color, indent vg.Length, lines []string) {
	for i, line := range lines {
		top := c.Max.Y - claimLine*vg.Length(i)
		draw.Write(c, draw.SmallFont, ink, c.Min.X+indent, draw.TextLine(top-claimLine, top), 0, line)
	}
}

// claimStrip is a strip with a name at the left and something on the axis, in the middle of its first
// line. The ground of the axis lies behind it, unless there is a reason in place of an effect.
func claimStrip(k Columns, name string, ink color.Color, indent vg.Length, reason string, paint func(c draw.Canvas, p Plot, mid vg.Length)) claimPart {
	lines := draw.Wrap(draw.SmallFont, name, k.Names-indent)
	var reasons []string
	if reason != "" {
		reasons = draw.Wrap(draw.SmallFont, reason, k.Axis()-claimIndent)
	}
	return claimPart{claimLine * vg.Length(max(len(lines), len(reasons))), func(c draw.Canvas, p Plot) {
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
