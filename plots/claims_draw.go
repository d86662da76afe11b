package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// Measures of a figure of claims.
const (
	claimLine    = vg.Length(10) // of text
	claimGap     = vg.Length(3)  // between rows
	claimHead    = vg.Length(14) // of a spec
	claimVerdict = vg.Length(90)
	claimText    = vg.Length(178)
	claimEffect  = vg.Length(106) // in figures
	claimAxis    = vg.Length(27)
)

// claimLooks are the marks of verdicts. Each has a shape of its own, filled or not, so that
// it shows in a grey print, and the word stands beside it.
var claimLooks = map[string]draw.GlyphStyle{
	"reproduced":     {Color: draw.Blue, Radius: 2.9, Shape: draw.Corners{N: 24, Turn: 0}},
	"in part":        {Color: draw.Orange, Radius: 2.9, Shape: draw.Corners{N: 4, Turn: 0}},
	"not reproduced": {Color: draw.Wine, Radius: 2.9, Shape: draw.Corners{N: 3, Turn: -math.Pi / 2}},
	"underpowered":   {Color: draw.Grey, Radius: 2.5, Shape: draw.Corners{N: 4, Turn: math.Pi / 4}},
	"undefined":      {Color: draw.Grey, Radius: 2.2, Shape: draw.CrossGlyph{}},
}

// effect writes the effect of the row: at one setting with its interval, at several the least
// and the largest. The numbers of an interval have the same decimals, so that rounding leaves
// the mean between its bounds.
func (r ClaimRow) effect() string {
	list := r.known()
	if len(list) == 0 {
		return "n/a"
	}
	first, last := list[0], list[len(list)-1]
	text := r.signed(first.Mean, short(first.Mean))
	switch {
	case len(list) > 1:
		text += " to " + r.signed(last.Mean, short(last.Mean))
	case draw.Bounded(first.Low, first.High):
		n := decimals(first.Mean, 3)
		if width := first.High - first.Low; width > 0 {
			n = min(n, decimals(width, 2))
		}
		write := func(x float64) string { return r.signed(x, strconv.FormatFloat(x, 'f', n, 64)) }
		text = fmt.Sprintf("%s [%s, %s]", write(first.Mean), write(first.Low), write(first.High))
	}
	if r.Ratio {
		text += " times"
	}
	return text
}

// signed is a number in words, with its sign where it is a difference.
func (r ClaimRow) signed(x float64, text string) string {
	if r.Compares && !r.Ratio && x > 0 {
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

// claimsFigure shows claims, a row each under the name of its spec: the verdict as a
// mark and in words, the claim, and its effect with a 95% interval. Of several settings
// the mark is at the lower median, with its interval, and a thin line goes from the least
// effect to the largest. Claims of one unit share an axis.
func claimsFigure(d *Data) (*draw.Figure, error) {
	if len(d.Claims) == 0 {
		return nil, errors.New("there are no claims to show")
	}
	width := draw.PageWidth
	left := claimVerdict + claimText + draw.CellGap
	blocks := draw.Heading(d.Figure.Title, width)
	note := "Effects: a less b after training, or a where a claim compares with nothing, with the 95% interval over seeds; of several settings the lower median, and a thin line from the least to the largest. Each unit has an axis of its own, linear near 0 and logarithmic beyond."
	for _, unit := range claimUnits(d.Claims) {
		rows := slices.DeleteFunc(slices.Clone(d.Claims), func(r ClaimRow) bool { return r.unit() != unit })
		blocks = append(blocks, claimsBody(rows, newClaimScale(rows, left, width-claimEffect-8), width))
		if unit == ratioUnit {
			note = draw.Sentences(note, "Where a claim is about a multiple of b, its effect is a / b, between the least and the most that the intervals of a and b allow.")
		}
	}
	blocks = append(blocks, claimsLegend(d.Claims, width))
	return draw.NotedPage(width, draw.Sentences(claimsTally(d.Claims), note), blocks...), nil
}

// claimUnits lists the units of the rows: shares, counts and nats, others as they come, and
// ratios.
func claimUnits(rows []ClaimRow) []string {
	var units []string
	for _, r := range rows {
		if unit := r.unit(); !slices.Contains(units, unit) {
			units = append(units, unit)
		}
	}
	rank := map[string]int{shareUnit: -3, countUnit: -2, natsUnit: -1, ratioUnit: 1}
	slices.SortStableFunc(units, func(a, b string) int { return rank[a] - rank[b] })
	return units
}

// claimsTally counts the verdicts, those of a claim in several rows once.
func claimsTally(rows []ClaimRow) string {
	rows = slices.CompactFunc(slices.Clone(rows), func(a, b ClaimRow) bool { return a.Spec == b.Spec && a.Name == b.Name })
	var parts []string
	for _, verdict := range verdictOrder(rows) {
		n := 0
		for _, r := range rows {
			if r.Verdict == verdict {
				n++
			}
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, verdict))
	}
	return draw.Counted(len(rows), "claim") + ": " + strings.Join(parts, ", ") + "."
}

// verdictOrder lists the verdicts that occur, from good to none.
func verdictOrder(rows []ClaimRow) []string {
	var out []string
	for _, verdict := range []string{"reproduced", "in part", "not reproduced", "underpowered", "undefined"} {
		if slices.ContainsFunc(rows, func(r ClaimRow) bool { return r.Verdict == verdict }) {
			out = append(out, verdict)
		}
	}
	for _, r := range rows {
		if !slices.Contains(out, r.Verdict) {
			out = append(out, r.Verdict)
		}
	}
	return out
}

func claimMark(verdict string) draw.GlyphStyle {
	if look, known := claimLooks[verdict]; known {
		return look
	}
	return claimLooks["undefined"]
}

func claimsLegend(rows []ClaimRow, width vg.Length) draw.Block {
	var entries []draw.Entry
	for _, verdict := range verdictOrder(rows) {
		entries = append(entries, draw.Entry{Text: verdict, Paint: func(c draw.Canvas) {
			mid := c.Center()
			c.StrokeLine2(draw.LineStyle{Color: claimMark(verdict).Color, Width: draw.LineWidth}, c.Min.X+2, mid.Y, c.Max.X-2, mid.Y)
			c.DrawGlyphNoClip(claimMark(verdict), mid)
		}})
	}
	return draw.Legend(entries, width)
}

// A placedClaim is a row with its lines of text and how far below the top it begins.
type placedClaim struct {
	ClaimRow
	lines []string
	top   vg.Length
	spec  bool // a head stands above it
}

// claimsBody is the table of the claims of one unit.
func claimsBody(rows []ClaimRow, scale claimScale, width vg.Length) draw.Block {
	var placed []placedClaim
	height := vg.Length(0)
	for i, r := range rows {
		row := placedClaim{ClaimRow: r, lines: draw.Wrap(draw.SmallFont, r.Text, claimText)}
		if len(row.lines) > 3 {
			row.lines = append(row.lines[:2], draw.Elided(strings.Join(row.lines[2:], " "), claimText))
		}
		if row.spec = i == 0 || rows[i-1].Spec != r.Spec; row.spec {
			height += claimHead
		}
		row.top = height
		height += claimLine*vg.Length(len(row.lines)) + claimGap
		placed = append(placed, row)
	}
	return draw.Block{Height: height + claimAxis, Paint: func(c draw.Canvas) {
		scale := scale
		scale.left, scale.right = scale.left+float64(c.Min.X), scale.right+float64(c.Min.X)
		bottom := c.Max.Y - height
		scale.paint(c, bottom, c.Max.Y, "effect: "+rows[0].unit())
		for _, row := range placed {
			row.paint(c, scale, width)
		}
	}}
}

// paint draws a row.
func (r placedClaim) paint(c draw.Canvas, scale claimScale, width vg.Length) {
	top := c.Max.Y - r.top
	if r.spec {
		draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, top+4, 0, r.Spec)
	}
	mid := top - claimLine/2
	look := claimMark(r.Verdict)
	c.DrawGlyphNoClip(look, vg.Point{X: c.Min.X + 4, Y: mid})
	base := draw.TextLine(top-claimLine, top)
	draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+11, base, 0, draw.Elided(r.verdict(), claimVerdict-15))
	for i, line := range r.lines {
		draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+claimVerdict, base-claimLine*vg.Length(i), 0, line)
	}
	draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+width, base, 1, draw.Elided(r.effect(), claimEffect))
	list := r.known()
	if len(list) == 0 {
		return
	}
	least, most, middle := list[0], list[len(list)-1], list[(len(list)-1)/2]
	c.StrokeLine2(draw.LineStyle{Color: look.Color, Width: 0.6}, scale.at(least.Mean), mid, scale.at(most.Mean), mid)
	if draw.Bounded(middle.Low, middle.High) {
		low, high := scale.at(middle.Low), scale.at(middle.High)
		c.StrokeLine2(draw.LineStyle{Color: look.Color, Width: 1.6}, low, mid, high, mid)
	}
	look.Radius *= 0.75 // so that short intervals show
	c.DrawGlyphNoClip(look, vg.Point{X: scale.at(middle.Mean), Y: mid})
}
