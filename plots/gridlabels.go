package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// headHeight is the room between the titles of the panels and their cells.
func (g gridShape) headHeight() vg.Length {
	height := g.rowHeadRoom()
	for level := range g.cols.levels {
		height += g.levelHeight(level)
	}
	if len(g.cols.levels) == 1 {
		height += leading(smallFont)
	}
	return max(height, leading(smallFont)) + 3
}

// rowHeadRoom is the line that the names of the row fields take for themselves:
// below nested columns, whose names are in their way.
func (g gridShape) rowHeadRoom() vg.Length {
	if g.nested() && len(g.rows.levels) > 0 {
		return leading(smallFont)
	}
	return 0
}

// levelHeight is the height of a level of column labels, with the rule below it.
func (g gridShape) levelHeight(level int) vg.Length {
	height := leading(smallFont)
	if g.turned[level] {
		height = g.cols.labelWidth(level) + 2*cellPadding
	}
	if level < len(g.cols.levels)-1 {
		height += ruleRoom
	}
	return height
}

// levelBottom is how far above the cells a level of column labels stands.
func (g gridShape) levelBottom(level int) vg.Length {
	bottom := g.rowHeadRoom() + 3
	for below := level + 1; below < len(g.cols.levels); below++ {
		bottom += g.levelHeight(below)
	}
	if level < len(g.cols.levels)-1 {
		bottom += ruleRoom
	}
	return bottom
}

// paintRowLabels writes the row labels left of right, a level beside the other,
// the label of a group in its middle.
func (g gridShape) paintRowLabels(c draw.Canvas, right, top vg.Length) {
	right -= labelGap
	for level := len(g.rows.levels) - 1; level >= 0; level-- {
		write(c, smallFont, subtle, right, top+3, 1, g.rows.levels[level])
		for _, at := range g.rows.groups(level) {
			high, low := top-g.topOf(at.from), top-g.bottomOf(at.to-1)
			write(c, smallFont, black, right, textLine(low, high), 1, at.text)
			if at.to-at.from > 1 {
				x := right + levelGap/2
				c.StrokeLine2(groupRule, x, low+ruleInset, x, high-ruleInset)
			}
		}
		right -= g.rows.levelWidth(level) + levelGap
	}
}

// paintLevelNames writes the names of nested column fields left of their labels.
// The colon tells them from the names of the row fields, which stand above theirs.
func (g gridShape) paintLevelNames(c draw.Canvas, right, top vg.Length) {
	if !g.nested() {
		return
	}
	for level, name := range g.cols.levels {
		write(c, smallFont, subtle, right-labelGap, top+g.levelBottom(level), 1, name+":")
	}
}

// paintColLabels writes the column labels, a level above the other, the label of
// a group over its middle and a rule below it.
func (g gridShape) paintColLabels(c draw.Canvas, left, top vg.Length) {
	for level := range g.cols.levels {
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
	if len(g.cols.levels) == 1 {
		write(c, smallFont, subtle, left+g.data()/2, top+g.levelBottom(0)+g.levelHeight(0), 0.5, g.cols.levels[0])
	}
}

func (g gridShape) paintColLabel(c draw.Canvas, level int, text string, middle, bottom vg.Length) {
	if !g.turned[level] {
		write(c, smallFont, black, middle, bottom, 0.5, text)
		return
	}
	c.Push()
	c.Translate(vg.Point{X: middle + 0.35*smallFont.Size, Y: bottom})
	c.Rotate(math.Pi / 2)
	write(c, smallFont, black, 0, 0, 0, text)
	c.Pop()
}
