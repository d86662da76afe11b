package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// claimsKind is the kind of figure that shows claims with their verdicts.
const claimsKind = "claims"

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: claimsKind, Place: 8, Doc: "the verdicts on all claims of the spec",
			Claims: true,
		},
		note: "Effect [95% interval], and settings.",
		gather: func(run *record.Run, d *Data) error {
			verdicts, err := analysis.Verdicts(run)
			if err == nil && len(verdicts) == 0 {
				err = errors.New("the experiment makes no claims")
			}
			d.Claims = claimRows(verdicts)
			return err
		},
		draw:   claimsFigure,
		values: claimsValues,
	})
}

// A ClaimRow is a claim with its verdict. Its intervals are the effects at each setting, in
// the unit of the metric.
type ClaimRow struct {
	Spec     string   `json:"spec"`
	Name     string   `json:"name"`
	Text     string   `json:"text"`
	Metrics  []string `json:"metrics"`
	Verdict  string   `json:"verdict"`  // "reproduced", "in part", "not reproduced", "underpowered", "undefined"
	Compares bool     `json:"compares"` // effects are differences, and not values
	Holds    int      `json:"holds"`    // settings where the gate holds
	Judged   int      `json:"judged"`   // settings with a verdict
	numbers.Intervals
}

// claimRows are verdicts as a figure shows them.
func claimRows(verdicts []analysis.ClaimVerdict) []ClaimRow {
	var out []ClaimRow
	for _, v := range verdicts {
		var effects []stats.Interval
		for _, s := range v.Settings {
			effects = append(effects, shownEffect(s.Effect))
		}
		out = append(out, ClaimRow{
			Spec: v.Spec, Name: v.Claim.Name, Text: v.Claim.Text, Metrics: v.Claim.Metrics, Verdict: string(v.Verdict),
			Compares: len(v.Claim.B) > 0, Holds: v.Holds, Judged: v.Judged, Intervals: numbers.NewIntervals(effects, anySeeds),
		})
	}
	return out
}

// anySeeds is no number of seeds: with it every interval says over how many seeds it is.
const anySeeds = -1

// shownEffect is an effect as figures have it. Without an interval it has infinite bounds,
// and an undefined one is over no seeds.
func shownEffect(at stats.Interval) stats.Interval {
	if math.IsNaN(at.Mean) {
		return stats.Interval{}
	}
	at.N = max(at.N, 1) // a difference of two deviations is over none
	if math.IsNaN(at.Low) || math.IsNaN(at.High) {
		at.Low, at.High = math.Inf(-1), math.Inf(1)
	}
	return at
}

// ClaimsData is the data of a figure of verdicts, on the claims of one experiment or of
// many.
func ClaimsData(name, title string, verdicts []analysis.ClaimVerdict) *Data {
	return claimsData(name, title, claimRows(verdicts))
}

func claimsData(name, title string, rows []ClaimRow) *Data {
	return &Data{Figure: record.Figure{Name: name, Kind: claimsKind, Title: title}, Claims: rows}
}

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

// verdict is the row's verdict with counts where settings disagree.
func (r ClaimRow) verdict() string {
	if 0 < r.Holds && r.Holds < r.Judged {
		return fmt.Sprintf("%s: %d of %d", r.Verdict, r.Holds, r.Judged)
	}
	return r.Verdict
}

// known are the effects that are measured, the least first.
func (r ClaimRow) known() []stats.Interval {
	var out []stats.Interval
	for i := range r.Mean {
		if at := r.At(i, 0); r.Mean[i] != nil {
			out = append(out, at)
		}
	}
	slices.SortStableFunc(out, func(a, b stats.Interval) int {
		switch {
		case a.Mean < b.Mean:
			return -1
		case a.Mean > b.Mean:
			return 1
		}
		return 0
	})
	return out
}

// effect writes the effect of the row: at one setting with its interval, at several the least
// and the largest.
func (r ClaimRow) effect() string {
	list := r.known()
	number := func(x float64, digits int) string {
		text := strconv.FormatFloat(x, 'g', digits, 64)
		if math.Abs(x) >= math.Pow(10, float64(digits)) {
			text = strconv.FormatFloat(x, 'f', 0, 64)
		}
		if r.Compares && x > 0 {
			text = "+" + text
		}
		return text
	}
	switch {
	case len(list) == 0:
		return "n/a"
	case len(list) > 1:
		return number(list[0].Mean, 3) + " to " + number(list[len(list)-1].Mean, 3)
	case !draw.Bounded(list[0].Low, list[0].High):
		return number(list[0].Mean, 3)
	}
	return fmt.Sprintf("%s [%s, %s]", number(list[0].Mean, 3), number(list[0].Low, 2), number(list[0].High, 2))
}

// A claimScale is the horizontal axis of effects. It shows the inverse hyperbolic sine of an
// effect over knee, so that effects of shares and of counts fit on one axis and signs show.
type claimScale struct{ left, right, reach float64 }

// knee is about where the axis turns from linear to logarithmic.
const knee = 0.02

func bent(x float64) float64 { return math.Asinh(x / knee) }

func newClaimScale(rows []ClaimRow, left, right vg.Length) claimScale {
	most := knee
	for _, r := range rows {
		for _, at := range r.known() {
			for _, x := range []float64{at.Mean, at.Low, at.High} {
				if !math.IsInf(x, 0) {
					most = max(most, math.Abs(x))
				}
			}
		}
	}
	return claimScale{float64(left), float64(right), bent(most) * 1.04}
}

// at is where an effect is drawn. One that is off the axis is drawn at its end.
func (s claimScale) at(x float64) vg.Length {
	share := min(max(bent(x)/s.reach, -1), 1)
	return vg.Length(s.left + (share+1)/2*(s.right-s.left))
}

// ticks are 0 and powers of ten of either sign, those that have room.
func (s claimScale) ticks() []float64 {
	out := []float64{0}
	last := s.at(0)
	for power := -1; power < 150; power++ {
		x := math.Pow(10, float64(power))
		if bent(x) > s.reach {
			break
		}
		if s.at(x)-last >= 15 {
			out, last = append(out, x, -x), s.at(x)
		}
	}
	return out
}

// claimsFigure shows claims, a row each under the name of its spec: the verdict as a
// mark and in words, the claim, and its effect with a 95% interval. Of several settings
// the mark is at the lower median, with its interval, and a thin line goes from the least
// effect to the largest.
func claimsFigure(d *Data) (*draw.Figure, error) {
	rows := d.Claims
	if len(rows) == 0 {
		return nil, errors.New("there are no claims to show")
	}
	width := draw.PageWidth
	left := claimVerdict + claimText + draw.CellGap
	scale := newClaimScale(rows, left, width-claimEffect-8)
	blocks := draw.Heading(d.Figure.Title, width)
	body := claimsBody(rows, scale, width)
	note := "Effects: a less b after training, or a where a claim compares with nothing, in the unit of the metric, with the 95% interval over seeds; of several settings the lower median, and a thin line from the least to the largest. The axis is linear near 0 and logarithmic beyond."
	blocks = append(blocks, body, claimsLegend(rows, width))
	return draw.NotedPage(width, draw.Sentences(claimsTally(rows), note), blocks...), nil
}

// claimsTally counts the verdicts.
func claimsTally(rows []ClaimRow) string {
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

// A claimRow is a row with its lines of text and how far below the top it begins.
type claimRow struct {
	ClaimRow
	lines []string
	top   vg.Length
	spec  bool // a head stands above it
}

// claimsBody is the table.
func claimsBody(rows []ClaimRow, scale claimScale, width vg.Length) draw.Block {
	var placed []claimRow
	height := vg.Length(0)
	for i, r := range rows {
		row := claimRow{ClaimRow: r, lines: draw.Wrap(draw.SmallFont, r.Text, claimText)}
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
		scale.paint(c, bottom, c.Max.Y)
		for _, row := range placed {
			row.paint(c, scale, width)
		}
	}}
}

// paint draws the axis and its lines.
func (s claimScale) paint(c draw.Canvas, bottom, top vg.Length) {
	axis := draw.LineStyle{Color: draw.Black, Width: 0.5}
	for _, tick := range s.ticks() {
		x := s.at(tick)
		style := draw.LineStyle{Color: draw.Faint, Width: 0.5}
		if tick == 0 {
			style.Color = draw.Subtle
		}
		c.StrokeLine2(style, x, bottom, x, top)
		c.StrokeLine2(axis, x, bottom-3, x, bottom)
		draw.Write(c, draw.SmallFont, draw.Black, x, bottom-4-0.9*draw.SmallFont.Size, 0.5, strconv.FormatFloat(tick, 'g', 3, 64))
	}
	c.StrokeLine2(axis, vg.Length(s.left), bottom, vg.Length(s.right), bottom)
	draw.Write(c, draw.LabelFont, draw.Black, vg.Length(s.left+s.right)/2, bottom-claimAxis+3, 0.5, "effect, in the unit of the metric")
}

// paint draws a row.
func (r claimRow) paint(c draw.Canvas, scale claimScale, width vg.Length) {
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

// claimsValues is the table: a row for each claim with the effect at the lower median of
// its settings, the settings where it holds and those that have a verdict.
func claimsValues(d *Data) (Values, error) {
	p := PanelValues{Axis: "claim", Columns: []ValueColumn{{Label: "effect"}, {Label: "holds at"}, {Label: "of settings with a verdict"}}}
	for _, r := range d.Claims {
		effect := stats.Interval{}
		if list := r.known(); len(list) > 0 {
			effect = list[(len(list)-1)/2]
		}
		p.Rows = append(p.Rows, ValueRow{
			Name:  r.Spec + ", " + r.Name + ": " + r.verdict(),
			Cells: []stats.Interval{effect, exactly(len(r.Mean), float64(r.Holds)), exactly(len(r.Mean), float64(r.Judged))},
		})
	}
	return Values{p}, nil
}

// check finds numbers of a claim that contradict each other.
func (r *ClaimRow) check() error {
	if err := r.Intervals.Check(len(r.Mean), math.MaxInt); err != nil {
		return err
	}
	if r.Holds < 0 || r.Holds > r.Judged || r.Judged > len(r.Mean) {
		return fmt.Errorf("holds at %d of %d judged of %d settings", r.Holds, r.Judged, len(r.Mean))
	}
	return nil
}
