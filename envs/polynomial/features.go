package polynomial

import "modebench/envs"

// Features implements envs.Describer.
func (e *Env) Features() envs.Features {
	return envs.Features{
		Count:  int(e.layout.features),
		Width:  max(4+e.layout.places+2+e.layout.places, 1+constantDigits),
		Prompt: maxDegree + 1,
		Tokens: int(answerTokens),
	}
}

// AppendPromptFeatures implements envs.DescribedProblem: a position for each term
// of the relation, with its coefficient as it is printed. Terms of explicit and of
// implicit relations are different things.
func (p *Problem) AppendPromptFeatures(dst [][]int32) [][]int32 {
	q := &p.relation
	l := &p.env.layout
	add := func(slot int, coefficient int64) {
		if coefficient == 0 {
			return
		}
		dst = envs.AppendPosition(dst)
		kind := 0
		if q.explicit {
			kind = 1
		}
		dst[len(dst)-1] = l.terms[kind].append(dst[len(dst)-1], int64(l.bound), slot, coefficient)
	}
	for i, c := range q.x {
		if q.explicit || i == 0 {
			c = -c // it is on the right
		}
		add(i, c)
	}
	if !q.explicit {
		add(maxDegree+1, q.xy)
		add(maxDegree+2, q.y)
		add(maxDegree+3, q.yy)
	}
	return dst
}

func (l *slotLayout) append(dst []int32, bound int64, slot int, c int64) []int32 {
	if abs(c) <= bound {
		return append(dst, l.exact+int32(slot)*int32(2*bound+1)+int32(c+bound))
	}
	sign := int32(0)
	if c < 0 {
		sign, c = 1, -c
	}
	dst = append(dst, l.sign+2*int32(slot)+sign)
	for place := range int32(constantDigits) {
		dst = append(dst, l.digits+10*place+int32(c%10))
		c /= 10
	}
	return dst
}

// AppendFeatures implements envs.DescribedCursor: how far the answer has come, the digits of the
// number under way, and x once it is written. They do not include the y that belongs to x.
func (c *cursor) AppendFeatures(dst []int32) []int32 {
	g, l := c.grammar, &c.grammar.layout
	n := &c.number
	dst = append(dst, l.stage+int32(c.part)*int32(stages)+int32(n.stage), l.ints+int32(n.ints), l.decimals+int32(n.decimals))
	if n.negative {
		dst = append(dst, l.negative)
	}
	digits := n.digits
	for i := int32(n.ints+n.decimals) - 1; i >= 0; i-- {
		dst = append(dst, l.digits+10*i+digits%10)
		digits /= 10
	}
	if c.part == writingX {
		return dst
	}
	x, unit := c.x, int32(g.unit)
	if x%unit == 0 && abs(int64(x/unit)) <= wholeNumbers {
		dst = append(dst, l.xWhole+wholeNumbers+x/unit)
	}
	if x < 0 {
		dst, x = append(dst, l.xNegative), -x
	}
	for place := range int32(l.places) {
		dst = append(dst, l.x+10*place+x%10)
		x /= 10
	}
	return dst
}

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
	l, number := layout{bound: 2 * c.Coefficients, places: c.Digits + c.Decimals}, envs.Numbering(0)
	take := number.Take
	for i := range l.terms {
		l.terms[i] = slotLayout{take(slots * (2*l.bound + 1)), take(slots * 2), take(10 * constantDigits)}
	}
	l.stage, l.negative = take(int(written+1)*int(stages)), take(1)
	l.ints, l.decimals, l.digits = take(c.Digits+1), take(c.Decimals+1), take(10*l.places)
	l.x, l.xNegative, l.xWhole = take(10*l.places), take(1), take(2*wholeNumbers+1)
	l.features = int32(number)
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
