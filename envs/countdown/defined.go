package countdown

import (
	"math/bits"

	"modebench/internal/arith"
)

// A mode may have a value where one of its expressions has no value: x*z/y is 0 if z is 0,
// but x/(y/z), the same function elsewhere, divides by zero. That takes a factor of value
// zero above the line, written below it twice, beside another factor above and one below.
// The canonical print of a mode writes every factor above the line there, so it is defined
// if any expression of the mode is.

// A census counts the expressions of one problem's forms that divide by nothing that is zero.
type census struct {
	problem *Problem
	known   map[uint32]texts // by part.code; a form is met in many others
}

// leastFragile is how many numbers it takes: two for the zero, one to divide, one to divide
// by, and one to make a target of the 0 so far.
const leastFragile = 5

// strings counts the expressions, without signs and needless parentheses, whose
// value is that of a part.
func (c *census) strings(x part) int64 {
	n := c.level(x)
	if bits.OnesCount8(x.slots) >= leastFragile && c.fragile(x) {
		n = c.defined(x)
	}
	if x.flipped {
		return int64(n.minus)
	}
	return int64(n.plus)
}

func (c *census) level(x part) texts {
	l := c.problem.shape.algebra[bits.OnesCount8(x.slots)]
	return texts{l.plus[x.form], l.minus[x.form]}
}

// fragile reports whether some expressions of a form that has a value divide by zero.
func (c *census) fragile(x part) bool {
	p := c.problem
	kind := p.kind(x)
	if kind == single {
		return false
	}
	var room [maxSlots]part
	above, below, naught := 0, 0, false
	for _, y := range p.shape.algebra.flatten(room[:0], kind, part{form: x.form, slots: x.slots}) {
		if c.fragile(y) {
			return true
		}
		if kind == sum {
			continue
		}
		if y.flipped {
			below++
			continue
		}
		above++
		naught = naught || p.magnitude(y).num == 0
	}
	return naught && above >= 2 && below >= 1
}

// defined counts the expressions of a form: it shares the terms or factors out
// among two operands in every way that has the lowest slot in the first.
func (c *census) defined(x part) texts {
	p := c.problem
	if p.magnitude(x).den == 0 {
		return texts{}
	}
	if !c.fragile(x) {
		return c.level(x)
	}
	x.flipped = false
	if n, known := c.known[x.code()]; known {
		return n
	}
	var room [maxSlots]part
	kind := p.kind(x)
	parts := p.shape.algebra.flatten(room[:0], kind, x)
	total := texts{}
	for mine := 1; mine < 1<<len(parts)-1; mine++ {
		a, b := c.group(kind, parts, mine, false), c.group(kind, parts, ^mine, false)
		switch {
		case kind == sum && b.flipped:
			total.add(c.joined(difference, x, a, b))
		case kind == sum:
			total.add(c.joined(sum, x, a, b))
		default:
			total.add(c.joined(product, x, a, b))
			total.add(c.joined(quotient, x, a, c.group(kind, parts, ^mine, true)))
			total.add(c.joined(inverse, x, c.group(kind, parts, mine, true), b))
		}
	}
	if c.known == nil {
		c.known = map[uint32]texts{}
	}
	c.known[x.code()] = total
	return total
}

// group is the sum of those terms, or the product of those factors, that which has
// a bit for. With over, factors trade places around the line. A product with
// nothing above the line is no form: it comes without slots.
func (c *census) group(kind operation, parts []part, index int, over bool) part {
	var above, below part
	for i, y := range parts {
		switch {
		case index>>i&1 == 0:
		case kind == sum:
			above = c.with(arith.Add, above, y)
		case y.flipped != over:
			below = c.with(arith.Mul, below, part{form: y.form, slots: y.slots})
		default:
			above = c.with(arith.Mul, above, part{form: y.form, slots: y.slots})
		}
	}
	if above.slots == 0 || below.slots == 0 {
		return above
	}
	return c.with(arith.Div, above, below)
}

// with combines two parts, of which the first may be nothing yet.
func (c *census) with(op arith.Op, x, y part) part {
	if x.slots == 0 {
		return y
	}
	return c.problem.shape.algebra.combine(op, x, y)
}

// joined counts the expressions of a form that join one of A and one of B by an
// operator; none where A lacks the form's lowest slot, for then B and A count them.
func (c *census) joined(o operation, x, a, b part) texts {
	p := c.problem
	switch {
	case a.slots&x.slots&-x.slots == 0 || b.slots == 0:
		return texts{}
	case o == quotient && p.magnitude(b).num == 0, o == inverse && p.magnitude(a).num == 0:
		return texts{}
	}
	return o.texts(p.kind(a), p.kind(b), c.defined(a), c.defined(b))
}
