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

// Add returns x + y, and whether numerator and denominator fit an int64.
func (x Rat) Add(y Rat) (Rat, bool) {
	if x.small() && y.small() {
		return lowest(x.Num*y.Den+y.Num*x.Den, x.Den*y.Den), true
	}
	return fromBig(new(big.Rat).Add(x.big(), y.big()))
}

// Sub returns x - y, and whether numerator and denominator fit an int64.
func (x Rat) Sub(y Rat) (Rat, bool) {
	if x.small() && y.small() {
		return lowest(x.Num*y.Den-y.Num*x.Den, x.Den*y.Den), true
	}
	return fromBig(new(big.Rat).Sub(x.big(), y.big()))
}

// Mul returns x * y, and whether numerator and denominator fit an int64.
func (x Rat) Mul(y Rat) (Rat, bool) {
	if x.small() && y.small() {
		return lowest(x.Num*y.Num, x.Den*y.Den), true
	}
	return fromBig(new(big.Rat).Mul(x.big(), y.big()))
}

// Quo returns x / y, and whether y is not 0 and numerator and denominator fit an
// int64.
func (x Rat) Quo(y Rat) (Rat, bool) {
	switch {
	case y.Num == 0:
		return Rat{}, false
	case x.small() && y.small():
		return lowest(x.Num*y.Den, x.Den*y.Num), true
	}
	return fromBig(new(big.Rat).Quo(x.big(), y.big()))
}

// Neg returns -x, and whether it fits an int64.
func (x Rat) Neg() (Rat, bool) {
	return Rat{-x.Num, x.Den}, x.Num != math.MinInt64
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
	return -bound < x.Num && x.Num < bound && x.Den < bound
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

func (x Rat) big() *big.Rat { return big.NewRat(x.Num, x.Den) }

func fromBig(r *big.Rat) (Rat, bool) {
	if !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return Rat{}, false
	}
	return Rat{r.Num().Int64(), r.Denom().Int64()}, true
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
		if stack[last], ok = apply(n.Op, stack[last], y); ok {
			continue
		}
		if n.Op == Div && y.Num == 0 {
			return Rat{}, ErrDivisionByZero
		}
		return Rat{}, ErrOverflow
	}
	return stack[0], nil
}

// apply computes x op y, or -x.
func apply(op Op, x, y Rat) (Rat, bool) {
	switch op {
	case Add:
		return x.Add(y)
	case Sub:
		return x.Sub(y)
	case Mul:
		return x.Mul(y)
	case Div:
		return x.Quo(y)
	}
	return x.Neg()
}
