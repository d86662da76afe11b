package derivation

import (
	"strings"

	"modebench/envs"
)

// A layout holds the first feature of each kind. Kinds are by variable, by digit, or by operation.
type layout struct {
	count envs.Numbering

	variable    int32 // by variable: that a position is about
	left, right int32 // by variable: its operands
	operation   int32 // by operation
	digit       int32 // by digit: of a given variable
	asked       int32 // by variable
	claim       int32 // by variable and digit: written so far
	open        int32 // by variable: may be written
	choose, end int32 // a variable is due; the answer is whole
	leftDigit   int32 // by digit, and one more if it is not known: of the operand
	rightDigit  int32
}

func newLayout(variables int) layout {
	var l layout
	take := l.count.Take
	l.variable, l.left, l.right = take(variables), take(variables), take(variables)
	l.operation, l.digit, l.asked = take(len(operations)), take(base), take(variables)
	l.claim, l.open = take(base*variables), take(variables)
	l.choose, l.end = take(1), take(1)
	l.leftDigit, l.rightDigit = take(base+1), take(base+1)
	return l
}

// features: a state has a feature for each derived variable, one for the asked one, and six
// more where a digit is due.
func (m *rules) features() envs.Features {
	return envs.Features{Count: int(m.layout.count), Width: m.derived() + 7, Prompt: m.variables() + 1, Tokens: int(m.equal())}
}

// AppendPromptFeatures implements envs.DescribedProblem: a position for each fact, and one
// for the question.
func (p *Problem) AppendPromptFeatures(dst [][]int32) [][]int32 {
	l := &p.rules.layout
	for i, f := range p.facts {
		dst = envs.AppendPosition(dst, l.variable+int32(i))
		last := &dst[len(dst)-1]
		if f.op == 0 {
			*last = append(*last, l.digit+int32(f.value))
		} else {
			*last = l.formula(*last, f)
		}
	}
	return envs.AppendPosition(dst, l.asked+int32(p.asked))
}

func (l *layout) formula(dst []int32, f fact) []int32 {
	return append(dst, l.operation+int32(strings.IndexByte(operations, f.op)), l.left+int32(f.left), l.right+int32(f.right))
}

// AppendFeatures implements envs.DescribedCursor: the variables that are written, that may
// still be written, and the asked one. If a digit is due, also the formula that it follows
// from, with the digits of the operands that are given or written, right or wrong. Other
// digits have to be computed from the prompt.
func (c *cursor) AppendFeatures(dst []int32) []int32 {
	p := c.problem
	l := &p.rules.layout
	dst = append(dst, l.asked+int32(p.asked))
	for i := p.given(); i < len(p.facts); i++ {
		if digit := c.claims[i]; digit != unwritten {
			dst = append(dst, l.claim+int32(base*i)+int32(digit))
		} else if i != c.due {
			dst = append(dst, l.open+int32(i))
		}
	}
	switch {
	case c.Done():
		return append(dst, l.end)
	case c.due < 0:
		return append(dst, l.choose)
	}
	f := p.facts[c.due]
	dst = l.formula(append(dst, l.variable+int32(c.due)), f)
	return append(dst, l.leftDigit+1+int32(c.claims[f.left]), l.rightDigit+1+int32(c.claims[f.right]))
}
