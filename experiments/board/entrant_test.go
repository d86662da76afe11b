package board

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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
	tables, transformers := tasksOf(t, "tabular"), staleFirst(tasksOf(t, "transformer"))[:2]
	if testing.Short() {
		tables, transformers = staleFirst(tables)[:1], transformers[:1]
		methods = []string{"grpo", "dro", "poly-epo", "vpo", "ttrl", "token-baseline", "grpo+slow", "grpo+hot"}
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
			want := settings
			if g.row(n.Method).Slow {
				want = 1
			}
			if len(n.Settings) != want || (n.Paper == nil) != (g.row(n.Method).Method != "") {
				t.Errorf("%s: %s has %d settings, want %d, and the source's %v", task.Name, n.Method, len(n.Settings), want, n.Paper)
			}
			entries = append(entries, n.NewRounds(nil, 1).entries()...)
		}
		stage := task.Protocol().Rounds[0]
		specs, err := task.Specs(stage, entries, spec.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		variants := 0
		for _, s := range specs {
			variants += len(s.Variants) - 2 // less the references
			for _, v := range s.Variants[:1] {
				p, err := v.Setup()
				if err != nil {
					t.Fatal(err)
				}
				if p.Train.Tokens != int(stage.Part*float64(task.Budget)) {
					t.Errorf("%s: %d tokens, want a part of %v of %d", s.Name, p.Train.Tokens, stage.Part, task.Budget)
				}
			}
			if s.FirstSeed != stage.FirstSeed || s.Seeds != stage.Seeds || s.Nested == nil {
				t.Errorf("%s: seeds %d from %d, nested %v", s.Name, s.Seeds, s.FirstSeed, s.Nested)
			}
		}
		if variants != len(entries) {
			t.Errorf("%s: %d variants of %d entries", task.Name, variants, len(entries))
		}
	}
}

// staleFirst lists tasks with those before all others that make several updates of stale rollouts.
func staleFirst(tasks []Task) []Task {
	stale := func(t Task) int { return b2i(!strings.Contains(t.Text, "\nlag = ")) }
	return slices.SortedStableFunc(slices.Values(tasks), func(a, b Task) int { return stale(a) - stale(b) })
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
		specs, err := task.Specs(task.Evaluation(), []Entry{entry("grpo", setting(0.001, nil), 1)}, spec.LoadOptions{})
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
		if split := p.Eval.Split; split == "train" || p.Train.Problems < 1000 {
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
	task, err := ReadTasks([]Task{{Name: "tiny", Policy: "tabular"}}, fstest.MapFS{"tiny.toml": {Data: []byte(tiny)}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"grpo": 1, "vpo": 3, "ttrl": 4}
	entrants, unfit, err := task[0].Entrants(publishedGrid(t), []string{"grpo", "vpo", "ttrl", "em-rl-token"}, spec.LoadOptions{})
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

// TestStagesAreDisjoint: evaluation never sees what settings were chosen by, and no board the seeds of
// another, of the pilots or of board 1. The looks take all seeds of the evaluation, each once.
func TestStagesAreDisjoint(t *testing.T) {
	g := publishedGrid(t)
	profile := Task{Policy: "tabular", Board: Profile} // package profile has its tasks
	tasks := map[string][]Task{"tabular": tasksOf(t, "tabular"), "transformer": tasksOf(t, "transformer"), Profile: {profile}}
	seeds := map[int]string{}
	for i := range 7005 { // pilots, and board 1
		seeds[i] = "the past"
	}
	for board, p := range protocols {
		next := p.Rounds[0].FirstSeed
		for _, stage := range append(slices.Clone(p.Rounds), p.Evaluation) {
			for i := range stage.Seeds {
				seed := stage.FirstSeed + i
				if other := seeds[seed]; other != "" {
					t.Errorf("seed %d is of %s, board %s, and of %s", seed, stage.Name, board, other)
				}
				seeds[seed] = stage.Name + ", board " + board
			}
		}
		for _, stage := range p.Rounds {
			if stage.FirstSeed != next {
				t.Errorf("board %s: %s begins at seed %d, and the rounds before end at %d", board, stage.Name, stage.FirstSeed, next)
			}
			next += stage.Seeds
		}
		if got := p.numbers(); got[0] != p.Rounds[0].FirstSeed || got[0]+got[1] != next {
			t.Errorf("board %s: tuning seeds %v", board, got)
		}
		alpha := 0.0
		for _, look := range p.Looks {
			alpha += look.Alpha
		}
		if p.Looks[len(p.Looks)-1].Seeds != p.Evaluation.Seeds || alpha > familyError+1e-12 {
			t.Errorf("board %s: looks %v of %d seeds", board, p.Looks, p.Evaluation.Seeds)
		}
		if len(tasks[board]) == 0 {
			t.Errorf("board %s has no tasks", board)
		}
		for _, task := range tasks[board] {
			next := p.Evaluation.FirstSeed
			names := map[string]bool{}
			for look := range p.Looks {
				stage := task.Look(look)
				if stage.FirstSeed != next || stage.Seeds < 1 || stage.Part != p.Evaluation.Part || names[stage.Name] {
					t.Errorf("board %s, task %s: look %d is %+v, want seeds from %d", board, task.Name, look, stage, next)
				}
				names[stage.Name] = true
				next += stage.Seeds
			}
			if next != p.Evaluation.FirstSeed+p.Evaluation.Seeds || len(g.Rates[board].Alone) == 0 {
				t.Errorf("board %s, task %s: the looks end at seed %d", board, task.Name, next)
			}
		}
	}
}

// TestPartsOfTheBudget: a round of a part of the budget has as large a part of its tokens and steps; a slow
// pace has fewer steps between evaluations, so that evaluations come after as many tokens.
func TestPartsOfTheBudget(t *testing.T) {
	task := Task{Name: "x", Policy: "tabular", Steps: 30, Every: 5, Budget: 321}
	for _, c := range []struct {
		part float64
		pace int
		want []string
	}{
		{0, 1, nil},
		{1, 1, nil},
		{.5, 1, []string{"train.tokens=160", "train.steps=15"}},
		{0, 3, []string{"train.steps=10", "eval.every=1"}},
		{.5, 4, []string{"train.tokens=160", "train.steps=3", "eval.every=1"}},
		{.01, 9, []string{"train.tokens=3", "train.steps=1", "eval.every=1"}},
	} {
		if got := task.paced(Stage{Part: c.part}, c.pace); !slices.Equal(got, c.want) {
			t.Errorf("a part of %v at pace %d: %q, want %q", c.part, c.pace, got, c.want)
		}
	}
}
