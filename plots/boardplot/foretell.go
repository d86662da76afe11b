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
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/sheets"
)

// Foretelling draws two boards against each other: every method with its score on both. Show names methods
// that are highlighted; without any these are the methods that are better than the reference on one board
// and worse on the other. A name that the boards do not share is an error.
func Foretelling(c *foretell.Comparison, show []string) (Figure, error) {
	for _, name := range show {
		if !slices.ContainsFunc(c.Methods, func(m foretell.Method) bool { return m.Name == name }) {
			return Figure{}, input.Errorf("no method %q to show on all tasks of both boards, in a row of its own", name)
		}
	}
	names := c.Names()
	points := foretellPoints(c, show)
	x := reachOf(points, "score, "+names[0]+": area in units of "+board.Reference+"'s", func(s standpoint) stats.Interval { return s.X })
	y := reachOf(points, "score, "+names[1], func(s standpoint) stats.Interval { return s.Y })
	off := keep(points, x, y)
	x.Ticks, y.Ticks = 8, 6
	p := sheets.PairPanel(x, y, paintForetold(points))
	p.Y.Label.Text = y.Label
	title := fmt.Sprintf("Scores on the %s board and on the %s one", names[0], names[1])
	note := fmt.Sprintf("Methods that fit all tasks of %s (%s) and %s (%s), numbered in the order of the first. In the shaded quarters the boards disagree on which side of %s a method is. Whiskers: the intervals of the answers.", names[0], plural.Count(len(c.Short.Tasks), "task"), names[1], plural.Count(len(c.Long.Tasks), "task"), board.Reference)
	if len(show) == 0 {
		note = draw.Sentences(note, fmt.Sprintf("Highlighted: better than %s on one board and worse on the other.", board.Reference))
	}
	if off {
		note = draw.Sentences(note, edgeNote)
	}
	text := fmt.Sprintf("A scatter of %s: the score on the %s board to the right, on the %s board upwards. Kendall's tau between the two: %s.", plural.Count(len(points), "method"), names[0], names[1],
		sheets.List(len(c.Over), sheets.ListItems, func(i int) string { return c.Over[i].Column + " " + sheets.Number(c.Over[i].Tau) }))
	blocks := append(draw.Heading(title, draw.PageWidth), draw.Tile([][]*plot.Plot{{p}}, draw.PageWidth, frontierHigh, 0, nil), familyLegend(points), boardKey(points))
	return Figure{"foretell", draw.NotedPage(draw.PageWidth, note, blocks...).Told(title, text)}, nil
}

func foretellPoints(c *foretell.Comparison, show []string) (out []standpoint) {
	for i, m := range c.Methods {
		_, _, hue := sheets.HueOf(m.Name)
		s := standpoint{
			Dot:    sheets.Dot{Name: m.Name, X: unlessReference(m.Short, m.Short.Score), Y: unlessReference(m.Short, m.Long.Score)},
			number: i + 1, everywhere: true, control: m.Short.Control != "", highlighted: m.Name == board.Reference,
			mark: draw.GlyphStyle{Color: draw.Mixed(hue, draw.White, 0.3), Radius: otherMark, Shape: draw.Corners{N: 24}},
		}
		if s.control {
			s.mark = controlStyle
		}
		if s.highlighted = s.highlighted || slices.Contains(show, m.Name) || len(show) == 0 && m.Opposed(); s.highlighted && !s.control {
			s.mark = draw.GlyphStyle{Color: hue, Radius: boardMark, Shape: draw.Corners{N: 24}}
		}
		out = append(out, s)
	}
	return out
}

// paintForetold shades the quarters in which two boards disagree, and draws the methods.
func paintForetold(points []standpoint) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		center := vg.Point{X: min(max(x(1), c.Min.X), c.Max.X), Y: min(max(y(1), c.Min.Y), c.Max.Y)}
		for _, corners := range [][]vg.Point{draw.Box(c.Min.X, center.Y, center.X, c.Max.Y), draw.Box(center.X, c.Min.Y, c.Max.X, center.Y)} {
			draw.Polygon(c, draw.RGB(0xFBF1EA), draw.LineStyle{}, corners)
		}
		paintNamed(c, p, points, paintGuides(c, center))
	}
}
