package metrics

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/envs"
)

func verdict(mode envs.Mode, correct bool, r0, r1 float64) envs.Verdict {
	return outcome(0, mode, correct, r0, r1).Verdict
}

func TestSampledByHand(t *testing.T) {
	p := Pool{Modes: 5, Verdicts: []envs.Verdict{
		verdict("A", true, 1, 0), verdict("B", true, 1, 2), verdict("A", false, 0, 0),
		verdict("C", false, 0, 1), verdict(envs.Degenerate, false, -1, 0),
		verdict("A", true, 1, 0), verdict(envs.Degenerate, true, 1, 0), verdict("A", true, 1, 0),
	}}
	got, err := Sampled(p, testWeights, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []Value{
		{"pass@1", 5. / 8, 1},
		{"best@1", 5.5 / 8, 1},      // scores -1 0 .5 1 1 1 1 2
		{"coverage@1", 4. / 8, 1},   // the degenerate correct answer covers nothing
		{"pass@2", 1 - 3./28, 1},    // 3 of the 28 pairs are among the 3 incorrect
		{"best@2", 33. / 28, 1},     // sum of (i-1) g_i, i = 1..8, over 28
		{"coverage@2", 25. / 56, 1}, // pairs with A: 28-10, with B: 7; over 2*28
		{"accuracy", 5. / 8, 1},
		{"reward", 5.5 / 8, 1},
		{"distinct_correct", 2, 1},
		{"distinct_incorrect", 2, 1},
		// A four times, degenerate twice, B and C once each.
		{"entropy_mode", 0.5*math.Log(2) + 0.25*math.Log(4) + 0.25*math.Log(8), 1},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-15 })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSampledLeavesCoverageOut(t *testing.T) {
	for _, test := range []struct {
		reason string
		pool   Pool
		want   int // how many metrics are left of 8
	}{
		{"modes unknown", Pool{-1, []envs.Verdict{verdict("A", true, 1, 0)}}, 7},
		{"modes known", Pool{1, []envs.Verdict{verdict("A", true, 1, 0)}}, 8},
		{"no correct answer exists, so there is nothing to cover", Pool{0, []envs.Verdict{verdict("A", false, 1, 0)}}, 7},
	} {
		values, err := Sampled(test.pool, testWeights, []int{1})
		if got := byName(t, values, err); len(got) != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
}

func TestImpossiblePools(t *testing.T) {
	one := []envs.Verdict{verdict("A", true, 1, 0)}
	for _, test := range []struct {
		reason string
		pool   Pool
		ks     []int
		want   string
	}{
		{"empty", Pool{}, nil, "no answers"},
		{"k beyond the pool", Pool{-1, one}, []int{2}, "k is 2, but there are 1 answers; no estimator is unbiased for k > n"},
		{"negative k", Pool{-1, one}, []int{-1}, "k[0]: -1, want at least 1"},
		{"more correct modes than exist", Pool{0, one}, nil, "1 distinct correct modes, but modes says that 0 exist"},
		{"a reward component is missing", Pool{-1, []envs.Verdict{{Reward: []float64{1}}}}, nil,
			"answer 0: reward: 1 entries, want 2 (one per weight)"},
		{"w.r overflows", Pool{-1, []envs.Verdict{verdict("A", true, 1e308, 1e308)}}, nil,
			"answer 0: w.r: got 1.5e+308, want a number within 1e+300 of 0"},
	} {
		if _, err := Sampled(test.pool, testWeights, test.ks); err == nil || err.Error() != test.want {
			t.Errorf("%s: got error %v, want %q", test.reason, err, test.want)
		}
	}
}

func TestSampledProperties(t *testing.T) {
	one := rapid.Custom(func(t *rapid.T) envs.Verdict {
		return verdict(envs.Mode(rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "mode")),
			rapid.Bool().Draw(t, "correct"), rapid.Float64Range(-9, 9).Draw(t, "r0"), rapid.Float64Range(-9, 9).Draw(t, "r1"))
	})
	rapid.Check(t, func(t *rapid.T) {
		verdicts := rapid.SliceOfN(one, 8, 64).Draw(t, "verdicts")
		ks := []int{1, 2, 4, 8}
		values, err := Sampled(Pool{4, verdicts}, testWeights, ks)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := rapid.Permutation(verdicts).Draw(t, "shuffled")
		again, err := Sampled(Pool{4, shuffled}, testWeights, ks)
		if err != nil || !slices.Equal(values, again) {
			t.Errorf("the draw order changed the metrics: %v, %v, %v", values, again, err)
		}
		for _, v := range values {
			if why := outOfRange(v, len(verdicts)); why != "" {
				t.Error(why)
			}
		}
	})
}

// outOfRange says which documented range a sampled metric of n answers leaves,
// or "".
func outOfRange(v Value, n int) string {
	low, high := 0.0, 1.0
	switch v.Name {
	case "distinct_correct", "distinct_incorrect":
		high = float64(n)
	case "entropy_mode":
		high = math.Log(float64(n)) + 1e-12
	case "reward":
		low, high = -maxScore, maxScore
	default:
		if v.Name[:4] == "best" {
			low, high = -maxScore, maxScore
		}
	}
	if v.Mean >= low && v.Mean <= high && v.Problems >= 1 {
		return ""
	}
	return v.Name + " is out of its range"
}
