package board

import (
	"slices"
	"testing"

	"modebench/experiments/spec"
)

// TestSpecsOfAllEntries: on every task, all settings of all methods that fit make specs whose
// seeds are the stage's, with cells of their own and as many steps as the pace allows.
func TestSpecsOfAllEntries(t *testing.T) {
	g := publishedGrid(t)
	all, err := Tasks("tabular")
	if err != nil {
		t.Fatal(err)
	}
	var methods []string
	for _, r := range g.Methods {
		methods = append(methods, r.Name)
	}
	if testing.Short() {
		all, methods = all[3:4], []string{"grpo", "dro", "poly-epo", "vpo", "ttrl", "token-baseline"}
	}
	for _, task := range all {
		if task.Budget == 0 || task.Steps == 0 || len(task.K) != 7 {
			t.Errorf("%s: %+v", task.Name, task)
		}
		entrants, unfit, err := task.Entrants(g, methods, spec.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(entrants)+len(unfit) != len(methods) {
			t.Errorf("%s: %d fit and %d do not, of %d", task.Name, len(entrants), len(unfit), len(methods))
		}
		var entries []Entry
		for _, n := range entrants {
			if len(n.Settings) != 9 {
				t.Errorf("%s: %s has %d settings, want 9", task.Name, n.Method, len(n.Settings))
			}
			entries = append(entries, n.Settings...)
			if !slices.Contains(n.Settings, n.Paper) {
				entries = append(entries, n.Paper)
			}
		}
		specs, err := task.Specs(Tuning, entries, spec.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		variants := 0
		for _, s := range specs {
			variants += len(s.Variants) - 2 // less the references
			if s.FirstSeed != Tuning.FirstSeed || s.Seeds != Tuning.Seeds || s.Nested == nil {
				t.Errorf("%s: seeds %d from %d, nested %v", s.Name, s.Seeds, s.FirstSeed, s.Nested)
			}
		}
		if variants != len(entries) {
			t.Errorf("%s: %d variants of %d entries", task.Name, variants, len(entries))
		}
	}
}

// TestPaceOfMethods: chains and votes draw more a step.
func TestPaceOfMethods(t *testing.T) {
	all, err := Tasks("tabular")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"grpo": 1, "vpo": 3, "ttrl": 4}
	entrants, unfit, err := all[0].Entrants(publishedGrid(t), []string{"grpo", "vpo", "ttrl", "em-rl-token"}, spec.LoadOptions{})
	if err != nil || len(unfit) != 1 || unfit[0].Method != "em-rl-token" {
		t.Fatalf("%v, %v", unfit, err)
	}
	for _, n := range entrants {
		for _, e := range append(n.Settings, n.Paper) {
			if e.Pace != want[n.Method] {
				t.Errorf("%s: %s has the pace %d, want %d", n.Method, e.Setting, e.Pace, want[n.Method])
			}
		}
	}
}

// TestStagesAreDisjoint: evaluation never sees what settings were chosen by.
func TestStagesAreDisjoint(t *testing.T) {
	seeds := map[int]string{}
	for _, stage := range []Stage{Tuning, Evaluation} {
		for i := range stage.Seeds {
			if other := seeds[stage.FirstSeed+i]; other != "" {
				t.Errorf("seed %d is of %s and of %s", stage.FirstSeed+i, other, stage.Name)
			}
			seeds[stage.FirstSeed+i] = stage.Name
		}
	}
	if len(seeds) != 12 {
		t.Errorf("%d seeds, want 2 of tuning and 10 of evaluation", len(seeds))
	}
}
