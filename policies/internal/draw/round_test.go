package draw

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRound: numbers are rounded as multiples of a power of two are, 23 bits are a float32's,
// and NaN and infinities stay.
func TestRound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := r.NormFloat64() * math.Exp2(float64(r.IntN(40)-20))
		bits := 1 + r.IntN(mantissa)
		got := []float64{x}
		Round(got, bits)
		unit := math.Exp2(float64(math.Ilogb(x) - bits))
		if want := math.RoundToEven(x/unit) * unit; got[0] != want {
			t.Fatalf("%v to %d bits: got %v, want %v", x, bits, got[0], want)
		}
		Round(got, bits)
		again := got[0]
		if Round(got, bits); got[0] != again {
			t.Fatalf("%v to %d bits: rounding twice gives another number", x, bits)
		}
		got[0] = x
		if Round(got, 23); got[0] != float64(float32(x)) {
			t.Fatalf("%v to 23 bits: got %v, want float32's %v", x, got[0], float32(x))
		}
	}
	for _, c := range []struct {
		x    float64
		bits int
		want float64
	}{
		{1 + 1.0/256, 7, 1}, {1 + 3.0/256, 7, 1 + 1.0/64}, {-1.9999, 7, -2}, {0, 7, 0}, {1.3, 52, 1.3},
		{math.Inf(-1), 7, math.Inf(-1)}, {math.Inf(1), 1, math.Inf(1)},
	} {
		got := []float64{c.x}
		if Round(got, c.bits); got[0] != c.want {
			t.Errorf("%v to %d bits: got %v, want %v", c.x, c.bits, got[0], c.want)
		}
	}
}
