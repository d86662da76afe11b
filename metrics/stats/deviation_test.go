package stats

import (
	"math"
	"testing"

	"modebench/internal/rng"
)

// TestDeviationContrast repeats the pseudo-values from the definition.
func TestDeviationContrast(t *testing.T) {
	a, b := []float64{1, 4, 2, 8, 5}, []float64{0.5, 0.7, 0.1, 0.9, 0.4}
	logRatio := func(skip int) float64 {
		variance := func(xs []float64) float64 {
			n, mean, sum := 0.0, 0.0, 0.0
			for i, x := range xs {
				if i != skip {
					n++
					mean += x
				}
			}
			mean /= n
			for i, x := range xs {
				if i != skip {
					sum += (x - mean) * (x - mean)
				}
			}
			return sum / (n - 1)
		}
		return math.Log(variance(a)/variance(b)) / 2
	}
	for i, got := range DeviationContrast(a, b) {
		if want := 5*logRatio(-1) - 4*logRatio(i); math.Abs(got-want) > 1e-13 {
			t.Errorf("pair %d: got %v, want %v", i, got, want)
		}
	}
	for _, test := range []struct {
		reason string
		a, b   []float64
	}{
		{"two pairs", []float64{1, 2}, []float64{3, 5}},
		{"different lengths", a, b[1:]},
		{"a side without spread", a, []float64{1, 1, 1, 1, 1}},
		{"one without it once a pair is left out", []float64{1, 1, 1, 1, 3}, b},
		{"a NaN", a, []float64{0.5, 0.7, 0.1, 0.9, math.NaN()}},
		{"an infinity", []float64{1, 4, 2, 8, math.Inf(1)}, b},
	} {
		if got := DeviationContrast(test.a, test.b); got != nil {
			t.Errorf("%s: got %v", test.reason, got)
		}
		if got := DeviationRatioInterval(test.a, test.b); !math.IsNaN(got.Mean) || !math.IsNaN(got.Low) || !math.IsNaN(got.High) || got.N != len(test.a) {
			t.Errorf("%s: got %v", test.reason, got)
		}
	}
}

// TestDeviationRatioInterval: in any unit of either side the ratio scales with it, and
// to swap the sides inverts it.
func TestDeviationRatioInterval(t *testing.T) {
	r := rng.New(4).Rand()
	a, b := draw(r, 20, rng.Normal), draw(r, 20, rng.Normal)
	scaled := make([]float64, len(a))
	for i := range a {
		scaled[i] = 8*a[i] + 1
	}
	got, wide := DeviationRatioInterval(a, b), DeviationRatioInterval(scaled, b)
	if !(got.Low < got.Mean && got.Mean < got.High) || got.N != 20 {
		t.Errorf("got %+v", got)
	}
	if math.Abs(wide.Mean/got.Mean-8) > 1e-12 {
		t.Errorf("8 times as wide: %+v, was %+v", wide, got)
	}
	// By the definition, with the t quantile of 19 degrees from a table.
	contrast := DeviationContrast(a, b)
	low, high := naiveT(contrast)
	if math.Abs(math.Log(got.Low)-low) > 1e-4 || math.Abs(math.Log(got.High)-high) > 1e-4 {
		t.Errorf("got %+v, want %v and %v", got, math.Exp(low), math.Exp(high))
	}
	if swapped := DeviationRatioInterval(b, a); math.Abs(swapped.Mean*got.Mean-1) > 1e-12 {
		t.Errorf("swapped: %+v, was %+v", swapped, got)
	}
}
