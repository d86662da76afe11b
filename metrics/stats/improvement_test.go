package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestImprovement(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		reason   string
		old, new []float64
		want     float64
	}{
		{"new above old throughout", []float64{1, 2, 3}, []float64{4, 5, 6}, 1},
		{"and below", []float64{4, 5, 6}, []float64{1, 2, 3}, 0},
		{"the same values", []float64{1, 2, 3}, []float64{3, 1, 2}, 0.5},
		{"all tied", []float64{1, 1}, []float64{1, 1, 1}, 0.5},
		{"of six pairs: three won, one tied", []float64{1, 3}, []float64{0, 3, 4}, 3.5 / 6},
		{"infinities have an order", []float64{1, 2}, []float64{math.Inf(1), math.Inf(-1)}, 0.5},
		{"an empty side", nil, []float64{1}, nan},
		{"a NaN", []float64{1, nan}, []float64{1}, nan},
	} {
		got := Improvement(test.old, test.new)
		if math.IsNaN(test.want) {
			if !math.IsNaN(got.Mean) || !math.IsNaN(got.Low) || !math.IsNaN(got.High) {
				t.Errorf("%s: got %+v", test.reason, got)
			}
			continue
		}
		if got.Mean != test.want || got.N != min(len(test.old), len(test.new)) {
			t.Errorf("%s: got %+v, want %v", test.reason, got, test.want)
		}
	}
}

// TestImprovementBounds puts the bounds back into the equation that defines
// them, in the form of Hanley and McNeil's variance, with a common number of
// values on either side: V = (p(1-p) + (N*-1)(Q1-p^2) + (N*-1)(Q2-p^2))/nm with
// Q1 = p/(2-p) and Q2 = 2p^2/(1+p).
func TestImprovementBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(0, 3), rapid.SampledFrom([]float64{0, 1, 2}))
		old := rapid.SliceOfN(value, 1, 15).Draw(t, "old")
		new := rapid.SliceOfN(value, 1, 15).Draw(t, "new")
		got := Improvement(old, new)
		n, m := float64(len(old)), float64(len(new))
		extra := (n+m)/2 - 1
		for _, p := range []float64{got.Low, got.High} {
			if p == got.Mean && (p == 0 || p == 1) {
				continue // the estimate is at that end of its range
			}
			if p <= 0 || p >= 1 || p == got.Mean {
				t.Fatalf("a bound of %+v is degenerate", got)
			}
			variance := (p*(1-p) + extra*(p/(2-p)-p*p) + extra*(2*p*p/(1+p)-p*p)) / (n * m)
			if z := math.Abs(got.Mean-p) / math.Sqrt(variance); math.Abs(z-1.959963984540054) > 1e-6 {
				t.Errorf("%+v: the bound %v is %v deviations away", got, p, z)
			}
		}
		swapped := Improvement(new, old)
		if math.Abs(swapped.Mean-(1-got.Mean)) > 1e-15 || math.Abs(swapped.Low-(1-got.High)) > 1e-15 || math.Abs(swapped.High-(1-got.Low)) > 1e-15 {
			t.Errorf("the sides exchanged: %+v, was %+v", swapped, got)
		}
		// Only the order of the values counts.
		for _, xs := range [][]float64{old, new} {
			for i, x := range xs {
				xs[i] = x*x*x + 5*x
			}
		}
		if again := Improvement(old, new); again != got {
			t.Errorf("after a rising transformation: %+v, was %+v", again, got)
		}
	})
}
