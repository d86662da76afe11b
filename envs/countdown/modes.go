package countdown

import (
	"math/bits"
	"strconv"
	"sync"

	"modebench/envs"
)

// A modeWriter writes modes. Sums within products are turned so that their value is
// positive or, if it is zero or undefined, their first term; terms without a sign count as
// positive; positive terms come before negative ones, factors before divisors, and among
// each the part with the largest number comes first. So the mode of a correct answer is
// printed without a sign, and a printed mode, read as an answer, has that mode.
type modeWriter struct {
	problem *Problem
	text    []byte
	written [4]int32 // how many + - * /

	// Whether a factor is turned, by its slots: asked for the sign of a term first,
	// and again where the factor is written.
	turns [1 << maxSlots]turn
}

// A turn records whether a factor is turned, once that is known.
type turn uint8

const (
	unknown turn = iota
	asIs
	around
)

// modeWriters are shared by all problems.
var modeWriters = sync.Pool{New: func() any { return new(modeWriter) }}

// newModeWriter returns a modeWriter to be given back to modeWriters.
func (p *Problem) newModeWriter() *modeWriter {
	s := modeWriters.Get().(*modeWriter)
	s.problem, s.text = p, s.text[:0]
	return s
}

// parts flattens a part, largest numbers first.
func (s *modeWriter) parts(room []part, kind operation, x part) []part {
	parts := s.problem.shape.algebra.flatten(room[:0], kind, x)
	// They are six at most, which the generic sort takes ten times as long for.
	for i := range parts {
		for j := i; j > 0 && parts[j-1].slots < parts[j].slots; j-- {
			parts[j-1], parts[j] = parts[j], parts[j-1]
		}
	}
	return parts
}

func (s *modeWriter) write(x part) {
	s.written, s.turns = [4]int32{}, [1 << maxSlots]turn{}
	if s.problem.kind(x) == sum {
		s.sum(x)
		return
	}
	if s.negative(x) {
		s.operator(minusToken)
	}
	s.product(x)
}

func (s *modeWriter) operator(t envs.Token) {
	s.text = append(s.text, "+-*/"[t])
	s.written[t]++
}

// turned reports whether writing a product turns its sign: an odd number of its factors are turned.
func (s *modeWriter) turned(x part) bool {
	if s.problem.kind(x) != product {
		return false
	}
	var room [maxSlots]part
	odd := false
	for _, factor := range s.problem.shape.algebra.flatten(room[:0], product, part{form: x.form, slots: x.slots}) {
		odd = odd != s.down(factor)
	}
	return odd
}

// down reports whether a factor is to be turned, its form being a sum.
func (s *modeWriter) down(x part) bool {
	if s.problem.kind(x) != sum {
		return false
	}
	t := &s.turns[x.slots]
	if *t == unknown {
		*t = asIs
		sign := s.problem.magnitude(x).sign()
		if sign == 0 {
			var room [maxSlots]part
			if s.negative(s.parts(room[:], sum, part{form: x.form, slots: x.slots})[0]) {
				sign = -1
			}
		}
		if sign < 0 {
			*t = around
		}
	}
	return *t == around
}

// negative reports whether a term, or a whole product, is written behind a minus sign.
func (s *modeWriter) negative(term part) bool {
	if s.problem.shape.image(term, s.problem.equal)&signless != 0 {
		return false
	}
	return term.flipped != s.turned(term)
}

func (s *modeWriter) sum(x part) {
	var room [maxSlots]part
	terms := s.parts(room[:], sum, x)
	for i, term := range terms {
		terms[i].flipped = s.negative(term)
	}
	s.series(terms, plusToken, minusToken, s.product)
}

// series writes the parts that are not flipped and then those that are, each with its operator
// before it; the first has no operator unless it is negative.
func (s *modeWriter) series(parts []part, plain, inverse envs.Token, write func(part)) {
	first := true
	for _, sign := range [2]envs.Token{plain, inverse} {
		for _, x := range parts {
			if x.flipped != (sign == inverse) {
				continue
			}
			if !first || sign == minusToken {
				s.operator(sign)
			}
			write(x)
			first = false
		}
	}
}

// product writes a product or a number, without its sign.
func (s *modeWriter) product(x part) {
	if bits.OnesCount8(x.slots) == 1 {
		s.factor(x)
		return
	}
	var room [maxSlots]part
	s.series(s.parts(room[:], product, part{form: x.form, slots: x.slots}), timesToken, overToken, s.factor)
}

func (s *modeWriter) factor(x part) {
	if bits.OnesCount8(x.slots) == 1 {
		s.text = strconv.AppendInt(s.text, int64(s.problem.numberAt(x.slots)), 10)
		return
	}
	x.flipped = s.down(x)
	s.text = append(s.text, '(')
	s.sum(x)
	s.text = append(s.text, ')')
}
