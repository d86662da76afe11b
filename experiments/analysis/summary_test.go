package analysis

import (
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
)

// TestSummaryTable: a row for each variant, below a line about its seeds.
func TestSummaryTable(t *testing.T) {
	spec := exptest.Load(t, "my.toml", strings.Replace(exptest.Minimal, "seeds = 2", "title = \"t\"\nseeds = 3\ncolumns = [\"reward\", \"pass@4\"]", 1)+"[[method]]\nname = \"base\"\n")
	got, err := Summary(t.Context(), runIn(t, spec, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 7 || lines[0] != "my: t" || !strings.HasPrefix(lines[1], "after training, mean over 3 seeds [95% interval") || lines[2] != "underpowered: 3 seeds are a first look; verdicts need 6" {
		t.Fatalf("summary:\n%s", got)
	}
	// A uniform start over 12 arms, 4 rewarded: reward 1/3, pass@4 = 1 - (2/3)^4.
	if want := "base    0.333 [0.333, 0.333]  0.802 [0.802, 0.802]"; lines[6] != want {
		t.Errorf("the row of base:\n got %q\nwant %q", lines[6], want)
	}
}

// TestEvalAxes: the way answers are drawn for the evaluation may be an axis, and is in cells,
// labels and claims; the measurements may not be.
func TestEvalAxes(t *testing.T) {
	loaded := exptest.Load(t, "my.toml", `
seeds = 1
columns = ["pass@1"]
[env]
name = "countdown"
[train]
steps = 2
problems = 2
batch = 2
[eval]
temperature = [0.5, 1]
top_p = [0.9, 1]
samples = 4
k = [1, 4]
enumerate = 0
[[method]]
name = "base"
[[method]]
name = "grpo"
train = { lr = [0.1, 1] }
`)
	var labels []string
	for _, v := range loaded.Variants {
		labels = append(labels, v.Label)
	}
	if len(labels) != 4*3 || labels[0] != "base temperature=0.5 top_p=0.9" || labels[11] != "grpo temperature=1 top_p=1 lr=1" {
		t.Errorf("variants %q", labels)
	}
	run := runIn(t, loaded, t.TempDir(), 2)
	cold, err := NewEnds(run).Values(run.Variants[0], "pass@1")
	if err != nil {
		t.Fatal(err)
	}
	warm, err := NewEnds(run).Values(run.Variants[9], "pass@1")
	if err != nil {
		t.Fatal(err)
	}
	if run.Variants[9].Label != "base temperature=1 top_p=1" || cold[0] == warm[0] {
		t.Errorf("%s: pass@1 %v, at 0.5 with a nucleus %v: want two numbers", run.Variants[9].Label, warm[0], cold[0])
	}
	if _, err := exptest.TryLoad(t, "my.toml", "[env]\nname = \"bandit\"\n[eval]\nsamples = [4, 8]\n[[method]]\nname = \"grpo\"\n"); err == nil || !strings.Contains(err.Error(), "my.toml:4: field \"samples\" of eval takes one value: only temperature, top_p, interpolate, split may list several") {
		t.Errorf("samples as an axis: %v", err)
	}
}
