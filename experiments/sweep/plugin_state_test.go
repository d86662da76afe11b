package sweep

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/cells"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
)

const remembering = "MODEBENCH_TEST_REMEMBERING"

// TestBeARememberingPlugin is no test but the plug-in of the tests below: outcome-ucb-con
// with scale = "none".
func TestBeARememberingPlugin(t *testing.T) {
	if os.Getenv(remembering) == "" {
		t.Skip("not started as a plug-in")
	}
	counts := map[string]map[string]int{}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var request struct {
			ID     int
			Method string
			Params struct {
				State  map[string]map[string]int
				Groups []rememberedGroup
			}
		}
		if err := json.Unmarshal(line, &request); err != nil {
			t.Fatal(err)
		}
		var result any = struct{}{}
		switch request.Method {
		case "hello":
			result = json.RawMessage(`{"protocol":1,"name":"remembering","needs":["reward","correct","answer"],"state":true}`)
		case "advantage":
			result = map[string]any{"advantages": explore(request.Params.Groups, counts)}
		case "save":
			result = map[string]any{"state": counts}
		case "load":
			if counts = request.Params.State; counts == nil {
				counts = map[string]map[string]int{}
			}
		}
		if request.Method == "bye" {
			break
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", request.ID, text)
	}
	os.Exit(0) // before the testing package writes to standard output
}

type rememberedGroup struct {
	Problem  string
	Rollouts []struct {
		Candidates []struct {
			Reward  []float64
			Correct bool
			Answer  string
		}
	}
}

// explore gives the advantages of a batch and counts its answers.
func explore(groups []rememberedGroup, counts map[string]map[string]int) (advantages [][]float64) {
	for _, g := range groups {
		mean, solved := 0.0, true
		for _, r := range g.Rollouts {
			mean += r.Candidates[0].Reward[0]
			solved = solved && r.Candidates[0].Correct
		}
		mean /= float64(len(g.Rollouts))
		list := []float64{}
		for _, r := range g.Rollouts {
			a := r.Candidates[0].Reward[0] - mean
			if answer := r.Candidates[0].Answer; answer != "" && !solved {
				a += float64(0.2 * (1/math.Sqrt(float64(max(1, counts[g.Problem][answer]))) - 0.5))
			}
			list = append(list, a)
		}
		advantages = append(advantages, list)
	}
	for _, g := range groups {
		for _, r := range g.Rollouts {
			if answer := r.Candidates[0].Answer; answer != "" {
				if counts[g.Problem] == nil {
					counts[g.Problem] = map[string]int{}
				}
				counts[g.Problem][answer]++
			}
		}
	}
	return advantages
}

// rememberingSpec has the built-in method beside the plug-in of the same formula.
func rememberingSpec(t *testing.T, steps, every int) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(remembering, "yes")
	return fmt.Sprintf(`seeds = 1
columns = ["reward"]
[env]
name = "bandit"
modes = 6
arms_per_mode = 3
[train]
steps = %d
problems = 3
batch = 2
group = 4
lr = 0.1
record_every = 1
[eval]
every = %d
[[method]]
name = "outcome-ucb-con"
scale = "none"
[[method]]
name = "plugin"
command = [%q, "-test.run=^TestBeARememberingPlugin$"]
`, steps, every, self)
}

// wantEqual fails unless the second cell of a finished run has the records of the first.
func wantEqual(t *testing.T, text, out string) {
	t.Helper()
	run := runIn(t, exptest.Load(t, "swept.toml", text), out, 1)
	for _, name := range []string{record.TrainFile, record.EvalFile, record.CheckpointFile} {
		want, err := os.ReadFile(filepath.Join(run.Folder(run.Variants[0].Cells[0]), name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(run.Folder(run.Variants[1].Cells[0]), name))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s differs:\n%.600s", name, d)
		}
	}
}

// TestRememberingPlugin: a plug-in with a state gives the records of the built-in method,
// stopped at every step, and each time continued by another program.
func TestRememberingPlugin(t *testing.T) {
	everyStep(t)
	text, out := rememberingSpec(t, 12, 1), t.TempDir()
	spec, stops := exptest.Load(t, "swept.toml", text), 0
	for {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Run(ctx, spec, Options{Out: out, Jobs: 1, Progress: func(int, int) { cancel() }, Notes: func(line string) { t.Error(line) }})
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if stops++; stops > 60 {
			t.Fatal("the run does not go on")
		}
	}
	if stops < 24 {
		t.Errorf("stopped %d times, want once a step", stops)
	}
	wantEqual(t, text, out)
}

// TestRememberingPluginKilled is the same where the process of the run is killed.
func TestRememberingPluginKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	text, out := rememberingSpec(t, 400, 100), t.TempDir()
	goneOn, within := 0, 400*time.Millisecond
	for tries := 0; goneOn < 4; tries++ {
		if tries == 60 {
			t.Fatalf("%d of %d runs left something to go on from, want 4", goneOn, tries)
		}
		switch killed := sweepFor(t, text, out, t.TempDir(), within); {
		case !killed: // it was faster: the next kill comes sooner, in a run that begins
			wantEqual(t, text, out)
			out, within = t.TempDir(), within*3/4
		case len(besides(t, out, cells.ResumePrefix)) == 0: // on a slow machine it had hardly begun
			within += 50 * time.Millisecond
		default:
			goneOn++
		}
	}
	wantEqual(t, text, out)
}
