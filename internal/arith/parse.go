package arith

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Parse appends the nodes of an expression to dst. It accepts natural numbers
// without leading zeros that an int64 holds, the operators + - * / (also as × ÷ −),
// signs, parentheses and white space; everything else is an error that names the fault and its
// place (1-based byte column), and leaves dst as it was. A plus sign with one operand leaves no
// node. Nodes are numbered as in the slice returned.
func Parse(dst []Node, text string) ([]Node, error) {
	p := parser{text: text, nodes: dst}
	if p.parse() {
		return p.nodes, nil
	}
	plain, err := scan(text)
	if err != nil {
		return dst, err
	}
	p = parser{text: plain, nodes: dst}
	if p.parse() { // the text has white space of Unicode
		return p.nodes, nil
	}
	return dst, refused(p.pos, plain, text)
}

// A parser knows ASCII white space only. It stops at the first token that does not fit.
type parser struct {
	text   string
	pos    int
	width  int // bytes of the character that next found
	depth  int
	tokens int
	nodes  []Node
}

func (p *parser) parse() bool {
	if len(p.text) > MaxBytes {
		return false
	}
	_, ok := p.series(0)
	return ok && p.pos == len(p.text) && p.tokens <= MaxTokens
}

// next skips white space and returns the byte that follows, or the ASCII form of an operator in
// print; 0 at the end.
func (p *parser) next() byte {
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; c {
		case ' ', '\t', '\n', '\v', '\f', '\r':
			p.pos++
		default:
			p.width = 1
			if c >= utf8.RuneSelf {
				return p.operator()
			}
			return c
		}
	}
	return 0
}

func (p *parser) operator() byte {
	for _, o := range printed {
		if strings.HasPrefix(p.text[p.pos:], o.text) {
			p.width = len(o.text)
			return o.ascii
		}
	}
	return p.text[p.pos]
}

func (p *parser) add(n Node) int32 {
	p.nodes = append(p.nodes, n)
	return int32(len(p.nodes) - 1)
}

// ranks are the operators that group from the left, those that bind loosest first.
var ranks = [...]string{"+-", "*/"}

// series parses operands with the operators of a rank between them. Like operand it returns the
// number of its node.
func (p *parser) series(rank int) (int32, bool) {
	if rank == len(ranks) {
		return p.operand()
	}
	left, ok := p.series(rank + 1)
	for ok {
		i := strings.IndexByte(ranks[rank], p.next())
		if i < 0 {
			return left, true
		}
		p.pos += p.width
		p.tokens++
		var right int32
		if right, ok = p.series(rank + 1); ok {
			left = p.add(Node{Op: Add + Op(2*rank+i), Left: left, Right: right})
		}
	}
	return 0, false
}

// operand parses a number or a parenthesis with its signs.
func (p *parser) operand() (node int32, ok bool) {
	minus, c := 0, p.next()
	for ; c == '-' || c == '+'; c = p.next() {
		if c == '-' {
			minus++
		}
		p.pos += p.width
		p.tokens++
	}
	if c == '(' {
		node, ok = p.parenthesis()
	} else {
		node, ok = p.number()
	}
	if !ok || p.tokens > MaxTokens {
		return 0, false
	}
	for range minus {
		node = p.add(Node{Op: Neg, Left: node})
	}
	return node, true
}

func (p *parser) parenthesis() (int32, bool) {
	p.pos++
	if p.depth++; p.depth > MaxDepth {
		return 0, false
	}
	node, ok := p.series(0)
	if !ok || p.next() != ')' {
		return 0, false
	}
	p.pos++
	p.depth--
	return node, true
}

func (p *parser) number() (int32, bool) {
	begin, value := p.pos, int64(0)
	for p.pos < len(p.text) && isDigit(p.text[p.pos]) {
		digit := int64(p.text[p.pos] - '0')
		if value > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		value = 10*value + digit
		p.pos++
	}
	if p.pos == begin || p.text[begin] == '0' && p.pos > begin+1 {
		return 0, false
	}
	p.tokens++
	return p.add(Node{Op: Number, Value: value}), true
}

func isDigit(c byte) bool { return c-'0' <= 9 }
