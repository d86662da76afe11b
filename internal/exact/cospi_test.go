package exact_test

import (
	"math"
	"testing"

	"modebench/internal/exact"
)

// TestCosPi holds it against the cosine of package math, whose own error and that
// of its argument pi x are below 2^-52 together.
func TestCosPi(t *testing.T) {
	worst := 0.0
	for i := range 100001 {
		x := float64(i) / 100000
		worst = max(worst, math.Abs(exact.CosPi(x)-math.Cos(math.Pi*x)))
	}
	if worst > 0x1p-51 {
		t.Errorf("off by %g from math.Cos, want at most 2^-51", worst)
	}
	for x, want := range map[float64]float64{0: 1, 0.5: 0, 1: -1} {
		if got := exact.CosPi(x); got != want {
			t.Errorf("CosPi(%v) = %v, want %v to the last bit", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0.25: math.Sqrt2 / 2, 1. / 3: 0.5, 2. / 3: -0.5, 0.75: -math.Sqrt2 / 2} {
		if got := exact.CosPi(x); math.Abs(got-want) > 0x1p-52 {
			t.Errorf("CosPi(%v) = %.17g, want %.17g", x, got, want)
		}
	}
	for _, x := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if got := exact.CosPi(x); !math.IsNaN(got) {
			t.Errorf("CosPi(%v) = %v, want NaN", x, got)
		}
	}
}
