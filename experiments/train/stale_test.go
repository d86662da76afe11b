package train

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/policies"
)

// ofSeveralAges adds a lag, its spread and a bound to one of the specs of lagged.
func ofSeveralAges(text string, lag, spread, most int) string {
	return strings.Replace(text, "lag = %d", fmt.Sprintf("lag = %d\nlag_spread = %d\nmax_lag = %d", lag, spread, most), 1)
}

// logps are the log-probabilities of the rollouts of groups, to a policy with this checkpoint.
func logps(t *testing.T, p policies.Policy, checkpoint []byte, groups ...policies.Group) []float64 {
	t.Helper()
	if err := p.Load(bytes.NewReader(checkpoint)); err != nil {
		t.Fatal(err)
	}
	tokens, err := p.Flatten(policies.Batch{Groups: groups, Temperature: 1})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(tokens.Logp)
}

// TestGroupsOfSeveralAges: the old log-probabilities of a group are, to the bit, those of its
// rollouts under the policy before the step that its lag leads to, and every lag that the spread
// allows is drawn.
func TestGroupsOfSeveralAges(t *testing.T) {
	for _, c := range lagged {
		text := strings.Replace(c.text, "[train]\nsteps = ", "[train]\nsteps = 1", 1) // 15 or more
		p := lagSetup(t, strings.ReplaceAll(ofSeveralAges(text, 3, 2, 0), "lr = 0.3", "lr = 0.05")+"# %d", 0)
		tr, err := newTrainer(t.Context(), p, policyOf(t, p), 3)
		if err != nil {
			t.Fatal(err)
		}
		by, drawn := policyOf(t, p), map[int]int{}
		var checkpoints [][]byte
		for step := range p.Train.Steps {
			var file bytes.Buffer
			if err := tr.policy.Save(&file); err != nil {
				t.Fatal(err)
			}
			checkpoints = append(checkpoints, file.Bytes())
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
			for g, lag := range tr.lags {
				if step >= 3 {
					drawn[lag]++
				}
				if lag > min(step, 3) || lag < min(step, 1) {
					t.Fatalf("%s, step %d: the lag %d", c.name, step, lag)
				}
				if p.Method.Protocol.Generations > 0 {
					continue // groups are left out, and of several batches
				}
				want := logps(t, by, checkpoints[step-lag], tr.groups[g])
				var old []float64
				for _, r := range tr.groups[g].Rollouts {
					old = append(old, r.Logp...)
				}
				if !slices.Equal(old, want) {
					t.Errorf("%s, step %d, group %d of lag %d: the old log-probabilities are %v, want %v", c.name, step, g, lag, old, want)
				}
			}
		}
		if len(drawn) != 3 {
			t.Errorf("%s: of the lags 1 to 3 these were drawn: %v", c.name, drawn)
		}
	}
}

// TestStaleGroupsAreLeftOut: a step learns from the groups that are not too old, in their order: in
// tables, which problems do not share, the rows of the other groups stay as they are. Records
// describe all rollouts.
func TestStaleGroupsAreLeftOut(t *testing.T) {
	p := lagSetup(t, strings.ReplaceAll(ofSeveralAges(lagged[0].text, 4, 4, 2), "steps = 9\nproblems = 3\nbatch = 2", "steps = 40\nproblems = 5\nbatch = 4")+"# %d", 0)
	tr, err := newTrainer(t.Context(), p, policyOf(t, p), 3)
	if err != nil {
		t.Fatal(err)
	}
	by, left, empty := policyOf(t, p), 0, 0
	for step := range p.Train.Steps {
		var before, after bytes.Buffer
		if err := tr.policy.Save(&before); err != nil {
			t.Fatal(err)
		}
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		if err := tr.policy.Save(&after); err != nil {
			t.Fatal(err)
		}
		var fresh []string
		for g, lag := range tr.lags {
			if lag <= 2 {
				fresh = append(fresh, tr.tasks[g].ID())
				continue
			}
			left++
			group, err := tr.policy.Sample(tr.tasks[g:g+1], 8, policies.SampleOptions{Temperature: 1, TopP: 1})
			if err != nil {
				t.Fatal(err)
			}
			kept := cloneGroup(&group[0])
			if d := cmp.Diff(logps(t, by, before.Bytes(), kept), logps(t, by, after.Bytes(), kept)); d != "" {
				t.Errorf("step %d: a group of lag %d has moved the policy:\n%s", step, lag, d)
			}
		}
		var learned []string
		for g := range tr.groups {
			learned = append(learned, tr.groups[g].Task.ID())
			if judged := tr.batch.Groups[g].Problem; judged != tr.groups[g].Task.ID() {
				t.Errorf("step %d, group %d: rollouts to %s and verdicts on %s", step, g, tr.groups[g].Task.ID(), judged)
			}
		}
		if !slices.Equal(learned, fresh) {
			t.Errorf("step %d: learned from %q, want %q", step, learned, fresh)
		}
		if len(fresh) == 0 {
			empty++
		}
		if moved := !bytes.Equal(before.Bytes(), after.Bytes()); moved && len(fresh) == 0 {
			t.Errorf("step %d: all groups are too old, and the policy moved", step)
		}
	}
	if left < 20 || empty == 0 {
		t.Errorf("%d groups were left out, all of a step in %d steps", left, empty)
	}
}

// TestAgesOfWhatDoesNotMove: without a learning rate all policies are the same one, so it does
// not matter which draws, and drawing by parts is drawing at once.
func TestAgesOfWhatDoesNotMove(t *testing.T) {
	for _, c := range lagged {
		files := func(text string) string {
			s := exptest.Load(t, "lag.toml", "seeds = 1\n"+text+"train = { lr = 0, record_every = 1 }\n")
			run := trained(t, s, t.TempDir())
			trains, err := run.Trains(run.Variants[0].Cells[0])
			if err != nil {
				t.Fatal(err)
			}
			evals, err := run.Evals(run.Variants[0].Cells[0])
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%b %v", trains, evals)
		}
		if d := cmp.Diff(files(fmt.Sprintf(c.text, 2)), files(ofSeveralAges(c.text, 2, 2, 0))); d != "" {
			t.Errorf("%s (-one lag +several):\n%s", c.name, d)
		}
	}
}
