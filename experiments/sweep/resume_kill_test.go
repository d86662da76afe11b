package sweep

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
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
	sweepOn    = "MODEBENCH_TEST_SWEEP_DEVICE" // with all its cells at the same time
)

// TestBeASweep is a process of its own, for tests that kill it.
func TestBeASweep(t *testing.T) {
	if os.Getenv(sweepSpec) == "" {
		t.Skip("for tests that start this program")
	}
	everyStep(t)
	spec := exptest.Load(t, "swept.toml", os.Getenv(sweepSpec))
	opt := Options{Out: os.Getenv(sweepOut), Jobs: 2, Cache: os.Getenv(sweepCache), Checkpoint: time.Millisecond, Notes: func(line string) { t.Error(line) }}
	if opt.Device = os.Getenv(sweepOn); opt.Device != "" {
		opt.Jobs = 0
	}
	if _, err := Run(context.Background(), spec, opt); err != nil {
		t.Fatal(err)
	}
}

// standIn builds a library in place of the NVIDIA driver, and gives the environment in which a
// process takes it for the driver. It skips the test without a compiler.
func standIn(t *testing.T) (environment []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the library that stands in for the driver is for Linux")
	}
	for _, tool := range []string{"go", "c++"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	folder := t.TempDir()
	out, err := exec.Command("go", "run", "modebench/policies/internal/device/cuda/cudatest/standin", folder).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return []string{"LD_LIBRARY_PATH=" + folder, sweepOn + "=cuda"}
}

// TestKilled: a sweep whose process is killed at any moments, and that is run again each time,
// leaves the bytes of an uninterrupted one. Files that a kill leaves beside the cells do no harm.
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
	// Eight cells in lock step on the substitute of a card; finished cells are of the processor.
	together := `seeds = 4
[env]
name = "bandit"
` + exptest.TinyPolicy + `
[train]
steps = 24
problems = 3
batch = 2
group = 4
[eval]
every = 12
k = [1, 2]
samples = 4
problems = 2
measure = ["kl"]
[[method]]
name = "grpo"
[[method]]
name = "dr-grpo"
kl = "exact"
kl_coef = 0.1
`
	for _, c := range []struct {
		name, text string
		kills      int
		card       bool
	}{
		{name: "tables", text: tabular, kills: 50}, {name: "a transformer", text: tiny, kills: 12},
		{name: "a state per problem", text: remembers, kills: 20}, {name: "tokens that run out", text: runsOut, kills: 12},
		{name: "a state of the objective", text: steered, kills: 20}, {name: "groups of several ages", text: ages, kills: 12},
		{name: "in lock step", text: together, kills: 6, card: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("starts and kills processes for half a minute")
			}
			t.Parallel() // each waits for a process of its own most of the time
			var environment []string
			if c.card {
				environment = standIn(t)
			}
			spec := exptest.Load(t, "swept.toml", c.text)
			cache, whole, out := t.TempDir(), t.TempDir(), t.TempDir()
			if _, err := Run(context.Background(), spec, Options{Out: whole, Jobs: 2, Cache: cache}); err != nil {
				t.Fatal(err)
			}
			want := wholeCells(t, whole)
			goneOn, within := 0, 500*time.Millisecond
			for kill := 0; kill < c.kills; {
				if killed := sweepFor(t, c.text, out, cache, within, environment...); killed {
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
			if c.card { // which makes the rest
				for sweepFor(t, c.text, out, cache, 10*time.Minute, environment...) {
				}
			} else if _, err := Run(context.Background(), spec, Options{Out: out, Jobs: 2, Cache: cache, Notes: func(line string) { t.Error(line) }}); err != nil {
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

// sweepFor runs a sweep in a process of its own for a while that is drawn from within, and kills
// it; killed is false if it was faster.
func sweepFor(t *testing.T, spec, out, cache string, within time.Duration, environment ...string) (killed bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sweep := exec.Command(self, "-test.run=^TestBeASweep$")
	sweep.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), sweepSpec+"="+spec, sweepOut+"="+out, sweepCache+"="+cache) // a killed process leaves its folder
	sweep.Env = append(sweep.Env, environment...)
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
