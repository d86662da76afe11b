package problem

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// A barTable is a table with a bar at the end of every row: texts, bar, value,
// and how many answers fell on the row.
type barTable struct {
	heads    []string // of the columns of text
	rows     []barRow
	answered bool   // show the counts
	shares   string // what the bars are, up to 1, which others draw; "": base probabilities
}

// A barRow is a line of a barTable.
type barRow struct {
	texts  []string
	value  float64
	count  int
	fill   color.NRGBA
	strong bool // dark text, and a bar with an edge, so that grey prints tell
	first  bool // begins a group: a little space above
	bare   bool // no bar, and no say in how long the axis is
}

const (
	barLine    = vg.Length(11) // height of a row
	barHeight  = vg.Length(7)
	barGap     = vg.Length(4)  // above a group
	barLeast   = vg.Length(60) // least length of the bars' axis
	valueGap   = vg.Length(3)  // between a bar and its value
	axisRoom   = vg.Length(27) // ticks, their labels, the axis's name
	oneTable   = 32            // rows from which two tables stand side by side
	tablesGap  = vg.Length(18)
	widestCell = 2 * vg.Inch
	widestHead = vg.Length(34) // of several words; one word is not cut
)

// barEdge runs around the bars of strong rows, as rewardLine does in a river.
var barEdge = draw.LineStyle{Color: draw.Black, Width: 0.6}

// A barShape is what the parts of one barTable share.
type barShape struct {
	heads    [][]string  // of the columns, broken into lines
	columns  []vg.Length // widths of the columns of text
	axis     float64     // value at the end of the bars' axis
	decimals int
	values   vg.Length // room behind the axis, for values and the last tick's label
	counts   vg.Length // width of the column of counts, 0 without one
	width    vg.Length // of a part
	shares   string
}

// block draws the table: a long one in two parts side by side where they fit on a page, cut
// between groups.
func (t barTable) block() (b draw.Block, width vg.Length) {
	s := t.shape()
	cut := len(t.rows)
	if len(t.rows) > oneTable && 2*s.width+tablesGap <= draw.PageWidth {
		cut = t.middle()
	}
	left, right := t.rows[:cut], t.rows[cut:]
	height := s.headHeight() + max(rowsHeight(left), rowsHeight(right)) + axisRoom
	width = s.width
	if len(right) > 0 {
		width = 2*s.width + tablesGap
	}
	return draw.Block{Height: height, Paint: func(c draw.Canvas) {
		s.paint(c, left, c.Min.X)
		if len(right) > 0 {
			s.paint(c, right, c.Min.X+s.width+tablesGap)
			x := c.Min.X + s.width + tablesGap/2
			c.StrokeLine2(draw.LineStyle{Color: draw.Faint, Width: 0.8}, x, c.Max.Y-height+axisRoom, x, c.Max.Y)
		}
	}}, width
}

// middle is the beginning of a group that is nearest to half of the rows, or
// half of the rows when there is one group alone.
func (t barTable) middle() int {
	half := (len(t.rows) + 1) / 2
	best := half
	found := false
	for i := 1; i < len(t.rows); i++ {
		nearer := math.Abs(float64(i-half)) < math.Abs(float64(best-half))
		if t.rows[i].first && (!found || nearer) {
			best, found = i, true
		}
	}
	return best
}

func (t barTable) shape() barShape {
	s := barShape{shares: t.shares}
	heads := t.heads
	if t.answered {
		heads = append(slices.Clone(heads), "times given")
	}
	for _, head := range heads {
		s.heads = append(s.heads, draw.Wrap(draw.SmallFont, head, widestHead))
	}
	used := vg.Length(0)
	for i := range t.heads {
		w := draw.Widest(s.heads[i])
		for _, row := range t.rows {
			w = max(w, min(draw.TextWidth(draw.SmallFont, row.texts[i]), widestCell))
		}
		s.columns = append(s.columns, w)
		used += w + draw.CellGap
	}
	s.scale(t.rows)
	s.values = 10
	for _, row := range t.rows {
		if s.shares == "" { // the text of a short bar lies within the axis
			within := barLeast * (1 - s.fraction(row))
			s.values = max(s.values, valueGap+draw.TextWidth(draw.SmallFont, s.text(row.value))-within)
		}
		s.counts = max(s.counts, countMark+draw.TextWidth(draw.SmallFont, strconv.Itoa(row.count)))
	}
	if t.answered {
		s.counts = max(s.counts, draw.Widest(s.heads[len(t.heads)])) + draw.CellGap
	} else {
		s.counts = 0
	}
	used += s.values + s.counts
	s.width = max(draw.ColumnWidth, used+barLeast)
	return s
}

// scale finds where the axis of the bars ends, and how many decimals show the
// least value with two digits.
func (s *barShape) scale(rows []barRow) {
	const most = 5 // decimals
	least := 1.0
	for _, row := range rows {
		if !row.bare {
			s.axis = max(s.axis, row.value)
		}
		if row.value >= math.Pow(10, -most) {
			least = min(least, row.value)
		}
	}
	if s.axis == 0 || s.shares != "" {
		s.axis = 1
	}
	step := draw.NiceStep(s.axis / 3)
	s.axis = math.Ceil(s.axis/step-1e-9) * step
	s.decimals = min(max(1+int(math.Ceil(-math.Log10(least))), 3), most)
}

// fraction is how far along the axis the bar of a row reaches.
func (s barShape) fraction(row barRow) vg.Length {
	if row.bare {
		return 0
	}
	return vg.Length(row.value / s.axis)
}

// text writes a value; one too small for the decimals is said to be so.
func (s barShape) text(v float64) string {
	if v == 0 {
		return "0"
	}
	unit := math.Pow(10, -float64(s.decimals))
	if v < unit/2 {
		return "<" + strconv.FormatFloat(unit, 'f', s.decimals, 64)
	}
	return strconv.FormatFloat(v, 'f', s.decimals, 64)
}

func (s barShape) headHeight() vg.Length {
	most := 0
	for _, lines := range s.heads {
		most = max(most, len(lines))
	}
	return vg.Length(most)*draw.Leading(draw.SmallFont) + 3
}

func rowsHeight(rows []barRow) vg.Length {
	height := vg.Length(0)
	for i, row := range rows {
		height += barLine
		if i > 0 && row.first {
			height += barGap
		}
	}
	return height
}

// paint draws rows with their heads and axis, the left edge at left.
func (s barShape) paint(c draw.Canvas, rows []barRow, left vg.Length) {
	top := c.Max.Y - s.headHeight()
	head := func(x, align vg.Length, lines []string) {
		draw.WriteLines(c, draw.SmallFont, draw.Subtle, x, top+3+vg.Length(len(lines))*draw.Leading(draw.SmallFont), align, lines)
	}
	x := left
	for i, w := range s.columns {
		head(x, 0, s.heads[i])
		x += w + draw.CellGap
	}
	from, to := s.axisAt(left)
	if s.counts > 0 {
		head(left+s.width, 1, s.heads[len(s.columns)])
	}
	s.paintAxis(c, from, to, top, top-rowsHeight(rows))
	for i, row := range rows {
		if i > 0 && row.first {
			top -= barGap
		}
		s.paintRow(c, row, left, to, top)
		top -= barLine
	}
}

// axisAt is where the axis of a part begins and ends whose left edge is at left.
func (s barShape) axisAt(left vg.Length) (from, to vg.Length) {
	from = left
	for _, w := range s.columns {
		from += w + draw.CellGap
	}
	return from, left + s.width - s.counts - s.values
}

// paintAxis draws the axes of the bars. There is no grid: it would run through
// the values, and they say more.
func (s barShape) paintAxis(c draw.Canvas, left, right, top, bottom vg.Length) {
	style := draw.LineStyle{Color: draw.Black, Width: 0.5}
	for _, tick := range (draw.Ticks{Count: 3}).Ticks(0, s.axis) {
		x := left + vg.Length(tick.Value/s.axis)*(right-left)
		c.StrokeLine2(style, x, bottom-3, x, bottom)
		draw.Write(c, draw.SmallFont, draw.Black, x, bottom-4-0.9*draw.SmallFont.Size, 0.5, tick.Label)
	}
	c.StrokeLine2(style, left, bottom, right, bottom)
	c.StrokeLine2(style, left, bottom, left, top)
	draw.Write(c, draw.LabelFont, draw.Black, (left+right)/2, bottom-axisRoom+3, 0.5, cmp.Or(s.shares, "base probability"))
}

// paintRow draws one row below top; its bar's axis ends at right.
func (s barShape) paintRow(c draw.Canvas, row barRow, left, right, top vg.Length) {
	line := draw.TextLine(top-barLine, top)
	ink := draw.Subtle
	if row.strong {
		ink = draw.Black
	}
	x := left
	for i, w := range s.columns {
		draw.Write(c, draw.SmallFont, ink, x, line, 0, draw.Elided(row.texts[i], w))
		x += w + draw.CellGap
	}
	if s.shares != "" {
		return
	}
	mid := top - barLine/2
	end := x + s.fraction(row)*(right-x)
	paintBar(c, x, end, mid, row.fill, row.strong)
	draw.Write(c, draw.SmallFont, ink, end+valueGap, line, 0, s.text(row.value))
	if s.counts > 0 && row.count > 0 {
		paintCount(c, left+s.width, mid, line, row.count)
	}
}

func paintBar(c draw.Canvas, left, right, mid vg.Length, fill color.NRGBA, strong bool) {
	bar := vg.Rectangle{Min: vg.Point{X: left, Y: mid - barHeight/2}, Max: vg.Point{X: right, Y: mid + barHeight/2}}
	c.SetColor(fill)
	c.Fill(bar.Path())
	if strong && right-left > 2 { // a shorter bar would be all edge
		c.SetLineStyle(barEdge)
		c.Stroke(bar.Path())
	}
}

// paintCount writes how many answers a row got, behind a mark, up to right.
func paintCount(c draw.Canvas, right, mid, line vg.Length, count int) {
	text := strconv.Itoa(count)
	draw.Write(c, draw.SmallFont, draw.Black, right, line, 1, text)
	paintMark(c, vg.Point{X: right - draw.TextWidth(draw.SmallFont, text) - countMark/2, Y: mid})
}

func paintMark(c draw.Canvas, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: draw.Black, Radius: 2.6, Shape: draw.Corners{N: 3, Turn: math.Pi}}, at)
}

// barEntry explains the colour of a bar.
func barEntry(text string, fill color.NRGBA, strong bool) draw.Entry {
	return draw.Entry{Text: text, Paint: func(c draw.Canvas) {
		paintBar(c, c.Min.X, c.Max.X, c.Center().Y, fill, strong)
	}}
}

// countEntry explains the mark of the answers.
func countEntry(text string) draw.Entry {
	return draw.Entry{Text: text, Paint: func(c draw.Canvas) {
		paintMark(c, c.Center())
	}}
}

// countWidth is the room that a count takes with its mark.
func countWidth(count int) vg.Length {
	return countMark + draw.TextWidth(draw.SmallFont, strconv.Itoa(count))
}
