package problem

import (
	"cmp"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// A poolView is a pool of answers as a drawing marks them.
type poolView struct {
	head  string // above the picture, and of its column in the table
	times []int  // by answer of the drawing: how often it was given
}

func (v poolView) sum(answers []int) int {
	n := 0
	for _, at := range answers {
		n += v.times[at]
	}
	return n
}

// A table is a table of a drawing on a page. Its columns are samples of lines (where there are no
// bars), texts, bars with their values, and numbers of answers.
type table struct {
	*envs.Table
	cells   [][]string // by row: the texts and the numbers of answers
	columns []tableColumn
	counts  int    // columns of numbers of answers, the last ones
	shares  string // what the bars are that layers draw, up to 1; "": the bars are the values

	axis         float64 // value at the end of the bars' axis
	decimals     int
	values       vg.Length // room behind the axis, for values and the last tick's label
	width        vg.Length // of a part
	second       int       // the row that begins the second part
	tops         []vg.Length
	head, height vg.Length
}

type tableColumn struct {
	head  []string // lines
	width vg.Length
	align vg.Length
}

const (
	rowHeight   = vg.Length(11)
	barWide     = vg.Length(7)
	groupGap    = vg.Length(4)
	leastAxis   = vg.Length(60)
	valueSpace  = vg.Length(3)  // between a bar and its value
	axisHeight  = vg.Length(27) // ticks, their labels, the axis's name
	manyRows    = 32            // rows from which two parts stand side by side
	partsGap    = vg.Length(18)
	longestCell = 2 * vg.Inch
	longestHead = vg.Length(34) // of several words; a single word is not cut
)

// newTable lays a table out. Every pool of answers has a column of numbers under its head.
func newTable(t *envs.Table, pools []poolView, shares string) *table {
	out := &table{Table: t, counts: len(pools), shares: shares}
	heads := append([]string(nil), t.Heads...)
	for _, pool := range pools {
		heads = append(heads, cmp.Or(pool.head, "answers"))
	}
	for _, row := range t.Rows {
		cells := append([]string(nil), row.Texts...)
		for _, pool := range pools {
			n := pool.sum(row.Answers)
			text := strconv.Itoa(n)
			if n == 0 && t.Bars != "" {
				text = ""
			}
			cells = append(cells, text)
		}
		out.cells = append(out.cells, cells)
	}
	for i, head := range heads {
		out.columns = append(out.columns, newColumn(head, i, out.cells))
	}
	out.scale()
	out.place()
	return out
}

// newColumn is as wide as its texts. Numbers are aligned at the right.
func newColumn(head string, at int, cells [][]string) tableColumn {
	col := tableColumn{head: draw.Wrap(draw.SmallFont, head, longestHead), align: 1}
	col.width = draw.Widest(col.head)
	for _, row := range cells {
		col.width = max(col.width, min(draw.TextWidth(draw.SmallFont, row[at]), longestCell))
		if _, err := strconv.Atoi(strings.ReplaceAll(row[at], "–", "") + "0"); err != nil {
			col.align = 0
		}
	}
	return col
}

// scale finds where the axis of the bars ends, and how many decimals show the
// least value with two digits.
func (t *table) scale() {
	const most = 5 // decimals
	least := 1.0
	for _, row := range t.Rows {
		if !row.Bare {
			t.axis = max(t.axis, row.Value)
		}
		if row.Value >= math.Pow(10, -most) {
			least = min(least, row.Value)
		}
	}
	if t.axis == 0 || t.shares != "" {
		t.axis = 1
	}
	step := draw.NiceStep(t.axis / 3)
	t.axis = math.Ceil(t.axis/step-1e-9) * step
	t.decimals = min(max(1+int(math.Ceil(-math.Log10(least))), 3), most)
}

func (t *table) place() {
	lines := 1
	for _, col := range t.columns {
		t.width += col.width + draw.CellGap
		lines = max(lines, len(col.head))
	}
	if t.Bars == "" {
		t.width += draw.SampleWidth
	} else {
		t.values = 10
		for i, row := range t.Rows {
			if t.shares == "" { // the text of a short bar lies within the axis
				within := leastAxis * (1 - t.fraction(row))
				t.values = max(t.values, valueSpace+draw.TextWidth(draw.SmallFont, t.value(i))-within)
			}
		}
		t.width = max(draw.ColumnWidth, t.width+t.values+leastAxis)
	}
	t.head = vg.Length(lines)*draw.Leading(draw.SmallFont) + 3
	if t.Caption != "" {
		t.head += draw.Leading(draw.PanelFont) + 3
		t.width = max(t.width, draw.TextWidth(draw.PanelFont, t.Caption))
	}
	t.second = len(t.Rows)
	if t.shares == "" && len(t.Rows) > manyRows && 2*t.width+partsGap <= draw.PageWidth {
		t.second = t.middle()
	}
	top := t.head
	for i, row := range t.Rows {
		if i == t.second {
			top = t.head
		} else if i > 0 && row.First {
			top += groupGap
		}
		t.tops = append(t.tops, top)
		top += rowHeight
		t.height = max(t.height, top)
	}
	if t.Bars != "" {
		t.height += axisHeight
	} else {
		t.height += 3
	}
}

// middle is the beginning of a group that is nearest to half of the rows, or
// half of the rows when there is one group alone.
func (t *table) middle() int {
	half := (len(t.Rows) + 1) / 2
	best, found := half, false
	for i := 1; i < len(t.Rows); i++ {
		nearer := math.Abs(float64(i-half)) < math.Abs(float64(best-half))
		if t.Rows[i].First && (!found || nearer) {
			best, found = i, true
		}
	}
	return best
}

func (t *table) block(width vg.Length) draw.Block {
	return draw.Block{Height: t.height, Paint: func(c draw.Canvas) {
		left := c.Min.X + (width-t.fullWidth())/2
		if t.Caption != "" {
			draw.WriteLines(c, draw.PanelFont, draw.Black, left, c.Max.Y, 0, []string{t.Caption})
		}
		t.paintPart(c, left, 0, t.second)
		if t.second < len(t.Rows) {
			t.paintPart(c, left+t.width+partsGap, t.second, len(t.Rows))
			x := left + t.width + partsGap/2
			c.StrokeLine2(draw.LineStyle{Color: draw.Faint, Width: 0.8}, x, c.Max.Y-t.height+axisHeight, x, c.Max.Y)
		}
	}}
}

func (t *table) fullWidth() vg.Length {
	if t.second < len(t.Rows) {
		return 2*t.width + partsGap
	}
	return t.width
}

func (t *table) columnAt(left vg.Length, at int) vg.Length {
	x := left
	if t.Bars == "" {
		x += draw.SampleWidth + draw.CellGap
	}
	for _, col := range t.columns[:at] {
		x += col.width + draw.CellGap
	}
	if t.Bars != "" && at >= len(t.Heads) {
		_, to := t.axisAt(left)
		x = to + t.values + draw.CellGap
		for _, col := range t.columns[len(t.Heads):at] {
			x += col.width + draw.CellGap
		}
	}
	return x
}

func (t *table) axisAt(left vg.Length) (from, to vg.Length) {
	from, to = left, left+t.width-t.values
	for i, col := range t.columns {
		if i < len(t.Heads) {
			from += col.width + draw.CellGap
		} else {
			to -= col.width + draw.CellGap
		}
	}
	return from, to
}

func (t *table) paintPart(c draw.Canvas, left vg.Length, first, end int) {
	for i, col := range t.columns {
		top := c.Max.Y - t.head + 3 + vg.Length(len(col.head))*draw.Leading(draw.SmallFont)
		x := t.columnAt(left, i) + col.align*col.width
		draw.WriteLines(c, draw.SmallFont, draw.Subtle, x, top, col.align, col.head)
	}
	bottom := c.Max.Y - t.tops[end-1] - rowHeight
	if t.Bars != "" {
		t.paintAxis(c, left, c.Max.Y-t.head, bottom)
	} else {
		for _, y := range []vg.Length{c.Max.Y - t.head + 1, bottom - 2} {
			c.StrokeLine2(draw.LineStyle{Color: draw.Subtle, Width: 0.5}, left, y, left+t.width, y)
		}
	}
	for i := first; i < end; i++ {
		t.paintRow(c, i, left)
	}
}

// paintAxis draws the axes of the bars. There is no grid: it would run through
// the values.
func (t *table) paintAxis(c draw.Canvas, left, top, bottom vg.Length) {
	from, to := t.axisAt(left)
	style := draw.LineStyle{Color: draw.Black, Width: 0.5}
	for _, tick := range (draw.Ticks{Count: 3}).Ticks(0, t.axis) {
		x := from + vg.Length(tick.Value/t.axis)*(to-from)
		c.StrokeLine2(style, x, bottom-3, x, bottom)
		draw.Write(c, draw.SmallFont, draw.Black, x, bottom-4-0.9*draw.SmallFont.Size, 0.5, tick.Label)
	}
	c.StrokeLine2(style, from, bottom, to, bottom)
	c.StrokeLine2(style, from, bottom, from, top)
	draw.Write(c, draw.LabelFont, draw.Black, (from+to)/2, bottom-axisHeight+3, 0.5, cmp.Or(t.shares, t.Bars))
}

func (t *table) paintRow(c draw.Canvas, at int, left vg.Length) {
	row, top := t.Rows[at], c.Max.Y-t.tops[at]
	line, middle := draw.TextLine(top-rowHeight, top), top-rowHeight/2
	ink, style := color.Color(draw.Black), lookOf(row.Role, row.Hue)
	if row.Hue == envs.WrongModes && t.Bars != "" {
		ink = draw.Subtle
	}
	for i, col := range t.columns {
		x := t.columnAt(left, i) + col.align*col.width
		draw.Write(c, draw.SmallFont, ink, x, line, col.align, draw.Elided(t.cells[at][i], col.width))
	}
	switch {
	case t.Bars == "":
		c.StrokeLine2(draw.LineStyle{Color: style.ink, Width: style.width, Dashes: style.dashes}, left, middle, left+draw.SampleWidth, middle)
	case t.shares == "":
		from, to := t.axisAt(left)
		end := from + t.fraction(row)*(to-from)
		if end-from <= 2 {
			style.width = 0 // a shorter bar would be all edge
		}
		bar := vg.Rectangle{Min: vg.Point{X: from, Y: middle - barWide/2}, Max: vg.Point{X: end, Y: middle + barWide/2}}
		paintArea(c, envs.Shape{}, style, corners(bar))
		draw.Write(c, draw.SmallFont, ink, end+valueSpace, line, 0, t.value(at))
	}
}

func (t *table) fraction(row envs.Row) vg.Length {
	if row.Bare {
		return 0
	}
	return vg.Length(row.Value / t.axis)
}

// value writes the value of a row. A value too small for the decimals is shown as below them.
func (t *table) value(at int) string {
	v := t.Rows[at].Value
	if v == 0 {
		return "0"
	}
	unit := math.Pow(10, -float64(t.decimals))
	if v < unit/2 {
		return "<" + strconv.FormatFloat(unit, 'f', t.decimals, 64)
	}
	return strconv.FormatFloat(v, 'f', t.decimals, 64)
}
