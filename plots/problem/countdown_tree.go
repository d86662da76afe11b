package problem

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/internal/arith"
	"modebench/plots/draw"
)

// An exprTree is an expression up to the grouping of its operators: sums and
// products have any number of operands. a+b-c is one sum, and so is a-(c-b).
type exprTree struct {
	text  string // of a number
	value int64
	signs []string // of an operation: one before each operand but the first
	parts []*exprTree

	at vg.Point // middle, from the upper left corner of the tree, y upwards
}

// The signs in a tree.
const (
	plusSign  = "+"
	minusSign = "−"
	timesSign = "×"
	overSign  = "÷"
)

// maxTreeNumbers is how many numbers a tree that can be drawn holds.
const maxTreeNumbers = 16

// treeOf makes a tree of an expression's nodes.
func treeOf(nodes []arith.Node) (*exprTree, error) {
	numbers := 0
	for _, n := range nodes {
		if n.Op == arith.Number {
			numbers++
		}
	}
	if numbers > maxTreeNumbers {
		return nil, fmt.Errorf("the expression has %d numbers, and a tree of at most %d can be drawn", numbers, maxTreeNumbers)
	}
	return subtree(nodes, int32(len(nodes)-1)), nil
}

// subtree makes a tree of node i and what lies below it.
func subtree(nodes []arith.Node, i int32) *exprTree {
	n := nodes[i]
	switch n.Op {
	case arith.Number:
		return &exprTree{text: strconv.FormatInt(n.Value, 10), value: n.Value}
	case arith.Neg:
		return &exprTree{signs: []string{minusSign}, parts: []*exprTree{subtree(nodes, n.Left)}}
	case arith.Mul, arith.Div:
		return joined(operands(nil, nodes, i, false, arith.Mul, arith.Div), timesSign, overSign)
	}
	return joined(operands(nil, nodes, i, false, arith.Add, arith.Sub), plusSign, minusSign)
}

// An operand of a sum or product; an inverse one is subtracted or divided by.
type operand struct {
	tree    *exprTree
	inverse bool
}

// operands appends the operands of the sum or product at node i. What stands below
// it and has the same rank has its operands in the same list.
func operands(dst []operand, nodes []arith.Node, i int32, inverse bool, forth, back arith.Op) []operand {
	n := nodes[i]
	if n.Op != forth && n.Op != back {
		return append(dst, operand{subtree(nodes, i), inverse})
	}
	dst = operands(dst, nodes, n.Left, inverse, forth, back)
	return operands(dst, nodes, n.Right, inverse != (n.Op == back), forth, back)
}

// joined is the operation on the operands. The first one is never inverse: the
// leftmost number of an expression has no operator before it.
func joined(of []operand, forth, back string) *exprTree {
	t := &exprTree{}
	for i, o := range of {
		t.parts = append(t.parts, o.tree)
		switch {
		case i == 0:
		case o.inverse:
			t.signs = append(t.signs, back)
		default:
			t.signs = append(t.signs, forth)
		}
	}
	return t
}

// Sizes of a tree.
const (
	chipHeight = vg.Length(11.5) // of a number's box
	chipPad    = vg.Length(2.3)  // at either side of the number
	signSize   = vg.Length(11)   // of an operator's circle
	treeLevel  = vg.Length(19)   // from a level to the one below
	partGap    = vg.Length(3.8)  // between neighbours
)

func chipWidth(text string) vg.Length {
	return max(chipHeight, draw.TextWidth(draw.SmallFont, text)+2*chipPad)
}

// place computes where the nodes of the tree stand.
func (t *exprTree) place() { t.placeAt(0, 0) }

// placeAt places a subtree whose left edge is at left, and returns its right edge. An
// operation stands over the middle of its operands.
func (t *exprTree) placeAt(left, top vg.Length) (right vg.Length) {
	t.at.Y = top - chipHeight/2
	if t.text != "" {
		right = left + chipWidth(t.text)
		t.at.X = (left + right) / 2
		return right
	}
	right = left
	for i, p := range t.parts {
		if i > 0 {
			right += partGap
		}
		right = p.placeAt(right, top-treeLevel)
	}
	t.at.X = (t.parts[0].at.X + t.parts[len(t.parts)-1].at.X) / 2
	return right
}

// size is the room that a tree takes whose places are known.
func (t *exprTree) size() (width, height vg.Length) {
	if t.text != "" {
		return t.at.X + chipWidth(t.text)/2, chipHeight/2 - t.at.Y
	}
	for _, p := range t.parts {
		w, h := p.size()
		width, height = max(width, w), max(height, h)
	}
	return width, height
}

// paint draws the tree with its upper left corner at a point. Numbers without a
// fill are white.
func (t *exprTree) paint(c draw.Canvas, corner vg.Point, fills map[int64]color.NRGBA) {
	var edges vg.Path // one for all lines: a figure holds many
	t.each(func(t *exprTree) {
		signs := t.signPlaces()
		for _, p := range t.parts {
			from := min(max(p.at.X, signs[0]), signs[len(signs)-1]) // straight down where a sign is above
			edges.Move(corner.Add(vg.Point{X: from, Y: t.at.Y}))
			edges.Line(corner.Add(p.at))
		}
	})
	c.SetLineStyle(treeEdge)
	c.Stroke(edges)
	t.each(func(t *exprTree) {
		if t.text == "" {
			paintSigns(c, corner, t.at.Y, t.signPlaces(), t.signs)
			return
		}
		fill, ok := fills[t.value]
		if !ok {
			fill = draw.White
		}
		paintChip(c, corner.Add(t.at), t.text, fill)
	})
}

// each calls f with the tree and all trees in it.
func (t *exprTree) each(f func(*exprTree)) {
	f(t)
	for _, p := range t.parts {
		p.each(f)
	}
}

// signPlaces are where the signs stand: between the operands they join.
func (t *exprTree) signPlaces() []vg.Length {
	if len(t.parts) == 1 {
		return []vg.Length{t.at.X}
	}
	var out []vg.Length
	for i := 1; i < len(t.parts); i++ {
		out = append(out, (t.parts[i-1].at.X+t.parts[i].at.X)/2)
	}
	return out
}

var (
	treeEdge = draw.LineStyle{Color: draw.RGB(0x8C8C8C), Width: 0.8}
	signFill = draw.RGB(0x404040)
)

// paintSigns draws the operators of an operation, in one capsule.
func paintSigns(c draw.Canvas, corner vg.Point, y vg.Length, at []vg.Length, signs []string) {
	const pieces = 8 // of each end
	var outline []vg.Point
	for i := range 2 * (pieces + 1) {
		end, turn := at[len(at)-1], -math.Pi/2+math.Pi*float64(i)/pieces
		if i > pieces {
			end, turn = at[0], turn-math.Pi/pieces
		}
		sin, cos := math.Sincos(turn)
		outline = append(outline, corner.Add(vg.Point{X: end + signSize/2*vg.Length(cos), Y: y + signSize/2*vg.Length(sin)}))
	}
	draw.Polygon(c, signFill, draw.LineStyle{}, outline)
	for i, sign := range signs {
		draw.Write(c, draw.PanelFont, draw.White, corner.X+at[i], corner.Y+y-0.34*draw.PanelFont.Size, 0.5, sign)
	}
}

// paintChip draws a number in its box; the number is white on a dark one.
func paintChip(c draw.Canvas, at vg.Point, text string, fill color.NRGBA) {
	half := vg.Point{X: chipWidth(text) / 2, Y: chipHeight / 2}
	box := vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}
	c.SetColor(fill)
	c.Fill(box.Path())
	c.SetLineStyle(itemEdge)
	c.Stroke(box.Path())
	ink := draw.Black
	if fill == wallFill {
		ink = draw.White
	}
	draw.Write(c, draw.SmallFont, ink, at.X, at.Y-0.35*draw.SmallFont.Size, 0.5, text)
}
