package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"modebench/estimators"
)

// TestSpecsOfPagesRun runs the specs of methods' pages, for methods of each kind: each trains on as many
// problems as the manual advises, and on an environment that gives all fields that the method reads.
func TestSpecsOfPagesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs seven specs")
	}
	bench := ofRepository(t).bench
	for _, c := range []struct{ method, environment, why string }{
		{"base", "bandit", "it does not train"},
		{"grpo", "bandit", "one answer"},
		{"optimum", "bandit", "no policy"},
		{"goal-conditioned", "maze", "the prompt states weights"},
		{"em-rl-token", "coins", "answers of more than a token"},
		{"vpo", "maze", "chains of answers"},
		{"sd-e2", "multiplication", "chains that stop, of final answers"},
	} {
		t.Run(c.method, func(t *testing.T) {
			m, err := estimators.Lookup(c.method)
			if err != nil {
				t.Fatal(err)
			}
			text, err := runSpec(m)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text, "name = \""+c.environment+"\"") {
				t.Errorf("want %s, since: %s. The spec is\n%s", c.environment, c.why, text)
			}
			contains(t, methodPath(c.method), fence("toml", text))
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "mine.toml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), bench.path(), "run", "mine.toml", "--seeds", "1", "--set", "train.steps=2")
			cmd.Dir = folder
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), "trains on one problem alone") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestPagesNameOtherMethodsOfTheirSpec: a page names the methods that its spec runs beside the page's own.
func TestPagesNameOtherMethodsOfTheirSpec(t *testing.T) {
	for method, want := range map[string]string{
		"base":    "It has [`grpo`](/methods/grpo.md) beside the method.",
		"grpo":    "It has [`base`](/methods/base.md) beside the method.",
		"optimum": "It has [`base`](/methods/base.md) and [`grpo`](/methods/grpo.md) beside the method.",
		"vpo":     "The method gives chains of 3 answers. The other two answer once.",
		"sd-e2":   "The method gives chains of 1 to 3 answers. The other two answer once.",
	} {
		contains(t, methodPath(method), want)
	}
}
