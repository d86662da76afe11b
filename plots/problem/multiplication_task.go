package problem

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/arith"
)

// A productTask holds the fields of a multiplication problem: two operands, and
// the strategy families of correct answers. A family is a kind of expression for
// each operand, so the families are the cells of a table.
type productTask struct {
	operands [2]int64
	kinds    [2][]operandKind // of each operand, in the order of kindOrder
	families []productFamily
}

// A productFamily is an entry of the field "families".
type productFamily struct {
	Mode     string `json:"mode"`   // "place*near"
	Answer   string `json:"answer"` // an example
	Variants *int64 `json:"variants"`

	cell         [2]int // numbers of its kinds
	right, wrong int    // answers given
}

// An operandKind is a way to take an operand apart, with an example.
type operandKind struct {
	name string
	cut  operandCut
}

// An operandCut is an expression for an operand: a number, signed summands, or
// factors.
type operandCut struct {
	factors bool
	terms   []int64
}

// kindOrder is the order of the kinds in a table; others follow.
var kindOrder = []string{"plain", "place", "near", "factor", "split"}

// countedAs is a number with a noun whose plural is irregular.
func countedAs(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// readProduct reads and checks the problem's fields.
func readProduct(p envs.Problem) (*productTask, error) {
	t := &productTask{}
	for _, field := range []struct {
		name string
		out  any
	}{{"a", &t.operands[0]}, {"b", &t.operands[1]}, {"families", &t.families}} {
		if err := readField(p, field.name, field.out); err != nil {
			return nil, err
		}
	}
	if len(t.families) == 0 {
		return nil, errors.New("the problem has no families to draw")
	}
	names := make([][2]string, len(t.families))
	for i, f := range t.families {
		cuts, err := t.cuts(f)
		if err != nil {
			return nil, fmt.Errorf("families[%d]: %w", i, err)
		}
		names[i], _ = kindsOf(f.Mode)
		for side, name := range names[i] {
			if !hasKind(t.kinds[side], name) {
				t.kinds[side] = append(t.kinds[side], operandKind{name, cuts[side]})
			}
		}
	}
	for side := range t.kinds {
		slices.SortStableFunc(t.kinds[side], func(a, b operandKind) int { return kindRank(a.name) - kindRank(b.name) })
		for i := range t.families {
			t.families[i].cell[side] = kindAt(t.kinds[side], names[i][side])
		}
	}
	return t, nil
}

func kindRank(name string) int {
	if i := slices.Index(kindOrder, name); i >= 0 {
		return i
	}
	return len(kindOrder)
}

func kindAt(kinds []operandKind, name string) int {
	return slices.IndexFunc(kinds, func(k operandKind) bool { return k.name == name })
}

func hasKind(kinds []operandKind, name string) bool { return kindAt(kinds, name) >= 0 }

// kindsOf takes a family's name apart.
func kindsOf(mode string) (kinds [2]string, err error) {
	left, right, ok := strings.Cut(mode, "*")
	if !ok || left == "" || right == "" || strings.Contains(right, "*") {
		return kinds, fmt.Errorf("the mode is %.40q, want two kinds with * between them, as in place*near", mode)
	}
	return [2]string{left, right}, nil
}

// cuts reads how a family's example takes the operands apart.
func (t *productTask) cuts(f productFamily) (cuts [2]operandCut, err error) {
	if _, err := kindsOf(f.Mode); err != nil {
		return cuts, err
	}
	text, _, _ := strings.Cut(f.Answer, "=")
	nodes, err := arith.Parse(nil, text)
	if err != nil {
		return cuts, fmt.Errorf("answer %.60q: %w", f.Answer, err)
	}
	last := nodes[len(nodes)-1]
	if last.Op != arith.Mul {
		return cuts, fmt.Errorf("answer %.60q begins with no product of two operands", f.Answer)
	}
	for side, at := range [2]int32{last.Left, last.Right} {
		if cuts[side], err = cutOf(nodes, at); err != nil {
			return cuts, fmt.Errorf("answer %.60q: %w", f.Answer, err)
		}
		if v := cuts[side].value(); v != t.operands[side] {
			return cuts, fmt.Errorf("answer %.60q: operand %d is written as %s, which is %d, want %d", f.Answer, side+1, cuts[side].text(), v, t.operands[side])
		}
	}
	return cuts, nil
}

// maxCutTerms is how many terms of an operand can be drawn.
const maxCutTerms = 8

// cutOf reads the expression at a node.
func cutOf(nodes []arith.Node, at int32) (operandCut, error) {
	cut := operandCut{factors: nodes[at].Op == arith.Mul}
	forth, back := arith.Add, arith.Sub
	if cut.factors {
		forth, back = arith.Mul, arith.Div
	}
	for _, o := range operands(nil, nodes, at, false, forth, back) {
		switch {
		case o.tree.text == "" || cut.factors && o.inverse:
			return cut, errors.New("an operand is neither a sum of numbers nor a product of numbers")
		case o.tree.value < 1:
			return cut, fmt.Errorf("an operand has the term %s, want numbers above 0", o.tree.text)
		case o.inverse:
			cut.terms = append(cut.terms, -o.tree.value)
		default:
			cut.terms = append(cut.terms, o.tree.value)
		}
	}
	if len(cut.terms) > maxCutTerms {
		return cut, fmt.Errorf("an operand has %d terms, and at most %d can be drawn", len(cut.terms), maxCutTerms)
	}
	return cut, nil
}

// value is what the expression is worth.
func (c operandCut) value() int64 {
	product, sum := int64(1), int64(0)
	for _, x := range c.terms {
		product *= x
		sum += x
	}
	if c.factors {
		return product
	}
	return sum
}

// words are the expression's terms with the signs before them.
func (c operandCut) words() []string {
	words := make([]string, len(c.terms))
	for i, x := range c.terms {
		words[i] = strconv.FormatInt(x, 10)
		switch {
		case i > 0 && c.factors:
			words[i] = "*" + words[i]
		case i > 0 && x > 0:
			words[i] = "+" + words[i]
		}
	}
	return words
}

func (c operandCut) text() string { return strings.Join(c.words(), "") }

// count notes how often each family was given. A decomposition of the operands has
// a correct expansion as well, so that its family is among those of the problem.
func (t *productTask) count(p envs.Problem, answers [][]envs.Token) (unparsed, degenerate int, err error) {
	for i, answer := range answers {
		v := p.Judge(answer)
		at := slices.IndexFunc(t.families, func(f productFamily) bool { return f.Mode == string(v.Mode) })
		switch {
		case v.Err != nil:
			unparsed++
		case v.Mode == envs.Degenerate:
			degenerate++
		case at < 0:
			return 0, 0, fmt.Errorf("answer %d: the mode %.40q is not among the families", i+1, v.Mode)
		case v.Correct:
			t.families[at].right++
		default:
			t.families[at].wrong++
		}
	}
	return unparsed, degenerate, nil
}
