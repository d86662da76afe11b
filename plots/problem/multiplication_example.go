package problem

import (
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// A workedExample is one family's example, drawn large with all its numbers, and
// its text beside it.
type workedExample struct {
	family productFamily
	cuts   [2]operandCut
	area   area
	left   vg.Length // room for the numbers of the first operand
	steps  []string  // of the text, one for each sign of equality
}

// Sizes of the example.
const (
	exampleDown   = vg.Length(46)
	exampleAcross = vg.Length(74)
	exampleTaken  = vg.Length(13) // of a piece that is taken away, downwards
	exampleLeast  = vg.Length(11)
	braceRoom     = vg.Length(4) // between the rectangle and the numbers at its sides
	stepsGap      = vg.Length(12)
)

// example chooses the family to draw large: one that adds for one operand and
// takes away for the other, as the paper's does, or else the first.
func (t *productTask) example() *workedExample {
	best := t.families[0]
	found := false
	for _, f := range t.families {
		down, across := t.kinds[0][f.cell[0]].cut, t.kinds[1][f.cell[1]].cut
		several := len(down.terms) > 1 && len(across.terms) > 1 && !down.factors && !across.factors
		if several && down.takenTerms() == 0 && across.takenTerms() > 0 && !found {
			best, found = f, true
		}
	}
	e := &workedExample{family: best, cuts: [2]operandCut{t.kinds[0][best.cell[0]].cut, t.kinds[1][best.cell[1]].cut}}
	steps := strings.Split(best.Answer, "=")
	for i, s := range steps {
		s = strings.Join(strings.Fields(s), "")
		if i > 0 {
			s = "= " + s
		}
		e.steps = append(e.steps, s)
	}
	e.layOut()
	return e
}

// layOut gives the pieces the room that their numbers need.
func (e *workedExample) layOut() {
	down, across := e.cuts[0], e.cuts[1]
	taken := exampleTaken
	least := func(j int) vg.Length { // of a column: its partial products
		wide := vg.Length(0)
		for _, x := range down.values() {
			wide = max(wide, draw.TextWidth(draw.SmallFont, signed(x*across.values()[min(j, len(across.values())-1)])))
		}
		return wide + 5
	}
	for j, x := range across.values() {
		if x < 0 {
			taken = max(taken, least(j))
		}
	}
	always := func(size vg.Length) func(int) vg.Length { return func(int) vg.Length { return size } }
	e.area.down = down.cut(sideScale{length: exampleDown, least: always(exampleLeast), taken: always(exampleTaken)})
	length := vg.Length(0)
	for j, x := range across.values() {
		if x > 0 {
			length += vg.Length(1.2 * least(j))
		}
	}
	e.area.across = across.cut(sideScale{length: max(length, exampleAcross), least: least, taken: always(taken)})
	for _, x := range down.values() {
		e.left = max(e.left, draw.TextWidth(draw.SmallFont, signed(x)))
	}
	e.left += 2 * braceRoom
}

// values are the terms that have a product each; of factors that is their product
// alone.
func (c operandCut) values() []int64 {
	if c.factors {
		return []int64{c.value()}
	}
	return c.terms
}

// signed writes a number with a true minus sign.
func signed(x int64) string {
	if x < 0 {
		return minusSign + strconv.FormatInt(-x, 10)
	}
	return strconv.FormatInt(x, 10)
}

// right is the room for the numbers of what is taken from the first operand.
func (e *workedExample) right() vg.Length {
	if len(e.area.down.taken) == 0 {
		return 0
	}
	return e.left
}

// drawn is the width of the drawing.
func (e *workedExample) drawn() vg.Length { return e.left + e.area.across.reach() + e.right() }

// stepsLeast is the least width of the text.
const stepsLeast = vg.Length(88)

// width is the least width of the block.
func (e *workedExample) width() vg.Length { return e.drawn() + stepsGap + stepsLeast }

// A stepLine is a line of the text; lines that go on are indented.
type stepLine struct {
	text   string
	indent vg.Length
}

// lines breaks the text before its signs.
func (e *workedExample) lines(width vg.Length) []stepLine {
	const indent = vg.Length(7)
	var out []stepLine
	for _, s := range e.steps {
		for i, text := range wrapWords(signWords(s), width-indent) {
			line := stepLine{text: text}
			if i > 0 {
				line.indent = indent
			}
			out = append(out, line)
		}
	}
	return out
}

// signWords cuts a text before each plus or minus sign.
func signWords(s string) []string {
	var out []string
	start := 0
	for i := range s {
		if i > start && (s[i] == '+' || s[i] == '-') {
			out = append(out, s[start:i])
			start = i
		}
	}
	return append(out, s[start:])
}

// block draws the example: the rectangle at the left, the text at the right.
func (e *workedExample) block(width vg.Length) draw.Block {
	text := e.lines(width - e.drawn() - stepsGap)
	above, below := draw.Leading(draw.SmallFont)+braceRoom, vg.Length(0)
	if len(e.area.across.taken) > 0 {
		below = draw.Leading(draw.SmallFont) + braceRoom
	}
	drawn := above + e.area.down.reach() + below
	textHeight := draw.Leading(draw.PanelFont) + 2 + vg.Length(len(text))*draw.Leading(draw.SmallFont)
	height := max(drawn, textHeight)
	return draw.Block{Height: height, Paint: func(c draw.Canvas) {
		a := e.area
		a.corner = vg.Point{X: c.Min.X + e.left, Y: c.Max.Y - above - (height-drawn)/2}
		a.paint(c)
		e.paintSides(c, a)
		e.paintProducts(c, a)
		x, y := c.Min.X+e.drawn()+stepsGap, c.Max.Y-(height-textHeight)/2
		draw.Write(c, draw.PanelFont, draw.Black, x, y-draw.PanelFont.Size, 0, e.family.Mode)
		y -= draw.Leading(draw.PanelFont) + 2
		for i, line := range text {
			draw.Write(c, draw.SmallFont, draw.Black, x+line.indent, y-0.9*draw.SmallFont.Size-vg.Length(i)*draw.Leading(draw.SmallFont), 0, line.text)
		}
	}}
}

// braceLine marks how far a number reaches along a side.
var braceLine = draw.LineStyle{Color: draw.Subtle, Width: 0.5}

// paintSides writes the terms along the sides: what is added above and at the
// left, what is taken away below and at the right.
func (e *workedExample) paintSides(c draw.Canvas, a area) {
	const tick = vg.Length(1.5)
	level := func(y vg.Length, p piece, label vg.Length, x int64) {
		from, to := a.corner.X+p.from+0.6, a.corner.X+p.to-0.6
		c.StrokeLine2(braceLine, from, y, to, y)
		c.StrokeLine2(braceLine, from, y-tick, from, y+tick)
		c.StrokeLine2(braceLine, to, y-tick, to, y+tick)
		draw.Write(c, draw.SmallFont, draw.Black, (from+to)/2, label, 0.5, signed(x))
	}
	upright := func(x vg.Length, p piece, label, align vg.Length, v int64) {
		from, to := a.corner.Y-p.from-0.6, a.corner.Y-p.to+0.6
		c.StrokeLine2(braceLine, x, from, x, to)
		c.StrokeLine2(braceLine, x-tick, from, x+tick, from)
		c.StrokeLine2(braceLine, x-tick, to, x+tick, to)
		draw.Write(c, draw.SmallFont, draw.Black, label, (from+to)/2-0.35*draw.SmallFont.Size, align, signed(v))
	}
	top, bottom := a.corner.Y+braceRoom, a.corner.Y-a.down.reach()-braceRoom
	left, right := a.corner.X-braceRoom, a.corner.X+a.across.reach()+braceRoom
	for _, p := range addedPieces(a.across, e.cuts[1]) {
		level(top, p, top+2.5, p.value)
	}
	for _, p := range a.across.taken {
		level(bottom, p, bottom-1.5-draw.SmallFont.Size*0.8, p.value)
	}
	for _, p := range addedPieces(a.down, e.cuts[0]) {
		upright(left, p, left-3, 1, p.value)
	}
	for _, p := range a.down.taken {
		upright(right, p, right+3, 0, p.value)
	}
}

// addedPieces are the pieces that are added, or the whole side where they are
// factors.
func addedPieces(s cutSide, cut operandCut) []piece {
	if cut.factors {
		return []piece{{to: s.length, value: cut.value()}}
	}
	return s.added
}

// paintProducts writes the partial products into the tiles, where they can be
// seen: a tile may lie below what is taken away.
func (e *workedExample) paintProducts(c draw.Canvas, a area) {
	downs := append(addedPieces(a.down, e.cuts[0]), a.down.taken...)
	acrosses := append(addedPieces(a.across, e.cuts[1]), a.across.taken...)
	seen := func(p piece, s cutSide) piece {
		if p.value > 0 {
			p.to = min(p.to, s.length)
		}
		return p
	}
	for _, d := range downs {
		for _, x := range acrosses {
			box := a.box(seen(d, a.down), seen(x, a.across))
			text := signed(d.value * x.value)
			at := box.Min.Add(box.Max).Scale(0.5)
			taken := d.value < 0 || x.value < 0
			if taken || a.down.equal || a.across.equal { // lines run through it
				c.SetColor(areaFills[0])
				if taken {
					c.SetColor(takenFill)
				}
				c.Fill(around(at, vg.Point{X: draw.TextWidth(draw.SmallFont, text)/2 + 0.8, Y: 0.42 * draw.SmallFont.Size}).Path())
			}
			draw.Write(c, draw.SmallFont, draw.Black, at.X, at.Y-0.35*draw.SmallFont.Size, 0.5, text)
		}
	}
}
