package train

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// answersSpec is a spec of a few steps on three problems.
func answersSpec(t testing.TB, env, train, eval, methods string) *spec.Spec {
	t.Helper()
	spec := exptest.Load(t, "answers.toml", "seeds = 1\n[env]\nname = \""+env+"\"\n[train]\nsteps = 4\nproblems = 3\nbatch = 3\ngroup = 4\n"+train+
		"[eval]\nevery = 2\n"+eval+methods)
	return spec
}

const vpoMethod = "[[method]]\nname = \"vpo\"\n"

// poolsOf runs a spec and reads the answers that a variant recorded.
func poolsOf(t *testing.T, spec *spec.Spec, variant int) ([]record.Pool, []record.Eval) {
	t.Helper()
	run := trained(t, spec, t.TempDir())
	pools, err := run.Pools(run.Variants[variant].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	evals, err := run.Evals(run.Variants[variant].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	return pools, evals
}

// TestRecordedAnswersAreThoseEvaluated works metrics out from the recorded answers of
// all problems, by counting, and holds every answer against the environment's judge.
func TestRecordedAnswersAreThoseEvaluated(t *testing.T) {
	spec := answersSpec(t, "maze", "", "enumerate = 0\nsamples = 12\nk = [1, 12]\nkeep = 3\n", vpoMethod)
	pools, evals := poolsOf(t, spec, 0)
	if len(pools) != 3*len(evals) {
		t.Fatalf("%d pools, want one for each of 3 problems in %d evaluations", len(pools), len(evals))
	}
	env := envBuilt(t, spec.Variants[0])
	for i, e := range evals {
		correct, distinct := 0.0, 0.0
		for n, p := range pools[3*i : 3*i+3] {
			if want := fmt.Sprintf("train/%d", n); p.Step != e.Step || p.Problem != n || p.ID != want || len(p.Answers) != 12 {
				t.Fatalf("step %d: got step %d, problem %d (%s) with %d answers, want problem %d (%s) with 12", e.Step, p.Step, p.Problem, p.ID, len(p.Answers), n, want)
			}
			problem, err := env.Problem(envs.Train, n)
			if err != nil {
				t.Fatal(err)
			}
			front := problem.Truth().Front
			if e.Step > 0 {
				front = nil
			}
			if d := cmp.Diff(front, p.Front); d != "" {
				t.Errorf("step %d, problem %d: the front:\n%s", e.Step, n, d)
			}
			modes := map[string]bool{}
			for j, a := range p.Answers {
				if a.Rollout != j/3 || a.Chain != j%3+1 {
					t.Errorf("answer %d is number %d of rollout %d, want number %d of %d", j, a.Chain, a.Rollout, j%3+1, j/3)
				}
				sameAsJudged(t, problem, a)
				if a.Correct {
					correct += 1.0 / 36
					modes[a.Mode] = true
				}
			}
			distinct += float64(len(modes)) / 3
		}
		for name, want := range map[string]float64{"accuracy": correct, "distinct_correct": distinct} {
			if got := e.Metrics[name]; math.Abs(got-want) > 1e-12 {
				t.Errorf("step %d: %s is %v, the recorded answers say %v", e.Step, name, got, want)
			}
		}
	}
}

func envBuilt(t *testing.T, v *spec.Variant) envs.Env {
	t.Helper()
	p, err := v.Setup()
	if err != nil {
		t.Fatal(err)
	}
	return p.Env
}

// sameAsJudged compares a recorded answer with the verdict on its text; its words are the text.
func sameAsJudged(t *testing.T, problem envs.Problem, a record.PoolAnswer) {
	t.Helper()
	v := problem.JudgeText(a.Text)
	if string(v.Mode) != a.Mode || v.Correct != a.Correct || (v.Err == nil) != a.Valid || !cmp.Equal(v.Reward, a.Reward) || !cmp.Equal(v.Embedding, a.Embedding) {
		t.Errorf("%q is recorded as %+v, the judge says %+v", a.Text, a, v)
	}
	if words := strings.Join(a.Tokens, " "); words != a.Text { // as they are on the maze
		t.Errorf("the words %q of the answer %q", words, a.Text)
	}
}

// TestAnswersUnderRandomGoals: rollouts that are drawn goal by goal are recorded in the order
// of their numbers, as the pool is.
func TestAnswersUnderRandomGoals(t *testing.T) {
	spec := answersSpec(t, "maze", "", "enumerate = 0\nsamples = 6\nk = [1]\ngoals = \"random\"\nkeep = 3\n", "[[method]]\nname = \"goal-conditioned\"\n")
	pools, evals := poolsOf(t, spec, 0)
	for i, e := range evals {
		accuracy := 0.0
		for _, p := range pools[3*i : 3*i+3] {
			for j, a := range p.Answers {
				if a.Rollout != j || a.Chain != 0 {
					t.Errorf("step %d: answer %d is of rollout %d, number %d", e.Step, j, a.Rollout, a.Chain)
				}
				if a.Correct {
					accuracy += 1.0 / 18
				}
			}
		}
		if got := e.Metrics["accuracy"]; math.Abs(got-accuracy) > 1e-12 {
			t.Errorf("step %d: accuracy is %v, the recorded answers say %v", e.Step, got, accuracy)
		}
	}
}

// TestRecordingAnswersChangesNothing: training, metrics and the policy are those of a run that
// records no answers, which has the files and the identity it had before answers were recorded.
func TestRecordingAnswersChangesNothing(t *testing.T) {
	for _, c := range []struct{ reason, env, eval, methods string }{
		{"listed answers", "bandit", "k = [1]\nmodes = true\n", "[[method]]\nname = \"grpo\"\n"},
		{"sampled answers", "maze", "enumerate = 0\nsamples = 6\nk = [1]\nmeasure = [\"kl\", \"search\"]\n", vpoMethod},
		{"random goals", "maze", "enumerate = 0\nsamples = 6\nk = [1]\ngoals = \"random\"\n", "[[method]]\nname = \"goal-conditioned\"\n"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			plain := trained(t, answersSpec(t, c.env, "", c.eval, c.methods), t.TempDir())
			recording := trained(t, answersSpec(t, c.env, "", c.eval+"keep = 2\n", c.methods), t.TempDir())
			a, b := plain.Variants[0].Cells[0], recording.Variants[0].Cells[0]
			if a.ID == b.ID {
				t.Error("cells that record answers and cells that do not have one name")
			}
			for _, name := range []string{record.TrainFile, record.EvalFile, record.CheckpointFile} {
				if read(t, plain.Folder(a), name) != read(t, recording.Folder(b), name) {
					t.Errorf("%s differs", name)
				}
			}
			if text := read(t, plain.Folder(a), record.CellFile); strings.Contains(text, "keep") {
				t.Errorf("a cell that records no answers says so:\n%s", text)
			}
			if done := read(t, plain.Folder(a), record.DoneFile); strings.Count(done, "\n") != len(record.Vouched)-1 {
				t.Errorf("DONE of a cell that records no answers:\n%s", done)
			}
			if done := read(t, recording.Folder(b), record.DoneFile); !strings.Contains(done, record.PoolsFile) {
				t.Errorf("DONE does not vouch for the answers:\n%s", done)
			}
			if pools, err := plain.Pools(a); pools != nil || err != nil {
				t.Errorf("answers of a cell that records none: %v, %v", pools, err)
			}
		})
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDrawnAnswersFollowThePolicy: of answers that were enumerated, the recorded ones are a
// sample. The mean reward of 6000 has a standard error of at most 0.0065.
func TestDrawnAnswersFollowThePolicy(t *testing.T) {
	pools, evals := poolsOf(t, answersSpec(t, "bandit", "", "samples = 2000\nk = [1]\nkeep = 3\n", "[[method]]\nname = \"grpo\"\n"), 0)
	if len(pools) != 3*len(evals) {
		t.Fatalf("%d pools of %d evaluations", len(pools), len(evals))
	}
	for i, e := range evals {
		mean := 0.0
		for _, p := range pools[3*i : 3*i+3] {
			embedded := 0
			for _, a := range p.Answers {
				mean += a.Reward[0] / 6000
				if a.Embedding != nil {
					embedded++
				}
			}
			if len(p.Answers) != 2000 || embedded != record.MaxEmbedded {
				t.Errorf("step %d: %d answers, %d with embeddings; want 2000 and %d", p.Step, len(p.Answers), embedded, record.MaxEmbedded)
			}
		}
		if want := e.Metrics["reward"]; !e.Exact || math.Abs(mean-want) > 5*0.0065 {
			t.Errorf("step %d: the mean reward of the recorded answers is %v, the policy's is %v (exact: %v)", e.Step, mean, want, e.Exact)
		}
	}
}

func TestAnswersOfAnOptimum(t *testing.T) {
	pools, _ := poolsOf(t, answersSpec(t, "maze", "", "enumerate = 0\nsamples = 6\nk = [1]\nkeep = 1\n", "[[method]]\nname = \"optimum\"\n"), 0)
	if len(pools) != 1 || len(pools[0].Answers) != 0 || len(pools[0].Front) == 0 {
		t.Errorf("got %+v, want the front of one problem and no answers", pools)
	}
}

// TestDamagedAnswersAreMadeAgain: a cell whose answers are gone, changed or not its own
// is run again.
func TestDamagedAnswersAreMadeAgain(t *testing.T) {
	for _, keep := range []string{"keep = 1\n", ""} {
		spec, dir := answersSpec(t, "bandit", "", "k = [1]\n"+keep, "[[method]]\nname = \"grpo\"\n"), t.TempDir()
		run := trained(t, spec, dir)
		before := exptest.Tree(t, dir)
		path := filepath.Join(run.Folder(run.Variants[0].Cells[0]), record.PoolsFile)
		for how, damage := range map[string]func() error{
			"changed": func() error { return os.WriteFile(path, []byte("{}\n"), 0o644) },
			"removed": func() error {
				if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
					return err
				}
				return nil
			},
		} {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			trained(t, spec, dir)
			if d := cmp.Diff(before, exptest.Tree(t, dir)); d != "" {
				t.Errorf("%q %s: the next run did not mend it:\n%.500s", keep, how, d)
			}
		}
	}
}

func TestKeepIsChecked(t *testing.T) {
	_, err := exptest.TryLoad(t, "my.toml", "seeds = 1\n[env]\nname = \"bandit\"\n[train]\nproblems = 2\nbatch = 2\n[eval]\nkeep = 3\n[[method]]\nname = \"grpo\"\n")
	if want := `my.toml:8: field "keep": got 3, want at most as many as are evaluated, 2`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestKeptControlTokens: a transformer that may take illegal tokens takes a control token of its
// chain in the place of an answer. The recorded tokens show it as the text of the answer does.
func TestKeptControlTokens(t *testing.T) {
	s := exptest.Load(t, "tiny.toml", "seeds = 1\n[env]\nname = \"bandit\"\n"+exptest.TinyPolicy+
		"[train]\nstops = true\n[eval]\nproblems = 1\nsamples = 64\nk = [1]\nkeep = 1\n[[method]]\nname = \"base\"\n")
	pools, _ := poolsOf(t, s, 0)
	strange := 0
	for _, a := range pools[0].Answers {
		if strings.Join(a.Tokens, " ") != a.Text {
			t.Errorf("%q is kept as the tokens %q", a.Text, a.Tokens)
		}
		if a.Text == "?" {
			strange++
		}
	}
	if strange == 0 {
		t.Errorf("none of %d answers has a token that is no arm, so the test shows nothing", len(pools[0].Answers))
	}
}
