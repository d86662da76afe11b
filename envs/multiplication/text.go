package multiplication

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/arith"
)

// form is how errors say what an answer looks like.
const form = "decomposition = expansion = partial products = product"

// maxSides is the largest number of sides of an answer: the four of the form, and
// running sums of the partial products. Nobody needs four of these, but a text
// without a bound could hold very many.
const maxSides = 8

var errEmpty = errors.New("the answer is empty, want " + form)

// A sideError is a side of an answer that does not parse. Its text is made when
// it is asked for.
type sideError struct {
	number int // from 1
	text   string
	err    error
}

func (e *sideError) Error() string {
	return fmt.Sprintf("side %d, %.40q: %v", e.number, e.text, e.err)
}

// sides cuts an answer at its equals signs, and allows for the question before
// it. It stands in <answer> tags or, where there are none, makes up the whole text.
func sides(dst []string, text string) ([]string, error) {
	if inside, tagged := envs.Tagged(text, "answer"); tagged {
		text = inside
	}
	if strings.TrimSpace(text) == "" {
		return dst, errEmpty
	}
	if n := strings.Count(text, "=") + 1; n > maxSides+1 {
		return dst, tooMany(n)
	}
	for side := range strings.SplitSeq(text, "=") {
		dst = append(dst, side)
	}
	return dst, nil
}

func tooMany(n int) error {
	return fmt.Errorf("the answer has %d sides, want at most %d: %s, with running sums before the product", n, maxSides, form)
}

var errNoProduct = errors.New("the last side is the product, want a whole number")

// JudgeText implements envs.Problem: see the package comment. Expressions are
// read by package arith.
func (p *Problem) JudgeText(text string) *envs.Verdict {
	var room [maxSides + 1]string
	parts, err := sides(room[:0], text)
	if err != nil {
		return reject(err)
	}
	read, _ := readers.Get().(*reader)
	if read == nil {
		read = &reader{}
	}
	defer readers.Put(read)
	for i, side := range parts {
		if read.sides[i], err = arith.Parse(read.sides[i][:0], side); err != nil {
			return reject(&sideError{i + 1, side, err})
		}
	}
	last := len(parts) - 1
	product, ok := number(read.sides[last])
	if !ok {
		return reject(&sideError{last + 1, parts[last], errNoProduct})
	}
	given := read.sides[:last] // what comes before the product
	if last > 1 && p.isQuestion(given[0]) {
		given = given[1:]
	}
	if len(given) >= maxSides {
		return reject(tooMany(len(parts)))
	}
	return p.judgeSides(read, given, product)
}

// isQuestion reports whether an expression is the multiplication to be done.
func (p *Problem) isQuestion(nodes []arith.Node) bool {
	if len(nodes) != 3 || nodes[2].Op != arith.Mul {
		return false
	}
	x, y := nodes[0].Value, nodes[1].Value
	return x == p.a && y == p.b || x == p.b && y == p.a
}

// judgeSides judges an answer by what comes before its product.
func (p *Problem) judgeSides(read *reader, given [][]arith.Node, product int64) *envs.Verdict {
	if len(given) == 0 {
		return p.degenerate(product)
	}
	d := read.decomposition(given[0])
	r := d.read(p.a, p.b)
	if !r.valid {
		return p.degenerate(product)
	}
	expanded := len(given) > 1 && read.isExpansion(given[1], d, r)
	if len(given) > 2 {
		expanded = expanded && read.arePartials(given[2])
		for _, running := range given[3:] {
			expanded = expanded && read.isSum(running, p.product)
		}
	}
	return p.verdict(d, r, expanded, product)
}

// number is the value of an expression that is a number with or without signs.
func number(nodes []arith.Node) (int64, bool) {
	sign := int64(1)
	for i := len(nodes) - 1; ; i-- {
		switch nodes[i].Op {
		case arith.Neg:
			sign = -sign
		case arith.Number:
			return sign * nodes[i].Value, true
		default:
			return 0, false
		}
	}
}

// AnswerText implements envs.Problem. Numbers are turned round where the grammar has
// their last digit first, as far as the tokens keep to it. The end of the answer
// is not written, and elsewhere it is a full stop, which does not parse; nor does
// "?", a token that is none.
func (p *Problem) AnswerText(answer []envs.Token) string {
	text := make([]byte, 0, len(answer)+2*maxTokenSides)
	c, legal := cursor{problem: p}, true
	digits := 0 // at the end of the text, if they are to be turned round
	for i, t := range answer {
		if legal && t >= 0 && t < plus && c.stage >= partials {
			digits++
		} else {
			slices.Reverse(text[len(text)-digits:])
			digits = 0
		}
		switch {
		case t == equals:
			text = append(text, " = "...)
		case t >= 0 && t < end:
			text = append(text, symbols[t])
		case t == end && i < len(answer)-1:
			text = append(text, '.')
		case t != end:
			text = append(text, '?')
		}
		if legal = legal && c.choice().has(t); legal {
			c.take(t)
		}
	}
	slices.Reverse(text[len(text)-digits:])
	return string(text)
}
