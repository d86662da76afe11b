package problem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// This file draws a problem once and every answer as a layer over it, for readers that show and
// hide answers.

// A Given is an answer that a picture is to have a layer for.
type Given struct {
	Text    string // as the environment writes it; "": the mode alone is known
	Mode    string
	Correct bool
}

// A Layered is a picture of a problem without answers, and layers of the same size that mark
// answers in it.
type Layered struct {
	Below  *draw.Figure
	Above  *draw.Figure // hides the layers, nil for nothing
	Layers []Layer
	// From is the x from which layers are as wide as if all answers were theirs: they are to be
	// narrowed to the share that they have. 0: they do not depend on it.
	From vg.Length
	// Of has for every answer the number of its layer, or -1 if the picture does not show
	// it. Answers that the picture does not tell apart share a layer.
	Of []int
}

// A Layer marks an answer.
type Layer struct {
	*draw.Figure
	// Count is the place of the number of answers, its middle, from the upper left corner
	// of the page with y downwards; nil if there is no room for it.
	Count *vg.Point
	// Crowded: marks may be close together, so that a count of 1 is better left out.
	Crowded bool
}

// A stage is a page in the making whose first block gets layers.
type stage struct {
	section *section
	of      []int // by answer given: its position in the drawing, or -1
	width   vg.Length
	picture draw.Block
	marks   [][]int                                 // by shape or row: the answers that it marks
	layer   func(answer int, r vg.Rectangle) marker // of an answer, on the rectangle of the picture
	above   func(r vg.Rectangle, c draw.Canvas)     // nil for nothing
	from    vg.Length                               // Layered.From
	crowded bool
}

// A marker paints a layer, and has the place of its count with y upwards, or nil.
type marker struct {
	paint func(c draw.Canvas)
	count *vg.Point
}

// DrawLayers draws a problem of the environment of that name, and a layer for every answer that
// has a mode.
func DrawLayers(env string, p envs.Problem, answers []Given) (*Layered, error) {
	pictured, ok := p.(envs.Pictured)
	if !ok {
		return nil, fmt.Errorf("%s %s: such problems cannot be drawn", env, p.ID())
	}
	var attempts []envs.Attempt
	st := &stage{}
	for _, a := range answers {
		v := &envs.Verdict{Mode: envs.Mode(a.Mode), Correct: a.Correct}
		if a.Text != "" {
			v = p.JudgeText(a.Text)
		}
		if v.Err != nil || v.Mode == envs.Degenerate {
			st.of = append(st.of, -1)
			continue
		}
		st.of = append(st.of, len(attempts))
		attempts = append(attempts, envs.Attempt{Text: a.Text, Verdict: v})
	}
	st.section = &section{drawing: pictured.Drawing(attempts...), columns: 1, scale: 1}
	d := &st.section.drawing
	if err := d.Check(len(attempts)); err != nil {
		return nil, fmt.Errorf("%s %s: its drawing: %w", env, p.ID(), err)
	}
	if d.Table != nil && d.Table.Bars != "" {
		st.useBars(!slices.ContainsFunc(answers, func(a Given) bool { return a.Text != "" }))
	} else {
		st.useShapes()
	}
	return st.draw(), nil
}

// useShapes lets the shapes that mark answers be layers. Shapes on the last of them hide them all.
func (st *stage) useShapes() {
	s, d := st.section, &st.section.drawing
	if wide := vg.Length(d.Width); wide > draw.PageWidth {
		s.scale = draw.PageWidth / wide
	}
	s.each = vg.Length(d.Width) * s.scale
	st.width = max(draw.ColumnWidth, s.each)
	last := 0
	for i, x := range d.Shapes {
		st.marks = append(st.marks, x.Answers)
		if len(x.Answers) > 0 {
			last = i + 1
		}
	}
	last = cmp.Or(last, len(d.Shapes))
	paint := func(shapes []envs.Shape) func(r vg.Rectangle, c draw.Canvas) {
		return func(r vg.Rectangle, c draw.Canvas) {
			for _, x := range shapes {
				s.view(r).paint(c, x, 1)
			}
		}
	}
	below := paint(slices.DeleteFunc(slices.Clone(d.Shapes[:last]), func(x envs.Shape) bool { return len(x.Answers) > 0 }))
	st.picture = draw.Block{Height: vg.Length(d.Height) * s.scale, Paint: func(c draw.Canvas) { below(c.Rectangle, c) }}
	if last < len(d.Shapes) {
		st.above = paint(d.Shapes[last:])
	}
	st.crowded = slices.ContainsFunc(d.Shapes, func(x envs.Shape) bool { return x.Kind == envs.Count && x.Role == envs.Faint })
	// Counts are written without a mark, but for the cross of wrong answers.
	d.Legend = slices.DeleteFunc(d.Legend, func(e envs.Entry) bool { return e.Sample.Kind == envs.Count && e.Sample.Role != envs.Wrong })
	d.Note = draw.Sentences(s.routeNote("The darker a route, the more often it was taken."), d.Note)
	st.layer = func(answer int, r vg.Rectangle) marker {
		return s.marker(answer, s.view(r))
	}
}

func (s *section) view(r vg.Rectangle) view {
	return view{corner: vg.Point{X: r.Min.X + (r.Size().X-s.each)/2, Y: r.Max.Y}, scale: s.scale}
}

// marker paints the shapes of an answer. If they have several counts, no place is that of its
// number.
func (s *section) marker(answer int, v view) marker {
	var shapes, counts []envs.Shape
	for _, x := range s.drawing.Shapes {
		switch {
		case !slices.Contains(x.Answers, answer):
		case x.Kind == envs.Count:
			counts = append(counts, x)
		default:
			shapes = append(shapes, x)
		}
	}
	var place *vg.Point
	if len(counts) == 1 {
		x := counts[0]
		middle := v.at(x.Points[0])
		middle.X += layerCount * vg.Length(0.5-x.Align)
		if x.Role == envs.Plain || x.Role == envs.Wrong {
			middle.X += countMark * vg.Length(1-x.Align)
		}
		place = &middle
	}
	return marker{count: place, paint: func(c draw.Canvas) {
		for _, x := range shapes {
			v.paint(c, x, 1)
		}
		for _, x := range counts {
			if x.Role == envs.Wrong {
				v.paint(c, x, 0)
			}
		}
	}}
}

// key names the shapes or rows that mark an answer; "" for nothing.
func (st *stage) key(answer int) string {
	var b strings.Builder
	for i, answers := range st.marks {
		if slices.Contains(answers, answer) {
			fmt.Fprint(&b, i, " ")
		}
	}
	return b.String()
}

// draw makes the figures: the picture, its legend and its note below each other, and the layers.
func (st *stage) draw() *Layered {
	blocks := append([]draw.Block{st.picture}, st.section.legend(st.width)...)
	blocks = append(blocks, draw.Paragraphs(draw.SmallFont, draw.Subtle, st.width, st.section.drawing.Note)...)
	below := draw.Bare(st.width, blocks...)
	height := below.Height
	figure := func(paint func(c draw.Canvas)) *draw.Figure {
		return &draw.Figure{Width: st.width, Height: height, Paint: paint}
	}
	picture := vg.Rectangle{Min: vg.Point{Y: height - st.picture.Height}, Max: vg.Point{X: st.width, Y: height}}
	out := &Layered{From: st.from, Below: below}
	if st.above != nil {
		out.Above = figure(func(c draw.Canvas) { st.above(picture, c) })
	}
	numbers := map[string]int{}
	for _, answer := range st.of {
		key := st.key(answer)
		number, known := numbers[key]
		switch {
		case key == "":
			number = -1
		case !known:
			number = len(out.Layers)
			numbers[key] = number
			m := st.layer(answer, picture)
			layer := Layer{Figure: figure(m.paint), Crowded: st.crowded}
			if m.count != nil {
				layer.Count = &vg.Point{X: m.count.X, Y: height - m.count.Y}
			}
			out.Layers = append(out.Layers, layer)
		}
		out.Of = append(out.Of, number)
	}
	return out
}

// rowCounts is the room for the number of answers beside a row.
const rowCounts = vg.Length(42)

// useBars lets bars of a share of the answers in the rows of the table be layers. Lines mark the
// values of the rows.
func (st *stage) useBars(mass bool) {
	d := &st.section.drawing
	head, shares := "answers", "share of answers"
	if mass {
		head, shares = "probability", "probability"
	}
	t := newTable(d.Table, nil, shares)
	st.width = t.width + rowCounts
	rows := t.block(t.width)
	st.picture = draw.Block{Height: rows.Height, Paint: func(c draw.Canvas) {
		rows.Paint(c)
		draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+st.width-rowCounts/2, c.Max.Y-draw.SmallFont.Size, 0.5, head)
	}}
	d.Legend = append(d.Legend, envs.Entry{
		Head: "Line:", Text: d.Table.Bars,
		Sample: envs.Shape{Kind: envs.Line, Role: envs.Head, Points: [][2]float64{{0, -5}, {0, 5}}},
	})
	for _, row := range t.Rows {
		st.marks = append(st.marks, row.Answers)
	}
	st.from, _ = t.axisAt(0)
	st.above = func(r vg.Rectangle, c draw.Canvas) {
		from, to := t.axisAt(r.Min.X)
		for i, row := range t.Rows {
			if !row.Bare {
				x, top := from+t.fraction(row)*(to-from), r.Max.Y-t.tops[i]
				c.StrokeLine2(draw.LineStyle{Color: draw.Black, Width: 1}, x, top-rowHeight+1, x, top-1)
			}
		}
	}
	st.layer = t.shareOf
}

// shareOf is a bar in the rows of an answer, as long as the axis.
func (t *table) shareOf(answer int, r vg.Rectangle) marker {
	first := slices.IndexFunc(t.Rows, func(row envs.Row) bool { return slices.Contains(row.Answers, answer) })
	last := first
	for last+1 < len(t.Rows) && slices.Contains(t.Rows[last+1].Answers, answer) {
		last++
	}
	const pad = (rowHeight - barWide) / 2
	left, right := t.axisAt(r.Min.X)
	bar := vg.Rectangle{
		Min: vg.Point{X: left, Y: r.Max.Y - t.tops[last] - rowHeight + pad},
		Max: vg.Point{X: right, Y: r.Max.Y - t.tops[first] - pad},
	}
	style := lookOf(t.Rows[first].Role, t.Rows[first].Hue)
	return marker{count: &vg.Point{X: r.Max.X - rowCounts/2, Y: (bar.Min.Y + bar.Max.Y) / 2}, paint: func(c draw.Canvas) {
		c.SetColor(style.fill)
		c.Fill(bar.Path())
	}}
}
