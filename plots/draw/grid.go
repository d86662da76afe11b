package draw

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A gridShape holds the measures that all panels of a grid share.
type gridShape struct {
	rows, cols Side
	PerLine    int       // panels side by side
	cell       vg.Length // width of a cell
	left       vg.Length // room for row labels
	turned     []bool    // by level of the columns: its labels are upright

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
// lines of panels, then the widest cells up to narrowCell.
func NewGridShape(rows, cols Side, maps []HeatMap) gridShape {
	g := gridShape{rows: rows, cols: cols, colGaps: cols.gaps(), rowGaps: rows.gaps()}
	g.left = g.labelRoom()
	g.cell = g.numberWidth(maps)
	g.fitLabels()
	panels := vg.Length(len(maps))
	fit := max(1, math.Floor(float64((PageWidth-g.left+PanelGap)/(g.data()+PanelGap))))
	lines := math.Ceil(float64(panels) / fit)
	g.PerLine = int(math.Ceil(float64(panels) / lines))
	if spare := (PageWidth - g.Width()) / vg.Length(g.PerLine*g.cols.Len()); spare > 0 {
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
	limit := max(g.cell, min(wideCell, (PageWidth-g.left)/vg.Length(g.cols.Len())))
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
