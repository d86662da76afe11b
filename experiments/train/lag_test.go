package train

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
	"modebench/policies"
)

// lagged are specs of a few steps, to which tests add a lag.
var lagged = []struct{ name, text string }{
	{"tables, two updates a step", `
[env]
name = "bandit"
[train]
steps = 9
problems = 3
batch = 2
epochs = 2
minibatches = 2
lr = 0.3
lag = %d
[eval]
k = [1]
[[method]]
name = "grpo"
`},
	{"chains, whose rows share parameters", `
[env]
name = "maze"
[policy]
demonstrations = 20
[train]
steps = 6
problems = 2
batch = 2
group = 4
lr = 0.3
lag = %d
[eval]
k = [1, 2]
samples = 4
[[method]]
name = "vpo"
`},
	{"more batches drawn than steps made", `
[env]
name = "maze"
[policy]
demonstrations = 20
[train]
steps = 6
problems = 4
batch = 2
group = 4
lr = 0.3
lag = %d
[eval]
k = [1]
samples = 2
[[method]]
name = "dapo"
`},
	{"a transformer", `
[env]
name = "bandit"
` + exptest.TinyPolicy + `
[train]
steps = 5
problems = 3
batch = 2
group = 4
lr = 0.01
lag = %d
[eval]
k = [1]
samples = 1
problems = 1
[[method]]
name = "grpo"
`},
}

// lagSetup is one of them.
func lagSetup(t *testing.T, text string, lag int) *spec.Setup {
	t.Helper()
	p, err := exptest.Load(t, "lag.toml", "seeds = 1\n"+fmt.Sprintf(text, lag)).Variants[0].Setup()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLaggedRollouts: the old log-probabilities of step s are, to the bit, those of the rollouts
// under the policy before step s - lag, which a checkpoint of it in another policy confirms.
func TestLaggedRollouts(t *testing.T) {
	for _, c := range lagged {
		for _, lag := range []int{0, 1, 3, 100} {
			p := lagSetup(t, c.text, lag)
			tr, err := newTrainer(t.Context(), p, policyOf(t, p), 3)
			if err != nil {
				t.Fatal(err)
			}
			var checkpoints [][]byte // the policy before each step
			stale := false
			for step := range p.Train.Steps {
				var file bytes.Buffer
				if err := tr.policy.Save(&file); err != nil {
					t.Fatal(err)
				}
				checkpoints = append(checkpoints, file.Bytes())
				if err := tr.step(step, nil); err != nil {
					t.Fatal(err)
				}
				by, now := policyOf(t, p), policyOf(t, p)
				if err := by.Load(bytes.NewReader(checkpoints[max(0, step-lag)])); err != nil {
					t.Fatal(err)
				}
				if err := now.Load(bytes.NewReader(checkpoints[step])); err != nil {
					t.Fatal(err)
				}
				batch := policies.Batch{Groups: tr.groups, Temperature: p.Train.Temperature}
				want, err := by.Flatten(batch)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(want.Logp, want.Old) {
					t.Errorf("%s, lag %d, step %d: the old log-probabilities are %v, want %v", c.name, lag, step, want.Old, want.Logp)
				}
				is, err := now.Flatten(batch)
				if err != nil {
					t.Fatal(err)
				}
				stale = stale || !slices.Equal(is.Logp, is.Old)
			}
			if stale != (lag > 0) {
				t.Errorf("%s, lag %d: rollouts of another policy than the one that learns: %v", c.name, lag, stale)
			}
		}
	}
}

// TestLagOfWhatDoesNotMove: without a learning rate all policies are the same one, so a lag
// moves no record.
func TestLagOfWhatDoesNotMove(t *testing.T) {
	for _, c := range lagged {
		files := func(lag int) (string, string) {
			s := exptest.Load(t, "lag.toml", "seeds = 1\n"+fmt.Sprintf(c.text, lag)+"train = { lr = 0, record_every = 1 }\n")
			run := trained(t, s, t.TempDir())
			trains, err := run.Trains(run.Variants[0].Cells[0])
			if err != nil {
				t.Fatal(err)
			}
			evals, err := run.Evals(run.Variants[0].Cells[0])
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%b", trains), fmt.Sprintf("%v", evals)
		}
		trains, evals := files(0)
		laggedTrains, laggedEvals := files(2)
		if d := cmp.Diff([]string{trains, evals}, []string{laggedTrains, laggedEvals}); d != "" {
			t.Errorf("%s (-lag 0 +lag 2):\n%s", c.name, d)
		}
	}
}

// TestHistory: no more policies are kept than the lag asks for.
func TestHistory(t *testing.T) {
	for _, lag := range []int{0, 1, 3} {
		p := lagSetup(t, lagged[0].text, lag)
		tr, err := newTrainer(t.Context(), p, policyOf(t, p), 3)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 6 {
			if got := len(tr.history.kept); got != min(step, lag) {
				t.Errorf("lag %d, step %d: %d policies are kept, want %d", lag, step, got, min(step, lag))
			}
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}
