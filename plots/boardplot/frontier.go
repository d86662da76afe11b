package boardplot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/board"
	"modebench/internal/each"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/forest"
	"modebench/plots/sheets"
)

// A standpoint is a method in a panel of two scores, such as accuracy and diversity.
type standpoint struct {
	sheets.Dot
	number      int  // its line in the table, from 1
	everywhere  bool // over all tasks
	front       bool // no method has as much of both
	control     bool
	mark        draw.GlyphStyle
	highlighted bool
}

const (
	boardMark     = vg.Length(2.9) // radius of the mark of a method that is highlighted
	otherMark     = vg.Length(1.9)
	controlMark   = vg.Length(3.6)
	frontierHigh  = vg.Length(350)
	frontierTitle = "How accurate methods get, and how much more diversity they keep than GRPO at equal accuracy"
	edgeNote      = "A cross at an edge: the method lies beyond it."
)

// frontier draws every method with its accuracy after training and its gain, the diversity above the
// reference's at equal accuracy, and a line through those that no method beats in both. The reference is where
// the two dashed lines meet. A mark has the method's name, or if there is no room its number in the key
// below.
func (b *Board) frontier() (*draw.Figure, error) {
	points, missing := b.standpoints()
	x := reachOf(points, "accuracy after training: share of the way from the base policy to the optimum", func(s standpoint) stats.Interval { return s.X })
	y := reachOf(points, "gain: diversity above "+board.Reference+"'s at equal accuracy", func(s standpoint) stats.Interval { return s.Y })
	off := keep(points, x, y)
	x.Ticks, y.Ticks = 8, 6
	p := sheets.PairPanel(x, y, paintFrontier(points))
	draw.LabelY(p, y.Measure, frontierHigh)
	blocks := append(draw.Heading(frontierTitle, draw.PageWidth),
		draw.Tile([][]*plot.Plot{{p}}, draw.PageWidth, frontierHigh, 0, nil),
		familyLegend(points), boardKey(points))
	note := fmt.Sprintf("Means over %s. Every method has the setting with the largest area on tuning seeds. Whiskers: 95%% intervals of paired differences from %s, for all methods at once. No method beats those at the corners of the line in both. Numbers are lines of the table. Diversity is the share of all right strategies, or with tables of the Pareto front of the maze, that 64 answers find.", plural.Count(len(b.table.Tasks), "task"), board.Reference)
	if slices.ContainsFunc(points, func(s standpoint) bool { return !s.everywhere && !s.control }) {
		note = draw.Sentences(note, "Hollow: the method does not fit all tasks, and its means are over fewer.")
	}
	if !slices.EqualFunc(b.looks, sheets.Looks(b.shown), func(a, b draw.Look) bool { return a.Color == b.Color }) {
		note = draw.Sentences(note, "Methods in bold print have colours of their own where several are of one family.")
	}
	if off {
		note = draw.Sentences(note, edgeNote)
	}
	if missing != nil {
		note = draw.Sentences(note, "Without a gain, since too little accuracy is shared with "+board.Reference+": "+strings.Join(missing, ", ")+".")
	}
	return draw.NotedPage(draw.PageWidth, draw.Sentences(note, b.SameNote()), blocks...), nil
}

// standpoints are the methods with an accuracy and a gain in the order of the table, and the names of the
// others.
func (b *Board) standpoints() (out []standpoint, missing []string) {
	for i, l := range b.table.Rows {
		s := standpoint{
			Dot:    sheets.Dot{Name: l.Method, X: unlessReference(l, l.Paired["accuracy"]), Y: unlessReference(l, l.Paired["gain"])},
			number: i + 1, everywhere: b.everywhere(l), control: l.Control != "",
		}
		if math.IsNaN(s.X.Mean) || math.IsNaN(s.Y.Mean) {
			missing = append(missing, l.Method)
			continue
		}
		s.mark, s.highlighted = b.markOf(l)
		out = append(out, s)
	}
	for i, s := range out {
		out[i].front = s.everywhere && !slices.ContainsFunc(out, func(o standpoint) bool { return o.everywhere && o.beats(s) })
	}
	return out, missing
}

// unlessReference is an interval of paired differences from the reference, without bounds for itself.
func unlessReference(l board.Line, i stats.Interval) stats.Interval {
	if l.Method == board.Reference {
		i.Low, i.High = math.NaN(), math.NaN()
	}
	return i
}

// markOf is how a method is drawn among all others: in the hue of its family, and a control in black. Those
// that are highlighted have their looks. A control has a shape of its own either way.
func (b *Board) markOf(l board.Line) (mark draw.GlyphStyle, highlighted bool) {
	look, highlighted := b.lookOf(l.Method)
	_, _, hue := sheets.HueOf(l.Method)
	mark = draw.GlyphStyle{Color: draw.Mixed(hue, draw.White, 0.3), Radius: otherMark, Shape: draw.Corners{N: 24}}
	if highlighted {
		mark = draw.GlyphStyle{Color: look.Color, Radius: boardMark, Shape: look.Mark}
	}
	switch {
	case l.Control != "":
		ink := mark.Color
		if mark = controlStyle; highlighted {
			mark.Color = ink
		}
	case !b.everywhere(l):
		mark.Shape = draw.Hollow{N: 24}
	}
	return mark, highlighted
}

// controlStyle is the mark of a control.
var controlStyle = draw.GlyphStyle{Color: draw.Black, Radius: controlMark, Shape: star{}}

// star is the shape of a control: four points.
type star struct{}

// DrawGlyph draws a star around a point.
func (star) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, centre vg.Point) {
	var points []vg.Point
	outer, inner := draw.Ring(centre, style.Radius, 4, math.Pi/2), draw.Ring(centre, style.Radius*0.38, 4, math.Pi*3/4)
	for i := range outer {
		points = append(points, outer[i], inner[i])
	}
	draw.Polygon(*c, style.Color, draw.LineStyle{}, points)
}

// familyLegend explains the hues that points have, and the shape of controls.
func familyLegend(points []standpoint) draw.Block {
	families := map[int]draw.Entry{}
	controls := false
	for _, s := range points {
		if controls = controls || s.control; !s.control {
			n, name, hue := sheets.HueOf(s.Name)
			families[n] = draw.LineEntry(name, draw.LineStyle{Color: hue}, draw.Corners{N: 24})
		}
	}
	entries := each.Map(slices.Sorted(maps.Keys(families)), func(n int) draw.Entry { return families[n] })
	if controls {
		entries = append(entries, draw.LineEntry("control, in wide use already", draw.LineStyle{Color: controlStyle.Color}, controlStyle.Shape))
	}
	return draw.Legend(entries, draw.PageWidth)
}

// beats reports whether a method has as much of both as o, and more of one.
func (s standpoint) beats(o standpoint) bool {
	return s.X.Mean >= o.X.Mean && s.Y.Mean >= o.Y.Mean && (s.X.Mean > o.X.Mean || s.Y.Mean > o.Y.Mean)
}

// keep moves the methods that are beyond an edge onto it, as a cross, and reports whether there
// are any.
func keep(points []standpoint, x, y sheets.Axis) (off bool) {
	for i := range points {
		s := &points[i]
		for _, side := range []struct {
			value *stats.Interval
			axis  sheets.Axis
		}{{&s.X, x}, {&s.Y, y}} {
			if v := side.value; v.Mean < side.axis.Low || v.Mean > side.axis.High {
				*v = stats.Interval{Mean: min(max(v.Mean, side.axis.Low), side.axis.High), Low: math.NaN(), High: math.NaN(), N: v.N}
				s.mark.Shape, off = draw.CrossGlyph{}, true
			}
		}
	}
	return off
}

// With that many methods, an axis reaches at most fence times the distance of the quartiles beyond
// them.
const fence, crowd = 4, 20

// reachOf is an axis that holds all values, but for those far from the others: a single method that
// fails would press a hundred others together. It holds the whiskers of those that are highlighted.
func reachOf(points []standpoint, label string, pick func(standpoint) stats.Interval) sheets.Axis {
	values := each.Map(points, func(s standpoint) float64 { return pick(s).Mean })
	slices.Sort(values)
	q1, q3 := forest.Quantile(values, 0.25), forest.Quantile(values, 0.75)
	low, high := values[0], values[len(values)-1]
	if far := fence * (q3 - q1); far > 0 && len(values) >= crowd {
		low, high = max(low, q1-far), min(high, q3+far)
	}
	for _, s := range points {
		if i := pick(s); s.highlighted && i.Mean >= low && i.Mean <= high && draw.Bounded(i.Low, i.High) {
			low, high = min(low, i.Low), max(high, i.High)
		}
	}
	low, high = sheets.Apart(low, high)
	room := 0.05 * (high - low)
	return sheets.Axis{Measure: draw.Measure{Label: label}, Span: draw.Span{Low: low - room, High: high + room}, Ticks: 6}
}

// inTurn are the methods in the order in which they choose the place of their names.
func inTurn(points []standpoint) []standpoint {
	turn := func(s standpoint) int {
		switch {
		case s.highlighted:
			return 0
		case s.front || s.control:
			return 1
		}
		return 2
	}
	return slices.SortedStableFunc(slices.Values(points), func(a, b standpoint) int { return turn(a) - turn(b) })
}

// paintFrontier draws the lines that meet at the reference and the line of the front, then the methods.
func paintFrontier(points []standpoint) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		var front []vg.Point
		for _, s := range points {
			if s.front {
				front = append(front, s.Place(c, p))
			}
		}
		slices.SortStableFunc(front, func(a, b vg.Point) int { return cmp.Compare(a.X, b.X) })
		taken := append(paintReference(c, p, points), paintStairs(c, front)...)
		paintNamed(c, p, points, append(taken, paintBetter(c)))
	}
}

// paintNamed draws the lines to names, whiskers, marks and names of methods. No name lies in the room that
// is taken.
func paintNamed(c draw.Canvas, p *plot.Plot, points []standpoint, taken []vg.Rectangle) {
	order := inTurn(points)
	tags := make([]draw.Tag, len(order))
	for i, s := range order {
		tags[i] = draw.Tag{At: s.Place(c, p), Radius: s.mark.Radius, Texts: []string{s.Name, strconv.Itoa(s.number)}, Font: draw.SmallFont, Ink: draw.Subtle}
		if s.highlighted || s.control {
			tags[i].Texts = tags[i].Texts[:1]
		}
		if s.control && !s.highlighted {
			tags[i].Ink = draw.Black
		}
		if s.highlighted {
			taken = append(taken, whiskerBoxes(c, p, s)...)
			tags[i].Font, tags[i].Ink = draw.PanelFont, sheets.InkOf(s.mark.Color)
		}
	}
	placed := draw.Place(tags, c.Rectangle, taken)
	for _, t := range placed {
		t.PaintLeader(c)
	}
	for i, s := range slices.Backward(order) {
		if s.highlighted {
			s.PaintWhiskers(c, p, s.mark.Color, draw.WhiskerWidth)
		}
		c.DrawGlyphNoClip(s.mark, tags[i].At)
	}
	for _, t := range placed {
		t.PaintText(c)
	}
}

// paintReference draws the lines that meet at the reference, and returns their room.
func paintReference(c draw.Canvas, p *plot.Plot, points []standpoint) []vg.Rectangle {
	i := slices.IndexFunc(points, func(s standpoint) bool { return s.Name == board.Reference })
	if i < 0 {
		return nil
	}
	return paintGuides(c, points[i].Place(c, p))
}

// paintGuides draws dashed lines through a point, and returns their room.
func paintGuides(c draw.Canvas, centre vg.Point) []vg.Rectangle {
	const half = 0.7
	dashed := draw.LineStyle{Color: draw.Subtle, Width: 0.7, Dashes: []vg.Length{3, 2}}
	c.StrokeLine2(dashed, centre.X, c.Min.Y, centre.X, c.Max.Y)
	c.StrokeLine2(dashed, c.Min.X, centre.Y, c.Max.X, centre.Y)
	return []vg.Rectangle{
		{Min: vg.Point{X: centre.X - half, Y: c.Min.Y}, Max: vg.Point{X: centre.X + half, Y: c.Max.Y}},
		{Min: vg.Point{X: c.Min.X, Y: centre.Y - half}, Max: vg.Point{X: c.Max.X, Y: centre.Y + half}},
	}
}

// paintStairs draws the border of the area that the methods of the front, from the left, beat in
// both, and returns the room of its lines.
func paintStairs(c draw.Canvas, front []vg.Point) (taken []vg.Rectangle) {
	if len(front) == 0 {
		return nil
	}
	line := []vg.Point{{X: c.Min.X, Y: front[0].Y}}
	for i, p := range front {
		if i > 0 {
			line = append(line, vg.Point{X: line[len(line)-1].X, Y: p.Y})
		}
		line = append(line, p)
	}
	line = append(line, vg.Point{X: front[len(front)-1].X, Y: c.Min.Y})
	c.StrokeLines(draw.LineStyle{Color: draw.Mixed(draw.Sky, draw.White, 0.35), Width: 1.4}, line)
	const half = 0.5
	for i, to := range line[1:] {
		from := line[i]
		taken = append(taken, vg.Rectangle{
			Min: vg.Point{X: min(from.X, to.X) - half, Y: min(from.Y, to.Y) - half},
			Max: vg.Point{X: max(from.X, to.X) + half, Y: max(from.Y, to.Y) + half},
		})
	}
	return taken
}

// paintBetter marks the upper right corner as the better one, and returns its room.
func paintBetter(c draw.Canvas) vg.Rectangle {
	const text, arrow, edge = "better", 13, 5
	width := draw.TextWidth(draw.PanelFont, text)
	tip := vg.Point{X: c.Max.X - edge, Y: c.Max.Y - edge}
	back := vg.Point{X: tip.X - arrow, Y: tip.Y - arrow}
	room := vg.Rectangle{Min: vg.Point{X: back.X - width - 4, Y: back.Y - 4}, Max: c.Max}
	c.SetColor(draw.White) // over a line that goes through
	c.Fill(room.Path())
	style := draw.LineStyle{Color: draw.Subtle, Width: 1}
	c.StrokeLines(style, []vg.Point{back, tip}, []vg.Point{{X: tip.X - 5.5, Y: tip.Y}, tip, {X: tip.X, Y: tip.Y - 5.5}})
	draw.Write(c, draw.PanelFont, draw.Subtle, back.X-2, back.Y-1, 1, text)
	return room
}

func whiskerBoxes(c draw.Canvas, p *plot.Plot, s standpoint) (out []vg.Rectangle) {
	const half = 2.4
	x, y := p.Transforms(&c)
	place := s.Place(c, p)
	if draw.Bounded(s.X.Low, s.X.High) {
		out = append(out, vg.Rectangle{Min: vg.Point{X: x(s.X.Low), Y: place.Y - half}, Max: vg.Point{X: x(s.X.High), Y: place.Y + half}})
	}
	if draw.Bounded(s.Y.Low, s.Y.High) {
		out = append(out, vg.Rectangle{Min: vg.Point{X: place.X - half, Y: y(s.Y.Low)}, Max: vg.Point{X: place.X + half, Y: y(s.Y.High)}})
	}
	return out
}

func boardKey(points []standpoint) draw.Block {
	const gap, line = vg.Length(9), vg.Length(9.6)
	digits := draw.TextWidth(draw.SmallFont, strconv.Itoa(len(points))) + 3
	names := each.Map(points, func(s standpoint) string { return s.Name })
	width := func(columns int) (width vg.Length) {
		for part := range slices.Chunk(names, (len(names)+columns-1)/columns) {
			width += digits + gap + draw.Widest(part)
		}
		return width
	}
	columns := 1
	for n := 2; n <= len(points); n++ { // as many as fit
		if width(n) <= draw.PageWidth+gap {
			columns = n
		}
	}
	rows := (len(points) + columns - 1) / columns
	return draw.Block{Height: line * vg.Length(rows), Paint: func(c draw.Canvas) {
		left := c.Min.X
		for part := range slices.Chunk(points, rows) {
			widest := vg.Length(0)
			for i, s := range part {
				base := c.Max.Y - line*vg.Length(i) - 7.5
				ink := draw.Black
				if s.highlighted {
					ink = sheets.InkOf(s.mark.Color)
				}
				draw.Write(c, draw.SmallFont, draw.Subtle, left+digits-3, base, 1, strconv.Itoa(s.number))
				draw.Write(c, draw.SmallFont, ink, left+digits, base, 0, s.Name)
				widest = max(widest, draw.TextWidth(draw.SmallFont, s.Name))
			}
			left += digits + gap + widest
		}
	}}
}
