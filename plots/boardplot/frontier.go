package boardplot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/forest"
	"modebench/plots/sheets"
)

// A standpoint is a method on the frontier figure.
type standpoint struct {
	number     int // its line in the table, from 1
	name       string
	x, y       stats.Interval // accuracy and diversity
	everywhere bool           // over all tasks
	front      bool           // no method has as much of both
	mark       draw.GlyphStyle
	stands     bool // out
}

const (
	boardMark     = vg.Length(2.9) // radius of the mark of a method that stands out
	otherMark     = vg.Length(1.9)
	frontierHigh  = vg.Length(330)
	frontierTitle = "How accurate methods get, and how much diversity they keep"
)

// frontier draws every method with its accuracy and diversity after training, in the mean over
// tasks, and a line through those that no other method beats in both. A mark has the method's
// name, or where there is no room its number in the key below.
func (b *Board) frontier() (*draw.Figure, error) {
	points := b.standpoints()
	p := draw.Panel()
	accuracy, diversity := draw.Measure{Label: "accuracy: share of the way from the base policy to the optimum"}, draw.Measure{Label: "diversity: share of the right strategies that 64 answers find"}
	p.X.Label.Text = accuracy.Title()
	draw.LabelY(p, diversity, frontierHigh)
	left, right := reachOf(points, func(s standpoint) float64 { return s.x.Mean })
	bottom, top := reachOf(points, func(s standpoint) float64 { return s.y.Mean })
	off := false
	for i := range points {
		for _, at := range []*stats.Interval{&points[i].x, &points[i].y} {
			low, high := left, right
			if at == &points[i].y {
				low, high = bottom, top
			}
			if at.Mean < low || at.Mean > high {
				*at = stats.Interval{Mean: min(max(at.Mean, low), high), Low: math.NaN(), High: math.NaN(), N: at.N}
				points[i].mark.Shape, off = draw.CrossGlyph{}, true
			}
		}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = draw.Ticks{Count: 8}, draw.Ticks{Count: 6}
	draw.AddGrid(p)
	p.Add(draw.MarksRoom{}, paintFrontier(points))
	draw.SetRanges(p, left, right, bottom, top)
	blocks := append(draw.Heading(frontierTitle, draw.PageWidth),
		draw.Tile([][]*plot.Plot{{p}}, draw.PageWidth, frontierHigh, 0, nil),
		boardKey(points))
	note := fmt.Sprintf("Means over %s; whiskers: 95%% interval over %d seeds. Every method has the setting with the largest area on tuning seeds. No method beats those at the corners of the line in both. Numbers are lines of the table. On the maze diversity is of the Pareto front.", draw.Counted(len(b.table.Tasks), "task"), b.table.Seeds)
	if slices.ContainsFunc(points, func(s standpoint) bool { return !s.everywhere }) {
		note = draw.Sentences(note, "Hollow: the method does not fit all tasks, and its means are over fewer.")
	}
	if off {
		note = draw.Sentences(note, "A cross at an edge: the method lies beyond it.")
	}
	return draw.NotedPage(draw.PageWidth, draw.Sentences(note, b.sameNote()), blocks...), nil
}

// standpoints are the methods in the order of the table.
func (b *Board) standpoints() []standpoint {
	var out []standpoint
	for i, l := range b.table.Rows {
		s := standpoint{
			number: i + 1, name: l.Method, x: b.overTasks(l.Method, "accuracy"), y: b.overTasks(l.Method, "diversity"), everywhere: b.everywhere(l),
			mark: draw.GlyphStyle{Color: draw.RGB(0x8A8A8A), Radius: otherMark, Shape: draw.Corners{N: 24}},
		}
		if look, stands := b.lookOf(l.Method); stands {
			s.stands, s.mark = true, draw.GlyphStyle{Color: look.Color, Radius: boardMark, Shape: look.Mark}
		}
		if !s.everywhere {
			s.mark.Shape = draw.Hollow{N: 24}
		}
		out = append(out, s)
	}
	for i, s := range out {
		out[i].front = s.everywhere && !slices.ContainsFunc(out, func(o standpoint) bool { return o.everywhere && o.beats(s) })
	}
	return out
}

// beats says whether a method has as much of both as another one, and more of one.
func (s standpoint) beats(o standpoint) bool {
	return s.x.Mean >= o.x.Mean && s.y.Mean >= o.y.Mean && (s.x.Mean > o.x.Mean || s.y.Mean > o.y.Mean)
}

// fence is how many times the distance of the quartiles an axis reaches beyond them, where there
// is a crowd of so many methods.
const fence, crowd = 4, 20

// reachOf is the range of an axis that all values are on, but for those far from the others:
// of a hundred methods one that fails would press all others together.
func reachOf(points []standpoint, of func(standpoint) float64) (low, high float64) {
	var values []float64
	for _, s := range points {
		values = append(values, of(s))
	}
	slices.Sort(values)
	q1, q3 := forest.Quantile(values, 0.25), forest.Quantile(values, 0.75)
	low, high = values[0], values[len(values)-1]
	if far := fence * (q3 - q1); far > 0 && len(values) >= crowd {
		low, high = max(low, q1-far), min(high, q3+far)
	}
	low, high = sheets.Apart(low, high)
	room := 0.05 * (high - low)
	return low - room, high + room
}

// paintFrontier draws the line of the front, then what leads to names, whiskers, marks, names.
func paintFrontier(points []standpoint) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		at := func(s standpoint) vg.Point { return vg.Point{X: x(s.x.Mean), Y: y(s.y.Mean)} }
		front := slices.DeleteFunc(slices.Clone(points), func(s standpoint) bool { return !s.front })
		slices.SortStableFunc(front, func(a, b standpoint) int { return cmp.Compare(a.x.Mean, b.x.Mean) })
		taken := append(paintStairs(c, front, at), paintBetter(c))
		order := slices.Clone(points)
		slices.SortStableFunc(order, func(a, b standpoint) int { return a.turn() - b.turn() })
		tags := make([]draw.Tag, len(order))
		for i, s := range order {
			tags[i] = draw.Tag{At: at(s), Radius: s.mark.Radius, Texts: []string{s.name, strconv.Itoa(s.number)}, Font: draw.SmallFont, Ink: draw.Subtle}
			if s.stands || s.front {
				tags[i].Texts = tags[i].Texts[:1]
			}
			if s.stands {
				taken = append(taken, whiskerBoxes(s, x, y)...)
				tags[i].Font, tags[i].Ink = draw.PanelFont, sheets.InkOf(s.mark.Color)
			}
		}
		placed := draw.Place(tags, c.Rectangle, taken)
		for _, t := range placed {
			t.PaintLeader(c)
		}
		for i := len(order) - 1; i >= 0; i-- {
			s := order[i]
			if s.stands {
				sheets.Dot{X: s.x, Y: s.y}.PaintWhiskers(c, p, s.mark.Color, draw.WhiskerWidth)
			}
			c.DrawGlyphNoClip(s.mark, at(s))
		}
		for _, t := range placed {
			t.PaintText(c)
		}
	}
}

// paintStairs draws the border of what the methods of the front beat in both, and returns where
// its lines are.
func paintStairs(c draw.Canvas, front []standpoint, at func(standpoint) vg.Point) (taken []vg.Rectangle) {
	if len(front) == 0 {
		return nil
	}
	first, last := at(front[0]), at(front[len(front)-1])
	line := []vg.Point{{X: c.Min.X, Y: first.Y}}
	for i, s := range front {
		p := at(s)
		if i > 0 {
			line = append(line, vg.Point{X: line[len(line)-1].X, Y: p.Y})
		}
		line = append(line, p)
	}
	line = append(line, vg.Point{X: last.X, Y: c.Min.Y})
	ground := append(slices.Clone(line), vg.Point{X: c.Min.X, Y: c.Min.Y})
	draw.Polygon(c, draw.RGB(0xF4F8FB), draw.LineStyle{}, ground)
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

// paintBetter writes in the upper right corner where methods should be, and returns its place.
func paintBetter(c draw.Canvas) vg.Rectangle {
	const text, arrow, edge = "better", 13, 5
	width := draw.TextWidth(draw.PanelFont, text)
	tip := vg.Point{X: c.Max.X - edge, Y: c.Max.Y - edge}
	back := vg.Point{X: tip.X - arrow, Y: tip.Y - arrow}
	style := draw.LineStyle{Color: draw.Subtle, Width: 1}
	c.StrokeLines(style, []vg.Point{back, tip}, []vg.Point{{X: tip.X - 5.5, Y: tip.Y}, tip, {X: tip.X, Y: tip.Y - 5.5}})
	draw.Write(c, draw.PanelFont, draw.Subtle, back.X-2, back.Y-1, 1, text)
	return vg.Rectangle{Min: vg.Point{X: back.X - width - 4, Y: back.Y - 4}, Max: c.Max}
}

// whiskerBoxes are where the whiskers of a method are.
func whiskerBoxes(s standpoint, x, y func(float64) vg.Length) (out []vg.Rectangle) {
	const half = 2.4
	at := vg.Point{X: x(s.x.Mean), Y: y(s.y.Mean)}
	if draw.Bounded(s.x.Low, s.x.High) {
		out = append(out, vg.Rectangle{Min: vg.Point{X: x(s.x.Low), Y: at.Y - half}, Max: vg.Point{X: x(s.x.High), Y: at.Y + half}})
	}
	if draw.Bounded(s.y.Low, s.y.High) {
		out = append(out, vg.Rectangle{Min: vg.Point{X: at.X - half, Y: y(s.y.Low)}, Max: vg.Point{X: at.X + half, Y: y(s.y.High)}})
	}
	return out
}

// turn is when a method chooses the place of its name.
func (s standpoint) turn() int {
	switch {
	case s.stands:
		return 0
	case s.front:
		return 1
	}
	return 2
}

// boardKey lists the methods by number.
func boardKey(points []standpoint) draw.Block {
	const gap, line = vg.Length(9), vg.Length(9.6)
	digits := draw.TextWidth(draw.SmallFont, strconv.Itoa(len(points))) + 3
	var names []string
	for _, s := range points {
		names = append(names, s.name)
	}
	columns := 1
	for n := 2; n <= len(points); n++ { // as many as fit
		if keyWidth(names, n, digits+gap) <= draw.PageWidth+gap {
			columns = n
		}
	}
	rows := (len(points) + columns - 1) / columns
	return draw.Block{Height: line * vg.Length(rows), Paint: func(c draw.Canvas) {
		left := c.Min.X
		for start := 0; start < len(points); start += rows {
			part := points[start:min(start+rows, len(points))]
			for i, s := range part {
				base := c.Max.Y - line*vg.Length(i) - 7.5
				ink := draw.Black
				if s.stands {
					ink = sheets.InkOf(s.mark.Color)
				}
				draw.Write(c, draw.SmallFont, draw.Subtle, left+digits-3, base, 1, strconv.Itoa(s.number))
				draw.Write(c, draw.SmallFont, ink, left+digits, base, 0, s.name)
			}
			left += digits + gap + draw.Widest(names[start:start+len(part)])
		}
	}}
}

// keyWidth is the width of a key of so many columns.
func keyWidth(names []string, columns int, room vg.Length) vg.Length {
	rows := (len(names) + columns - 1) / columns
	width := vg.Length(0)
	for start := 0; start < len(names); start += rows {
		width += room + draw.Widest(names[start:min(start+rows, len(names))])
	}
	return width
}
