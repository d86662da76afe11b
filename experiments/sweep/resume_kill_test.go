package sweep

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"modebench/experiments/cells"
	"modebench/experiments/internal/exptest"

	"github.com/google/go-cmp/cmp"
)

// The variables of a process that sweeps: its spec, where to and where its base
// policies are.
const (
	sweepSpec  = "MODEBENCH_TEST_SWEEP"
	sweepOut   = "MODEBENCH_TEST_SWEEP_OUT"
	sweepCache = "MODEBENCH_TEST_SWEEP_CACHE"
)

// TestBeASweep is a process of its own, for tests that kill it.
func TestBeASweep(t *testing.T) {
	if os.Getenv(sweepSpec) == "" {
		t.Skip("for tests that start this program")
	}
	everyStep(t)
	spec := exptest.Load(t, "swept.toml", os.Getenv(sweepSpec))
	opt := Options{Out: os.Getenv(sweepOut), Jobs: 2, Cache: os.Getenv(sweepCache), Checkpoint: time.Millisecond, Notes: func(line string) { t.Error(line) }}
	if _, err := Run(context.Background(), spec, opt); err != nil {
		t.Fatal(err)
	}
}

// TestKilled: a sweep whose process is killed at any moments, and that is run again each
// time, leaves the bytes of one that was not. What a kill leaves beside the cells is in
// nobody's way.
func TestKilled(t *testing.T) {
	tabular := `seeds = 2
[env]
name = "maze"
[train]
steps = 400
problems = 4
batch = 2
[eval]
every = 100
k = [1, 2]
samples = 4
enumerate = 0
measure = ["kl"]
keep = 1
[[method]]
name = "vpo"
[[method]]
name = "dapo"
`
	tiny := `seeds = 1
[env]
name = "bandit"
` + exptest.TinyPolicy + `
[train]
steps = 150
problems = 3
batch = 2
group = 4
[eval]
every = 50
k = [1, 2]
samples = 4
problems = 2
measure = ["kl"]
[[method]]
name = "grpo"
[[method]]
name = "vpo"
`
	remembers := `seeds = 2
[env]
name = "bandit"
modes = 8
arms_per_mode = 3
[train]
steps = 400
problems = 4
batch = 2
[eval]
every = 100
k = [1, 2]
samples = 4
enumerate = 0
[[method]]
name = "outcome-ucb-mean"
[[method]]
name = "outcome-ucb-con"
`
	runsOut := `seeds = 2
[env]
name = "maze"
[train]
steps = 400
tokens = 80000
problems = 4
batch = 2
[eval]
every = 50
k = [1, 2]
samples = 4
enumerate = 0
measure = ["drawn"]
[[method]]
name = "dapo"
[[method]]
name = "remax"
`
	steered := `seeds = 2
[env]
name = "bandit"
modes = 8
arms_per_mode = 3
[train]
steps = 400
problems = 4
batch = 2
epochs = 2
[eval]
every = 100
k = [1, 2]
samples = 4
enumerate = 0
[[method]]
name = "entropy-adaptive"
entropy_target = 1.5
entropy_delta = 0.1
[[method]]
name = "repo-r"
repo_target = 1.5
repo_min = 0.001
repo_max = 0.5
`
	ages := `seeds = 2
[env]
name = "bandit"
[train]
steps = 400
problems = 6
batch = 4
lag = 3
lag_spread = 3
max_lag = 2
[eval]
every = 100
k = [1, 2]
samples = 4
enumerate = 0
[[method]]
name = "grpo"
`
	for _, c := range []struct {
		name, text string
		kills      int
	}{{"tables", tabular, 50}, {"a transformer", tiny, 12}, {"a state per problem", remembers, 20}, {"tokens that run out", runsOut, 12}, {"a state of the objective", steered, 20}, {"groups of several ages", ages, 12}} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("starts and kills processes for half a minute")
			}
			t.Parallel() // each waits for a process of its own most of the time
			spec := exptest.Load(t, "swept.toml", c.text)
			cache, whole, out := t.TempDir(), t.TempDir(), t.TempDir()
			if _, err := Run(context.Background(), spec, Options{Out: whole, Jobs: 2, Cache: cache}); err != nil {
				t.Fatal(err)
			}
			want := wholeCells(t, whole)
			goneOn, within := 0, 500*time.Millisecond
			for kill := 0; kill < c.kills; {
				if killed := sweepFor(t, c.text, out, cache, within); killed {
					kill++
					left := min(1, len(besides(t, out, cells.ResumePrefix)))
					if goneOn += left; left == 0 { // it had hardly begun
						within += within / 4
					}
					continue
				}
				// It was faster: kills come sooner, whatever the machine, and the next one finds a
				// sweep that begins.
				within = max(within-within/4, time.Millisecond)
				if d := cmp.Diff(want, wholeCells(t, out)); d != "" {
					t.Fatalf("after %d kills other files (-one that was not killed):\n%.2000s", kill, d)
				}
				out = t.TempDir()
			}
			if _, err := Run(context.Background(), spec, Options{Out: out, Jobs: 2, Cache: cache, Notes: func(line string) { t.Error(line) }}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, wholeCells(t, out)); d != "" {
				t.Errorf("after %d kills other files (-one that was not killed):\n%.2000s", c.kills, d)
			}
			if goneOn == 0 {
				t.Errorf("%d kills, and none left anything to go on from", c.kills)
			}
			t.Logf("%d kills, of which %d left something to go on from", c.kills, goneOn)
		})
	}
}

// sweepFor runs a sweep in a process of its own for a while that is drawn from within, and kills it;
// killed is false where it was faster.
func sweepFor(t *testing.T, spec, out, cache string, within time.Duration) (killed bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sweep := exec.Command(self, "-test.run=^TestBeASweep$")
	sweep.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), sweepSpec+"="+spec, sweepOut+"="+out, sweepCache+"="+cache) // a killed process leaves its folder
	if err := sweep.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(rand.N(within), func() { _ = sweep.Process.Kill() })
	err = sweep.Wait()
	if timer.Stop() {
		if err != nil {
			t.Fatalf("the sweep failed: %v", err)
		}
		return false
	}
	return err != nil
}
