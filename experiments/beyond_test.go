package experiments

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/metrics"
)

// measuring is a spec of GRPO on a bandit whose arms are its modes, evaluated with
// everything that can be asked for.
func measuring(t testing.TB, eval string) *Spec {
	t.Helper()
	spec, err := Parse("measuring.toml", []byte(`seeds = 1
[env]
name = "bandit"
start = "zipf"
[train]
steps = 60
[eval]
every = 20
k = [1, 4]
modes = true
`+eval+`
[[method]]
name = "grpo"
`))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

const everything = `measure = ["votes", "rollouts", "embeddings", "branches", "kl"]
positions = [1]
`

func evalsOf(t *testing.T, spec *Spec, variant int) []record.Eval {
	t.Helper()
	run := runIn(t, spec, t.TempDir(), 1)
	evals, err := run.Evals(run.Variants[variant].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	return evals
}

// TestBeyondVerdicts works divergence, branches and tokens out from the probabilities
// of the modes: on this bandit an answer is one token and names its mode.
func TestBeyondVerdicts(t *testing.T) {
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
			branches += 1 - math.Pow(1-s.Mass, branchRollouts)
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

// TestSampledDivergence: the mean over drawn rollouts is near the exact one, and on
// answers of several tokens, where the chain rule is at work.
func TestSampledDivergence(t *testing.T) {
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
measure = ["kl"]
enumerate = %d
[[method]]
name = "vpo"
`
	value := func(enumerate int) (float64, bool) {
		spec, err := Parse("kl.toml", []byte(fmt.Sprintf(text, enumerate)))
		if err != nil {
			t.Fatal(err)
		}
		evals := evalsOf(t, spec, 0)
		last := evals[len(evals)-1]
		return last.Metrics["kl"], last.Exact
	}
	exactly, isExact := value(1000000)
	sampled, _ := value(0)
	if !isExact {
		t.Fatal("the answers of this problem cannot be listed")
	}
	if exactly < 0.1 || math.Abs(sampled-exactly) > 0.05*exactly {
		t.Errorf("sampled %v, exact %v", sampled, exactly)
	}
}

// TestMeasuringChangesNothing: what is measured leaves no trace in training, nor in
// the metrics that are measured anyway.
func TestMeasuringChangesNothing(t *testing.T) {
	for _, eval := range []string{"enumerate = 0\n", ""} {
		plain, all := runIn(t, measuring(t, eval), t.TempDir(), 1), runIn(t, measuring(t, eval+everything), t.TempDir(), 1)
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

// TestFinalAnswers: on chains that name a final answer, metrics of rollouts come and
// stand in the order that their definitions force.
func TestFinalAnswers(t *testing.T) {
	spec, err := Parse("final.toml", []byte(`seeds = 1
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
`))
	if err != nil {
		t.Fatal(err)
	}
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

// TestCollapseColumn: the table shows the step of a run, worked out here from its
// evaluations.
func TestCollapseColumn(t *testing.T) {
	text := strings.Replace(minimal, "steps = 20", "steps = 400", 1)
	text = strings.Replace(text, "seeds = 2", "seeds = 1\ncolumns = [\"collapse_step\"]", 1) + "train = { lr = 1.0 }\n[[method]]\nname = \"base\"\n"
	spec, err := Parse("collapse.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	run := runIn(t, spec, t.TempDir(), 1)
	evals, err := run.Evals(run.Variants[0].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	want := -1
	for i := len(evals) - 1; i >= 0 && evals[i].Metrics["entropy_token"] <= metrics.CollapseShare*evals[0].Metrics["entropy_token"]; i-- {
		want = evals[i].Step
	}
	if want <= 0 || want == 400 {
		t.Fatalf("the entropy collapses at step %d: the test shows nothing", want)
	}
	table, err := Summary(run)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table, fmt.Sprintf("grpo    %d.000", want)) || !strings.Contains(table, "base    n/a") {
		t.Errorf("want step %d for GRPO and nothing for what is evaluated once:\n%s", want, table)
	}
}

// TestMeasureErrors: what is not measured is refused when the spec is loaded, with
// what to write.
func TestMeasureErrors(t *testing.T) {
	for _, c := range []struct{ reason, from, to, want string }{
		{"votes were not asked for", "seeds = 2", "columns = [\"maj@4\"]", `my.toml:1: metric "maj@4" is not measured unless asked for; add "votes" to measure in [eval]`},
		{"nor divergence", "seeds = 2", "columns = [\"kl\"]", `add "kl" to measure in [eval]`},
		{"no positions", "seeds = 2", "columns = [\"branches@3\"]", `metric "branches@3": the spec evaluates no positions; list them in [eval]`},
		{"another position", "modes = true", "modes = true\nmeasure = [\"branches\"]\npositions = [1, 2]\n[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"branches@3\"]", `metric "branches@3": the spec evaluates positions = 1 2`},
		{"branches without positions", "modes = true", "measure = [\"branches\"]", `my.toml:6: field "positions": got 0 of them`},
		{"positions without branches", "modes = true", "positions = [1]", `branches are measured at positions, so both or neither`},
		{"positions that go back", "modes = true", "measure = [\"branches\"]\npositions = [2, 1]", `entry 1: got 1 after 2, want ascending positions`},
		{"a group twice", "modes = true", "measure = [\"kl\", \"kl\"]", `entry 1: got "kl" after "kl", want each once, in the order votes, rollouts`},
		{"another order would be another cell", "modes = true", "measure = [\"kl\", \"votes\"]", `want each once, in the order votes, rollouts, embeddings, branches, kl`},
		{"no such group", "modes = true", "measure = [\"vote\"]", `got "vote"`},
		{"a figure of a run as a whole", "modes = true", "[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"collapse_step\"]", `is of a run as a whole`},
		{"a k written otherwise", "seeds = 2", "columns = [\"pass@04\"]", `metric "pass@04": the spec evaluates k = 1 4`},
		{"votes where there are none", "name = \"bandit\"", "name = \"maze\"\n[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"maj@4\"]", `metric "maj@4" is not measured`},
	} {
		text := strings.Replace(minimal, c.from, c.to, 1)
		_, err := Parse("my.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
	text := strings.Replace(strings.Replace(minimal, "bandit", "maze", 1), "modes = true", "measure = [\"votes\"]\n[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"maj@4\"]", 1)
	if _, err := Parse("my.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), `metric "maj@4" is of votes, and answers of this environment have none`) {
		t.Errorf("votes on the maze: %v", err)
	}
}
