package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// vector is a line of testdata/scipy.json.
type vector struct {
	Test        string
	Old, New    []float64
	Differences []float64
	P           float64
}

// TestScipy compares with the vectors of another implementation.
func TestScipy(t *testing.T) {
	var file struct{ Vectors []vector }
	readJSON(t, "testdata/scipy.json", &file)
	if len(file.Vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range file.Vectors {
		var got float64
		switch v.Test {
		case "paired":
			got = PairedTest(v.Differences)
		case "unpaired":
			got = UnpairedTest(v.Old, v.New)
		case "iqm":
			got = IQM(v.Differences)
		}
		if !(math.Abs(got-v.P) <= 1e-12) {
			t.Errorf("%+v: got %v", v, got)
		}
	}
}

// naiveSigns counts sign vectors of whole numbers, whose sums are exact.
func naiveSigns(differences []int) float64 {
	seen := 0
	for _, d := range differences {
		seen += d
	}
	seen = max(seen, -seen)
	hits := 0
	for signs := range 1 << len(differences) {
		sum := 0
		for i, d := range differences {
			if signs>>i&1 == 1 {
				d = -d
			}
			sum += d
		}
		if max(sum, -sum) >= seen {
			hits++
		}
	}
	return float64(hits) / float64(int(1)<<len(differences))
}

// TestPairedAgainstEnumeration also scales the whole numbers by a tenth, so that
// sums which are equal come out a rounding apart, and by huge and tiny units.
func TestPairedAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.IntRange(-6, 6), 1, 11).Draw(t, "differences")
		want := naiveSigns(whole)
		for _, unit := range []float64{1, 0.1, 1e-3 / 7, 1e300, 1e-300, -0.3} {
			differences := make([]float64, len(whole))
			for i, d := range whole {
				differences[i] = unit * float64(d)
			}
			if got := PairedTest(differences); got != want {
				t.Errorf("unit %v: got %v, want %v", unit, got, want)
			}
		}
	})
}

func TestPairedTest(t *testing.T) {
	for _, test := range []struct {
		reason      string
		differences []float64
		want        float64
	}{
		{"six of one sign: 2 of 64", []float64{1, 2, 3, 4, 5, 6}, 2.0 / 64},
		{"the other sign", []float64{-1, -2, -3, -4, -5, -6}, 2.0 / 64},
		{"a zero changes nothing", []float64{1, 2, 3, 4, 5, 6, 0}, 2.0 / 64},
		{"no difference anywhere", []float64{0, 0, math.Copysign(0, -1)}, 1},
		{"a mean of 0", []float64{1, -1}, 1},
		{"a mean of 0 up to rounding", []float64{0.1, 0.2, -0.3}, 1},
		{"one pair: both signs are as extreme", []float64{5}, 1},
		{"no pairs", nil, math.NaN()},
		{"a NaN", []float64{1, math.NaN()}, math.NaN()},
		{"an infinity", []float64{1, math.Inf(-1)}, math.NaN()},
		{"Darwin's maize (Fisher 1935, sec. 21): 863 of 32768 on each side",
			[]float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}, 2 * 863.0 / 32768},
	} {
		if got := PairedTest(test.differences); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

// TestDrawnSigns: a zero beside 40 differences changes no p value but has the
// signs drawn, so the drawn value must be the exact one up to their noise.
func TestDrawnSigns(t *testing.T) {
	for _, shift := range []float64{0, 0.25, 0.5} {
		var differences []float64
		for i := range exactPairs {
			differences = append(differences, shift+math.Sin(float64(3*i)))
		}
		want := PairedTest(differences)
		got := PairedTest(append(differences, 0))
		if noise := 4 * math.Sqrt(want*(1-want)/permutations); math.Abs(got-want) > noise+1.0/permutations {
			t.Errorf("shift %v: got %v, exact %v, noise %v", shift, got, want, noise)
		}
	}
	ones := make([]float64, exactPairs+1)
	for i := range ones {
		ones[i] = 1
	}
	if got, want := PairedTest(ones), 1.0/(permutations+1); got != want {
		t.Errorf("no drawn sign vector can match 41 equal differences: got %v, want %v", got, want)
	}
}

// TestPairedLaws: order and the direction of the comparison do not matter, in
// the exact and in the drawn test, and p is a probability above 0.
func TestPairedLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 5, 12, exactPairs + 1}).Draw(t, "n")
		if n > exactPairs && rapid.IntRange(0, 9).Draw(t, "rarely") > 0 {
			n = 9 // drawing takes milliseconds
		}
		differences := rapid.SliceOfN(rapid.Float64Range(-1, 2), n, n).Draw(t, "differences")
		p := PairedTest(differences)
		if !(p > 0 && p <= 1) {
			t.Errorf("p = %v", p)
		}
		shuffled := rapid.Permutation(differences).Draw(t, "shuffled")
		for i := range shuffled {
			shuffled[i] = -shuffled[i]
		}
		if got := PairedTest(shuffled); got != p {
			t.Errorf("shuffled and negated: %v, was %v", got, p)
		}
	})
}
