package board

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/spec"
)

// TestSpecsOfAllEntries: on every task, all settings of all methods that fit make specs whose
// seeds are the stage's, with cells of their own and as many steps as the pace allows.
func TestSpecsOfAllEntries(t *testing.T) {
	g := publishedGrid(t)
	var methods []string
	for _, r := range g.Methods {
		methods = append(methods, r.Name)
	}
	tables, transformers := tasksOf(t, "tabular"), tasksOf(t, "transformer")[2:4] // an off-policy task, and a task that all methods fit
	if testing.Short() {
		tables, transformers = tables[3:4], transformers[:1]
		methods = []string{"grpo", "dro", "poly-epo", "vpo", "ttrl", "token-baseline"}
	}
	for _, task := range slices.Concat(tables, transformers) {
		settings := len(g.Rates[task.Policy].Alone)
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
			if len(n.Settings) != settings {
				t.Errorf("%s: %s has %d settings, want %d", task.Name, n.Method, len(n.Settings), settings)
			}
			entries = append(entries, n.Settings...)
			if !slices.Contains(n.Settings, *n.Paper) {
				entries = append(entries, *n.Paper)
			}
		}
		stage := task.Tuning()
		specs, err := task.Specs(stage, entries, spec.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		variants := 0
		for _, s := range specs {
			variants += len(s.Variants) - 2 // less the references
			if s.FirstSeed != stage.FirstSeed || s.Seeds != stage.Seeds || s.Nested == nil {
				t.Errorf("%s: seeds %d from %d, nested %v", s.Name, s.Seeds, s.FirstSeed, s.Nested)
			}
		}
		if variants != len(entries) {
			t.Errorf("%s: %d variants of %d entries", task.Name, variants, len(entries))
		}
	}
}

func tasksOf(t *testing.T, policy string) []Task {
	t.Helper()
	all, err := Tasks(policy)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTasksWithATransformer: each is measured on problems that it is not trained on, from a base
// policy that has learned something, and one makes clips and ratios act.
func TestTasksWithATransformer(t *testing.T) {
	stale := 0
	for _, task := range tasksOf(t, "transformer") {
		specs, err := task.Specs(task.Tuning(), []Entry{entry("grpo", setting(0.001, nil), 1)}, spec.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := specs[0].Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		network, ok := p.Policy.(*spec.TransformerPolicy)
		if !ok || network.Width != 32 || network.Steps == 0 {
			t.Errorf("%s: the policy is %+v, want a transformer of width 32 with a base policy", task.Name, p.Policy)
		}
		if split := p.Eval.Split; split == "train" || strings.HasSuffix(task.Name, "-ood") != (split == "ood") || p.Train.Problems < 1000 {
			t.Errorf("%s: trained on %d problems, measured on split %s", task.Name, p.Train.Problems, split)
		}
		if p.Train.Minibatches > 1 && p.Train.Lag > 0 {
			stale++
		}
	}
	if stale == 0 {
		t.Error("no task makes several updates of stale rollouts")
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
		for _, e := range append(n.Settings, *n.Paper) {
			if e.Pace != want[n.Method] {
				t.Errorf("%s: %s has the pace %d, want %d", n.Method, e.Setting, e.Pace, want[n.Method])
			}
		}
	}
}

// TestStagesAreDisjoint: evaluation never sees what settings were chosen by.
func TestStagesAreDisjoint(t *testing.T) {
	g := publishedGrid(t)
	profile := Task{Policy: "tabular", Board: Profile} // package profile has its tasks
	tasks := map[string][]Task{"tabular": tasksOf(t, "tabular"), "transformer": tasksOf(t, "transformer"), Profile: {profile}}
	const pilot = 103 // its seeds end before
	seeds := map[int]string{}
	for board, of := range stages {
		for _, stage := range of {
			for i := range stage.Seeds {
				seed := stage.FirstSeed + i
				if other := seeds[seed]; other != "" || seed < pilot {
					t.Errorf("seed %d is of %s, board %s, and of %s", seed, stage.Name, board, cmp.Or(other, "the pilot"))
				}
				seeds[seed] = stage.Name + ", board " + board
			}
		}
		if len(tasks[board]) == 0 {
			t.Errorf("board %s has no tasks", board)
		}
		for _, task := range tasks[board] {
			if task.Tuning() != of[0] || task.Evaluation() != of[1] || len(g.Rates[board].Alone) == 0 {
				t.Errorf("%s: the stages are %v and %v, want %v", task.Name, task.Tuning(), task.Evaluation(), of)
			}
		}
	}
	if len(seeds) != 2+10+2+5+2+10 {
		t.Errorf("%d seeds, want 2 and 10 with tables, 2 and 5 with the transformer, 2 and 10 for the profile", len(seeds))
	}
}
