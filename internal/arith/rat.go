package arith

import (
	"errors"
	"math"
	"math/big"
	"strconv"
)

// A Rat is an exact quotient in lowest terms, Den > 0. The zero value is not a
// number: make one with Int.
type Rat struct{ Num, Den int64 }

// Int returns the quotient n/1.
func Int(n int64) Rat { return Rat{n, 1} }

// Apply returns x op y, or -y for Neg, and whether it has a value whose numerator and denominator
// an int64 holds.
func Apply(op Op, x, y Rat) (Rat, bool) {
	switch op {
	case Neg:
		return Rat{-y.Num, y.Den}, y.Num != math.MinInt64
	case Div:
		if y.Num == 0 {
			return Rat{}, false
		}
		op, y = Mul, Rat{y.Den, y.Num}
	}
	if !x.small() || !y.small() {
		return applyBig(op, x, y)
	}
	switch op {
	case Add:
		return lowest(x.Num*y.Den+y.Num*x.Den, x.Den*y.Den), true
	case Sub:
		return lowest(x.Num*y.Den-y.Num*x.Den, x.Den*y.Den), true
	}
	return lowest(x.Num*y.Num, x.Den*y.Den), true
}

func applyBig(op Op, x, y Rat) (Rat, bool) {
	a, b := big.NewRat(x.Num, x.Den), big.NewRat(y.Num, y.Den)
	switch op {
	case Add:
		a.Add(a, b)
	case Sub:
		a.Sub(a, b)
	default:
		a.Mul(a, b)
	}
	if !a.Num().IsInt64() || !a.Denom().IsInt64() {
		return Rat{}, false
	}
	return Rat{a.Num().Int64(), a.Denom().Int64()}, true
}

// String writes the quotient as an expression: "3/4", "-5".
func (x Rat) String() string {
	text := strconv.FormatInt(x.Num, 10)
	if x.Den != 1 {
		text += "/" + strconv.FormatInt(x.Den, 10)
	}
	return text
}

// small reports whether a sum of two products with such numbers overflows nothing.
func (x Rat) small() bool {
	const bound = 1 << 31
	return -bound < x.Num && x.Num < bound && -bound < x.Den && x.Den < bound
}

// lowest reduces num/den, den != 0 and neither of them the least int64.
func lowest(num, den int64) Rat {
	if den < 0 {
		num, den = -num, -den
	}
	a, b := num, den
	if a < 0 {
		a = -a
	}
	for a != 0 {
		a, b = b%a, a
	}
	return Rat{num / b, den / b}
}

// Faults of an expression that parses.
var (
	ErrDivisionByZero = errors.New("division by zero")
	ErrOverflow       = errors.New("a value on the way needs more than 64 bits")
)

// Eval returns the value of an expression, given the nodes that Parse appended. The
// error is ErrDivisionByZero or ErrOverflow.
func Eval(nodes []Node) (Rat, error) {
	var room [16]Rat
	stack := room[:0]
	for _, n := range nodes {
		if n.Op == Number {
			stack = append(stack, Int(n.Value))
			continue
		}
		last := len(stack) - 1
		y := stack[last]
		if n.Op != Neg {
			stack = stack[:last]
			last--
		}
		var ok bool
		if stack[last], ok = Apply(n.Op, stack[last], y); ok {
			continue
		}
		if n.Op == Div && y.Num == 0 {
			return Rat{}, ErrDivisionByZero
		}
		return Rat{}, ErrOverflow
	}
	return stack[0], nil
}
