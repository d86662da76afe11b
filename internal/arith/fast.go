package arith

import (
	"math"
	"strings"
	"unicode/utf8"
)

// fast parses nothing but the grammar, with ASCII white space only. It gives up on
// the first thing it does not know, without saying why.
type fast struct {
	text   string
	at     int
	width  int // bytes of the character that next saw
	depth  int
	tokens int
	nodes  []Node
}

func (f *fast) parse() bool {
	if len(f.text) > MaxBytes {
		return false
	}
	_, ok := f.sum()
	return ok && f.at == len(f.text) && f.tokens <= MaxTokens
}

// next skips white space and returns the byte that follows, or the ASCII form of an operator in
// print; 0 at the end.
func (f *fast) next() byte {
	for f.at < len(f.text) {
		switch c := f.text[f.at]; c {
		case ' ', '\t', '\n', '\v', '\f', '\r':
			f.at++
		default:
			f.width = 1
			if c >= utf8.RuneSelf {
				return f.operator()
			}
			return c
		}
	}
	return 0
}

// operator is the result of next for a character that is not ASCII.
func (f *fast) operator() byte {
	for _, o := range printed {
		if strings.HasPrefix(f.text[f.at:], o.text) {
			f.width = len(o.text)
			return o.ascii
		}
	}
	return f.text[f.at]
}

func (f *fast) add(n Node) int32 {
	f.nodes = append(f.nodes, n)
	return int32(len(f.nodes) - 1)
}

// sum parses terms with + and - between them. Like product and operand it
// returns the number of its node.
func (f *fast) sum() (int32, bool) {
	left, ok := f.product()
	for ok {
		op := Add
		switch f.next() {
		case '+':
		case '-':
			op = Sub
		default:
			return left, true
		}
		f.at += f.width
		f.tokens++
		var right int32
		if right, ok = f.product(); ok {
			left = f.add(Node{Op: op, Left: left, Right: right})
		}
	}
	return 0, false
}

func (f *fast) product() (int32, bool) {
	left, ok := f.operand()
	for ok {
		op := Mul
		switch f.next() {
		case '*':
		case '/':
			op = Div
		default:
			return left, true
		}
		f.at += f.width
		f.tokens++
		var right int32
		if right, ok = f.operand(); ok {
			left = f.add(Node{Op: op, Left: left, Right: right})
		}
	}
	return 0, false
}

// operand parses a number or a parenthesis with its signs. Two operators that would make a
// third (//, **) or a comment fail here: the second is no operand.
func (f *fast) operand() (int32, bool) {
	minus := 0
	c := f.next()
	for ; c == '-' || c == '+'; c = f.next() {
		if c == '-' {
			minus++
		}
		f.at += f.width
		f.tokens++
	}
	var node int32
	var ok bool
	if c == '(' {
		node, ok = f.parenthesis()
	} else {
		node, ok = f.number()
	}
	if !ok || f.tokens > MaxTokens {
		return 0, false
	}
	for range minus {
		node = f.add(Node{Op: Neg, Left: node})
	}
	return node, true
}

func (f *fast) parenthesis() (int32, bool) {
	f.at++
	if f.depth++; f.depth > MaxDepth {
		return 0, false
	}
	node, ok := f.sum()
	if !ok || f.next() != ')' {
		return 0, false
	}
	f.at++
	f.depth--
	return node, true
}

func (f *fast) number() (int32, bool) {
	begin, value := f.at, int64(0)
	for f.at < len(f.text) && f.text[f.at]-'0' <= 9 {
		digit := int64(f.text[f.at] - '0')
		if value > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		value = 10*value + digit
		f.at++
	}
	if f.at == begin || f.text[begin] == '0' && f.at > begin+1 {
		return 0, false
	}
	f.tokens++
	return f.add(Node{Op: Number, Value: value}), true
}
