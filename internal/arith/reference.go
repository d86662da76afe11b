package arith

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// parseReference parses by expr's parser, after a look at the text and before one
// at the tree.
func parseReference(dst []Node, text string) ([]Node, error) {
	plain, err := scan(text)
	if err != nil {
		return dst, err
	}
	tree, err := parser.Parse(plain)
	if err != nil {
		return dst, explain(err, plain, text)
	}
	w := walker{text: plain, nodes: dst}
	if _, err := w.walk(tree.Node); err != nil {
		return dst, err
	}
	return w.nodes, nil
}

// at makes an error about the byte at an index.
func at(index int, format string, args ...any) error {
	return fmt.Errorf("column %d: %s", index+1, fmt.Sprintf(format, args...))
}

// scan returns the text with blanks for white space and ASCII for operators in
// print, filled up with blanks (so that every character is one byte, and a place in
// expr's terms is one in ours), or an error for text that can be no expression: other
// characters, pairs of characters that mean something else to expr, and text beyond a bound.
// Nothing that passes takes expr long, or deep.
func scan(text string) (string, error) {
	if len(text) > MaxBytes {
		return "", fmt.Errorf("the expression has %d bytes, want at most %d", len(text), MaxBytes)
	}
	plain := make([]byte, 0, len(text))
	depth, tokens, last := 0, 0, byte(' ')
	for i, r := range text {
		for len(plain) < i {
			plain, last = append(plain, ' '), ' '
		}
		c, known := plainly(r)
		if !known {
			return "", at(i, "%q is not part of an expression; its parts are numbers, + - * /, parentheses and blanks", r)
		}
		if c == ' ' {
			plain, last = append(plain, c), c
			continue
		}
		if pair := string([]byte{last, c}); pair == "**" || pair == "//" || pair == "/*" {
			if r >= utf8.RuneSelf {
				return "", at(i, "%q cannot stand here", string(r))
			}
			return "", at(i-1, "%s is not an operator; operators are + - * /", pair)
		}
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case !isDigit(c):
			tokens++
		case !isDigit(last):
			tokens++
			if _, err := literal(text, i); err != nil {
				return "", err
			}
		}
		if depth < 0 {
			return "", at(i, "this parenthesis closes none")
		}
		if depth > MaxDepth {
			return "", at(i, "more than %d parentheses are open", MaxDepth)
		}
		if tokens > MaxTokens {
			return "", at(i, "more than %d numbers, operators and signs", MaxTokens)
		}
		plain, last = append(plain, c), c
	}
	if tokens == 0 {
		return "", errors.New("the expression is empty")
	}
	for len(plain) < len(text) {
		plain = append(plain, ' ')
	}
	return string(plain), nil
}

// plainly is the ASCII form of a character, and whether it may be part of
// an expression.
func plainly(r rune) (c byte, known bool) {
	for _, o := range printed {
		if string(r) == o.text {
			return o.ascii, true
		}
	}
	if unicode.IsSpace(r) {
		return ' ', true
	}
	return byte(r), strings.ContainsRune("0123456789+-*/()", r)
}

// literal reads the number that begins at an index.
func literal(text string, index int) (int64, error) {
	end := index
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	value, err := strconv.ParseInt(text[index:end], 10, 64)
	switch {
	case end == index:
		return 0, at(index, "want a natural number")
	case text[index] == '0' && end > index+1:
		return 0, at(index, "the number %.40s has leading zeros", text[index:end])
	case err != nil:
		return 0, at(index, "the number %.40s is larger than 2^63-1", text[index:end])
	}
	return value, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// explain writes an error of expr's parser about the plain text on one line, in our
// terms and with the characters of the text itself.
func explain(err error, plain, text string) error {
	var e *file.Error
	if !errors.As(err, &e) {
		return err
	}
	rest := strings.TrimLeft(plain[min(e.From, len(plain)):], " ")
	if strings.HasSuffix(e.Message, "token EOF") || rest == "" {
		return at(len(text), "the expression is not complete")
	}
	begin := len(plain) - len(rest)
	_, size := utf8.DecodeRuneInString(text[begin:])
	word := text[begin : begin+size]
	if isDigit(rest[0]) {
		word = rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	}
	return at(begin, "%.40q cannot stand here", word)
}

// A walker turns expr's tree into nodes.
type walker struct {
	text  string
	nodes []Node
}

var binary = map[string]Op{"+": Add, "-": Sub, "*": Mul, "/": Div}

// walk appends the nodes of a subtree and returns the number of the last.
func (w *walker) walk(n ast.Node) (int32, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return w.number(n)
	case *ast.UnaryNode:
		operand, err := w.walk(n.Node)
		if err != nil || n.Operator == "+" {
			return operand, err
		}
		if n.Operator == "-" {
			return w.add(Node{Op: Neg, Left: operand}), nil
		}
	case *ast.BinaryNode:
		op, known := binary[n.Operator]
		if !known {
			break
		}
		left, err := w.walk(n.Left)
		if err != nil {
			return 0, err
		}
		right, err := w.walk(n.Right)
		if err != nil {
			return 0, err
		}
		return w.add(Node{Op: op, Left: left, Right: right}), nil
	}
	return 0, at(n.Location().From, "this is not part of an expression; its parts are numbers, + - * / and parentheses")
}

func (w *walker) add(n Node) int32 {
	w.nodes = append(w.nodes, n)
	return int32(len(w.nodes) - 1)
}

// number reads a number again, from its place in the text: expr takes other
// notations than ours.
func (w *walker) number(n *ast.IntegerNode) (int32, error) {
	place := n.Location()
	value, err := literal(w.text[:place.To], place.From)
	if err == nil && strconv.FormatInt(value, 10) != w.text[place.From:place.To] {
		err = at(place.From, "%.40q is not a natural number", w.text[place.From:place.To])
	}
	if err != nil {
		return 0, err
	}
	return w.add(Node{Op: Number, Value: value}), nil
}
