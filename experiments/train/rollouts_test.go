package train

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/metrics"
	"modebench/policies"
)

// measuring is a spec of GRPO on a bandit whose arms are its modes, evaluated with
// everything that can be asked for.
func measuring(t testing.TB, eval string) *spec.Spec {
	return measuringMethod(t, "grpo", "", eval)
}

func measuringMethod(t testing.TB, method, env, eval string) *spec.Spec {
	t.Helper()
	spec := exptest.Load(t, "measuring.toml", `seeds = 1
[env]
name = "bandit"
start = "zipf"
`+env+`[train]
steps = 60
[eval]
every = 20
k = [1, 4]
modes = true
`+eval+`
[[method]]
name = "`+method+`"
`)
	return spec
}

const everything = `measure = ["votes", "rollouts", "embeddings", "branches", "kl", "search"]
positions = [1]
`

func evalsOf(t *testing.T, spec *spec.Spec, variant int) []record.Eval {
	t.Helper()
	run := trained(t, spec, t.TempDir())
	evals, err := run.Evals(run.Variants[variant].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	return evals
}

// TestRolloutMetrics works divergence, branches and tokens out from the probabilities
// of the modes: on this bandit an answer is one token and names its mode.
func TestRolloutMetrics(t *testing.T) {
	evals := evalsOf(t, measuring(t, everything), 0)
	before := map[string]float64{}
	for _, s := range evals[0].Modes {
		before[s.Mode] = s.Mass
	}
	for _, e := range evals {
		kl, branches := 0.0, 0.0
		for _, s := range e.Modes {
			if s.Mass > 0 {
				kl += s.Mass * math.Log(s.Mass/before[s.Mode])
			}
			branches += 1 - math.Pow(1-s.Mass, metrics.BranchRollouts)
		}
		for name, want := range map[string]float64{"kl": kl, "branches@1": branches, "tokens": 1} {
			if got, ok := e.Metrics[name]; !ok || math.Abs(got-want) > 1e-12 {
				t.Errorf("step %d: %s is %v, want %v", e.Step, name, got, want)
			}
		}
	}
	if last := evals[len(evals)-1].Metrics["kl"]; last < 0.1 {
		t.Errorf("after training the divergence is %v: the test shows nothing", last)
	}
}

// TestSampledRolloutMetrics: metrics of drawn rollouts are near those of all rollouts, on answers
// of several tokens and of different lengths.
func TestSampledRolloutMetrics(t *testing.T) {
	text := `seeds = 1
[env]
name = "bandit"
components = 2
[train]
steps = 30
[eval]
every = 30
k = [1]
samples = 4000
measure = ["rollouts", "branches", "kl"]
positions = [1, 2]
enumerate = %d
[[method]]
name = "vpo"
train = { stops = true }
`
	values := func(enumerate int) record.Eval {
		spec := exptest.Load(t, "kl.toml", fmt.Sprintf(text, enumerate))
		evals := evalsOf(t, spec, 0)
		return evals[len(evals)-1]
	}
	exactly, sampled := values(1000000), values(0)
	if !exactly.Exact || sampled.Exact {
		t.Fatal("the answers of this problem cannot be listed, or were")
	}
	for _, name := range []string{"kl", "tokens", "branches@1", "branches@2"} {
		if x, s := exactly.Metrics[name], sampled.Metrics[name]; x < 0.1 || math.Abs(s-x) > 0.05*x {
			t.Errorf("%s: sampled %v, exact %v", name, s, x)
		}
	}
}

// TestDivergenceOfAGoal: if a policy is asked for goals, divergence is of rollouts that are asked
// for w*, listed or sampled, whatever goals pools are asked for.
func TestDivergenceOfAGoal(t *testing.T) {
	last := func(eval string) ([]record.Eval, float64) {
		evals := evalsOf(t, measuringMethod(t, "goal-conditioned", "components = 2\n", everything+eval), 0)
		return evals, evals[len(evals)-1].Metrics["kl"]
	}
	evals, got := last("")
	want, before := 0.0, evals[0].Modes
	for _, s := range evals[len(evals)-1].Modes {
		for _, b := range before {
			if s.Mode == b.Mode && s.Mass > 0 {
				want += s.Mass * math.Log(s.Mass/b.Mass)
			}
		}
	}
	if want < 0.1 || math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	for _, eval := range []string{"enumerate = 0\n", "goals = \"random\"\n", "enumerate = 0\ngoals = \"random\"\n"} {
		if _, got := last(eval); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: %v, want %v", eval, got, want)
		}
	}
}

// TestDivergenceOfItsOwn: it is at temperature 1 and of the whole distribution, whatever
// evaluations draw from; and that its rollouts are too many to list is found out once.
func TestDivergenceOfItsOwn(t *testing.T) {
	last := func(eval string) (record.Eval, float64) {
		evals := evalsOf(t, measuring(t, everything+eval), 0)
		e := evals[len(evals)-1]
		return e, e.Metrics["kl"]
	}
	_, want := last("")
	for _, eval := range []string{"temperature = 0.5\n", "top_p = 0.6\n"} {
		if _, got := last(eval); got != want {
			t.Errorf("%s: %v, want %v", eval, got, want)
		}
	}
	// All but one of the 12 modes are cut off, and 12 are too many to list.
	e, got := last("top_p = 0.01\nenumerate = 11\nsamples = 4\n")
	if !e.Exact || math.Abs(got-want) > 1e-12 {
		t.Errorf("sampled: %v, want about %v; other metrics are exact: %v", got, want, e.Exact)
	}

	tr := trainerOf(t, "base", exptest.Set("env", "modes", int64(20)), exptest.Set("train", "candidates", int64(3)))
	tr.Eval.Enumerate, tr.Eval.Samples, tr.Eval.Measure = 7999, 96, []string{metrics.MeasureKL}
	ev := evaluatorOf(t, tr)
	counted := &countingLists{Policy: ev.policy}
	ev.policy = counted
	for i := range 3 {
		if _, err := ev.evaluate(i); err != nil {
			t.Fatal(err)
		}
	}
	if counted.lists != 2 { // once for the pool, once for the divergence
		t.Errorf("%d attempts to list what is too many, want 2", counted.lists)
	}
}

// countingLists counts how often a policy is asked for all answers.
type countingLists struct {
	policies.Policy
	lists int
}

func (c *countingLists) Enumerate(task envs.Task, opt policies.SampleOptions, limit int) ([]policies.Answer, bool, error) {
	c.lists++
	return c.Policy.(policies.Enumerator).Enumerate(task, opt, limit)
}

// TestMeasuringChangesNothing: further metrics change neither training nor the metrics that are
// measured anyway.
func TestMeasuringChangesNothing(t *testing.T) {
	for _, eval := range []string{"enumerate = 0\n", ""} {
		plain, all := trained(t, measuring(t, eval), t.TempDir()), trained(t, measuring(t, eval+everything), t.TempDir())
		for _, name := range []string{record.TrainFile, record.CheckpointFile} {
			var data [2]string
			for i, run := range []*record.Run{plain, all} {
				bytes, err := os.ReadFile(filepath.Join(run.Folder(run.Variants[0].Cells[0]), name))
				if err != nil {
					t.Fatal(err)
				}
				data[i] = string(bytes)
			}
			if data[0] != data[1] {
				t.Errorf("%q: %s differs", eval, name)
			}
		}
		a, err := plain.Evals(plain.Variants[0].Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := all.Evals(all.Variants[0].Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		for i := range a {
			more := 0
			for name := range b[i].Metrics {
				if _, known := a[i].Metrics[name]; !known {
					delete(b[i].Metrics, name)
					more++
				}
			}
			if more < 10 {
				t.Errorf("%q: only %d metrics are there for having been asked for", eval, more)
			}
		}
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("%q: the plain metrics differ:\n%s", eval, d)
		}
	}
}

// TestFinalAnswers: on chains that name a final answer, metrics of rollouts are there, in the order
// that their definitions force.
func TestFinalAnswers(t *testing.T) {
	spec := exptest.Load(t, "final.toml", `seeds = 1
[env]
name = "multiplication"
[train]
steps = 4
problems = 2
batch = 1
[eval]
every = 4
k = [1, 3]
samples = 60
measure = ["votes", "rollouts", "embeddings"]
[[method]]
name = "sd-e2"
`)
	for _, e := range evalsOf(t, spec, 0) {
		m := e.Metrics
		for _, name := range []string{"maj@1", "majority_share@3", "final_accuracy", "strategy_accuracy", "strategies", "tokens", "chain_div", "chain_uniq", "chain_redundancy", "vendi"} {
			if _, ok := m[name]; !ok {
				t.Errorf("step %d: no %s", e.Step, name)
			}
		}
		if m["maj@1"] != m["final_accuracy"] {
			t.Errorf("step %d: one vote is right with probability %v, a final answer with %v", e.Step, m["maj@1"], m["final_accuracy"])
		}
		if m["final_accuracy"] > m["strategy_accuracy"] || m["chain_uniq"] > m["strategies"]+1e-12 && m["strategies"] > 3 {
			t.Errorf("step %d: %v", e.Step, m)
		}
		if m["strategy_accuracy"] > 0 && m["tokens"] < 4 {
			t.Errorf("step %d: rollouts have %v tokens", e.Step, m["tokens"])
		}
	}
}
