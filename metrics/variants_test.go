package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// answered is a verdict on an answer of one reward component.
func answered(variant string, correct bool) *envs.Verdict {
	v := &envs.Verdict{Variant: variant, Correct: correct, Reward: []float64{0}}
	if variant != "" {
		v.Mode = envs.Mode("mode of " + variant)
	}
	return v
}

// TestVariants works SetPO's table 3 out by hand: three problems with 3, 1 and 0
// distinct correct answers, of which one is diverse.
func TestVariants(t *testing.T) {
	table, err := NewTable(Options{Weights: []float64{1}, Variants: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, pool := range [][][]*envs.Verdict{
		{{answered("a", true), answered("b", true)}, {answered("a", true), answered("c", true)}, {answered("d", false), answered("", false)}},
		{{answered("a", true), answered("a", true)}, {answered("b", false), answered("c", false)}},
		{{answered("", false), answered("a", false)}},
		// Correct without a variant: nothing to tell apart.
		{{answered("", true), answered("a", false)}},
	} {
		if err := table.Add(Pool{Modes: -1, Chains: pool}); err != nil {
			t.Fatal(err)
		}
	}
	got := byName(t, table.Values(), nil)
	for name, want := range map[string]float64{"distinct_variants": 4. / 4, "diversity_width": 1. / 4, "average_mode": 3} {
		if got[name] != want {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
}

// TestVariantsOfADistribution: two draws of a (1/2), b (1/4) and a wrong answer
// (1/4) show 1 - 1/4 + 1 - 9/16 distinct correct answers.
func TestVariantsOfADistribution(t *testing.T) {
	table, err := NewTable(Options{Weights: []float64{1}, Samples: 2, Variants: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := table.AddExact(Distribution{Modes: -1, Outcomes: []Outcome{
		{P: 0.5, Chain: []*envs.Verdict{answered("a", true)}}, {P: 0.25, Chain: []*envs.Verdict{answered("b", true)}}, {P: 0.25, Chain: []*envs.Verdict{answered("c", false)}},
	}}); err != nil {
		t.Fatal(err)
	}
	got := byName(t, table.Values(), nil)
	if want := 0.75 + 7./16; got["distinct_variants"] != want {
		t.Errorf("distinct_variants: got %v, want %v", got["distinct_variants"], want)
	}
	if _, ok := got["diversity_width"]; ok {
		t.Error("diversity_width is of pools alone")
	}
}

// TestWithoutVariants: an environment without variants gets no metrics of them.
func TestWithoutVariants(t *testing.T) {
	values, err := measurePool(Pool{Modes: -1, Chains: chainsOfOne(verdict("A", true, 1, 1), verdict("B", true, 1, 0))}, nil)
	got := byName(t, values, err)
	for _, d := range All() {
		if _, given := got[d.Name]; given && d.Variants {
			t.Errorf("%s is given", d.Name)
		}
	}
	if diff := cmp.Diff(2.0, got["distinct_correct"]); diff != "" {
		t.Error(diff)
	}
}
