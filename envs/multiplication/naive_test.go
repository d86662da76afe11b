package multiplication

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The reference judge of this file is written from the package comment alone, on
// the trees of Go's own parser, with big numbers and sets of strings.

// opinion is the reference's judgement of an answer; the zero value is an answer that does
// not parse.
type opinion struct {
	Parses                        bool
	Product, Decomposed, Expanded bool
	Mode, Variant, Answer         string
}

func consider(a, b int64, text string) opinion {
	var trees []ast.Expr
	for _, side := range strings.Split(text, "=") {
		// Go has operators of two characters, and comments, which blanks take apart.
		tree, err := parser.ParseExpr(strings.NewReplacer("+", " + ", "-", " - ", "*", " * ", "/", " / ").Replace(side))
		if err != nil || !plainArithmetic(tree) {
			return opinion{}
		}
		trees = append(trees, tree)
	}
	last := signed(trees[len(trees)-1])
	if last == nil {
		return opinion{}
	}
	trees = trees[:len(trees)-1]
	if len(trees) > 1 && isProductOf(trees[0], a, b) {
		trees = trees[1:]
	}
	if len(trees) > 7 {
		return opinion{}
	}
	o := opinion{Parses: true, Answer: last.String(), Product: last.Cmp(big.NewInt(a*b)) == 0}
	if len(trees) == 0 {
		return o
	}
	first, second := sidesOf(trees[0], a, b)
	if first == nil || len(first.options) == 1 && len(first.options[0]) == 1 && len(second.options) == 1 && len(second.options[0]) == 1 {
		return o
	}
	o.Decomposed = true
	o.Mode, o.Variant = first.name+"*"+second.name, first.text+"*"+second.text
	if a == b && (slices.Index(kindNames[:], first.name) > slices.Index(kindNames[:], second.name)) {
		o.Mode, o.Variant = second.name+"*"+first.name, second.text+"*"+first.text
	}
	if len(trees) == 1 {
		return o
	}
	want, values := map[string]int{}, map[string]int{}
	for _, x := range first.options {
		for _, y := range second.options {
			name, value := termName(append(slices.Clone(x), y...))
			want[name]++
			values[value]++
		}
	}
	got, ok := termsOf(trees[1], false)
	o.Expanded = ok && fmt.Sprint(got) == fmt.Sprint(want)
	if len(trees) > 2 {
		got, ok = termsOf(trees[2], true)
		o.Expanded = o.Expanded && ok && fmt.Sprint(got) == fmt.Sprint(values)
		for _, running := range trees[3:] {
			got, ok = termsOf(running, true)
			o.Expanded = o.Expanded && ok && total(got).Cmp(big.NewInt(a*b)) == 0
		}
	}
	return o
}

// total adds up numbers, each with how often it occurs.
func total(counts map[string]int) *big.Int {
	out := new(big.Int)
	for text, n := range counts {
		x, _ := new(big.Int).SetString(text, 10)
		out.Add(out, x.Mul(x, big.NewInt(int64(n))))
	}
	return out
}

// plainArithmetic: nothing but the four operations, signs and numbers.
func plainArithmetic(tree ast.Expr) bool {
	switch x := tree.(type) {
	case *ast.ParenExpr:
		return plainArithmetic(x.X)
	case *ast.UnaryExpr:
		return (x.Op == token.SUB || x.Op == token.ADD) && plainArithmetic(x.X)
	case *ast.BinaryExpr:
		known := x.Op == token.ADD || x.Op == token.SUB || x.Op == token.MUL || x.Op == token.QUO
		return known && plainArithmetic(x.X) && plainArithmetic(x.Y)
	case *ast.BasicLit:
		n, err := strconv.ParseInt(x.Value, 10, 64)
		return err == nil && strconv.FormatInt(n, 10) == x.Value
	}
	return false
}

// signed is the value of a number with signs; nil if it is something else.
func signed(tree ast.Expr) *big.Int {
	switch x := tree.(type) {
	case *ast.ParenExpr:
		return signed(x.X)
	case *ast.UnaryExpr:
		v := signed(x.X)
		if v != nil && x.Op == token.SUB {
			v.Neg(v)
		}
		return v
	case *ast.BasicLit:
		v, _ := new(big.Int).SetString(x.Value, 10)
		return v
	}
	return nil
}

func isProductOf(tree ast.Expr, a, b int64) bool {
	x, ok := bareOf(tree).(*ast.BinaryExpr)
	if !ok || x.Op != token.MUL {
		return false
	}
	l, lok := bareOf(x.X).(*ast.BasicLit)
	r, rok := bareOf(x.Y).(*ast.BasicLit)
	return lok && rok && (l.Value+"*"+r.Value == fmt.Sprintf("%d*%d", a, b) || r.Value+"*"+l.Value == fmt.Sprintf("%d*%d", a, b))
}

// bareOf drops parentheses and plus signs.
func bareOf(tree ast.Expr) ast.Expr {
	for {
		switch x := tree.(type) {
		case *ast.ParenExpr:
			tree = x.X
		case *ast.UnaryExpr:
			if x.Op != token.ADD {
				return tree
			}
			tree = x.X
		default:
			return tree
		}
	}
}

// spoken is an expression for an operand: its summands, each a list of factors,
// and its kind and text in the normal form.
type spoken struct {
	options    [][]*big.Int
	name, text string
}

// factorsOf lists the factors of a chain of products.
func factorsOf(tree ast.Expr) []ast.Expr {
	if x, ok := bareOf(tree).(*ast.BinaryExpr); ok && x.Op == token.MUL {
		return append(factorsOf(x.X), factorsOf(x.Y)...)
	}
	return []ast.Expr{tree}
}

// sidesOf finds the expressions for a and for b.
func sidesOf(tree ast.Expr, a, b int64) (first, second *spoken) {
	x, ok := bareOf(tree).(*ast.BinaryExpr)
	if !ok || x.Op != token.MUL {
		return nil, nil
	}
	left, right := factorsOf(x.X), factorsOf(x.Y)
	chain := append(slices.Clone(left), right...)
	cuts := []int{len(left)}
	for k := range chain {
		cuts = append(cuts, k)
	}
	// The sides as written come first, in both orders; then all cuts in one
	// order, and all in the other.
	type try struct {
		cut     int
		swapped bool
	}
	tries := []try{{cuts[0], false}, {cuts[0], true}}
	if len(left) > 1 && len(right) > 1 {
		cuts = nil // grouped on both sides
	}
	for _, swapped := range []bool{false, true} {
		for _, k := range cuts[min(2, len(cuts)):] {
			tries = append(tries, try{k, swapped})
		}
	}
	for _, c := range tries {
		x, y := chain[:c.cut], chain[c.cut:]
		if c.swapped {
			x, y = y, x
		}
		if first, second = speak(x, a), speak(y, b); first != nil && second != nil {
			return first, second
		}
	}
	return nil, nil
}

// speak reads factors as an expression for an operand; nil if it is not such an expression.
func speak(factors []ast.Expr, operand int64) *spoken {
	if len(factors) > 1 {
		product, all := big.NewInt(1), []*big.Int{}
		for _, f := range factors {
			v := signed(f)
			if v == nil || v.Cmp(big.NewInt(1)) <= 0 {
				return nil
			}
			all = append(all, v)
			product.Mul(product, v)
		}
		if product.Cmp(big.NewInt(operand)) != 0 {
			return nil
		}
		sort.Slice(all, func(i, j int) bool { return all[i].Cmp(all[j]) > 0 })
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", "*"), "[]")
		return &spoken{[][]*big.Int{all}, "factor", "(" + text + ")"}
	}
	terms := summandsOf(factors[0], 1)
	total := new(big.Int)
	for _, x := range terms {
		if x == nil || x.Sign() == 0 {
			return nil
		}
		total.Add(total, x)
		for _, y := range terms {
			if y != nil && new(big.Int).Add(x, y).Sign() == 0 {
				return nil // a filler
			}
		}
	}
	if total.Cmp(big.NewInt(operand)) != 0 {
		return nil
	}
	return &spoken{optionsOf(terms), nameOf(terms, operand), textOf(terms)}
}

// summandsOf lists the terms of a sum with their signs, nil for a term that is no number.
func summandsOf(tree ast.Expr, sign int64) []*big.Int {
	switch x := tree.(type) {
	case *ast.ParenExpr:
		return summandsOf(x.X, sign)
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			sign = -sign
		}
		return summandsOf(x.X, sign)
	case *ast.BasicLit:
		v := signed(x)
		return []*big.Int{v.Mul(v, big.NewInt(sign))}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.ADD:
			return append(summandsOf(x.X, sign), summandsOf(x.Y, sign)...)
		case token.SUB:
			return append(summandsOf(x.X, sign), summandsOf(x.Y, -sign)...)
		}
	}
	return []*big.Int{nil}
}

func optionsOf(terms []*big.Int) (out [][]*big.Int) {
	for _, x := range terms {
		out = append(out, []*big.Int{x})
	}
	return out
}

// nameOf is the kind of a sum, by the digits of its terms as they are printed.
func nameOf(terms []*big.Int, operand int64) string {
	if len(terms) == 1 {
		return "plain"
	}
	var printed []string
	for _, x := range terms {
		printed = append(printed, x.String())
	}
	sort.Strings(printed)
	for _, blocks := range cutsOf(strconv.FormatInt(operand, 10)) {
		sort.Strings(blocks)
		if slices.Equal(blocks, printed) {
			return "place"
		}
	}
	if len(terms) == 2 && strings.HasPrefix(printed[0], "-") {
		zeros := len(printed[1]) - len(strings.TrimRight(printed[1], "0"))
		if len(printed[0])-1 <= zeros {
			return "near"
		}
	}
	return "split"
}

// cutsOf lists all ways to cut digits into blocks, in their places, without the
// blocks that are 0.
func cutsOf(digits string) [][]string {
	if digits == "" {
		return [][]string{nil}
	}
	var out [][]string
	for n := 1; n <= len(digits); n++ {
		block := strings.TrimLeft(digits[:n]+strings.Repeat("0", len(digits)-n), "0")
		for _, rest := range cutsOf(digits[n:]) {
			cut := slices.Clone(rest)
			if block != "" {
				cut = append(cut, block)
			}
			out = append(out, cut)
		}
	}
	return out
}

// textOf writes a sum in the normal form: added terms first, larger numbers first.
func textOf(terms []*big.Int) string {
	ordered := slices.Clone(terms)
	sort.Slice(ordered, func(i, j int) bool {
		x, y := ordered[i], ordered[j]
		if x.Sign() != y.Sign() {
			return x.Sign() > y.Sign()
		}
		return x.CmpAbs(y) > 0
	})
	text := ""
	for _, x := range ordered {
		text += fmt.Sprintf("%+d", x)
	}
	if text = text[1:]; len(terms) == 1 {
		return text
	}
	return "(" + text + ")"
}

// termName names a product with its sign, and its value.
func termName(factors []*big.Int) (name, value string) {
	product, names := big.NewInt(1), []string{}
	for _, x := range factors {
		product.Mul(product, x)
		names = append(names, new(big.Int).Abs(x).String())
	}
	sort.Strings(names)
	sign := "+"
	for _, x := range factors {
		if x.Sign() < 0 {
			sign = map[string]string{"+": "-", "-": "+"}[sign]
		}
	}
	return sign + strings.Join(names, "*"), fmt.Sprintf("%+d", product)
}

// termsOf counts the terms of an expansion by name, or those of a sum of numbers by
// value.
func termsOf(tree ast.Expr, numbers bool) (map[string]int, bool) {
	out := map[string]int{}
	var visit func(ast.Expr, string) bool
	visit = func(tree ast.Expr, sign string) bool {
		other := map[string]string{"+": "-", "-": "+"}[sign]
		switch x := tree.(type) {
		case *ast.ParenExpr:
			return visit(x.X, sign)
		case *ast.UnaryExpr:
			if x.Op == token.SUB {
				sign = other
			}
			return visit(x.X, sign)
		case *ast.BinaryExpr:
			if x.Op == token.ADD {
				return visit(x.X, sign) && visit(x.Y, sign)
			} else if x.Op == token.SUB {
				return visit(x.X, sign) && visit(x.Y, other)
			} else if x.Op == token.QUO || numbers {
				return false
			}
		}
		factors := []*big.Int{}
		for _, f := range factorsOf(tree) {
			v := signed(f)
			if v == nil {
				return false
			}
			factors = append(factors, v)
		}
		name, value := termName(factors)
		if numbers {
			name = value
		}
		if sign == "-" {
			name = map[byte]string{'+': "-", '-': "+"}[name[0]] + name[1:]
		}
		out[name]++
		return true
	}
	return out, visit(tree, "+")
}
