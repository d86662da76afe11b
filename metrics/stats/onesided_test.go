package stats

import (
	"math"
	"slices"
	"testing"

	"modebench/internal/rng"
)

// TestStatsmodels compares the parts of the tests with the p values of other
// implementations: Student's, the sign flips, and the adjusted ones.
func TestStatsmodels(t *testing.T) {
	var file struct {
		Tost []struct {
			X                                []float64
			Delta, Equivalence, Above, Below float64
		}
		Flips []struct {
			X                   []float64
			Bound, Above, Below float64
		}
		BH []struct{ P, Adjusted []float64 }
	}
	readJSON(t, "testdata/statsmodels.json", &file)
	if len(file.Tost) == 0 || len(file.Flips) == 0 || len(file.BH) == 0 {
		t.Fatal("no vectors")
	}
	near := func(what string, got, want, tolerance float64) {
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	for _, v := range file.Tost {
		l := newLocation(v.X)
		l.statistics = nil // Student's
		// Rounded to a multiple of 2^-32.
		near("above", l.studentP(0, 1), v.Above, 2e-10)
		near("below", l.studentP(0, -1), v.Below, 2e-10)
		near("within", max(l.studentP(-v.Delta, 1), l.studentP(v.Delta, -1)), v.Equivalence, 2e-10)
	}
	for _, v := range file.Flips {
		l := newLocation(v.X)
		for _, side := range []struct{ sign, want float64 }{{1, v.Above}, {-1, v.Below}} {
			if side.sign*(l.mean-v.Bound) <= 0 {
				side.want = 1
			}
			near("flips", l.flipped(v.Bound, side.sign), side.want, 1e-12)
		}
	}
	for _, v := range file.BH {
		for i, got := range BenjaminiHochberg(v.P) {
			near("Benjamini and Hochberg", got, v.Adjusted[i], 1e-15)
		}
	}
}

// TestFlippedIsHalfOfPairedTest: also where sums of rounded values tie, and where the
// vectors are drawn and PairedTest counts them.
func TestFlippedIsHalfOfPairedTest(t *testing.T) {
	for _, n := range []int{1, 6, 13, exactUnits, exactUnits + 1, 33, exactPairs} {
		for _, shift := range []float64{0.1, 0.3, 0.5} {
			x := make([]float64, n)
			for i := range x {
				x[i] = shift + math.Round(10*math.Sin(float64(3*i)))/10
			}
			if Mean(x) <= 0 {
				continue
			}
			want, noise := PairedTest(x)/2, 0.0
			if n > exactUnits {
				noise = 4*math.Sqrt(want/permutations) + 1.0/permutations
			}
			if got := newLocation(x).flipped(0, 1); !(math.Abs(got-want) <= noise) {
				t.Errorf("n = %d, shift %v: got %v, want %v", n, shift, got, want)
			}
			if got := newLocation(negated(x)).flipped(0, -1); !(math.Abs(got-want) <= noise) {
				t.Errorf("n = %d, shift %v, below: got %v, want %v", n, shift, got, want)
			}
		}
	}
}

// TestStudentisedAgainstNaive repeats the bootstrap p value from its definition with
// another generator; both are random.
func TestStudentisedAgainstNaive(t *testing.T) {
	xs := []float64{0.1, 2.3, 0.4, 1.1, 0.2, 5.9, 0.3, 0.8, -0.4}
	n := float64(len(xs))
	moments := func(xs []float64) (mean, se float64) {
		for _, x := range xs {
			mean += x / n
		}
		for _, x := range xs {
			se += (x - mean) * (x - mean)
		}
		return mean, math.Sqrt(se / (n - 1) / n)
	}
	mean, se := moments(xs)
	r := rng.New(3).Rand()
	const many = 200000
	resample := make([]float64, len(xs))
	for _, bound := range []float64{0, 0.5, 2.5, 4} {
		above, below := 0.0, 0.0
		for range many {
			for i := range resample {
				resample[i] = xs[r.IntN(len(xs))]
			}
			m, s := moments(resample)
			if (m-mean)/s >= (mean-bound)/se {
				above++
			}
			if (m-mean)/s <= (mean-bound)/se {
				below++
			}
		}
		l := newLocation(xs)
		if l.statistics == nil {
			t.Fatal("no bootstrap")
		}
		for _, side := range []struct{ got, want float64 }{{l.studentP(bound, 1), above / many}, {l.studentP(bound, -1), below / many}} {
			if noise := 4*math.Sqrt(side.want*(1-side.want)/fineResamples) + 1.0/fineResamples; math.Abs(side.got-side.want) > noise {
				t.Errorf("bound %v: got %v, naive %v, noise %v", bound, side.got, side.want, noise)
			}
		}
	}
}

// TestAgreement counts the most frequent value, rounding aside, and measures its distance from 0.
func TestAgreement(t *testing.T) {
	for _, test := range []struct {
		reason              string
		xs                  []float64
		agreement, frequent float64
	}{
		{"all", []float64{2, 2, 2}, 1, 2},
		{"two of four", []float64{1, 1, 2, 3}, 1.0 / 16, 1},
		{"three of four, a rounding apart", []float64{1, 1 + 1e-15, 1 - 1e-15, 3}, 81.0 / 256, 1 - 1e-15},
		{"below 0", []float64{-2, -2, 0, 1}, 1.0 / 16, 2},
		{"none: the nearest of all", []float64{1, 2, -0.5, 4}, 1.0 / 256, 0.5},
		{"two as frequent: the nearer one", []float64{-3, -3, 2, 2}, 1.0 / 16, 2},
		{"and on the other side", []float64{-2, -2, 3, 3}, 1.0 / 16, 2},
		{"too few to tell", []float64{1, 2}, 1, 1},
	} {
		got := newLocation(slices.Clone(test.xs))
		if math.Abs(got.agreement-test.agreement) > 1e-15 || got.frequent != test.frequent {
			t.Errorf("%s: got %v at %v, want %v at %v", test.reason, got.agreement, got.frequent, test.agreement, test.frequent)
		}
	}
}
