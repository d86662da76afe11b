package draw

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
