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
		{"run", "quick", "--seeds", "2", "--figure-format", "none", "--set", "train.steps=10", "--name", "quick"},
		{"run", "quick", "--seeds", "2", "--figure-format", "none", "--set", "train.steps=20"},
	} {
		succeed(t, args...)
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

// TestListRun: the cells that a changed spec would run, and the folder that they would go to and go
// to.
func TestListRun(t *testing.T) {
	inDir(t)
	changed := []string{"--set", "train.steps=10", "--set", "method.poly-epo.n=[2, 3]", "--seeds", "1"}
	code, out, errs := call(t, "", append([]string{"list", "specs", "quick"}, changed...)...)
	head, variants, ok := strings.Cut(out, "\n7 cells: 1 seed of each of\n")
	_, folder, _ := strings.Cut(head, "\nfolder: ")
	folder, _, _ = strings.Cut(folder, " ")
	variants, _, noted := strings.Cut(variants, "note: at one update a batch")
	ok = ok && noted
	if code != exitOK || !ok || !strings.HasPrefix(folder, "results/quick-train.steps-10-method.poly-epo.n-") || !strings.HasSuffix(variants, "  poly-epo n=2\n  poly-epo n=3\n  setpo+grpo\n") {
		t.Fatalf("exit code %d:\n%s%s", code, out, errs)
	}
	succeed(t, append([]string{"run", "quick", "--figure-format", "none"}, changed...)...)
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("bench list said %s: %v", folder, err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "specs", "--set", "train.lr=1"}, "bench: flags of bench list change a spec: bench list specs NAME --set FIELD=VALUE\n"},
		{[]string{"list", "methods", "grpo", "--seeds", "3"}, "bench: flags of bench list change a spec: "},
		{[]string{"list", "specs", "quick", "--set", "lr=1"}, "bench: --set lr=1: did you mean train.lr? "},
		{[]string{"list", "specs", "quick", "--policy", "mlp"}, `bench: --policy is "mlp"`},
	} {
		if code, out, errs := call(t, "", c.args...); code != exitUsage || out != "" || !strings.HasPrefix(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want %q", c.args, code, out+errs, c.want)
		}
	}
}
