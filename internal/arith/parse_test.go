package arith

import (
	"strconv"
	"strings"
	"testing"

	"github.com/expr-lang/expr/ast"
	exprparser "github.com/expr-lang/expr/parser"
	"github.com/google/go-cmp/cmp"
)

// polish writes nodes in postfix notation, and holds them against their places.
func polish(t testing.TB, nodes []Node) string {
	t.Helper()
	var words []string
	var stack []int32
	for i, n := range nodes {
		switch n.Op {
		case Number:
			words = append(words, Int(n.Value).String())
		case Neg:
			if n.Left != stack[len(stack)-1] {
				t.Fatalf("node %d: operand %d, want %d", i, n.Left, stack[len(stack)-1])
			}
			words = append(words, "neg")
			stack = stack[:len(stack)-1]
		default:
			if top := stack[len(stack)-2:]; n.Left != top[0] || n.Right != top[1] {
				t.Fatalf("node %d: operands %d and %d, want %v", i, n.Left, n.Right, top)
			}
			words = append(words, string("+-*/"[n.Op-Add]))
			stack = stack[:len(stack)-2]
		}
		stack = append(stack, int32(i))
	}
	if len(stack) != 1 {
		t.Fatalf("%d expressions, want one", len(stack))
	}
	return strings.Join(words, " ")
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"one number", "42", "42"},
		{"zero", "0", "0"},
		{"the largest number", "9223372036854775807", "9223372036854775807"},
		{"products before sums", "54+(24-21)*3", "54 24 21 - 3 * +"},
		{"sums from the left", "1-2-3+4", "1 2 - 3 - 4 +"},
		{"products from the left", "8/4/2*3", "8 4 / 2 / 3 *"},
		{"parentheses group to the right", "1-(2-3)", "1 2 3 - -"},
		{"parentheses around everything", "((1))", "1"},
		{"a sign binds tighter than a product", "-2*3", "2 neg 3 *"},
		{"and than a quotient, also after an operator", "6/-2-1", "6 2 neg / 1 -"},
		{"a sign before a parenthesis", "-(1+2)*3", "1 2 + neg 3 *"},
		{"plus signs leave nothing", "+1++2-+3", "1 2 + 3 -"},
		{"signs in a row", "1--+-2", "1 2 neg neg -"},
		{"blanks anywhere but within a number", " 1\t+\n( 2\v*\f3 )\r", "1 2 3 * +"},
		{"blanks separate operators", "1 - -2", "1 2 neg -"},
		{"blanks of Unicode", "1\u00a0+\u2003(2 * 3)\u3000", "1 2 3 * +"},
		{"operators as papers print them", "54÷(24−21)×3", "54 24 21 - / 3 *"},
		{"among others", "(24 − 21)× 3*2÷-1", "24 21 - 3 * 2 * 1 neg /"},
		{"a minus sign of typography as a sign", "−2×−3−−1", "2 neg 3 neg * 1 neg -"},
		{"as many parentheses as may be", strings.Repeat("(", MaxDepth) + "7" + strings.Repeat(")", MaxDepth), "7"},
		{"parentheses one after the other", strings.Repeat("(1)+", 200) + "1", "1 " + strings.Repeat("1 + ", 199) + "1 +"},
		{"as many signs as may be", strings.Repeat("+", MaxTokens-1) + "7", "7"},
		{"as long as may be", strings.Repeat(" ", MaxBytes-1) + "7", "7"},
	} {
		got, err := Parse(nil, c.text)
		if err != nil {
			t.Errorf("%s: %q: %v", c.reason, c.text, err)
			continue
		}
		if text := polish(t, got); text != c.want {
			t.Errorf("%s: %q is %s, want %s", c.reason, c.text, text, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const parts = "is not part of an expression; its parts are numbers, + - * /, parentheses and blanks"
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", "", "the expression is empty"},
		{"blanks only", " \n", "the expression is empty"},
		{"parentheses around nothing", "()", "the expression is empty"},
		{"parentheses around nothing, later", "1+()", `column 4: ")" cannot stand here`},
		{"an operand missing at the end", "1+", "column 3: the expression is not complete"},
		{"an operand missing at the front", "*2", `column 1: "*" cannot stand here`},
		{"an operand missing within", "1+*2", `column 3: "*" cannot stand here`},
		{"a sign alone", "-", "column 2: the expression is not complete"},
		{"a parenthesis that is not closed", "(1+2", "column 5: the expression is not complete"},
		{"a parenthesis that was not opened", "1+2)", "column 4: this parenthesis closes none"},
		{"no operator between numbers", "12 34", `column 4: "34" cannot stand here`},
		{"no operator before a parenthesis", "2(3)", `column 2: "(" cannot stand here`},
		{"no operator between parentheses", "(1)(2)", `column 4: "(" cannot stand here`},
		{"leading zeros", "1+007", "column 3: the number 007 has leading zeros"},
		{"two zeros", "00", "column 1: the number 00 has leading zeros"},
		{"above an int64", "1+9223372036854775808", "column 3: the number 9223372036854775808 is larger than 2^63-1"},
		{"far above", strings.Repeat("9", 5000), "column 1: the number " + strings.Repeat("9", 40) + " is larger than 2^63-1"},
		{"a fraction", "1.5", "column 2: '.' " + parts},
		{"a number that ends in a point", "1.", "column 2: '.' " + parts},
		{"a range", "1..3", "column 2: '.' " + parts},
		{"an exponent", "1e5", "column 2: 'e' " + parts},
		{"hexadecimal", "0x1F", "column 2: 'x' " + parts},
		{"octal", "0o17", "column 2: 'o' " + parts},
		{"binary", "0b11", "column 2: 'b' " + parts},
		{"an underscore", "1_000", "column 2: '_' " + parts},
		{"a comma", "1,000", "column 2: ',' " + parts},
		{"a power", "2**9", "column 2: ** is not an operator; operators are + - * /"},
		{"another power", "2^9", "column 2: '^' " + parts},
		{"a remainder", "9%2", "column 2: '%' " + parts},
		{"whole division", "8//3", "column 2: // is not an operator; operators are + - * /"},
		{"a comment", "1 /* one */ + 2", "column 3: /* is not an operator; operators are + - * /"},
		{"a comment to the end of the line", "1 # one", "column 3: '#' " + parts},
		{"division twice", "8/ /3", `column 4: "/" cannot stand here`},
		{"a comparison", "1==1", "column 2: '=' " + parts},
		{"a call", "max(1, 2)", "column 1: 'm' " + parts},
		{"a pipe", "1|abs", "column 2: '|' " + parts},
		{"a string", `"1"`, `column 1: '"' ` + parts},
		{"digits of another script", "٣+1", "column 1: '٣' " + parts},
		{"wide digits", "1+２", "column 3: '２' " + parts},
		{"another sign of multiplication", "3·1", "column 2: '·' " + parts},
		{"a dash", "3–1", "column 2: '–' " + parts},
		{"a multiplication sign twice", "3××1", `column 4: "×" cannot stand here`},
		{"and after another", "3*×1", `column 3: "×" cannot stand here`},
		{"and before another", "3×*1", `column 4: "*" cannot stand here`},
		{"a division sign after another", "8/÷3", `column 3: "÷" cannot stand here`},
		{"columns after a division sign", "8÷÷3", `column 4: "÷" cannot stand here`},
		{"nothing after a minus sign", "8−", "column 5: the expression is not complete"},
		{"columns count the bytes of operators", "3−1×x", "column 8: 'x' " + parts},
		{"half a multiplication sign", "3\xc31", "column 2: '\ufffd' " + parts},
		{"no UTF-8", "1+\xff", "column 3: '\ufffd' " + parts},
		{"columns count bytes", "1\u00a0+x", "column 5: 'x' " + parts},
		{"text after the expression", "1+2 is it", "column 5: 'i' " + parts},
		{"too deep", strings.Repeat("(", MaxDepth+1) + "7" + strings.Repeat(")", MaxDepth+1), "column 101: more than 100 parentheses are open"},
		{"far too deep", strings.Repeat("(", MaxBytes), "column 101: more than 100 parentheses are open"},
		{"too many tokens", strings.Repeat("-", MaxTokens) + "7", "column 1001: more than 1000 numbers, operators and signs"},
		{"too many numbers", strings.Repeat("1+", MaxTokens/2) + "1", "column 1001: more than 1000 numbers, operators and signs"},
		{"too long", strings.Repeat(" ", MaxBytes) + "7", "the expression has 10001 bytes, want at most 10000"},
	} {
		dst := []Node{{Op: Number, Value: 5}}
		got, err := Parse(dst, c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
		if d := cmp.Diff(dst, got); d != "" {
			t.Errorf("%s: an error left something behind:\n%s", c.reason, d)
		}
	}
}

// TestParseAppends: nodes are numbered as in the slice that they join.
func TestParseAppends(t *testing.T) {
	nodes, err := Parse(nil, "1+2")
	if err != nil {
		t.Fatal(err)
	}
	nodes, err = Parse(nodes, "-3*4")
	want := []Node{
		{Op: Number, Value: 1}, {Op: Number, Value: 2}, {Op: Add, Left: 0, Right: 1},
		{Op: Number, Value: 3}, {Op: Neg, Left: 3}, {Op: Number, Value: 4}, {Op: Mul, Left: 4, Right: 5},
	}
	if d := cmp.Diff(want, nodes); d != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, d)
	}
}

// reference reads an expression by the parser of expr-lang/expr, whose language holds this grammar,
// and writes it in postfix notation.
func reference(text string) (string, error) {
	tree, err := exprparser.Parse(text)
	if err != nil {
		return "", err
	}
	var write func(n ast.Node) string
	write = func(n ast.Node) string {
		switch n := n.(type) {
		case *ast.IntegerNode:
			return strconv.Itoa(n.Value)
		case *ast.UnaryNode:
			if n.Operator == "+" {
				return write(n.Node)
			}
			return write(n.Node) + " neg"
		case *ast.BinaryNode:
			return write(n.Left) + " " + write(n.Right) + " " + n.Operator
		}
		return "?"
	}
	return write(tree.Node), nil
}

// FuzzParse holds the parser against that of expr-lang/expr, which knows ASCII alone.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "54+(24-21)*3", "-(1+2)*--3/+4", "1/0", "007", "2**9", "8//3", "1/* */2", "1e5", "0x1", "(((1)))",
		"9223372036854775808", "1\u00a0+2", "٣", "1 2", "2(3)", ")(", "1;2", "1..2", "1 ?? 2", "+", "\xff", "2×3÷4−1", "2××3", "−1", "\xc3", "/÷"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := Parse(nil, text)
		plain, refused := scan(text)
		want, other := reference(plain)
		switch {
		case refused != nil && err == nil:
			t.Fatalf("%q is read, but has a fault: %v", text, refused)
		case refused == nil && (err == nil) != (other == nil):
			t.Fatalf("%q, plainly %q: error %v, of expr %v", text, plain, err, other)
		case err == nil && polish(t, nodes) != want:
			t.Fatalf("%q is %s, to expr %s", text, polish(t, nodes), want)
		}
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") || len(err.Error()) > 300 {
				t.Fatalf("%q: error %q, want one line", text, err)
			}
			return
		}
		if _, err := Eval(nodes); err != nil && err != ErrDivisionByZero && err != ErrOverflow {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var room [16]Node
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(room[:0], "54/3+(24+21)"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
}
