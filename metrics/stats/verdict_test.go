package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestHolm(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		reason   string
		ps, want []float64
	}{
		{"nothing tested", nil, nil},
		{"one test is not corrected", []float64{0.03}, []float64{0.03}},
		{"times 4, 3, 2, 1 in order of size, here unordered", []float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{"the second may not come out below the first", []float64{0.01, 0.011}, []float64{0.02, 0.02}},
		{"no more than 1", []float64{0.6, 0.7, 1}, []float64{1, 1, 1}},
		{"NaN is no test: two count", []float64{nan, 0.02, nan, 0.5}, []float64{nan, 0.04, nan, 0.5}},
		{"equal values have equal corrections", []float64{0.02, 0.02, 0.02}, []float64{0.06, 0.06, 0.06}},
	} {
		given := slices.Clone(test.ps)
		got := Holm(test.ps)
		if d := cmp.Diff(test.want, got, cmpopts.EquateApprox(1e-15, 0), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, d)
		}
		if !cmp.Equal(given, test.ps, cmpopts.EquateNaNs()) {
			t.Errorf("%s: the argument was changed to %v", test.reason, test.ps)
		}
	}
}

// TestHolmRejects: at each level, Holm's adjusted values must reject what his
// procedure does, which compares the smallest with level/m, the next with
// level/(m-1), and stops at the first that fails.
func TestHolmRejects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 8).Draw(t, "ps")
		level := rapid.Float64Range(0.001, 0.999).Draw(t, "level")
		sorted := slices.Sorted(slices.Values(ps))
		rejections := 0
		for rejections < len(sorted) && float64(len(sorted)-rejections)*sorted[rejections] <= level {
			rejections++
		}
		for i, adjusted := range Holm(ps) {
			want := slices.Index(sorted, ps[i]) < rejections
			if got := adjusted <= level; got != want {
				t.Errorf("%v at %v: p = %v rejected: %v, want %v", ps, level, ps[i], got, want)
			}
		}
	})
}

func TestSeedsForVerdict(t *testing.T) {
	for _, test := range []struct {
		reason string
		tests  int
		paired bool
		want   int
	}{
		{"2/2^6 = 0.031", 1, true, 6},
		{"no tests are one", 0, true, 6},
		{"2 * 0.031 is too much, 2 * 2/2^7 not", 2, true, 7},
		{"3 * 2/2^7 = 0.047", 3, true, 7},
		{"5 * 2/2^8 = 0.039", 5, true, 8},
		{"100 * 2/2^12 = 0.0488", 100, true, 12},
		{"unpaired: 4 a side would do (2/70), the floor is 6", 1, false, 6},
		{"23 * 2/924 = 0.0498", 23, false, 6},
		{"24 * 2/924 = 0.052", 24, false, 7},
	} {
		if got := SeedsForVerdict(test.tests, test.paired); got != test.want {
			t.Errorf("%s: got %d, want %d", test.reason, got, test.want)
		}
	}
}

// TestSmallestPIsAttained: the tests give the p values that SeedsForVerdict reckons with, for sides
// that do not overlap.
func TestSmallestPIsAttained(t *testing.T) {
	for n := 2; n <= 14; n++ {
		var low, high, differences []float64
		for i := range n {
			low, high = append(low, float64(i)), append(high, float64(100+i))
			differences = append(differences, high[i]-low[i])
		}
		if got, want := PairedTest(differences), smallestP(n, true); got != want {
			t.Errorf("%d pairs: got %v, want %v", n, got, want)
		}
		if got, want := UnpairedTest(low, high), smallestP(n, false); math.Abs(got-want) > 1e-14*want {
			t.Errorf("%d a side: got %v, want %v", n, got, want)
		}
	}
}
