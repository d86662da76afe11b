package arith

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"modebench/internal/rng"
)

// edges are where an int64 or a shortcut ends.
var edges = []int64{0, 1, 2, 3, 10, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, math.MaxInt64 - 1, math.MaxInt64}

// draw returns a quotient of numbers small, large or at an edge.
func draw(r *rand.Rand) Rat {
	part := func() int64 {
		switch r.IntN(4) {
		case 0:
			return edges[r.IntN(len(edges))]
		case 1:
			return r.Int64() >> r.IntN(63)
		}
		return r.Int64N(40)
	}
	num, den := part(), part()
	if r.IntN(2) == 0 {
		num = -num
	}
	if r.IntN(50) == 0 {
		num = math.MinInt64
	}
	x := big.NewRat(num, max(1, den))
	return Rat{x.Num().Int64(), x.Denom().Int64()}
}

// TestAgainstBig holds each operation against math/big: the same quotient, and
// not ok exactly where that does not fit.
func TestAgainstBig(t *testing.T) {
	r := rng.New(1).Rand()
	overflows := 0
	for range 200_000 {
		x, y := draw(r), draw(r)
		a, b := big.NewRat(x.Num, x.Den), big.NewRat(y.Num, y.Den)
		for _, op := range []Op{Add, Sub, Mul, Div, Neg} {
			got, ok := Apply(op, x, y)
			want := new(big.Rat)
			switch op {
			case Add:
				want.Add(a, b)
			case Sub:
				want.Sub(a, b)
			case Mul:
				want.Mul(a, b)
			case Neg:
				want.Neg(b)
			case Div:
				if y.Num == 0 {
					want = nil // not a number
				} else {
					want.Quo(a, b)
				}
			}
			fits := want != nil && want.Num().IsInt64() && want.Denom().IsInt64()
			if !fits {
				overflows++
			}
			if ok != fits || ok && got != (Rat{want.Num().Int64(), want.Denom().Int64()}) {
				t.Fatalf("%v %c %v: got %v, %v; want %v", x, "+-*/n"[op-Add], y, got, ok, want)
			}
		}
	}
	if overflows < 1000 {
		t.Errorf("only %d operations overflowed", overflows)
	}
}

func TestEval(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         Rat
		err          error
	}{
		{"a whole number", "54+(24-21)*3", Int(63), nil},
		{"a fraction in lowest terms", "6/4-1/-2", Int(2), nil},
		{"a fraction that stays one", "1/6+1/10", Rat{4, 15}, nil},
		{"the sign is the numerator's", "3/-6", Rat{-1, 2}, nil},
		{"zero has the denominator 1", "(1/3-1/3)*5", Int(0), nil},
		{"division by zero", "1/(2-2)", Rat{}, ErrDivisionByZero},
		{"division of zero by zero", "0/0", Rat{}, ErrDivisionByZero},
		{"zero divided", "0/7", Int(0), nil},
		{"overflow", "9223372036854775807+1", Rat{}, ErrOverflow},
		{"overflow of a denominator", "1/9223372036854775807/2", Rat{}, ErrOverflow},
		{"overflow on the way counts", "9223372036854775807*2-9223372036854775807*2", Rat{}, ErrOverflow},
		{"large terms, small result", "9223372036854775807/3-9223372036854775806/3", Rat{1, 3}, nil},
		{"deeper than the usual stack", "1-(1-(1-(1-(1-(1-(1-(1-(1-(1-(1-(1-(1-(1-(1-(1-(1-(1-2)))))))))))))))))", Int(2), nil},
	} {
		nodes, err := Parse(nil, c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Eval(nodes); got != c.want || err != c.err {
			t.Errorf("%s: %s = %v, error %v; want %v, error %v", c.reason, c.text, got, err, c.want, c.err)
		}
	}
}

func TestString(t *testing.T) {
	for want, x := range map[string]Rat{"5": Int(5), "-3/4": {-3, 4}, "0": Int(0)} {
		if got := x.String(); got != want {
			t.Errorf("%+v is %q, want %q", x, got, want)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	nodes, err := Parse(nil, "54/3+(24+21)")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Eval(nodes); err != nil {
			b.Fatal(err)
		}
	}
}
