package multiplication

import (
	"fmt"
	"strings"

	"modebench/envs"
)

// A stage is the side of the answer that a cursor is in.
type stage uint8

const (
	firstOperand stage = iota
	secondOperand
	expansion
	partials
	product
	finished
)

// A class is the shape of an expression of a decomposition.
type class uint8

const (
	open       class = iota // in parentheses, before the first operator
	bare                    // a number without parentheses
	summed                  // a sum or difference in parentheses
	multiplied              // a product in parentheses
)

// An expression is one side of a decomposition as it was written.
type expression struct {
	class  class
	n      uint8 // numbers that are complete
	minus  uint8 // bit i: number i is taken away
	values [maxTerms]int32
}

func (x *expression) terms() int {
	if x.class == summed {
		return int(x.n)
	}
	return 1
}

func (x *expression) factors() int {
	if x.class == multiplied {
		return int(x.n)
	}
	return 1
}

// A cursor walks one answer.
type cursor struct {
	problem *Problem
	sides   [2]expression
	value   int64 // of the number under way
	stage   stage
	digits  uint8 // of the number under way
	inside  bool  // the operand's parentheses are open
	outside bool  // they have been closed
	length  uint8 // tokens of the operand under way

	// From the expansion on.
	valid   bool   // the decomposition
	matched bool   // it is, and the written part of the expansion fits it
	used    uint32 // bit k: term k has been found in the expansion, or among the partial products
	signs   uint32 // bit k: term k is taken away
	terms   uint8  // in all
	each    uint8  // factors of each term
	term    uint8  // terms that are complete
	factor  uint8  // factors of the term under way that are complete
	written [2 * maxTerms]int32

	summands [maxTerms * maxTerms]int64 // the partial products that are complete
}

// Start implements envs.Problem.
func (p *Problem) Start() envs.Cursor { return &cursor{problem: p} }
func (c *cursor) Legal() []envs.Token { return c.choice().tokens() }
func (c *cursor) Done() bool          { return c.stage == finished }

func (c *cursor) Push(t envs.Token) error {
	legal := c.choice()
	if legal.has(t) {
		c.take(t)
		return nil
	}
	if c.Done() {
		return fmt.Errorf("token %q comes after the end of the answer", word(t))
	}
	var want []byte
	for _, t := range legal.tokens() {
		want = append(append(want, ' '), word(t)...)
	}
	return fmt.Errorf("token %q is not legal here, want one of%s", word(t), want)
}

// word is the text of a token; one outside the vocabulary is "?".
func word(t envs.Token) string {
	switch {
	case t >= 0 && t < end:
		return symbols[t : t+1]
	case t == end:
		return "end"
	}
	return "?"
}

func (c *cursor) choice() choice {
	switch c.stage {
	case firstOperand, secondOperand:
		return c.decompose()
	case expansion:
		return c.number(only(c.follower()))
	case partials:
		return c.reversed(c.problem.format.partial)
	case product:
		return c.reversed(c.problem.format.product)
	}
	return 0
}

func (c *cursor) decompose() choice {
	x, after := &c.sides[c.stage], star
	if c.stage == secondOperand {
		after = equals
	}
	switch {
	case c.outside:
		return only(after)
	case !c.inside && c.digits == 0:
		return nonzero | only(opening)
	case !c.inside:
		return c.number(only(after))
	}
	var symbols choice
	if int(x.n)+1 < c.problem.format.terms {
		if x.class != multiplied {
			symbols |= only(plus) | only(minus)
		}
		if x.class != summed {
			symbols |= only(star)
		}
	}
	if x.n > 0 {
		symbols |= only(closing)
	}
	return c.number(symbols)
}

// number is the choice within a number of the decomposition or the expansion: 1
// to 10^numeral, with the symbols that may follow it.
func (c *cursor) number(symbols choice) choice {
	f := c.problem.format
	switch n := int(c.digits); {
	case n == 0:
		return nonzero
	case n < f.numeral:
		return anyDigit | symbols
	case 10*c.value == f.largest:
		return zero | symbols
	}
	return symbols
}

// reversed is the choice within a partial product or the product: a number with its last digit
// first, which ends where its first digit is not 0. The number 0 has one digit.
func (c *cursor) reversed(digits int) choice {
	symbol := only(c.follower())
	if !c.whole() {
		symbol = 0
	}
	switch n := int(c.digits); {
	case n == 0:
		return anyDigit
	case n < digits-1:
		return anyDigit | symbol
	case n < digits:
		return nonzero | symbol
	}
	return symbol
}

// whole reports whether the digits so far, the last first, make a number.
func (c *cursor) whole() bool {
	return c.digits == 1 || c.digits > 1 && c.value >= powers[c.digits-1]
}

// follower is the symbol that closes the number under way, from the expansion on.
func (c *cursor) follower() envs.Token {
	switch {
	case c.stage == product:
		return end
	case c.stage == expansion && c.factor+1 < c.each:
		return star
	case c.term+1 == c.terms:
		return equals
	case c.signs>>(c.term+1)&1 != 0:
		return minus
	}
	return plus
}

// take goes on by a token of the choice.
func (c *cursor) take(t envs.Token) {
	c.length++
	if t < plus {
		if c.stage < partials {
			c.value = 10*c.value + int64(t)
		} else {
			c.value += int64(t) * powers[c.digits]
		}
		c.digits++
		return
	}
	switch c.stage {
	case firstOperand, secondOperand:
		c.takeSymbol(t)
	case expansion:
		c.closeFactor()
	case partials:
		c.closePartial()
	case product:
		c.stage = finished // the value stays: it is the answer
	}
}

func (c *cursor) takeSymbol(t envs.Token) {
	x := &c.sides[c.stage]
	if t == opening {
		c.inside = true
		return
	}
	if !c.outside {
		x.values[x.n] = int32(c.value)
		x.n++
		c.value, c.digits = 0, 0
	}
	switch {
	case !c.inside:
		if !c.outside {
			x.class = bare
		}
		c.outside, c.length = false, 0
		if c.stage++; c.stage == expansion {
			var room leaves
			c.expand(&room)
		}
	case t == closing:
		c.inside, c.outside = false, true
	default:
		x.join(t)
	}
}

// join takes an operator after a number in parentheses, and reports whether the symbol is an operator.
func (x *expression) join(symbol envs.Token) bool {
	switch symbol {
	case star:
		x.class = multiplied
	case minus:
		x.minus |= 1 << x.n
		x.class = summed
	case plus:
		x.class = summed
	default:
		return false
	}
	return true
}

// The vocabulary: ten digits, six symbols, and the end of the answer.
const (
	plus envs.Token = 10 + iota
	minus
	star
	opening
	closing
	equals
	end
	words // number of tokens
)

const symbols = "0123456789+-*()="

func vocabulary() []string { return append(strings.Split(symbols, ""), "end") }

// A choice is the set of tokens that may come next, one bit each.
type choice uint32

const (
	zero     choice = 1
	nonzero  choice = 1<<10 - 2
	anyDigit        = zero | nonzero
)

func only(t envs.Token) choice { return 1 << t }

// has reports whether a token, which may be any number, is among the choice.
func (c choice) has(t envs.Token) bool { return uint(t) < uint(words) && c>>t&1 != 0 }

// index numbers the choices that there are: of the digits none, 0, 1 to 9, or all, and any symbols.
func (c choice) index() int { return int(c&3 | c>>10<<2) }

// tokens lists the choice in ascending order. The slice is shared.
func (c choice) tokens() []envs.Token { return legal[c.index()] }

// legal lists the tokens of every choice, by its index.
var legal = func() (lists [1 << (2 + words - 10)][]envs.Token) {
	for i := range lists {
		c := choice(i) >> 2 << 10
		if i&1 != 0 {
			c |= zero
		}
		if i&2 != 0 {
			c |= nonzero
		}
		for t := range words {
			if c.has(t) {
				lists[i] = append(lists[i], t)
			}
		}
	}
	return lists
}()
