package main

import (
	"os"
	"strings"
	"testing"
)

// A run with another setting has a folder of its own, which compare holds against the
// plain one, method by method.
func TestRunSet(t *testing.T) {
	inDir(t)
	const plain, changed = "results/quick", "results/quick-train.steps-20"
	for _, args := range [][]string{
		{"run", "quick", "--seeds", "2", "--format", "none", "--set", "train.steps=10", "--name", "quick"},
		{"run", "quick", "--seeds", "2", "--format", "none", "--set", "train.steps=20"},
	} {
		if code, _, errs := call(t, "", args...); code != exitOK {
			t.Fatalf("%v: exit code %d\n%s", args, code, errs)
		}
	}
	code, out, errs := call(t, "", "compare", plain, changed)
	if code != exitOK || !strings.Contains(out, "poly-epo") || !strings.Contains(out, "steps 10 -> 20") {
		t.Errorf("compare: exit code %d, want every method with what differs\n%s%s", code, out, errs)
	}
	code, _, errs = call(t, "", "run", "quick", "--set", "train.stepps=20")
	if want := `bench: --set train.stepps=20: unknown field "stepps" of train`; code != exitUsage || !strings.HasPrefix(errs, want) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit code %d and %q, want %d and one line beginning with %q", code, errs, exitUsage, want)
	}
	if _, err := os.Stat("results/quick-train.stepps-20"); err == nil {
		t.Error("a run that was refused left a folder")
	}
}
