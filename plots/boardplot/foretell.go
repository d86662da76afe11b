package boardplot

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/board"
	"modebench/experiments/board/foretell"
	"modebench/internal/input"
	"modebench/internal/plural"
	"modebench/plots/draw"
	"modebench/plots/sheets"
)

// Measures of the figure that holds two boards against each other.
const (
	foretellScatter = vg.Length(238) // width of the panel of methods
	foretellGap     = vg.Length(16)
	foretellLeast   = vg.Length(215) // the least height of its data
)

// The marks of methods, by the answers of the boards.
var (
	foretellHeld   = draw.GlyphStyle{Color: draw.Blue, Radius: boardMark, Shape: draw.Marks[0]}
	foretellWrong  = draw.GlyphStyle{Color: draw.Red, Radius: boardMark, Shape: draw.Marks[1]}
	foretellHidden = draw.GlyphStyle{Color: draw.Green, Radius: boardMark, Shape: draw.Marks[2]}
	foretellGRPO   = draw.GlyphStyle{Color: draw.Black, Radius: boardMark, Shape: draw.Marks[3]}
	foretellOther  = draw.GlyphStyle{Color: draw.RGB(0x9A9A9A), Radius: otherMark, Shape: draw.Corners{N: 24}}
)

// Foretelling draws two boards against each other: every method with its score on both, and the taus
// between them. Show names methods that are labelled; without any these are the Reference, those of
// which either board is sure, and those that the boards put on opposite sides of the Reference. A name that the
// boards do not share is an error, and so are boards without a method that fits all of their tasks.
func Foretelling(f *foretell.Comparison, show []string) (Figure, error) {
	for _, name := range show {
		if !slices.ContainsFunc(f.Shared, func(b foretell.SharedMethod) bool { return b.Method == name }) {
			return Figure{}, input.Errorf("no method %q to show on both boards, in a row of its own", name)
		}
	}
	points := foretellPoints(f, show)
	if len(points) == 0 {
		return Figure{}, input.Errorf("no method fits all tasks of both boards: there is nothing to draw")
	}
	rows := tauRows(f)
	taus := slices.DeleteFunc(slices.Clone(rows), func(r tauRow) bool { return len(r.taus) == 0 })
	height := max(foretellLeast, tauLine*vg.Length(len(rows)))
	p, off := foretellPanel(f, points)
	left := draw.Tile([][]*plot.Plot{{p}}, foretellScatter, height, 0, nil)
	body := draw.Block{Height: left.Height, Paint: func(c draw.Canvas) {
		left.Paint(c)
		right := c
		right.Min.X = c.Min.X + foretellScatter + foretellGap
		paintTaus(right, rows, left.Height-height)
	}}
	names := f.Names()
	title := fmt.Sprintf("What the %s board says of the %s one", names[0], names[1])
	blocks := append(draw.Heading(title, draw.PageWidth), body, foretellLegend(f, points))
	text := fmt.Sprintf("A scatter of %s: the score on the %s board to the right, on the %s board upwards. Beside it Kendall's tau between the two boards: %s.", plural.Count(len(points), "method"), names[0], names[1],
		sheets.List(len(taus), sheets.ListItems, func(i int) string { return taus[i].text + " " + sheets.Number(taus[i].taus[0]) }))
	return Figure{"foretell", draw.NotedPage(draw.PageWidth, foretellNote(f, off), blocks...).Told(title, text)}, nil
}

// foretellPoints are the methods that fit all tasks of both boards, those that are highlighted last.
func foretellPoints(f *foretell.Comparison, show []string) []standpoint {
	opposed, hidden := f.Opposed(), f.Hidden()
	sure := append(f.Foretold(1), f.Foretold(-1)...)
	among := func(list []foretell.SharedMethod, name string) bool {
		return slices.ContainsFunc(list, func(b foretell.SharedMethod) bool { return b.Method == name })
	}
	var out []standpoint
	for _, b := range f.Shared {
		if !slices.Contains(f.Everywhere, b.Method) {
			continue
		}
		s := standpoint{Dot: sheets.Dot{Name: b.Method, X: b.Short.Rank.IQM, Y: b.Long.Rank.IQM}, mark: foretellOther}
		switch {
		case b.Method == board.Reference:
			s.mark = foretellGRPO
		case among(opposed, b.Method):
			s.mark = foretellWrong
		case among(sure, b.Method):
			s.mark = foretellHeld
		case among(hidden, b.Method):
			s.mark = foretellHidden
		}
		s.highlighted = s.mark.Color != foretellOther.Color
		s.front = b.Method == board.Reference || slices.Contains(show, b.Method) || len(show) == 0 && s.highlighted // is labelled
		out = append(out, s)
	}
	return out
}

// foretellPanel has the methods by their scores on both boards. off reports that one is beyond an
// edge.
func foretellPanel(f *foretell.Comparison, points []standpoint) (p *plot.Plot, off bool) {
	names := f.Names()
	x := reachOf(points, "score, "+names[0]+": area in units of "+board.Reference+"'s", func(s standpoint) float64 { return s.X.Mean })
	y := reachOf(points, "score, "+names[1], func(s standpoint) float64 { return s.Y.Mean })
	off = keep(points, x, y)
	p = sheets.PairPanel(x, y, paintForetold(points))
	p.Y.Label.Text = y.Label
	return p, off
}

func paintForetold(points []standpoint) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		same := vg.Point{X: min(max(x(1), c.Min.X), c.Max.X), Y: min(max(y(1), c.Min.Y), c.Max.Y)}
		for _, corners := range [][]vg.Point{draw.Box(c.Min.X, same.Y, same.X, c.Max.Y), draw.Box(same.X, c.Min.Y, c.Max.X, same.Y)} {
			draw.Polygon(c, draw.RGB(0xFBF1EA), draw.LineStyle{}, corners)
		}
		dashed := draw.LineStyle{Color: draw.Subtle, Width: 0.7, Dashes: []vg.Length{3, 2}}
		c.StrokeLine2(dashed, same.X, c.Min.Y, same.X, c.Max.Y)
		c.StrokeLine2(dashed, c.Min.X, same.Y, c.Max.X, same.Y)
		const half = 0.7
		taken := []vg.Rectangle{
			{Min: vg.Point{X: same.X - half, Y: c.Min.Y}, Max: vg.Point{X: same.X + half, Y: c.Max.Y}},
			{Min: vg.Point{X: c.Min.X, Y: same.Y - half}, Max: vg.Point{X: c.Max.X, Y: same.Y + half}},
		}
		order := inTurn(points)
		var tags []draw.Tag
		var marks []vg.Rectangle
		for _, s := range order {
			tag := draw.Tag{At: s.Place(c, p), Radius: s.mark.Radius, Texts: []string{s.Name}, Font: draw.SmallFont, Ink: draw.Black}
			if s.highlighted {
				tag.Ink = sheets.InkOf(s.mark.Color)
				taken = append(taken, whiskerBoxes(c, p, s)...)
			}
			if s.front {
				tags = append(tags, tag)
			} else {
				marks = append(marks, draw.Around(tag.At, tag.Radius))
			}
		}
		placed := draw.Place(tags, c.Rectangle, append(taken, marks...))
		for _, t := range placed {
			t.PaintLeader(c)
		}
		for _, s := range slices.Backward(order) {
			width, ink := draw.WhiskerWidth, s.mark.Color
			if !s.highlighted {
				width, ink = 0.4, draw.RGB(0xD4D4D4)
			}
			s.PaintWhiskers(c, p, ink, width)
		}
		for _, s := range slices.Backward(order) {
			c.DrawGlyphNoClip(s.mark, s.Place(c, p))
		}
		for _, t := range placed {
			t.PaintText(c)
		}
	}
}

func foretellLegend(f *foretell.Comparison, points []standpoint) draw.Block {
	names := f.Names()
	var entries []draw.Entry
	for _, e := range []struct {
		mark draw.GlyphStyle
		text string
	}{
		{foretellHeld, "surely apart from " + board.Reference + " on " + names[0]},
		{foretellHidden, "surely apart on " + names[1] + " alone"},
		{foretellWrong, "on opposite sides of " + board.Reference + ", each interval alone"},
		{foretellOther, "other methods"},
	} {
		if slices.ContainsFunc(points, func(s standpoint) bool { return s.mark.Color == e.mark.Color }) {
			entries = append(entries, draw.LineEntry(e.text, draw.LineStyle{Color: e.mark.Color}, e.mark.Shape))
		}
	}
	return draw.Legend(entries, draw.PageWidth)
}

func foretellNote(f *foretell.Comparison, off bool) string {
	extent := func(t *board.Table) string {
		return fmt.Sprintf("%s, %s", plural.Count(len(t.Tasks), "task"), plural.Count(t.Seeds, "seed"))
	}
	names := f.Names()
	note := fmt.Sprintf("Left: %d methods that fit all tasks of %s (%s) and %s (%s), with 95%% intervals over seeds; in the shaded quarters the boards disagree on which side of %s a method is. Right: Kendall's tau, with 95%% intervals over methods; on other seeds and on other tasks the lowest and the highest of all splits. Upright bars: the tau to expect if boards differed in their seeds alone. Audit: filled %s, hollow %s.",
		len(f.Everywhere), names[0], extent(f.Short), names[1], extent(f.Long), board.Reference, names[0], names[1])
	if off {
		note = draw.Sentences(note, edgeNote)
	}
	return note
}
