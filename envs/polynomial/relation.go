package polynomial

import "strconv"

// Bounds of relations.
const (
	maxDegree       = 4 // of an explicit one in the split ood
	maxCoefficients = 20
)

// A relation is P(x, y) = 0 with integer coefficients, where
//
//	P = x[0] + x[1] x + ... + x[4] x^4 + (y + xy x) y + yy y^2
//
// is the left side as printed less the right side: y = p(x) if it is explicit, else terms
// on the left and a constant on the right.
type relation struct {
	explicit  bool
	x         [maxDegree + 1]int64
	xy, y, yy int64
}

// value is P at a pair of small integers.
func (q *relation) value(x, y int64) int64 {
	v := int64(0)
	for i := maxDegree; i >= 0; i-- {
		v = v*x + q.x[i]
	}
	return v + (q.y+q.xy*x+q.yy*y)*y
}

func (q *relation) degree() int {
	degree := 1
	if q.xy != 0 || q.yy != 0 {
		degree = 2
	}
	for i := degree + 1; i <= maxDegree; i++ {
		if q.x[i] != 0 {
			degree = i
		}
	}
	return degree
}

// largest is the largest absolute value of a coefficient, the constant apart.
func (q *relation) largest() int64 {
	size := max(abs(q.xy), abs(q.y), abs(q.yy))
	for _, c := range q.x[1:] {
		size = max(size, abs(c))
	}
	return size
}

func (q *relation) divisor() int64 {
	var d int64
	for _, t := range q.terms() {
		a := abs(t.Coefficient)
		for a != 0 {
			d, a = a, d%a
		}
	}
	return d
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// reducible reports whether the relation is a conic that falls apart into two
// lines or points: its 3x3 matrix (times 2) has the determinant zero.
func (q *relation) reducible() bool {
	a, b, c, d, e, f := q.x[2], q.xy, q.yy, q.x[1], q.y, q.x[0]
	conic := a != 0 || b != 0 || c != 0
	return conic && 4*a*c*f+b*d*e-a*e*e-c*d*d-f*b*b == 0
}

// A term is one term of P, in the JSON form of Fields.
type term struct {
	X           int   `json:"x"` // power of x
	Y           int   `json:"y"` // power of y
	Coefficient int64 `json:"coefficient"`
}

// terms lists the terms of P that are not zero, the constant last.
func (q *relation) terms() []term {
	all := []term{
		{4, 0, q.x[4]}, {3, 0, q.x[3]}, {2, 0, q.x[2]}, {1, 1, q.xy}, {0, 2, q.yy}, {1, 0, q.x[1]}, {0, 1, q.y}, {0, 0, q.x[0]},
	}
	some := all[:0]
	for _, t := range all {
		if t.Coefficient != 0 {
			some = append(some, t)
		}
	}
	return some
}

// String prints the relation: "y = x^2+3*x+7", "x*y-2*x+3*y = 12".
func (q *relation) String() string {
	var left, right []byte
	for _, t := range q.terms() {
		switch {
		case q.explicit && t.Y == 1:
			left = t.append(left)
		case q.explicit || t.X+t.Y == 0:
			t.Coefficient = -t.Coefficient
			right = t.append(right)
		default:
			left = t.append(left)
		}
	}
	if len(right) == 0 {
		right = append(right, '0')
	}
	return string(left) + " = " + string(right)
}

func (t term) append(sum []byte) []byte {
	c := t.Coefficient
	if c < 0 {
		sum, c = append(sum, '-'), -c
	} else if len(sum) > 0 {
		sum = append(sum, '+')
	}
	constant := t.X+t.Y == 0
	if c != 1 || constant {
		sum = strconv.AppendInt(sum, c, 10)
		if !constant {
			sum = append(sum, '*')
		}
	}
	sum = appendPower(sum, 'x', t.X)
	if t.X > 0 && t.Y > 0 {
		sum = append(sum, '*')
	}
	return appendPower(sum, 'y', t.Y)
}

func appendPower(dst []byte, name byte, power int) []byte {
	switch power {
	case 0:
		return dst
	case 1:
		return append(dst, name)
	}
	return append(dst, name, '^', byte('0'+power))
}
