package analysis

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// TestTimings: a cell's provenance has the times of the parts of a step, and the records do
// not; the table's shares are those, and add up.
func TestTimings(t *testing.T) {
	spec := exptest.Load(t, "timed.toml", `
seeds = 2
timings = true
columns = ["reward"]
[env]
name = "bandit"
[train]
steps = 64
[[method]]
name = "base"
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
`)
	run := runIn(t, spec, t.TempDir(), 1)
	if !run.Manifest.Timings {
		t.Error("the manifest does not ask for timings")
	}
	text, err := TimingText(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range run.Variants {
		timed, ok, err := run.Timings(v.Cells[0])
		if err != nil || ok != v.Trains {
			t.Errorf("%s: timed: %v (%v)", v.Label, ok, err)
		}
		if !ok {
			if strings.Contains(text, v.Label) {
				t.Errorf("%s does not train and is in the table:\n%s", v.Label, text)
			}
			continue
		}
		if timed.Steps != 16 || timed.Sample <= 0 || timed.Judge <= 0 || timed.Estimate <= 0 || timed.Update <= 0 {
			t.Errorf("%s: %+v, want 16 of 64 steps timed and every part above 0", v.Label, timed)
		}
		// The table has the mean over both seeds.
		other, _, err := run.Timings(v.Cells[1])
		if err != nil {
			t.Fatal(err)
		}
		estimate, step := (timed.Estimate+other.Estimate)/2, (timed.Total()+other.Total())/2
		row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(v.Label) + `  +(.*)$`).FindStringSubmatch(text)
		if row == nil {
			t.Errorf("%s: no row in\n%s", v.Label, text)
			continue
		}
		var gotEstimate, gotStep, share float64
		if _, err := fmt.Sscanf(row[1], "%f of %f, %f%%", &gotEstimate, &gotStep, &share); err != nil {
			t.Errorf("%s: %q: %v", v.Label, row[1], err)
		}
		// Half of the last digit shown, plus the rounding of another order of addition.
		if math.Abs(gotEstimate-1e6*estimate) > .005000001 || math.Abs(gotStep-1e6*step) > .05000001 || math.Abs(share-100*estimate/step) > .05000001 {
			t.Errorf("%s: the table has %q, want %v of %v", v.Label, row[1], 1e6*estimate, 1e6*step)
		}
	}
	// Without a word on time the table is left out; with a damaged file it is an error.
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			if err := os.Remove(filepath.Join(run.Folder(ref), record.ProvenanceFile)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if text, err := TimingText(run); err != nil || text != "" {
		t.Errorf("without provenance: %q, %v", text, err)
	}
	damaged := filepath.Join(run.Folder(run.Variants[1].Cells[0]), record.ProvenanceFile)
	if err := os.WriteFile(damaged, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := TimingText(run); err == nil || !strings.Contains(err.Error(), damaged) {
		t.Errorf("a damaged file: %v", err)
	}
}

// TestTimingsOfSeveralEnvironments: a row for each method, a column for each
// environment, a dash where a method does not run.
func TestTimingsOfSeveralEnvironments(t *testing.T) {
	loaded := exptest.Load(t, "timed.toml", `
seeds = 1
timings = true
[[env]]
name = "bandit"
[[env]]
name = "countdown"
[train]
steps = 4
[eval]
samples = 4
k = [1]
enumerate = 0
[[method]]
name = "*"
`)
	loaded.Variants = slices.DeleteFunc(loaded.Variants, func(v *spec.Variant) bool { return v.Method != "grpo" && v.Method != "ttrl" })
	text, err := TimingText(runIn(t, loaded, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^method +bandit +countdown$`, `(?m)^grpo +[0-9.]+ of [0-9.]+, [0-9.]+% +[0-9.]+ of [0-9.]+, [0-9.]+%$`, `(?m)^ttrl +[0-9.]+ of [0-9.]+, [0-9.]+% +-$`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no line like %s in\n%s", want, text)
		}
	}
}
