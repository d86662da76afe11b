package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestStudentEqualsGonum: the quantile and the tail, which the package computes without distuv and the linear
// algebra that it needs, have the bits of distuv.
func TestStudentEqualsGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	round := func(x float64) float64 { return math.Round(x*(1<<32)) / (1 << 32) }
	for degrees := 1; degrees <= 200; degrees++ {
		student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}
		for _, p := range []float64{0.5, 0.025, 0.975, 0.995, 0.9, rng.Float64(), rng.Float64() / 1000} {
			if got, want := studentQuantile(degrees, p), round(student.Quantile(p)); got != want {
				t.Fatalf("the %g quantile with %d degrees is %v, want %v", p, degrees, got, want)
			}
		}
		for _, x := range []float64{0, 2, -2, 1e3, 10 * rng.NormFloat64(), math.Inf(1), math.Inf(-1)} {
			if got, want := studentTail(degrees, x), round(student.CDF(-x)); got != want {
				t.Fatalf("the tail beyond %g with %d degrees is %v, want %v", x, degrees, got, want)
			}
		}
	}
}
