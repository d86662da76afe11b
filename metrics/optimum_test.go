package metrics

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/envs"
)

func TestOptimumByHand(t *testing.T) {
	o := Options{Weights: []float64{0.5, 0.5}, K: []int{1, 2}, Draws: [][]float64{{1, 0}, {0, 1}, {0.5, 0.5}, {0.5, 0.5}}}
	for _, test := range []struct {
		reason string
		modes  int
		front  [][]float64
		want   []Value
	}{
		{"nothing is known", -1, nil, nil},
		{"no correct answer exists", 0, nil, []Value{{"pass@1", 0, 1}, {"pass@2", 0, 1}, {"accuracy", 0, 1}}},
		{"modes alone", 3, nil, []Value{{"pass@1", 1, 1}, {"coverage@1", 1, 1}, {"pass@2", 1, 1}, {"coverage@2", 1, 1}, {"accuracy", 1, 1}}},
		// The middle vector is best alone (0.75, 0.75, 0.75, 0.75), the ends as a pair
		// (1, 1, 0.5, 0.5) do no better than the middle and an end (1, 0.75, 0.75, 0.75).
		{"front alone", -1, [][]float64{{0, 1}, {0.75, 0.75}, {1, 0}}, []Value{
			{"best@1", 0.75, 1}, {"best_first@1", 0.75, 1}, {"ew_best@1", 0.75, 1}, {"regret@1", 0, 1}, {"front_coverage@1", 1, 1},
			{"best@2", 0.75, 1}, {"best_first@2", 0.75, 1}, {"ew_best@2", 3.25 / 4, 1}, {"regret@2", 0, 1}, {"front_coverage@2", 1, 1},
			{"reward", 0.75, 1}, {"hypervolume", 1, 1},
		}},
		{"larger k than the front has vectors", -1, [][]float64{{0, 1}, {1, 0}}, []Value{
			{"best@1", 0.5, 1}, {"best_first@1", 0.5, 1}, {"ew_best@1", 0.5, 1}, {"regret@1", 0, 1}, {"front_coverage@1", 1, 1},
			{"best@2", 0.5, 1}, {"best_first@2", 0.5, 1}, {"ew_best@2", 0.75, 1}, {"regret@2", 0, 1}, {"front_coverage@2", 1, 1},
			{"reward", 0.5, 1}, {"hypervolume", 1, 1},
		}},
	} {
		got, err := measure(o, func(t *Table) error { return t.AddOptimum(test.modes, test.front) })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	for _, test := range []struct {
		answers bool
		want    []Value
	}{
		{true, []Value{{"pass@1", 1, 1}, {"coverage@1", 1, 1}, {"maj@1", 1, 1}, {"pass@2", 1, 1}, {"coverage@2", 1, 1}, {"maj@2", 1, 1},
			{"accuracy", 1, 1}, {"final_accuracy", 1, 1}, {"strategy_accuracy", 1, 1}}},
		{false, []Value{{"pass@1", 1, 1}, {"coverage@1", 1, 1}, {"pass@2", 1, 1}, {"coverage@2", 1, 1}, {"accuracy", 1, 1}, {"strategy_accuracy", 1, 1}}},
	} {
		o := Options{Weights: []float64{1}, K: []int{1, 2}, Answers: test.answers, Measure: []string{MeasureVotes, MeasureRollouts}}
		got, err := measure(o, func(t *Table) error { return t.AddOptimum(3, nil) })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("votes, answers %t (-want +got):\n%s", test.answers, diff)
		}
	}
	for want, front := range map[string][][]float64{
		"front[0]: 1 entries, want 2 (one per weight)":                          {{1}},
		"front[0]: equal to front[1] or dominated by it, want the Pareto front": {{1, 0}, {1, 0}},
		"front[1]: reward[1]: got -1e+200, want a number within 1e+150 of 0":    {{1, 0}, {1, -1e200}},
	} {
		if _, err := measure(o, func(t *Table) error { return t.AddOptimum(1, front) }); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	if _, err := measure(o, func(t *Table) error { return t.AddOptimum(-2, nil) }); err == nil {
		t.Error("-2 modes are no error")
	}
}

// TestNegativeWeightsHaveNoRegret: the front does not bound w.r under a negative weight.
func TestNegativeWeightsHaveNoRegret(t *testing.T) {
	o := Options{Weights: []float64{1, -1}, K: []int{1}}
	front := [][]float64{{0, 1}, {1, 0.5}}
	values, err := measure(o, func(t *Table) error {
		return t.Add(Pool{Modes: -1, Front: front, Chains: chainsOfOne(verdict("", false, 1, 0))})
	})
	if _, defined := byName(t, values, err)["regret@1"]; defined {
		t.Error("regret@1 is defined")
	}
	values, err = measure(o, func(t *Table) error { return t.AddOptimum(-1, front) })
	if _, defined := byName(t, values, err)["best@1"]; defined {
		t.Error("the ceiling of best@1 is defined")
	}
}

func TestBestSubsetAgainstAllSubsets(t *testing.T) {
	draws := Scalarisations(3, 20)
	for n := 1; n <= 9; n++ {
		front := randomPoints(n, 3, "front")
		for k := 1; k <= 10; k++ {
			want := 0.0
			for set := range uint(1) << n {
				if bits.OnesCount(set) != min(k, n) {
					continue
				}
				sum := 0.0
				for _, w := range draws {
					best := 0.0
					for i, r := range front {
						if set>>i&1 == 1 {
							best = max(best, dot(w, r))
						}
					}
					sum += best
				}
				want = max(want, sum/20)
			}
			got, ok := bestSubset(front, draws, k)
			if !ok {
				t.Fatalf("%d of %d: no value", k, n)
			}
			near(t, "best subset", got, want, 1e-14)
		}
	}
	large := randomPoints(100, 3, "front")
	for _, k := range []int{3, 50, 98} {
		if _, ok := bestSubset(large, draws, k); ok {
			t.Errorf("%d of 100 vectors are more sets than can be tried", k)
		}
	}
	for _, k := range []int{1, 2, 99, 100, 1000} {
		if _, ok := bestSubset(large, draws, k); !ok {
			t.Errorf("%d of 100 vectors are few enough", k)
		}
	}
	if _, ok := bestSubset(large, nil, 1); ok {
		t.Error("a mean over no draws")
	}
}

// TestNoPoolBeatsTheOptimum: for any pool, no metric is beyond its ceiling.
func TestNoPoolBeatsTheOptimum(t *testing.T) {
	modes := []string{"", "a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 4).Draw(t, "d")
		component := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 0.5, 1}))
		vectors := rapid.SliceOfN(rapid.SliceOfN(component, d, d), 1, 6).Draw(t, "vectors")
		m, n := rapid.IntRange(1, 3).Draw(t, "m"), rapid.IntRange(3, 5).Draw(t, "n")
		p := Pool{Modes: len(modes) - 1, Front: envs.ParetoFront(vectors)}
		for range n {
			var chain []*envs.Verdict
			for range m {
				chain = append(chain, &envs.Verdict{
					Reward:  rapid.SampledFrom(vectors).Draw(t, "r"),
					Mode:    envs.Mode(rapid.SampledFrom(modes).Draw(t, "mode")),
					Correct: rapid.Bool().Draw(t, "correct"),
				})
			}
			p.Chains = append(p.Chains, chain)
		}
		exactly := Distribution{Modes: p.Modes, Front: p.Front}
		for _, chain := range p.Chains {
			exactly.Outcomes = append(exactly.Outcomes, Outcome{P: 1 / float64(n), Chain: chain})
		}
		o := Options{Weights: Scalarisations(d, 1)[0], K: []int{1, 2, 3}, Samples: 3, Draws: Scalarisations(d, 10)}
		values, err := measure(o, func(t *Table) error { return t.AddOptimum(p.Modes, p.Front) })
		if err != nil {
			t.Fatal(err)
		}
		ceiling := map[string]float64{}
		for _, v := range values {
			ceiling[v.Name] = v.Mean
		}
		pooled, err := measure(o, func(t *Table) error { return t.Add(p) })
		if err != nil {
			t.Fatal(err)
		}
		exact, err := measure(o, func(t *Table) error { return t.AddExact(exactly) })
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, v := range slices.Concat(pooled, exact) {
			top, has := ceiling[v.Name]
			if !has {
				continue
			}
			compared++
			if v.Name[:3] == "reg" {
				if v.Mean < 0 {
					t.Errorf("%+v below 0", v)
				}
			} else if v.Mean > top+1e-12 {
				t.Errorf("%+v above its ceiling %v", v, top)
			}
		}
		if compared < 2*len(o.K)*4 {
			t.Errorf("only %d metrics have a ceiling", compared)
		}
	})
}

// TestOptimumIsNoneWhereOneProblemHasNone: an average over the problems whose
// ceiling is affordable would bound nothing.
func TestOptimumIsNoneWhereOneProblemHasNone(t *testing.T) {
	var circle [][]float64
	for i := range 30 {
		angle := math.Pi / 2 * float64(i) / 29
		circle = append(circle, []float64{math.Sin(angle), math.Cos(angle)})
	}
	o := Options{Weights: []float64{0.5, 0.5}, K: []int{1, 5}, Draws: Scalarisations(2, 8)}
	table, err := NewTable(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, front := range [][][]float64{circle, {{0.1, 0}, {0, 0.1}}} {
		if err := table.AddOptimum(-1, front); err != nil {
			t.Fatal(err)
		}
	}
	problems := map[string]int{}
	for _, v := range table.Values() {
		problems[v.Name] = v.Problems
	}
	if n, ok := problems["ew_best@5"]; ok {
		t.Errorf("ew_best@5 has a ceiling over %d of 2 problems", n)
	}
	if problems["ew_best@1"] != 2 || problems["best@5"] != 2 {
		t.Errorf("ceilings over %v problems, want 2 for ew_best@1 and best@5", problems)
	}
}

// TestFrontToleratesRounding: a reward that was added up in another way lies on
// the front all the same, a worse reward does not.
func TestFrontToleratesRounding(t *testing.T) {
	tenth := 0.1
	for _, c := range []struct {
		reason string
		reward []float64
		want   float64
	}{
		{"the vector itself", []float64{0.3, 1}, 1},
		{"0.1 + 0.2", []float64{tenth + 0.2, 1}, 1},
		{"a billionth less, within the tolerance", []float64{0.3 - 0.9e-9, 1}, 1},
		{"two billionths less", []float64{0.3 - 2e-9, 1}, 0},
	} {
		pool := Pool{Modes: -1, Front: [][]float64{{0.3, 1}, {1, 0.3}}, Chains: [][]*envs.Verdict{{{Reward: c.reward}}}}
		values, err := measure(Options{Weights: []float64{0.5, 0.5}, K: []int{1}}, func(t *Table) error { return t.Add(pool) })
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			if v.Name == "front_coverage@1" && v.Mean != c.want {
				t.Errorf("%s: front_coverage@1 is %v, want %v", c.reason, v.Mean, c.want)
			}
		}
	}
	worse := Pool{Modes: -1, Front: [][]float64{{0.3, 1}}, Chains: [][]*envs.Verdict{{{Reward: []float64{0.3 + 2e-9, 1}}}}}
	if _, err := measure(Options{Weights: []float64{0.5, 0.5}, K: []int{1}}, func(t *Table) error { return t.Add(worse) }); err == nil {
		t.Error("a reward two billionths above the front is accepted")
	}
}
