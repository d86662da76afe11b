package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"modebench/internal/rng"
)

// TestBenjaminiHochberg: by hand; testdata/statsmodels.json has more.
func TestBenjaminiHochberg(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		reason   string
		ps, want []float64
	}{
		{"none", nil, nil},
		{"one", []float64{0.03}, []float64{0.03}},
		{"4*.01/1, 4*.02/2; 4*.5/3 is less than 4*.4/2 and .9", []float64{0.9, 0.01, 0.5, 0.02}, []float64{0.9, 0.04, 2.0 / 3, 0.04}},
		{"a NaN is no test", []float64{0.04, nan, 0.01}, []float64{0.04, nan, 0.02}},
	} {
		got := BenjaminiHochberg(test.ps)
		if len(got) != len(test.want) {
			t.Fatalf("%s: got %v", test.reason, got)
		}
		for i := range got {
			if !(math.Abs(got[i]-test.want[i]) <= 1e-15) && !same(got[i], test.want[i]) {
				t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
			}
		}
	}
}

// TestPartialConjunction: by hand.
func TestPartialConjunction(t *testing.T) {
	ps := []float64{0.04, math.NaN(), 0.001, 0.3, 0.01}
	for _, test := range []struct {
		reason string
		u      int
		want   float64
	}{
		{"any of four: 4 * .001", 1, 0.004},
		{"two of four: 3 * .01", 2, 0.03},
		{"three of four: 2 * .04", 3, 0.08},
		{"all: the largest", 4, 0.3},
		{"none: not a hypothesis", 0, math.NaN()},
		{"more than there are", 5, math.NaN()},
	} {
		if got := PartialConjunction(ps, test.u); !(math.Abs(got-test.want) <= 1e-15) && !same(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
	if got := PartialConjunction([]float64{0.6, 0.7}, 1); got != 1 {
		t.Errorf("capped: got %v", got)
	}
}

// TestPartialConjunctionLevel: of four tests one has an effect and the p values of the
// others are uniform, so "at least two" is wrong, and found in 5% at most.
func TestPartialConjunctionLevel(t *testing.T) {
	const runs = 20000
	r := rng.New(9).Rand()
	found := 0
	for range runs {
		if PartialConjunction([]float64{0, r.Float64(), r.Float64(), r.Float64()}, 2) <= Alpha {
			found++
		}
	}
	// One of three is at most .05/3 in 1 - (1-.05/3)^3 = 4.9%.
	if share := float64(found) / runs; math.Abs(share-(1-math.Pow(1-Alpha/3, 3))) > 4*math.Sqrt(Alpha/runs) {
		t.Errorf("found in %.4f", share)
	}
}

// TestAdjustedLaws: adjusting keeps the order and lowers nothing, and Benjamini and
// Hochberg's values are at most Holm's.
func TestAdjustedLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 12).Draw(t, "ps")
		bh, holm := BenjaminiHochberg(ps), Holm(ps)
		for i := range ps {
			if bh[i] < ps[i]*(1-1e-15) || bh[i] > holm[i]*(1+1e-15) {
				t.Errorf("%v: Benjamini and Hochberg %v, Holm %v", ps, bh, holm)
			}
			for j := range ps {
				if ps[i] < ps[j] && bh[i] > bh[j] {
					t.Errorf("%v: %v is out of order", ps, bh)
				}
			}
		}
	})
}
