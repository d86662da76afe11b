package problem

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// attemptsOf are the answers that can be marked, and by answer which of them it is, or -1.
func attemptsOf(p envs.Problem, answers []Given) (attempts []envs.Attempt, of []int) {
	for _, a := range answers {
		v := &envs.Verdict{Mode: envs.Mode(a.Mode), Correct: a.Correct}
		if a.Text != "" {
			v = p.JudgeText(a.Text)
		}
		if v.Err != nil || v.Mode == envs.Degenerate {
			of = append(of, -1)
			continue
		}
		of = append(of, len(attempts))
		attempts = append(attempts, envs.Attempt{Text: a.Text, Verdict: v})
	}
	return attempts, of
}

// markAnswers draws a problem, and a layer for the shapes or rows that mark an answer.
func markAnswers(p envs.Pictured, answers []Given) (*Layered, error) {
	attempts, of := attemptsOf(p, answers)
	s := &section{drawing: p.Drawing(attempts...), columns: 1, scale: 1}
	d := &s.drawing
	if err := d.Check(len(attempts)); err != nil {
		return nil, fmt.Errorf("its drawing: %w", err)
	}
	st := &stage{}
	if wide := vg.Length(d.Width); wide > draw.PageWidth {
		s.scale = draw.PageWidth / wide
	}
	s.each = vg.Length(d.Width) * s.scale
	st.width = max(draw.ColumnWidth, s.each)
	if d.Table != nil && d.Table.Bars != "" {
		return s.barLayers(st, answers, of)
	}
	return s.shapeLayers(st, answers, of), nil
}

// shapeLayers marks the answers by shapes. What lies on the last mark hides all of them.
func (s *section) shapeLayers(st *stage, answers []Given, of []int) *Layered {
	d := &s.drawing
	marking := func(x envs.Shape) bool { return len(x.Answers) > 0 }
	last := len(d.Shapes)
	for last > 0 && !marking(d.Shapes[last-1]) {
		last--
	}
	above := d.Shapes[last:]
	if last == 0 {
		last, above = len(d.Shapes), nil
	}
	paint := func(shapes []envs.Shape) func(r vg.Rectangle, c draw.Canvas) {
		return func(r vg.Rectangle, c draw.Canvas) {
			at := s.view(r)
			for _, x := range shapes {
				at.paint(c, x, 1)
			}
		}
	}
	below := paint(slices.DeleteFunc(slices.Clone(d.Shapes[:last]), marking))
	st.blocks = []draw.Block{{Height: vg.Length(d.Height) * s.scale, Paint: func(c draw.Canvas) { below(c.Rectangle, c) }}}
	st.blocks = append(st.blocks, s.legend(st.width, inLayers)...)
	st.blocks = append(st.blocks, layerNote(st.width, s.routeNote("The darker a route, the more often it was taken."), d.Note)...)
	if len(above) > 0 {
		st.above = func(rects []vg.Rectangle, c draw.Canvas) { paint(above)(rects[0], c) }
	}
	st.crowded = slices.ContainsFunc(d.Shapes, func(x envs.Shape) bool { return x.Kind == envs.Count && x.Role == envs.Faint })
	st.place(answers, func(at int) string {
		return marks(of[at], len(d.Shapes), func(i int) []int { return d.Shapes[i].Answers })
	}, func(at int) layerMaker {
		var shapes []envs.Shape
		var count *envs.Shape
		counts := 0
		for _, x := range d.Shapes[:last] {
			switch {
			case !slices.Contains(x.Answers, of[at]):
			case x.Kind == envs.Count:
				count, counts = &x, counts+1
			default:
				shapes = append(shapes, x)
			}
		}
		return func(rects []vg.Rectangle) (func(c draw.Canvas), *vg.Point) {
			var place *vg.Point
			if counts == 1 {
				middle := s.view(rects[0]).at(count.Points[0])
				middle.X += layerCount * vg.Length(0.5-count.Align)
				if count.Role == envs.Plain || count.Role == envs.Wrong {
					middle.X += countMark * vg.Length(1-count.Align)
				}
				place = &middle
			}
			return func(c draw.Canvas) {
				paint(shapes)(rects[0], c)
				if count != nil && count.Role == envs.Wrong {
					s.view(rects[0]).paint(c, *count, 0)
				}
			}, place
		}
	})
	return st.draw()
}

// inLayers reports whether a legend explains what a layer shows: counts are written without a mark.
func inLayers(e envs.Entry) bool { return e.Sample.Kind != envs.Count || e.Sample.Role == envs.Wrong }

// marks names what marks an answer, of n shapes or rows; "" for nothing.
func marks(answer, n int, answers func(i int) []int) string {
	key := ""
	for i := range n {
		if answer >= 0 && slices.Contains(answers(i), answer) {
			key += fmt.Sprint(i, " ")
		}
	}
	return key
}

// view is where the shapes lie in a block.
func (s *section) view(r vg.Rectangle) view {
	return view{corner: vg.Point{X: r.Min.X + (r.Size().X-s.each)/2, Y: r.Max.Y}, scale: s.scale}
}

// rowCounts is the room for the number of answers beside a row.
const rowCounts = vg.Length(42)

// baseMark is the line at the value of a row.
var baseMark = draw.LineStyle{Color: draw.Black, Width: 1}

// barLayers marks the answers by bars of their share in the rows of the table, where lines mark
// the values.
func (s *section) barLayers(st *stage, answers []Given, of []int) (*Layered, error) {
	head, shares := "answers", "share of answers"
	if !slices.ContainsFunc(answers, func(a Given) bool { return a.Text != "" }) {
		head, shares = "probability", "probability"
	}
	t := newTable(s.drawing.Table, nil, shares)
	st.width = t.width + rowCounts
	rows := t.block(t.width)
	st.blocks = []draw.Block{{Height: rows.Height, Paint: func(c draw.Canvas) {
		rows.Paint(c)
		draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+st.width-rowCounts/2, c.Max.Y-draw.SmallFont.Size, 0.5, head)
	}}}
	s.drawing.Legend = append(s.drawing.Legend, envs.Entry{
		Head: "Line:", Text: s.drawing.Table.Bars,
		Sample: envs.Shape{Kind: envs.Line, Role: envs.Head, Points: [][2]float64{{0, -5}, {0, 5}}},
	})
	st.blocks = append(st.blocks, s.legend(st.width, inLayers)...)
	st.blocks = append(st.blocks, layerNote(st.width, s.drawing.Note)...)
	st.from, _ = t.axisAt(0)
	st.above = func(rects []vg.Rectangle, c draw.Canvas) {
		from, to := t.axisAt(rects[0].Min.X)
		for i, row := range t.Rows {
			if !row.Bare {
				x, top := from+t.fraction(row)*(to-from), rects[0].Max.Y-t.tops[i]
				c.StrokeLine2(baseMark, x, top-rowHeight+1, x, top-1)
			}
		}
	}
	st.place(answers, func(at int) string {
		return marks(of[at], len(t.Rows), func(i int) []int { return t.Rows[i].Answers })
	}, func(at int) layerMaker { return t.shareLayer(of[at]) })
	return st.draw(), nil
}

// shareLayer is a bar in the rows of an answer, as long as the axis. The table is the first block
// of its page.
func (t *table) shareLayer(answer int) layerMaker {
	return func(rects []vg.Rectangle) (func(c draw.Canvas), *vg.Point) {
		left, right := t.axisAt(rects[0].Min.X)
		var bar vg.Rectangle
		var style look
		for i, row := range t.Rows {
			if slices.Contains(row.Answers, answer) {
				bottom := rects[0].Max.Y - t.tops[i] - (rowHeight+barWide)/2
				if style.ink.A == 0 {
					bar, style = vg.Rectangle{Min: vg.Point{X: left}, Max: vg.Point{X: right, Y: bottom + barWide}}, lookOf(row.Role, row.Hue)
				}
				bar.Min.Y = bottom
			}
		}
		count := vg.Point{X: rects[0].Max.X - rowCounts/2, Y: (bar.Min.Y + bar.Max.Y) / 2}
		return func(c draw.Canvas) {
			c.SetColor(style.fill)
			c.Fill(bar.Path())
		}, &count
	}
}
