package stats

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"modebench/internal/rng"
	"modebench/internal/testkit"
)

func TestPlanAnswerEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		reason           string
		deviation, delta float64
		tests, want      int
	}{
		{"no spread: what a verdict needs", 0, 1, 1, 6},
		{"no spread, five tests", 0, 1, 5, 8},
		{"a deviation below 0", -1, 1, 1, 0},
		{"a deviation that is NaN", nan, 1, 1, 0},
		{"an infinite one", inf, 1, 1, 0},
		{"nothing that matters", 1, 0, 1, 0},
		{"less than nothing", 1, -1, 1, 0},
		{"no spread, and nothing that matters", 0, 0, 1, 0},
		{"more than 2^20", 1, 1e-9, 1, 0},
	} {
		if got := PlanAnswer(test.deviation, test.delta, test.tests); got != test.want {
			t.Errorf("%s: got %d, want %d", test.reason, got, test.want)
		}
	}
	for _, test := range []struct {
		reason    string
		deviation float64
		n, tests  int
		want      float64
	}{
		{"too few", 1, 5, 1, inf},
		{"too few for five tests", 1, 7, 5, inf},
		{"no spread", 0, 6, 1, 0},
		{"below 0", -1, 6, 1, nan},
		{"infinite", inf, 6, 1, nan},
	} {
		if got := DetectableAnswer(test.deviation, test.n, test.tests); !same(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

// TestPlanAnswerReaches: as many units as are planned would have shown the effect, and
// a plan grows with the tests and the deviation.
func TestPlanAnswerReaches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deviation, delta := rapid.Float64Range(0.01, 3).Draw(t, "deviation"), rapid.Float64Range(0.1, 2).Draw(t, "delta")
		tests := rapid.IntRange(1, 64).Draw(t, "tests")
		n := PlanAnswer(deviation, delta, tests)
		if got := DetectableAnswer(deviation, n, tests); !(got <= delta) {
			t.Errorf("%d units are planned, and show %v", n, got)
		}
		if PlanAnswer(deviation, delta, tests+1) < n || PlanAnswer(1.1*deviation, delta, tests) < n || PlanAnswer(deviation, 1.1*delta, tests) > n {
			t.Errorf("%d units: not monotone", n)
		}
	})
}

// TestAnswerPower holds the page's table of PlanAnswer's numbers and of the
// power that Test has with them for normal values.
func TestAnswerPower(t *testing.T) {
	testkit.Long(t, "simulates thousands of experiments")
	effects := []float64{0.75, 1, 1.25, 1.5, 2}
	taken := sample{min(*replications/8, 1000), 1000}
	for _, tests := range []int{1, 10} {
		t.Run(fmt.Sprint(tests), func(t *testing.T) {
			t.Parallel()
			tested := fmt.Sprintf("one of %d", tests)
			var planned, support, equivalence []measurement
			for _, delta := range effects {
				n := PlanAnswer(1, delta, tests)
				// Exactly the number that is printed.
				planned = append(planned, measurement{sample{1, 1}, float64(n)})
				r, shown, near := rng.New(uint64(n)).Str("plan").Rand(), 0, 0
				for range taken.taken {
					x, ask := draw(r, n, rng.Normal), Question{Direction: Above, Delta: delta}
					if Test(x, ask).NoDifference <= Alpha {
						near++
					}
					for i := range x {
						x[i] += delta
					}
					if Test(x, ask).Supported <= Alpha/float64(tests) {
						shown++
					}
				}
				support, equivalence = append(support, taken.share(shown)), append(equivalence, taken.share(near))
			}
			publishedUnder(t, "Power of answers", "units planned, "+tested, planned)
			publishedUnder(t, "Power of answers", "support, "+tested, support)
			publishedUnder(t, "Power of answers", "equivalence, "+tested, equivalence)
		})
	}
}
