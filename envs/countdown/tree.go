package countdown

import (
	"strconv"

	"modebench/envs"
	"modebench/internal/arith"
)

// An exprTree is an expression up to the grouping of its operators: sums and products have any
// number of operands. a+b-c is one sum, and so is a-(c-b).
type exprTree struct {
	text  string // of a number
	value int64
	signs []string // of an operation: one before each operand but the first
	parts []*exprTree
	x, y  float64 // middle, from the upper left corner
}

func parsedTree(text string) (*exprTree, error) {
	nodes, err := arith.Parse(nil, text)
	if err != nil {
		return nil, err
	}
	return treeOf(nodes, int32(len(nodes)-1)), nil
}

// treeOf makes a tree of node i and of the nodes below it.
func treeOf(nodes []arith.Node, i int32) *exprTree {
	t := &exprTree{}
	switch n := nodes[i]; n.Op {
	case arith.Number:
		t.text, t.value = strconv.FormatInt(n.Value, 10), n.Value
	case arith.Neg:
		t.signs, t.parts = []string{"−"}, []*exprTree{treeOf(nodes, n.Left)}
	case arith.Mul, arith.Div:
		t.join(nodes, i, false, arith.Mul, arith.Div, [2]string{"×", "÷"})
	default:
		t.join(nodes, i, false, arith.Add, arith.Sub, [2]string{"+", "−"})
	}
	return t
}

// join appends the operands of the sum or product at node i. Nodes below it of the
// same rank have their operands in the same list. The first one is never inverse: the leftmost
// number of an expression has no operator before it.
func (t *exprTree) join(nodes []arith.Node, i int32, inverse bool, forth, back arith.Op, signs [2]string) {
	n := nodes[i]
	if n.Op == forth || n.Op == back {
		t.join(nodes, n.Left, inverse, forth, back, signs)
		t.join(nodes, n.Right, inverse != (n.Op == back), forth, back, signs)
		return
	}
	if len(t.parts) > 0 {
		sign := signs[0]
		if inverse {
			sign = signs[1]
		}
		t.signs = append(t.signs, sign)
	}
	t.parts = append(t.parts, treeOf(nodes, i))
}

// Lengths of a tree, in points.
const (
	letters    = 8.0
	chipHeight = 11.5 // of a number's box
	signSize   = 11.0 // of an operator's circle
	treeLevel  = 19.0 // from a level to the one below
	partGap    = 3.8  // between neighbours
)

func chipWidth(text string) float64 { return max(chipHeight, envs.LabelWidth(text, letters)+4.6) }

// place computes where the nodes of a tree are whose left edge is at left, and returns its right
// edge and its lower one. An operation is over the middle of its operands.
func (t *exprTree) place(left, top float64) (right, bottom float64) {
	t.y = top + chipHeight/2
	if t.text != "" {
		right = left + chipWidth(t.text)
		t.x = (left + right) / 2
		return right, top + chipHeight
	}
	right = left
	for i, part := range t.parts {
		if i > 0 {
			right += partGap
		}
		low := 0.0
		right, low = part.place(right, top+treeLevel)
		bottom = max(bottom, low)
	}
	t.x = (t.parts[0].x + t.parts[len(t.parts)-1].x) / 2
	return right, bottom
}

// signPlaces are where the signs are: between the operands that they join.
func (t *exprTree) signPlaces() []float64 {
	if len(t.parts) == 1 {
		return []float64{t.x}
	}
	var out []float64
	for i := 1; i < len(t.parts); i++ {
		out = append(out, (t.parts[i-1].x+t.parts[i].x)/2)
	}
	return out
}

// draw adds the tree with its upper left corner at a point. hue is that of a number.
func (t *exprTree) draw(d *envs.Drawing, left, top float64, hue func(number int64) int) {
	if t.text != "" {
		drawChip(d, envs.Tint, hue(t.value), left+t.x, top+t.y, t.text)
		return
	}
	pos, y := t.signPlaces(), top+t.y
	first, last := pos[0], pos[len(pos)-1]
	var edges [][2]float64
	for _, part := range t.parts {
		from := min(max(part.x, first), last) // straight down if a sign is above
		edges = append(edges, [2]float64{left + from, y}, [2]float64{left + part.x, top + part.y})
	}
	d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Segments, Role: envs.Faint, Points: edges})
	d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Polygon, Role: envs.Wall, Points: capsule(left+first, left+last, y)})
	for i, sign := range t.signs {
		d.Write(envs.Wall, left+pos[i], y, 0.5, sign)
	}
	for _, part := range t.parts {
		part.draw(d, left, top, hue)
	}
}

// arc are points of half a circle of radius 1.
var arc = [][2]float64{{0, -1}, {0.5, -0.866}, {0.866, -0.5}, {1, 0}, {0.866, 0.5}, {0.5, 0.866}, {0, 1}}

// capsule is the outline of the signs from first to last.
func capsule(first, last, y float64) [][2]float64 {
	var out [][2]float64
	for side, middle := range []float64{last, first} {
		turn := float64(signSize/2) * float64(1-2*side)
		for _, p := range arc {
			out = append(out, [2]float64{middle + float64(turn*p[0]), y + float64(turn*p[1])})
		}
	}
	return out
}

func drawChip(d *envs.Drawing, role envs.Role, hue int, x, y float64, text string) {
	half := float64(chipWidth(text) / 2)
	d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Polygon, Role: role, Hue: hue, Points: envs.Box(x-half, y-chipHeight/2, x+half, y+chipHeight/2)})
	d.Write(role, x, y, 0.5, text)
}
