package countdown

import "modebench/envs"

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

// The resolution of values. Most values that matter lie near 0, and there each has
// a feature.
const (
	nearest  = 200
	fraction = 32 // denominators, and rests, above this are one
)
