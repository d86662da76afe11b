package metrics

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

func TestSampledByHand(t *testing.T) {
	p := Pool{Modes: 5, Chains: chainsOfOne(
		verdict("A", true, 1, 0), verdict("B", true, 1, 2), verdict("A", false, 0, 0),
		verdict("C", false, 0, 1), verdict(envs.Degenerate, false, -1, 0),
		verdict("A", true, 1, 0), verdict(envs.Degenerate, true, 1, 0), verdict("A", true, 1, 0),
	)}
	got, err := measurePool(p, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []Value{
		{"pass@1", 5. / 8, 1},
		{"best@1", 5.5 / 8, 1}, // scores -1 0 .5 1 1 1 1 2
		{"best_first@1", 1, 1},
		{"coverage@1", 4. / 8, 1}, // the degenerate correct answer covers nothing
		{"pass@2", 1 - 3./28, 1},  // 3 of the 28 pairs are among the 3 incorrect
		{"best@2", 33. / 28, 1},   // sum of (i-1) g_i, i = 1..8, over 28
		{"best_first@2", 2, 1},
		{"coverage@2", 25. / 56, 1}, // pairs with A: 28-10, with B: 7; over 2*28
		{"accuracy", 5. / 8, 1},
		{"reward", 5.5 / 8, 1},
		{"distinct_correct", 2, 1},
		{"distinct_incorrect", 2, 1},
		// A four times, degenerate twice, B and C once each.
		{"entropy_mode", 0.5*math.Log(2) + 0.25*math.Log(4) + 0.25*math.Log(8), 1},
		// Gap by gap, pairs that it parts: -1|0 7, 0|1 15; 0|1 12, 1|2 7.
		{"reward_l1", 41. / 28, 1},
		{"reward_l1_correct", 2. * 4 / 10, 1}, // only B's second component differs
		// Means 1/2 and 3/8, mean squares 6/8 and 5/8, mean product 2/8.
		{"rho_bar", (2./8 - 3./16) / math.Sqrt((6./8-1./4)*(5./8-9./64)), 1},
		{"headroom", 33./28 - 5.5/8, 1},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-15 })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSampledLeavesCoverageOut(t *testing.T) {
	for _, test := range []struct {
		reason string
		pool   Pool
		want   int // how many metrics are left of 10
	}{
		{"modes unknown", Pool{Modes: -1, Chains: chainsOfOne(verdict("A", true, 1, 0))}, 9},
		{"modes known", Pool{Modes: 1, Chains: chainsOfOne(verdict("A", true, 1, 0))}, 10},
		{"no correct answer exists, so there is nothing to cover", Pool{Modes: 0, Chains: chainsOfOne(verdict("A", false, 1, 0))}, 9},
	} {
		values, err := measurePool(test.pool, []int{1})
		if got := byName(t, values, err); len(got) != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
}

func TestImpossiblePools(t *testing.T) {
	one := chainsOfOne(verdict("A", true, 1, 0))
	for _, test := range []struct {
		reason string
		pool   Pool
		ks     []int
		want   string
	}{
		{"empty", Pool{}, nil, "no answers"},
		{"k beyond the pool", Pool{Modes: -1, Chains: one}, []int{2}, "k is 2, but there are 1 answers; no estimator is unbiased for k > n"},
		{"negative k", Pool{Modes: -1, Chains: one}, []int{-1}, "k[0]: -1, want at least 1"},
		{"more correct modes than exist", Pool{Modes: 0, Chains: one}, nil, "1 distinct correct modes, but modes is 0"},
		{"a reward component is missing", Pool{Modes: -1, Chains: chainsOfOne(&envs.Verdict{Reward: []float64{1}})}, nil,
			"chains[0][0]: reward: 1 entries, want 2 (one per weight)"},
		{"w.r overflows", Pool{Modes: -1, Chains: chainsOfOne(verdict("A", true, 1e308, 1e308))}, nil,
			"chains[0][0]: w.r: got 1.5e+308, want a number within 1e+300 of 0"},
		{"a component whose square overflows", Pool{Modes: -1, Chains: chainsOfOne(verdict("A", true, 1e200, 0))}, nil,
			"chains[0][0]: reward[0]: got 1e+200, want a number within 1e+150 of 0"},
		{"an empty chain", Pool{Modes: -1, Chains: [][]*envs.Verdict{one[0], {}}}, nil, "chains[1]: empty, want at least 1 candidate"},
		{"chains of two lengths", Pool{Modes: -1, Chains: [][]*envs.Verdict{one[0], {one[0][0], one[0][0]}}}, nil,
			"chains[1]: 2 candidates, want 1 as in chains[0]"},
		{"no verdict", Pool{Modes: -1, Chains: [][]*envs.Verdict{{one[0][0], nil}}}, nil, "chains[0][1]: nil, want a verdict"},
		{"k beyond the candidates of all chains", Pool{Modes: -1, Chains: [][]*envs.Verdict{{one[0][0], one[0][0]}}}, []int{2, 3},
			"k is 3, but there are 2 answers; no estimator is unbiased for k > n"},
		{"a front of another dimension", Pool{Modes: -1, Chains: one, Front: [][]float64{{1}}}, nil,
			"front[0]: 1 entries, want 2 (one per weight)"},
		{"a front that is not finite", Pool{Modes: -1, Chains: one, Front: [][]float64{{1, 0}, {math.Inf(1), 0}}}, nil,
			"front[1]: w.r: got +Inf, want a number within 1e+300 of 0"},
		{"a front with a repetition", Pool{Modes: -1, Chains: one, Front: [][]float64{{1, 0}, {0, 1}, {1, 0}}}, nil,
			"front[0]: equal to front[2] or dominated by it, want the Pareto front"},
		{"a dominated vector in the front", Pool{Modes: -1, Chains: one, Front: [][]float64{{1, 1}, {0, 1}}}, nil,
			"front[1]: equal to front[0] or dominated by it, want the Pareto front"},
		{"a candidate beyond the front", Pool{Modes: -1, Chains: [][]*envs.Verdict{{one[0][0], verdict("A", true, 1, 0.5)}}, Front: [][]float64{{1, 0}, {0, 1}}}, nil,
			"chains[0][1]: reward [1 0.5], but no vector of front reaches it"},
	} {
		if _, err := measurePool(test.pool, test.ks); err == nil || err.Error() != test.want {
			t.Errorf("%s: got error %v, want %q", test.reason, err, test.want)
		}
	}
}

// outOfRange names the documented range that a metric of a pool of n candidates, or
// a distribution of n rollouts, leaves; "" if it leaves no range.
func outOfRange(v Value, n int) string {
	name, _, _ := strings.Cut(v.Name, "@")
	low, high := 0.0, 1.0
	switch name {
	case "distinct_correct", "distinct_incorrect", "modes_alive", "correct_modes_alive", "strategies", "uniq", "vendi", "chain_uniq":
		high = float64(n)
	case "entropy_mode", "entropy_sequence":
		high = math.Log(float64(n)) + 1e-9
	case "regret", "reward_l1", "reward_l1_correct":
		high = math.Inf(1)
	case "rho_bar":
		low = -1
	case "setpo_diversity":
		low, high = -math.Ln2, 0
	case "best", "best_first", "ew_best", "reward":
		low, high = -maxScore, maxScore
	}
	if v.Mean >= low && v.Mean <= high && v.Problems >= 1 {
		return ""
	}
	return v.Name + " is out of its range"
}
