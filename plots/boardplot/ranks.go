package boardplot

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/board"
	"modebench/internal/each"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/sheets"
)

const ranksTitle = "Scores, answers and ranks of all methods"

// answerInks are the colours of the answers beside the reference.
var answerInks = map[stats.Standing]color.NRGBA{
	stats.Better: draw.RGB(0x0B6B3A), stats.Worse: draw.RGB(0xA4231C), stats.Equal: draw.RGB(0x7A4B00), stats.Unsettled: draw.RGB(0x57606A),
}

// Measures of the figure of ranks.
const (
	rankLine  = vg.Length(9.8) // of a method
	rankAxis  = vg.Length(29)  // below the lines: ticks, their labels and a name
	rankGap   = vg.Length(9)   // between columns
	rankWidth = vg.Length(120) // of the axis of ranks
	rankBar   = vg.Length(2.2) // half the height of a bar
)

type strip struct {
	left, right vg.Length
	low, high   float64
	ticks       draw.Ticks
	name        string
}

func (s strip) place(x float64) vg.Length {
	return s.left + (s.right-s.left)*vg.Length((x-s.low)/(s.high-s.low))
}

// ranks draws a line for each method: its score with the interval that the answer beside the reference is
// from, the answer, and the ranks that seeds leave open.
func (b *Board) ranks() *draw.Figure {
	rows := b.table.Rows
	names := b.nameWidth()
	points := each.Map(rows, func(l board.Line) standpoint {
		return standpoint{Dot: sheets.Dot{X: l.Score}, highlighted: b.shownAt(l.Method) >= 0}
	})
	reach := reachOf(points, "", func(s standpoint) stats.Interval { return s.X })
	low, high := min(reach.Low, 1-1.2*board.Margin), max(reach.High, 1+1.2*board.Margin)
	off := slices.ContainsFunc(rows, func(l board.Line) bool { return l.Score.Mean < low || l.Score.Mean > high })
	digits := draw.TextWidth(draw.SmallFont, strconv.Itoa(len(rows))) + 4
	spans := draw.TextWidth(draw.SmallFont, fmt.Sprintf("%d-%d", len(rows), len(rows)))
	answers := draw.TextWidth(draw.SmallFont, string(stats.Unsettled)+" 40") + 2
	scores := strip{low: low, high: high, ticks: draw.Ticks{Count: 6}, name: "score: area in units of " + board.Reference + "'s"}
	places := strip{low: 0.5, high: float64(len(rows)) + 0.5, ticks: draw.Ticks{Count: 4, Whole: true}, name: "ranks that are open"}
	body := draw.Block{Height: rankLine*vg.Length(len(rows)) + rankAxis, Paint: func(c draw.Canvas) {
		places.right = c.Max.X - spans - 5
		places.left = places.right - rankWidth
		answer := places.left - rankGap - answers
		scores.left, scores.right = c.Min.X+digits+names+rankGap, answer-rankGap
		bottom := c.Min.Y + rankAxis
		draw.Polygon(c, draw.RGB(0xF6F0E6), draw.LineStyle{}, draw.Box(scores.place(1-board.Margin), bottom, scores.place(1+board.Margin), c.Max.Y))
		for _, s := range []strip{scores, places} {
			s.paint(c, bottom)
		}
		x := scores.place(1)
		c.StrokeLine2(draw.LineStyle{Color: draw.Subtle, Width: 0.7, Dashes: []vg.Length{3, 2}}, x, bottom, x, c.Max.Y)
		for i, l := range rows {
			mid := c.Max.Y - rankLine*(vg.Length(i)+0.5)
			base := draw.TextLine(mid-rankLine/2, mid+rankLine/2)
			mark, _ := b.markOf(l)
			mark.Radius = min(mark.Radius, boardMark-0.4)
			score := unlessReference(l, l.Score)
			if score.Mean < low || score.Mean > high {
				score.Mean, mark.Shape = min(max(score.Mean, low), high), draw.CrossGlyph{}
			}
			b.writeMethod(c, i, digits, base)
			scores.paintInterval(c, score, mark.Color, mid, mark)
			if l.Method != board.Reference {
				draw.Write(c, draw.SmallFont, answerInks[l.Decision.Standing], answer, base, 0, string(l.Decision.Standing))
				draw.Write(c, draw.SmallFont, draw.Subtle, answer+answers, base, 1, strconv.Itoa(l.Seeds))
			}
			light := draw.Mixed(mark.Color, draw.White, 0.35)
			draw.Polygon(c, light, draw.LineStyle{}, draw.Box(places.place(float64(l.Rank.Low)-0.5), mid-rankBar, places.place(float64(l.Rank.High)+0.5), mid+rankBar))
			draw.Write(c, draw.SmallFont, draw.Black, c.Max.X, base, 1, board.Span(l.Rank))
		}
	}}
	note := fmt.Sprintf("Means over %s, with the intervals that the answers are from; the dashed line is %s, and %.2g to either side of it is equal. Behind an answer is the number of seeds that it took; answers hold for all methods at once, 95%%. Bars: the ranks that the seeds leave open, 95%% for all pairs at once.", plural.Count(len(b.table.Tasks), "task"), board.Reference, board.Margin)
	if off {
		note = draw.Sentences(note, edgeNote)
	}
	return draw.NotedPage(draw.PageWidth, draw.Sentences(note, b.SameNote()), append(draw.Heading(ranksTitle, draw.PageWidth), body)...)
}

func (s strip) paintInterval(c draw.Canvas, value stats.Interval, ink color.Color, y vg.Length, mark draw.GlyphStyle) {
	if draw.Bounded(value.Low, value.High) && value.Low < s.high && value.High > s.low {
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, s.place(max(value.Low, s.low)), y, s.place(min(value.High, s.high)), y)
	}
	c.DrawGlyphNoClip(mark, vg.Point{X: s.place(value.Mean), Y: y})
}

func (s strip) paint(c draw.Canvas, bottom vg.Length) {
	axis := draw.LineStyle{Color: draw.Black, Width: 0.5}
	for _, tick := range s.ticks.Ticks(s.low, s.high) {
		x := s.place(tick.Value)
		c.StrokeLine2(draw.LineStyle{Color: draw.Faint, Width: 0.5}, x, bottom, x, c.Max.Y)
		c.StrokeLine2(axis, x, bottom, x, bottom-3)
		draw.Write(c, draw.SmallFont, draw.Black, x, bottom-4-0.9*draw.SmallFont.Size, 0.5, tick.Label)
	}
	c.StrokeLine2(axis, s.left, bottom, s.right, bottom)
	draw.Write(c, draw.LabelFont, draw.Black, (s.left+s.right)/2, bottom-rankAxis+3, 0.5, s.name)
}
