package problem

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

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
