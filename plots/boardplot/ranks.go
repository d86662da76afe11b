package boardplot

import (
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/board"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/sheets"
)

const ranksTitle = "Scores and ranks of all methods"

// Measures of the figure of ranks.
const (
	rankLine  = vg.Length(9.8) // of a method
	rankAxis  = vg.Length(29)  // below the lines: ticks, their labels and a name
	rankGap   = vg.Length(9)   // between columns
	rankWidth = vg.Length(150) // of the axis of ranks
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

// ranks draws a line for each method: its score with the interval, and the ranks that seeds leave
// open.
func (b *Board) ranks() *draw.Figure {
	rows := b.table.Rows
	names := b.nameWidth()
	low, high := 1.0, 1.0
	for _, l := range rows {
		low, high = min(low, l.Score.Low), max(high, l.Score.High)
	}
	low, high = sheets.Apart(low, high)
	room := 0.03 * (high - low)
	digits := draw.TextWidth(draw.SmallFont, strconv.Itoa(len(rows))) + 4
	spans := draw.TextWidth(draw.SmallFont, fmt.Sprintf("%d-%d", len(rows), len(rows)))
	scores := strip{low: low - room, high: high + room, ticks: draw.Ticks{Count: 6}, name: "score: area in units of " + board.Reference + "'s"}
	places := strip{low: 0.5, high: float64(len(rows)) + 0.5, ticks: draw.Ticks{Count: 5, Whole: true}, name: "ranks that are open"}
	body := draw.Block{Height: rankLine*vg.Length(len(rows)) + rankAxis, Paint: func(c draw.Canvas) {
		places.right = c.Max.X - spans - 5
		places.left = places.right - rankWidth
		scores.left, scores.right = c.Min.X+digits+names+rankGap, places.left-rankGap
		bottom := c.Min.Y + rankAxis
		for _, s := range []strip{scores, places} {
			s.paint(c, bottom)
		}
		x := scores.place(1)
		c.StrokeLine2(draw.LineStyle{Color: draw.Subtle, Width: 0.7, Dashes: []vg.Length{3, 2}}, x, bottom, x, c.Max.Y)
		for i, l := range rows {
			mid := c.Max.Y - rankLine*(vg.Length(i)+0.5)
			base := draw.TextLine(mid-rankLine/2, mid+rankLine/2)
			mark := draw.GlyphStyle{Color: draw.Grey, Radius: otherMark, Shape: draw.Corners{N: 24}}
			if look, highlighted := b.lookOf(l.Method); highlighted {
				mark = draw.GlyphStyle{Color: look.Color, Radius: boardMark - 0.4, Shape: look.Mark}
			}
			b.writeMethod(c, i, digits, base)
			scores.paintInterval(c, l.Score, mark.Color, mid, mark)
			light := draw.Mixed(mark.Color, draw.White, 0.35)
			draw.Polygon(c, light, draw.LineStyle{}, draw.Box(places.place(float64(l.Rank.Low)-0.5), mid-rankBar, places.place(float64(l.Rank.High)+0.5), mid+rankBar))
			draw.Write(c, draw.SmallFont, draw.Black, c.Max.X, base, 1, spanOf(l))
		}
	}}
	note := fmt.Sprintf("Interquartile mean over %s and seeds [95%% interval]; the dashed line is %s's. Bars: the ranks that the seeds leave open, with 95%% for all methods at once. Methods whose bars do not overlap are told apart.", plural.Count(len(b.table.Tasks), "task"), board.Reference)
	return draw.NotedPage(draw.PageWidth, draw.Sentences(note, b.SameNote()), append(draw.Heading(ranksTitle, draw.PageWidth), body)...)
}

func spanOf(l board.Line) string {
	if l.Rank.Low == l.Rank.High {
		return strconv.Itoa(l.Rank.Low)
	}
	return fmt.Sprintf("%d-%d", l.Rank.Low, l.Rank.High)
}

func (s strip) paintInterval(c draw.Canvas, value stats.Interval, ink color.Color, y vg.Length, mark draw.GlyphStyle) {
	if draw.Bounded(value.Low, value.High) {
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
