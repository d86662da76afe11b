package problem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// marks explains the marks of the answers.
func (t *productTask) marks() []draw.Entry {
	var right, wrong bool
	for _, f := range t.families {
		right, wrong = right || f.right > 0, wrong || f.wrong > 0
	}
	var out []draw.Entry
	if right {
		out = append(out, countEntry("times given"))
	}
	if wrong {
		out = append(out, wrongEntry("with a wrong product"))
	}
	return out
}

// A familyTable has a row for each kind of the first operand and a column for
// each of the second, and in every cell an area model with the number of its
// variants.
type familyTable struct {
	task     *productTask
	answered bool // a line for the answers in each cell
}

// Sizes of a table of families.
const (
	areaDown   = vg.Length(27) // length of the first operand
	areaAcross = vg.Length(26) // least length of the second
	areaMost   = vg.Length(40) // its greatest length
	areaTaken  = vg.Length(8)  // greatest length of what is taken away
	areaLeast  = vg.Length(4)  // of a piece
	tableGap   = vg.Length(6)  // between cells
)

func (t *productTask) table(answered bool) familyTable { return familyTable{t, answered} }

// smallSide divides the side of a cell into the operand's terms.
func smallSide(cut operandCut, length vg.Length) cutSide {
	most := float64(slices.Max(cut.terms))
	return cut.cut(sideScale{
		length: length,
		least:  func(int) vg.Length { return areaLeast },
		taken: func(i int) vg.Length {
			share := math.Sqrt(float64(-cut.terms[i]) / most)
			return (areaTaken/2 + areaTaken/2*vg.Length(min(share, 1))) / vg.Length(cut.takenTerms())
		},
	})
}

// head is what stands at the head of a row or column under the kind's name: the
// expression, broken before its signs.
func (k operandKind) head(width vg.Length) []string {
	if k.name == "plain" || len(k.cut.terms) == 1 {
		return []string{k.cut.text()}
	}
	return wrapWords(k.cut.words(), width)
}

// wrapWords joins words to lines no wider than width; a word that is wider has a
// line of its own.
func wrapWords(words []string, width vg.Length) []string {
	lines := []string{words[0]}
	for _, w := range words[1:] {
		last := &lines[len(lines)-1]
		if draw.TextWidth(draw.SmallFont, *last+w) <= width {
			*last += w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}

// rowHeads is the width of the column of row heads.
func (t familyTable) rowHeads() vg.Length {
	wide := vg.Length(0)
	for _, k := range t.task.kinds[0] {
		wide = max(wide, draw.TextWidth(draw.PanelFont, k.name), draw.Widest(k.head(areaMost)))
	}
	return wide
}

// cell is the least width of a column.
func (t familyTable) cell() vg.Length {
	wide := areaAcross + areaTaken
	for _, k := range t.task.kinds[1] {
		wide = max(wide, draw.TextWidth(draw.PanelFont, k.name), draw.Widest(k.head(areaMost)))
	}
	for _, f := range t.task.families {
		wide = max(wide, draw.TextWidth(draw.SmallFont, f.variants()), f.marksWidth())
	}
	return wide
}

// width is the least width of the table.
func (t familyTable) width() vg.Length {
	return t.rowHeads() + vg.Length(len(t.task.kinds[1]))*(t.cell()+tableGap)
}

// variants writes how many variants the family has, short from a million on.
func (f productFamily) variants() string {
	switch {
	case f.Variants == nil:
		return ">9e18" // not even an int64 holds it
	case *f.Variants < 1e6:
		return strconv.FormatInt(*f.Variants, 10)
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(float64(*f.Variants), 'e', 1, 64), "e+")
	return mantissa + "e" + strings.TrimPrefix(power, "0")
}

// A tableLayout says where the parts of a table stand: the tops of its rows, from
// the table's top, and the width of its columns.
type tableLayout struct {
	heads, column, height vg.Length
	rows                  []vg.Length
}

func (t familyTable) layout(width vg.Length) tableLayout {
	l := tableLayout{heads: t.rowHeads()}
	l.column = (width - l.heads) / vg.Length(len(t.task.kinds[1]))
	lines := 0
	for _, k := range t.task.kinds[1] {
		lines = max(lines, len(k.head(l.column-tableGap)))
	}
	l.height = draw.Leading(draw.PanelFont) + vg.Length(lines)*draw.Leading(draw.SmallFont) + 4
	for _, k := range t.task.kinds[0] {
		l.rows = append(l.rows, l.height)
		text := draw.Leading(draw.PanelFont) + vg.Length(len(k.head(areaMost)))*draw.Leading(draw.SmallFont)
		l.height += max(t.below(k)+draw.Leading(draw.SmallFont)+t.marksLine(), text) + tableGap
	}
	l.height -= tableGap
	return l
}

// below is how far below the top of a row the numbers stand.
func (t familyTable) below(k operandKind) vg.Length {
	return smallSide(k.cut, areaDown).reach() + 1
}

// marksLine is the height of the line for the answers.
func (t familyTable) marksLine() vg.Length {
	if t.answered {
		return draw.Leading(draw.SmallFont)
	}
	return 0
}

// block draws the table.
func (t familyTable) block(width vg.Length) draw.Block {
	l := t.layout(width)
	return draw.Block{Height: l.height, Paint: func(c draw.Canvas) {
		for j, k := range t.task.kinds[1] {
			middle := c.Min.X + l.heads + tableGap + l.column*vg.Length(j) + (l.column-tableGap)/2
			draw.Write(c, draw.PanelFont, draw.Black, middle, c.Max.Y-draw.PanelFont.Size, 0.5, k.name)
			draw.WriteLines(c, draw.SmallFont, draw.Subtle, middle, c.Max.Y-draw.Leading(draw.PanelFont), 0.5, k.head(l.column-tableGap))
		}
		for i, k := range t.task.kinds[0] {
			y := c.Max.Y - l.rows[i]
			text := k.head(areaMost)
			y -= max(0, (areaDown-draw.Leading(draw.PanelFont)-vg.Length(len(text))*draw.Leading(draw.SmallFont))/2)
			draw.Write(c, draw.PanelFont, draw.Black, c.Min.X+l.heads, y-draw.PanelFont.Size, 1, k.name)
			draw.WriteLines(c, draw.SmallFont, draw.Subtle, c.Min.X+l.heads, y-draw.Leading(draw.PanelFont), 1, text)
		}
		t.paintCells(c, l)
	}}
}

// corner is the upper left corner of a cell on the table's block.
func (l tableLayout) corner(block vg.Rectangle, row, column int) vg.Point {
	return vg.Point{X: block.Min.X + l.heads + tableGap + l.column*vg.Length(column), Y: block.Max.Y - l.rows[row]}
}

// paintCells draws the families in their cells, and a dash where there is none.
func (t familyTable) paintCells(c draw.Canvas, l tableLayout) {
	of := map[[2]int]productFamily{}
	for _, f := range t.task.families {
		of[f.cell] = f
	}
	for i := range t.task.kinds[0] {
		for j := range t.task.kinds[1] {
			corner := l.corner(c.Rectangle, i, j)
			if f, found := of[[2]int{i, j}]; found {
				t.paintCell(c, f, corner, l.column-tableGap)
			} else {
				draw.Write(c, draw.SmallFont, draw.Subtle, corner.X+(l.column-tableGap)/2, corner.Y-areaDown/2-0.35*draw.SmallFont.Size, 0.5, "–")
			}
		}
	}
}

// paintCell draws a family in the cell with that upper left corner.
func (t familyTable) paintCell(c draw.Canvas, f productFamily, corner vg.Point, width vg.Length) {
	length := min(width-areaTaken, areaMost)
	down, across := t.task.kinds[0][f.cell[0]], t.task.kinds[1][f.cell[1]]
	a := area{down: smallSide(down.cut, areaDown), across: smallSide(across.cut, length)}
	a.corner = vg.Point{X: corner.X + (width-length)/2, Y: corner.Y}
	if over := a.corner.X + a.across.reach() - corner.X - width; over > 0 {
		a.corner.X -= over // stay off the neighbour
	}
	a.paint(c)
	line := corner.Y - t.below(down) - draw.SmallFont.Size
	draw.Write(c, draw.SmallFont, draw.Black, corner.X+width/2, line, 0.5, f.variants())
	f.paintMarks(c, corner.X+width/2, line-draw.Leading(draw.SmallFont))
}

// marksGap is the room between two counts of answers.
const marksGap = vg.Length(4)

// marksWidth is the room that the counts of answers take.
func (f productFamily) marksWidth() vg.Length {
	wide := vg.Length(0)
	for _, n := range [2]int{f.right, f.wrong} {
		if n > 0 {
			if wide > 0 {
				wide += marksGap
			}
			wide += countWidth(n)
		}
	}
	return wide
}

// paintMarks writes how often the family was given, with the right product and
// with wrong ones.
func (f productFamily) paintMarks(c draw.Canvas, middle, line vg.Length) {
	x, y := middle-f.marksWidth()/2, line+0.35*draw.SmallFont.Size
	if f.right > 0 {
		x += countWidth(f.right)
		paintCount(c, x, y, line, f.right)
		x += marksGap
	}
	if f.wrong > 0 {
		paintCross(c, draw.Red, vg.Point{X: x + countMark/2 - 1, Y: y})
		draw.Write(c, draw.SmallFont, draw.Black, x+countMark, line, 0, strconv.Itoa(f.wrong))
	}
}

// wrongEntry explains the mark of wrong answers.
func wrongEntry(text string) draw.Entry {
	return draw.Entry{Text: text, Paint: func(c draw.Canvas) { paintCross(c, draw.Red, c.Center()) }}
}

// note explains the table.
func (t *productTask) note() string {
	note := fmt.Sprintf("Rows: how %d is written; columns: how %d is. Numbers: decompositions in the family. Hatched: taken away. Apart: equal parts. Not to scale.", t.operands[0], t.operands[1])
	if t.operands[0] == t.operands[1] {
		note = draw.Sentences(note, "Both orders are one family.") // why half the table is empty
	}
	return note
}
