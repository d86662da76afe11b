package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"modebench/internal/rng"
)

// ratioOf is the ratio of means and its standard error straight from the definition.
func ratioOf(a, b []float64) (ratio, se float64) {
	n, sumA, sumB, squares := float64(len(a)), 0.0, 0.0, 0.0
	for i := range a {
		sumA += a[i]
		sumB += b[i]
	}
	ratio = sumA / sumB
	for i := range a {
		squares += (a[i] - ratio*b[i]) * (a[i] - ratio*b[i])
	}
	return ratio, math.Sqrt(squares/(n*(n-1))) / math.Abs(sumB/n)
}

// TestRatioAgainstNaive repeats the bootstrap from its definition with another
// generator: both are random.
func TestRatioAgainstNaive(t *testing.T) {
	a := []float64{1.2, 0.4, 2.1, 1.7, 0.3, 1.1, 0.8, 1.9, 1.4}
	b := []float64{1.0, 0.7, 1.6, 1.1, 0.6, 1.3, 0.9, 1.2, 1.5}
	ratio, se := ratioOf(a, b)
	r := rng.New(5).Rand()
	const many = 200000
	naive, own, ra, rb := make([]float64, many), make([]float64, many), make([]float64, len(a)), make([]float64, len(a))
	sample := newRatio(a, b, ratio)
	var source rand.PCG
	for k := range naive {
		for i := range ra {
			j := r.IntN(len(a))
			ra[i], rb[i] = a[j], b[j]
		}
		resampled, s := ratioOf(ra, rb)
		naive[k] = (resampled - ratio) / s
		own[k], _ = sample.resampledT(&source)
	}
	if math.Abs(sample.se-se) > 1e-14 {
		t.Errorf("standard error %v, want %v", sample.se, se)
	}
	for _, at := range []float64{0.025, 0.25, 0.5, 0.75, 0.975} {
		want, got := selectNth(naive, int(many*at)), selectNth(own, int(many*at))
		if math.Abs(got-want) > 0.03+0.02*math.Abs(want) {
			t.Errorf("quantile %v of (r*-r)/se*: got %v, want %v", at, got, want)
		}
	}
	// Of 2000 resamples, in bounds.
	low, high := ratio-selectNth(naive, many*975/1000)*se, ratio-selectNth(naive, many*25/1000)*se
	got := RatioInterval(a, b)
	if math.Abs(got.Mean-ratio) > 1e-15 || math.Abs(got.Low-low) > 0.15*(ratio-low) || math.Abs(got.High-high) > 0.15*(high-ratio) {
		t.Errorf("got %+v, naive %v [%v, %v]", got, ratio, low, high)
	}
}

func TestRatioInterval(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ones := []float64{1, 1, 1, 1}
	for _, test := range []struct {
		reason string
		a, b   []float64
		want   Interval
	}{
		{"all of a are twice b", []float64{2, 4, 6, 5}, []float64{1, 2, 3, 2.5}, Interval{4, 2, 2, 2}},
		{"Student's for four pairs: .75 -+ 3.1824 * .5/2", []float64{1, 1, 1, 0}, ones, Interval{4, 0.75, 0.75 - 0.795612, 0.75 + 0.795612}},
		{"the denominator may be 0", []float64{1, 2, 1, 2}, []float64{1, -1, 2, 0}, Interval{4, 3, nan, nan}},
		{"the denominator is below 0", ones, []float64{-1, -1, -1, -1}, Interval{4, -1, nan, nan}},
		{"too few to know the denominator", []float64{1, 2}, []float64{1, 1}, Interval{2, 1.5, nan, nan}},
		{"no pairs", nil, nil, Interval{0, nan, nan, nan}},
		{"different lengths", ones, ones[1:], Interval{4, nan, nan, nan}},
		{"a NaN", ones, []float64{1, 1, 1, nan}, Interval{4, nan, nan, nan}},
		{"an infinity", []float64{1, 1, 1, inf}, ones, Interval{4, nan, nan, nan}},
	} {
		got := RatioInterval(test.a, test.b)
		for _, pair := range [][2]float64{{got.Mean, test.want.Mean}, {got.Low, test.want.Low}, {got.High, test.want.High}} {
			if !(math.Abs(pair[0]-pair[1]) <= 1e-5) && !same(pair[0], pair[1]) || got.N != test.want.N {
				t.Errorf("%s: got %+v, want %+v", test.reason, got, test.want)
			}
		}
	}
}
