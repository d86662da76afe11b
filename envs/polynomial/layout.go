package polynomial

type layout struct {
	bound  int // coefficients up to this have a feature each
	places int // digits of a number, before and after the point

	// Of prompts, which have a position for each term.
	terms [2]slotLayout // of implicit and of explicit relations

	// Of states.
	stage     int32 // part of the answer, and stage of its number
	negative  int32
	ints      int32 // how many digits of the number under way are before the point
	decimals  int32 // and after it
	digits    int32 // these digits, in the order in which they are written
	x         int32 // its digits, by place
	xNegative int32
	xWhole    int32 // its value, if that is a small integer
	features  int32
}

func newLayout(c *Config) layout {
	l := layout{bound: 2 * c.Coefficients, places: c.Digits + c.Decimals}
	take := func(n int) int32 {
		from := l.features
		l.features += int32(n)
		return from
	}
	for i := range l.terms {
		l.terms[i] = slotLayout{take(slots * (2*l.bound + 1)), take(slots * 2), take(10 * constantDigits)}
	}
	l.stage, l.negative = take(int(written+1)*int(stages)), take(1)
	l.ints, l.decimals, l.digits = take(c.Digits+1), take(c.Decimals+1), take(10*l.places)
	l.x, l.xNegative, l.xWhole = take(10*l.places), take(1), take(2*wholeNumbers+1)
	return l
}

// A slotLayout numbers the features of a term's coefficient, by the term's slot.
type slotLayout struct {
	exact  int32 // if it is small
	sign   int32 // else its sign and digits, units first
	digits int32
}

// slots are the terms that a relation may have: the powers of x, then x*y, y, y^2.
const slots = maxDegree + 1 + 3

// constantDigits is most digits of a constant. With planted pairs it is below
// 2*maxCoefficients*2*(planted^2+planted).
const constantDigits = 4

// wholeNumbers bounds the integers x that have a feature each.
const wholeNumbers = 30
