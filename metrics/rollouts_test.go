package metrics

import (
	"testing"

	"modebench/envs"
)

// solver is a verdict of all that tells strategies apart, with a reward of one
// component.
func solver(mode envs.Mode, variant, answer string, correct bool, embedding ...float32) *envs.Verdict {
	return &envs.Verdict{Mode: mode, Variant: variant, Answer: answer, Correct: correct, Embedding: embedding, Reward: []float64{0}}
}

// TestRolloutMetrics works SD-E2's ACC, S-ACC and #STR out by hand.
func TestRolloutMetrics(t *testing.T) {
	a := solver("A", "a", "7", true, 1, 0)
	for _, test := range []struct {
		reason                    string
		chain                     []*envs.Verdict
		named                     int
		final, solved, strategies float64
	}{
		{"the last answer counts", []*envs.Verdict{solver("B", "b", "8", false, 0, 1), a}, 0, 1, 1, 2},
		{"solved on the way, but not in the end", []*envs.Verdict{a, solver("B", "b", "8", false, 0, 1)}, 0, 0, 1, 2},
		{"the named answer counts", []*envs.Verdict{a, solver("B", "b", "8", false, 0, 1)}, 1, 1, 1, 2},
		{"a copy is no second strategy", []*envs.Verdict{a, solver("A", "a", "7", true, 1, 0)}, 0, 1, 1, 1},
		{"nor is one of a later candidate", []*envs.Verdict{solver("B", "b", "8", false, 0, 1), a, solver("A", "a", "7", true, 1, 0)}, 0, 1, 1, 2},
		{"the same verdict twice", []*envs.Verdict{a, a}, 0, 1, 1, 1},
		{"another variant is", []*envs.Verdict{a, solver("A", "b", "7", true, 1, 0)}, 0, 1, 1, 2},
		{"another answer in the same way is", []*envs.Verdict{a, solver("A", "a", "8", true, 1, 0)}, 0, 1, 1, 2},
		{"judged otherwise is", []*envs.Verdict{a, solver("A", "a", "7", false, 1, 0)}, 0, 0, 1, 2},
		{"another embedding is", []*envs.Verdict{a, solver("A", "a", "7", true, 0, 1)}, 0, 1, 1, 2},
		{"another mode is", []*envs.Verdict{a, solver("B", "a", "7", true, 1, 0)}, 0, 1, 1, 2},
		{"an answer without a way to it is no strategy, but solves", []*envs.Verdict{solver("B", "b", "8", false), solver(envs.Degenerate, "", "7", true)}, 0, 1, 1, 1},
		{"a way without an answer is none", []*envs.Verdict{a, solver("B", "b", "", false)}, 0, 1, 1, 1},
		{"no answer at all", []*envs.Verdict{solver("B", "b", "", false), solver(envs.Degenerate, "", "", false)}, 2, 0, 0, 0},
	} {
		o := Options{Weights: []float64{1}, Samples: 1, Answers: true, Measure: []string{MeasureRollouts}}
		values, err := measure(o, func(t *Table) error {
			return t.Add(Pool{Modes: -1, Chains: [][]*envs.Verdict{test.chain}, Named: []int{test.named}})
		})
		got := byName(t, values, err)
		for name, want := range map[string]float64{"final_accuracy": test.final, "strategy_accuracy": test.solved, "strategies": test.strategies} {
			if got[name] != want {
				t.Errorf("%s: %s is %v, want %v", test.reason, name, got[name], want)
			}
		}
	}
}

// TestRolloutsOfADistribution: expectations, of chains and their named answers.
func TestRolloutsOfADistribution(t *testing.T) {
	a, b, none := solver("A", "", "7", true), solver("B", "", "8", false), solver(envs.Degenerate, "", "", false)
	d := Distribution{Modes: -1, Outcomes: []Outcome{
		{P: 0.5, Chain: []*envs.Verdict{a, b}},
		{P: 0.25, Chain: []*envs.Verdict{a, b}, Named: 1},
		{P: 0.125, Chain: []*envs.Verdict{b, b}},
		{P: 0.125, Chain: []*envs.Verdict{none, none}},
	}}
	o := Options{Weights: []float64{1}, K: []int{1}, Samples: 1, Answers: true, Measure: []string{MeasureVotes, MeasureRollouts}}
	values, err := measure(o, func(t *Table) error { return t.AddExact(d) })
	got := byName(t, values, err)
	for name, want := range map[string]float64{
		"final_accuracy": 0.25, "strategy_accuracy": 0.75, "strategies": 0.75*2 + 0.125, "maj@1": 0.25, "majority_share@1": 0.875,
	} {
		near(t, name, got[name], want, 1e-15)
	}
	// Pools average over chains.
	pool := Pool{Modes: -1, Named: []int{0, 1, 0, 0}}
	for _, o := range d.Outcomes {
		pool.Chains = append(pool.Chains, o.Chain)
	}
	values, err = measure(o, func(t *Table) error { return t.Add(pool) })
	got = byName(t, values, err)
	for name, want := range map[string]float64{"final_accuracy": 0.25, "strategy_accuracy": 0.5, "strategies": 5. / 4} {
		near(t, "pool: "+name, got[name], want, 1e-15)
	}
}

// TestStrategiesWithoutAnswers: where an environment has no answers, the way alone
// makes a strategy.
func TestStrategiesWithoutAnswers(t *testing.T) {
	chain := []*envs.Verdict{solver("A", "", "", true), solver("B", "", "", false), solver(envs.Degenerate, "", "", false)}
	values, err := measure(Options{Weights: []float64{1}, Measure: []string{MeasureRollouts}}, func(t *Table) error {
		return t.Add(Pool{Modes: -1, Chains: [][]*envs.Verdict{chain}})
	})
	got := byName(t, values, err)
	if got["strategies"] != 2 || got["strategy_accuracy"] != 1 {
		t.Errorf("strategies %v, strategy_accuracy %v; want 2 and 1", got["strategies"], got["strategy_accuracy"])
	}
	if _, given := got["final_accuracy"]; given {
		t.Error("final_accuracy is given, but there are no answers")
	}
}

// TestImpossibleNames: an answer that is not there cannot be named.
func TestImpossibleNames(t *testing.T) {
	chain := []*envs.Verdict{solver("A", "", "", true), solver("B", "", "", false)}
	for _, test := range []struct {
		reason string
		add    func(t *Table) error
		want   string
	}{
		{"too few", func(t *Table) error { return t.Add(Pool{Chains: [][]*envs.Verdict{chain, chain}, Named: []int{1}}) },
			"named: 1 entries, want 2 (one per chain)"},
		{"beyond the chain", func(t *Table) error { return t.Add(Pool{Chains: [][]*envs.Verdict{chain, chain}, Named: []int{0, 3}}) },
			"chains[1]: names candidate 3 as final, want 1 to 2, or 0 for none"},
		{"beyond that of an outcome", func(t *Table) error {
			return t.AddExact(Distribution{Outcomes: []Outcome{{P: 1, Chain: chain, Named: -1}}})
		},
			"outcome 0: names candidate -1 as final, want 1 to 2, or 0 for none"},
	} {
		_, err := measure(Options{Weights: []float64{1}, Samples: 1}, test.add)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got error %v, want %q", test.reason, err, test.want)
		}
	}
}
