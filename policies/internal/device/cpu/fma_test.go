package cpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigFMA rounds the exact a*b + c once. 640 bits hold the sum of any product, from
// 2^-298 up, and any float32 exactly.
func bigFMA(a, b, c float32) float32 {
	exact := func(x float32) *big.Float { return new(big.Float).SetPrec(640).SetFloat64(float64(x)) }
	product := exact(a)
	product.Mul(product, exact(b))
	sum, _ := product.Add(product, exact(c)).Float32()
	return sum
}

func TestFMA32SpecialValues(t *testing.T) {
	inf, nan, least, most := float32(math.Inf(1)), float32(math.NaN()), float32(math.SmallestNonzeroFloat32), float32(math.MaxFloat32)
	minus0 := float32(math.Copysign(0, -1))
	for _, row := range []struct {
		why           string
		a, b, c, want float32
	}{
		{"zeros of unlike signs add up to +0", minus0, 1, 0, 0},
		{"zeros of like signs keep it", minus0, 1, minus0, minus0},
		{"exact cancelling gives +0", -3, 5, 15, 0},
		{"infinity times zero is no number", inf, 0, 1, nan},
		{"nor are infinities of unlike signs", inf, 1, -inf, nan},
		{"an infinite product wins over a finite term", inf, -2, most, -inf},
		{"an infinite term over a finite product", most, most, -inf, -inf},
		{"NaN stays NaN", 1, nan, 1, nan},
		{"a product beyond the range is infinite", most, 2, 0, inf},
		{"but not where the term brings it back", most, 2, -most, most},
		{"half of the last place rounds to even, down", 1 << 12, 1 << 12, 1, 1 << 24},
		{"and up", 1 << 12, 1 << 12, 3, 1<<24 + 4},
		{"a little more than half rounds up", 1<<12 + 0x1p-11, 1 << 12, 1, 1<<24 + 4},
		{"a term too small for float64 decides a tie, up", 1<<12 + 1, 1<<12 - 1, 2 + 0x1p-22, 1<<24 + 2},
		{"a tie between subnormal numbers, to even", 0x1p-75, 0x1p-75, least, 2 * least},
		{"the same with a product just below the tie", 0x1p-75, 0x1p-75 * (1 - 0x1p-24), least, least},
		{"half of the smallest number rounds to zero", 0x1p-75, 0x1p-75, 0, 0},
		{"and of the sign of the exact result", 0x1p-75, -0x1p-75, 0, minus0},
		{"a product far below float32 tips a tie of the largest numbers", 0x1p-149, 0x1p-149, most, most},
	} {
		got := fma32(row.a, row.b, row.c)
		if math.Float32bits(got) != math.Float32bits(row.want) && (got == got || row.want == row.want) {
			t.Errorf("fma32(%g, %g, %g) = %x, want %x: %s", row.a, row.b, row.c, got, row.want, row.why)
		}
	}
}

// TestFMA32 holds fma32 to arithmetic without rounding, on triples of which many come
// near the middle of two float32s.
func TestFMA32(t *testing.T) {
	const n = 300_000
	r := rand.New(rand.NewPCG(1, 2))
	middles := 0
	for range n {
		a, b, c := fmaTriple(r)
		got, want := fma32(a, b, c), bigFMA(a, b, c)
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("fma32(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
		if twice := float32(float64(float64(a)*float64(b)) + float64(c)); twice != want {
			middles++
		}
	}
	// So that the test is known to reach what the function is there for.
	if middles < n/100 {
		t.Errorf("rounding twice goes wrong for %d of %d triples only", middles, n)
	}
}

// fmaTriple draws finite factors and a term.
func fmaTriple(r *rand.Rand) (a, b, c float32) {
	finite := func() float32 {
		for {
			if x := math.Float32frombits(r.Uint32()); x-x == 0 {
				return x
			}
		}
	}
	sign := func() float32 { return float32(2*r.IntN(2) - 1) }
	switch r.IntN(6) {
	case 0: // anything
		return finite(), finite(), finite()
	case 1: // like exponents, so that all three matter
		return float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())
	case 2: // a term that all but cancels the product
		a, b = float32(r.NormFloat64()), float32(r.NormFloat64())
		c = -float32(a * b)
		return a, b, math.Float32frombits(math.Float32bits(c) + uint32(r.IntN(3)-1))
	case 3: // a term plus half of its last place, less a rest far below
		near := float32(1+r.IntN(1<<10)) * 0x1p-23
		exponent := r.IntN(253) - 126
		c = sign() * float32(math.Ldexp(1+r.Float64(), exponent))
		half := max(exponent-24, -150) // subnormal numbers are no closer
		a = float32(math.Ldexp(1, half/2)) * (1 + near)
		b = sign() * float32(math.Ldexp(1, half-half/2)) * (1 - near)
		return a, b, c
	case 4: // subnormal results, and middles between them
		a = float32(math.Ldexp(float64(1+r.IntN(1<<r.IntN(24))), -75-r.IntN(24)))
		b = sign() * float32(math.Ldexp(float64(1+r.IntN(8)), -75+r.IntN(24)))
		return a, b, math.Float32frombits(r.Uint32() & 0x800fffff)
	default: // whole numbers at the edge of 24 bits
		a, b = float32(r.IntN(1<<13)), sign()*float32(r.IntN(1<<13))
		return a + float32(r.IntN(2))*0x1p-30, b, sign() * float32(r.IntN(1<<24)) * float32(math.Ldexp(1, r.IntN(9)-4))
	}
}
