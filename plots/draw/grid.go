package draw

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/internal/each"
)

// A gridShape holds the measures that all panels of a grid share.
type gridShape struct {
	rows, cols Side
	PerLine    int       // panels side by side
	cell       vg.Length // width of a cell
	left       vg.Length // room for row labels
	turned     []bool    // by level of the columns: its labels are upright
	page       vg.Length // the width to fill

	colGaps, rowGaps []int // by position: how many gaps come before it
}

const (
	cellHeight  = vg.Length(16)
	cellPadding = vg.Length(3)  // on either side of a text, at least
	narrowCell  = vg.Length(28) // of a panel that has room
	wideCell    = vg.Length(64)
	colGap      = vg.Length(5) // between groups of columns
	rowGap      = vg.Length(3) // between groups of rows
	ruleRoom    = vg.Length(4) // below the label of a group
	levelGap    = vg.Length(9) // between levels of row labels
	labelGap    = vg.Length(5) // between row labels and cells
)

var (
	groupRule = draw.LineStyle{Color: Subtle, Width: 0.5}
	ruleInset = vg.Length(1.5)
)

// NewGridShape measures the texts of all panels and finds the layout with the fewest
// lines of panels on a page of a width, then the widest cells up to narrowCell.
func NewGridShape(rows, cols Side, maps []HeatMap, page vg.Length) gridShape {
	g := gridShape{rows: rows, cols: cols, page: page, colGaps: cols.gaps(), rowGaps: rows.gaps()}
	g.left = g.labelRoom()
	g.cell = g.numberWidth(maps)
	g.fitLabels()
	panels := vg.Length(len(maps))
	fit := max(1, math.Floor(float64((page-g.left+PanelGap)/(g.data()+PanelGap))))
	lines := math.Ceil(float64(panels) / fit)
	g.PerLine = int(math.Ceil(float64(panels) / lines))
	if spare := (page - g.Width()) / vg.Length(g.PerLine*g.cols.Len()); spare > 0 {
		g.cell = max(g.cell, min(narrowCell, g.cell+spare))
	}
	return g
}

func (g gridShape) labelRoom() vg.Length {
	room := labelGap
	for level := range g.rows.Levels {
		if level > 0 {
			room += levelGap
		}
		room += g.rows.levelWidth(level)
	}
	if g.nested() {
		room = max(room, Widest(g.cols.Levels)+TextWidth(SmallFont, ":")+labelGap)
	}
	return room
}

// numberWidth is the least width of a cell for the numbers in it, and for the
// numbers and titles that share the width of a panel.
func (g gridShape) numberWidth(maps []HeatMap) vg.Length {
	widest, panel := vg.Length(0), vg.Length(0)
	for _, h := range maps {
		cells, wide := h.texts()
		widest = max(widest, Widest(cells))
		panel = max(panel, Widest(wide)+2*cellPadding, min(TextWidth(PanelFont, h.Title()), wideCell))
	}
	return max(widest+2*cellPadding, panel/vg.Length(g.cols.Len()))
}

// fitLabels widens the cells for the column labels. The labels of a level are turned upright if
// they would make wide cells, or a panel wider than the page.
func (g *gridShape) fitLabels() {
	limit := max(g.cell, min(wideCell, (g.page-g.left)/vg.Length(g.cols.Len())))
	for level := range g.cols.Levels {
		need := g.cell
		for _, at := range g.cols.groups(level) {
			need = max(need, (TextWidth(SmallFont, at.text)+2*cellPadding)/vg.Length(at.to-at.from))
		}
		g.turned = append(g.turned, need > limit)
		if need <= limit {
			g.cell = max(g.cell, need)
		}
	}
}

// nested reports whether the columns have several levels. Their names are then at the left; the
// name of a single level is above its labels.
func (g gridShape) nested() bool { return len(g.cols.Levels) > 1 }

// Where columns and rows begin and end, from the corner above the first cell.
func (g gridShape) leftOf(col int) vg.Length {
	return g.cell*vg.Length(col) + colGap*vg.Length(g.colGaps[col])
}

func (g gridShape) rightOf(col int) vg.Length { return g.leftOf(col) + g.cell }

func (g gridShape) topOf(row int) vg.Length {
	return cellHeight*vg.Length(row) + rowGap*vg.Length(g.rowGaps[row])
}

func (g gridShape) bottomOf(row int) vg.Length { return g.topOf(row) + cellHeight }

func (g gridShape) data() vg.Length { return g.rightOf(g.cols.Len() - 1) }

func (g gridShape) body() vg.Length { return g.bottomOf(g.rows.Len() - 1) }

// Width is that of a line of panels with the row labels.
func (g gridShape) Width() vg.Length {
	return g.left + vg.Length(g.PerLine)*(g.data()+PanelGap) - PanelGap
}

// Line draws panels side by side, with the row labels on the left of the first.
func (g gridShape) Line(maps []HeatMap, indent vg.Length) Block {
	titles := make([][]string, len(maps))
	lines := 1
	for i, h := range maps {
		titles[i] = h.Lines(PanelFont, g.data()+PanelGap/2)
		lines = max(lines, len(titles[i]))
	}
	head := g.headHeight()
	height := vg.Length(lines)*Leading(PanelFont) + head + g.body()
	return Block{Height: height, Paint: func(c draw.Canvas) {
		left, top := c.Min.X+indent+g.left, c.Min.Y+g.body()
		g.paintRowLabels(c, left, top)
		g.paintLevelNames(c, left, top)
		for i, h := range maps {
			lead := Leading(PanelFont) * vg.Length(lines-len(titles[i])) // titles end on one line
			WriteLines(c, PanelFont, Black, left+g.data()/2, c.Max.Y-lead, 0.5, titles[i])
			g.paintColLabels(c, left, top)
			h.paint(c, g, left, top)
			left += g.data() + PanelGap
		}
	}}
}

func (g gridShape) headHeight() vg.Length {
	height := g.rowHeadRoom()
	for level := range g.cols.Levels {
		height += g.levelHeight(level)
	}
	if len(g.cols.Levels) == 1 {
		height += Leading(SmallFont)
	}
	return max(height, Leading(SmallFont)) + 3
}

// rowHeadRoom is the height of a line for the names of the row fields. They need a line of
// their own below nested columns, whose names are in their usual place.
func (g gridShape) rowHeadRoom() vg.Length {
	if g.nested() && len(g.rows.Levels) > 0 {
		return Leading(SmallFont)
	}
	return 0
}

func (g gridShape) levelHeight(level int) vg.Length {
	height := Leading(SmallFont)
	if g.turned[level] {
		height = g.cols.labelWidth(level) + 2*cellPadding
	}
	if level < len(g.cols.Levels)-1 {
		height += ruleRoom
	}
	return height
}

func (g gridShape) levelBottom(level int) vg.Length {
	bottom := g.rowHeadRoom() + 3
	for below := level + 1; below < len(g.cols.Levels); below++ {
		bottom += g.levelHeight(below)
	}
	if level < len(g.cols.Levels)-1 {
		bottom += ruleRoom
	}
	return bottom
}

// paintRowLabels writes the row labels left of right, one level beside the other,
// the label of a group in its middle.
func (g gridShape) paintRowLabels(c draw.Canvas, right, top vg.Length) {
	right -= labelGap
	for level := len(g.rows.Levels) - 1; level >= 0; level-- {
		Write(c, SmallFont, Subtle, right, top+3, 1, g.rows.Levels[level])
		for _, at := range g.rows.groups(level) {
			high, low := top-g.topOf(at.from), top-g.bottomOf(at.to-1)
			Write(c, SmallFont, Black, right, TextLine(low, high), 1, at.text)
			if at.to-at.from > 1 {
				x := right + levelGap/2
				c.StrokeLine2(groupRule, x, low+ruleInset, x, high-ruleInset)
			}
		}
		right -= g.rows.levelWidth(level) + levelGap
	}
}

// paintLevelNames writes the names of nested column fields left of their labels. The colon
// distinguishes them from the names of the row fields, which are above theirs.
func (g gridShape) paintLevelNames(c draw.Canvas, right, top vg.Length) {
	if !g.nested() {
		return
	}
	for level, name := range g.cols.Levels {
		Write(c, SmallFont, Subtle, right-labelGap, top+g.levelBottom(level), 1, name+":")
	}
}

// paintColLabels writes the column labels, one level above the other, the label of
// a group over its middle and a rule below it.
func (g gridShape) paintColLabels(c draw.Canvas, left, top vg.Length) {
	for level := range g.cols.Levels {
		bottom := top + g.levelBottom(level)
		for _, at := range g.cols.groups(level) {
			from, to := left+g.leftOf(at.from), left+g.rightOf(at.to-1)
			g.paintColLabel(c, level, at.text, (from+to)/2, bottom)
			if at.to-at.from > 1 {
				y := bottom - ruleRoom + 0.5
				c.StrokeLine2(groupRule, from+ruleInset, y, to-ruleInset, y)
			}
		}
	}
	if len(g.cols.Levels) == 1 {
		Write(c, SmallFont, Subtle, left+g.data()/2, top+g.levelBottom(0)+g.levelHeight(0), 0.5, g.cols.Levels[0])
	}
}

func (g gridShape) paintColLabel(c draw.Canvas, level int, text string, middle, bottom vg.Length) {
	if !g.turned[level] {
		Write(c, SmallFont, Black, middle, bottom, 0.5, text)
		return
	}
	WriteUpright(c, text, middle, bottom)
}

// WriteUpright writes a text from the bottom to the top, in the middle of a column.
func WriteUpright(c draw.Canvas, text string, middle, bottom vg.Length) {
	c.Push()
	c.Translate(vg.Point{X: middle + 0.35*SmallFont.Size, Y: bottom})
	c.Rotate(math.Pi / 2)
	Write(c, SmallFont, Black, 0, 0, 0, text)
	c.Pop()
}

func (s Side) levelWidth(level int) vg.Length {
	return max(s.labelWidth(level), TextWidth(SmallFont, s.Levels[level]))
}

func (s Side) labelWidth(level int) vg.Length {
	return each.Largest(s.Values, func(values []string) vg.Length { return TextWidth(SmallFont, values[level]) })
}

// A Side of a table holds the labels along its rows or its columns.
type Side struct {
	Levels []string   // short names of the fields, the outermost first; none: a single position
	Values [][]string // by position: the value of every field
}

// Len is how many positions there are.
func (s Side) Len() int { return len(s.Values) }

// A group is a run of positions with the same values down to some level.
type group struct {
	from, to int // the last position is to-1
	text     string
}

// groups splits the positions at a level; those of the last level are single.
func (s Side) groups(level int) []group {
	var out []group
	for i, values := range s.Values {
		if i > 0 && level < len(s.Levels)-1 && slices.Equal(values[:level+1], s.Values[i-1][:level+1]) {
			out[len(out)-1].to++
			continue
		}
		out = append(out, group{from: i, to: i + 1, text: values[level]})
	}
	return out
}

// gaps counts the gaps before each position. A gap separates two groups of the
// outermost of several levels, unless both are single positions.
func (s Side) gaps() []int {
	out := make([]int, s.Len())
	if len(s.Levels) < 2 {
		return out
	}
	n, single := 0, true
	for i, g := range s.groups(0) {
		alone := g.to-g.from == 1
		if i > 0 && !(single && alone) {
			n++
		}
		single = alone
		for position := g.from; position < g.to; position++ {
			out[position] = n
		}
	}
	return out
}
