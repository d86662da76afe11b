package countdown

import (
	"math/bits"

	"modebench/envs"
	"modebench/internal/arith"
)

// Features implements envs.Describer.
func (e *Env) Features() envs.Features {
	l := &e.layout
	tokens := int(firstNumber) + l.tokens
	return envs.Features{Count: int(l.count), Width: 3*valueWidth + 2 + l.numbers, Prompt: l.numbers + 1, Tokens: tokens}
}

// AppendPromptFeatures implements envs.DescribedProblem: a position for each
// number, with its place among them, and one for the target.
func (p *Problem) AppendPromptFeatures(dst [][]int32) [][]int32 {
	e := p.shape.env
	l := &e.layout
	for i, number := range p.given() {
		dst = envs.AppendPosition(dst, l.slot+int32(i), l.number+int32(int(number)-e.low))
	}
	return envs.AppendPosition(dst, l.wanted+int32(int(p.target)-e.low))
}

// AppendFeatures implements envs.DescribedCursor: the two topmost values of the stack, the
// difference between the target and the top one, how many values there are, the numbers
// left, and the target. They do not include the results of joining the two values.
func (c *cursor) AppendFeatures(dst []int32) []int32 {
	p := c.problem
	e := p.shape.env
	l := &e.layout
	if c.depth > 0 {
		whole, rest, den := split(c.stack[c.depth-1])
		dst = l.values[0].append(dst, whole, rest, den)
		if den > 0 {
			whole = int64(p.target) - whole
			if rest > 0 {
				whole, rest = whole-1, den-rest
			}
			dst = l.values[2].append(dst, whole, rest, den)
		}
	}
	if c.depth > 1 {
		whole, rest, den := split(c.stack[c.depth-2])
		dst = l.values[1].append(dst, whole, rest, den)
	}
	dst = append(dst, l.depth+int32(c.depth), l.target+int32(int(p.target)-e.low))
	if c.done {
		return append(dst, l.done)
	}
	again := int32(0) // how many numbers left are the same as this one, so far
	last := int16(-1)
	for rest := p.shape.full &^ c.used; rest != 0; rest &= rest - 1 {
		number := p.numbers[bits.TrailingZeros8(rest)]
		if number != last {
			last, again = number, 0
		}
		dst = append(dst, l.left+again*int32(l.tokens)+int32(int(number)-e.low))
		again++
	}
	return dst
}

// split cuts a value into its floor and a proper fraction. An undefined one has the denominator 0.
func split(v arith.Rat) (whole, rest, den int64) {
	if v.Den <= 1 {
		return v.Num, 0, v.Den
	}
	whole = v.Num / v.Den
	if rest = v.Num % v.Den; rest < 0 {
		whole, rest = whole-1, rest+v.Den
	}
	return whole, rest, v.Den
}

// append appends the features of a value.
func (l *valueLayout) append(dst []int32, whole, rest, den int64) []int32 {
	if den == 0 {
		return append(dst, l.undefined)
	}
	if uint64(whole+nearest) <= 2*nearest {
		dst = append(dst, l.whole+int32(whole+nearest))
	} else {
		dst = l.far(dst, whole)
	}
	if rest > 0 {
		dst = append(dst, l.den+int32(min(den, fraction+1)-1), l.rest+int32(min(rest, fraction+1)-1))
	}
	return dst
}

// far appends the features of a floor that has no feature of its own.
func (l *valueLayout) far(dst []int32, whole int64) []int32 {
	sign := int32(0)
	if whole < 0 {
		sign, whole = 1, -whole
	}
	if whole >= threeDigits {
		return append(dst, l.large+2*int32(bits.Len64(uint64(whole)))+sign)
	}
	return append(dst, l.hundreds+2*int32(whole/100)+sign, l.tens+int32(whole/10%10), l.units+int32(whole%10))
}

// A layout numbers the features of an environment.
type layout struct {
	numbers int // most of a problem
	tokens  int // numbers that have a token

	// Of prompts, which have a position for every number and one for the target.
	slot, number, wanted int32

	// Of states.
	values [3]valueLayout // top of the stack, the value below, and the difference between target and top
	depth  int32
	left   int32 // numbers: the first, second, ... of a value
	target int32
	done   int32
	count  envs.Numbering
}

// A valueLayout numbers the features of a value.
type valueLayout struct {
	undefined int32
	whole     int32 // the floor, if it is near 0
	hundreds  int32 // its digits, if it has three; hundreds with its sign
	tens      int32
	units     int32
	large     int32 // its length in bits and its sign, if it has more
	den, rest int32 // of the part above the floor, in lowest terms
}

// values without a feature of their own are below this, or large.
const threeDigits = 1000

// valueWidth is most features of a value.
const valueWidth = 5

func newLayout(numbers, low, high int) layout {
	l := layout{numbers: numbers, tokens: high - low + 1}
	take := l.count.Take
	l.slot, l.number, l.wanted = take(numbers), take(l.tokens), take(l.tokens)
	for i := range l.values {
		l.values[i] = valueLayout{
			undefined: take(1), whole: take(2*nearest + 1), hundreds: take(2 * 10), tens: take(10), units: take(10),
			large: take(2 * 65), den: take(fraction + 1), rest: take(fraction + 1),
		}
	}
	l.depth, l.left, l.target, l.done = take(numbers+1), take(numbers*l.tokens), take(l.tokens), take(1)
	return l
}

// The resolution of values. Most values that matter lie near 0, and there each has a feature.
const (
	nearest  = 200
	fraction = 32 // denominators, and rests, above this are one
)
