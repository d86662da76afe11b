package train

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/metrics"
	"modebench/policies"
)

// TestDrawnOnTheBandit: an answer of the bandit is one token, so what a step draws is a
// product that is made by hand.
func TestDrawnOnTheBandit(t *testing.T) {
	for _, c := range []struct {
		reason, method string
		set            []exptest.Setting
		batch          int // tokens of a batch that is drawn
		dropped        bool
	}{
		{"two groups of eight", "grpo", nil, 2 * 8, false},
		{"rollouts are drawn once, and updated on six times", "grpo", []exptest.Setting{exptest.Set("train", "epochs", int64(3)), exptest.Set("train", "minibatches", int64(2))}, 2 * 8, false},
		{"chains of three answers", "multi-rlvr", []exptest.Setting{exptest.Set("train", "candidates", int64(3))}, 2 * 8 * 3, false},
		{"groups of three, some of them dropped", "dapo", []exptest.Setting{exptest.Set("train", "group", int64(3)), exptest.Set("env", "start", "zipf")}, 2 * 3, true},
		{"64 rollouts vote and eight train", "ttrl", nil, 2 * 64, false},
		{"one greedy rollout a problem", "remax", nil, 2 * (8 + 1), false},
	} {
		set := append([]exptest.Setting{exptest.Set("train", "problems", int64(6)), exptest.Set("train", "batch", int64(2)), exptest.Set("train", "lr", 0.3),
			exptest.Set("eval", "measure", []string{"drawn"})}, c.set...)
		tr := trainerOf(t, c.method, set...)
		e := evaluatorOf(t, tr)
		e.drawn = &tr.drawn
		const steps = 12
		for step := range steps + 1 {
			rec, err := e.evaluate(step)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := rec.Metrics[metrics.DrawnMetric], float64(tr.generation*c.batch); got != want {
				t.Errorf("%s: %v tokens after %d steps and %d batches, want %v", c.reason, got, step, tr.generation, want)
			}
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
		}
		if dropped := tr.generation > steps+1; dropped != c.dropped {
			t.Errorf("%s: %d batches in %d steps; groups are dropped: %v, want %v", c.reason, tr.generation, steps+1, dropped, c.dropped)
		}
	}
}

// counter is a policy that counts the tokens which it draws.
type counter struct {
	policies.Policy
	tokens int
}

func (c *counter) Sample(tasks []envs.Task, n int, opt policies.SampleOptions) ([]policies.Group, error) {
	groups, err := c.Policy.Sample(tasks, n, opt)
	for _, g := range groups {
		for _, r := range g.Rollouts {
			c.tokens += len(r.Logp)
		}
	}
	return groups, err
}

// TestDrawnIsWhatThePolicyDraws: where answers differ in length, the count is that of the
// policy itself.
func TestDrawnIsWhatThePolicyDraws(t *testing.T) {
	for _, c := range []struct {
		env, method string
		candidates  int64
	}{{"countdown", "grpo", 1}, {"maze", "vpo", 3}, {"countdown", "dapo", 1}, {"multiplication", "ttrl", 1}, {"maze", "remax", 1}} {
		p, err := exptest.Variant(t, c.env, c.method, exptest.Set("train", "problems", int64(4)), exptest.Set("train", "batch", int64(2)), exptest.Set("train", "candidates", c.candidates)).Setup()
		if err != nil {
			t.Fatal(err)
		}
		policy := &counter{Policy: policyOf(t, p)}
		tr, err := newTrainer(t.Context(), p, policy, 3)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 5 {
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
			if tr.drawn != policy.tokens || tr.drawn == 0 {
				t.Errorf("%s on %s, step %d: counted %d tokens, want %d", c.method, c.env, step, tr.drawn, policy.tokens)
			}
		}
	}
}

// bounded is a spec of a method with a number of steps and a bound of tokens.
const bounded = `seeds = 1
[env]
name = "bandit"
start = "zipf"
[train]
steps = %d
tokens = %d
problems = 6
batch = 2
group = 3
lr = 0.3
minibatches = 2
record_every = 1
[eval]
every = 1
k = [1, 2]
measure = ["updates", "drawn"]
[[method]]
`

// TestTokensEndTraining: a run that reaches its bound of tokens after n steps has the policy
// and the records of one of n steps. Then it evaluates that policy at each step that is left.
func TestTokensEndTraining(t *testing.T) {
	const steps = 12 // a batch of two groups of three has six tokens
	for _, c := range []struct {
		method string
		tokens int
		want   int // steps made; 0: by its tokens
	}{
		{"name = \"grpo\"", 6*4 + 1, 5},
		{"name = \"grpo\"", 6 * 5, 5},
		{"name = \"grpo\"", 6*5 + 1, 6},
		{"name = \"grpo\"", 1, 1},
		{"name = \"grpo\"", 6*steps + 1, steps},
		{"name = \"grpo\"\ntrain = { lag = 2 }", 6 * 5, 5},
		{"name = \"multi-rlvr\"\ntrain = { candidates = 3 }", 3 * 6 * 5, 5},
		{"name = \"remax\"", (6 + 2) * 5, 5},
		{"name = \"ttrl\"", 2 * 64 * 5, 5},
		{"name = \"dapo\"", 6 * 6, 0},
	} {
		run := func(steps, tokens int) (trains []record.Train, evals []record.Eval, policy string) {
			out := t.TempDir()
			r := trained(t, exptest.Load(t, "bounded.toml", fmt.Sprintf(bounded, steps, tokens)+c.method+"\n"), out)
			ref := r.Variants[0].Cells[0]
			trains, err := r.Trains(ref)
			if err != nil {
				t.Fatal(err)
			}
			if evals, err = r.Evals(ref); err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(filepath.Join(out, record.CellsDir, ref.ID, record.CheckpointFile))
			if err != nil {
				t.Fatal(err)
			}
			return trains, evals, string(file)
		}
		n := c.want
		if n == 0 {
			_, free, _ := run(steps, 0)
			for free[n].Metrics[metrics.DrawnMetric] < float64(c.tokens) {
				n++
			}
			if n == 0 || n >= c.tokens/6 {
				t.Errorf("%s: the bound is reached after %d steps, want some, and fewer than %d as groups are dropped", c.method, n, c.tokens/6)
			}
		}
		trains, evals, policy := run(steps, c.tokens)
		wantTrains, wantEvals, wantPolicy := run(n, 0)
		if policy != wantPolicy {
			t.Errorf("%s, %d tokens: another policy than that of %d steps", c.method, c.tokens, n)
		}
		if d := cmp.Diff(wantTrains, trains); d != "" {
			t.Errorf("%s, %d tokens: other training records than those of %d steps:\n%s", c.method, c.tokens, n, d)
		}
		if len(evals) != steps+1 {
			t.Fatalf("%s, %d tokens: %d evaluations, want %d", c.method, c.tokens, len(evals), steps+1)
		}
		for step, got := range evals {
			want := wantEvals[min(step, n)]
			want.Step = step
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, %d tokens, step %d (-of %d steps +is):\n%s", c.method, c.tokens, step, n, d)
			}
		}
	}
}
