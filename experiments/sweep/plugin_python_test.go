package sweep

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
)

// pythonWithNumpy is an interpreter that has numpy, or the test is skipped. The first python3
// may be one without it.
func pythonWithNumpy(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import sys, numpy; assert sys.version_info >= (3, 9)").Run() == nil {
			return name
		}
	}
	t.Skip("no Python 3.9 or later with numpy")
	return ""
}

// TestTokenPluginEqualsBuiltin: the entropy-shaped advantage in Python, a number for each token,
// gives the records of the built-in method, byte for byte: answers of several tokens, over
// minibatches and epochs, in which ratios move.
func TestTokenPluginEqualsBuiltin(t *testing.T) {
	python := pythonWithNumpy(t)
	example, err := filepath.Abs("../../estimators/python/examples/entropy_shaped.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"tabular", "transformer"} {
		if policy == "transformer" && testing.Short() {
			continue
		}
		more := ""
		if policy == "transformer" {
			more = "layers = 1\nwidth = 32\nheads = 2\npretrain_steps = 40\npretrain_batch = 4\n"
		}
		s := exptest.Load(t, "tokens.toml", fmt.Sprintf(`
seeds = 2
[env]
name = "maze"
[policy]
name = %q
%s[train]
steps = 6
problems = 4
batch = 2
epochs = 2
minibatches = 2
[eval]
every = 3
k = [1, 2]
samples = 4
enumerate = 0
[[method]]
name = "entropy-shaped"
[[method]]
name = "plugin"
label = "in Python"
command = [%q, "-m", "modebench", %q]
[[method]]
name = "grpo"
`, policy, more, python, example))
		run, differs := runIn(t, s, t.TempDir(), 2), false
		for seed := range 2 {
			own, plug, other := run.Folder(run.Variants[0].Cells[seed]), run.Folder(run.Variants[1].Cells[seed]), run.Folder(run.Variants[2].Cells[seed])
			read := func(folder, name string) string {
				text, err := os.ReadFile(filepath.Join(folder, name))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			for _, name := range []string{record.TrainFile, record.EvalFile, record.CheckpointFile} {
				if d := cmp.Diff(read(own, name), read(plug, name)); d != "" {
					t.Errorf("%s, seed %d: %s differs:\n%.600s", policy, seed, name, d)
				}
			}
			differs = differs || read(own, record.TrainFile) != read(other, record.TrainFile)
		}
		if !differs {
			t.Errorf("%s: the records of grpo: nothing was tested", policy)
		}
	}
}
