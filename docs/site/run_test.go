package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"modebench/estimators"
)

// TestRunSpecs runs what pages of methods say to save and run, for methods of each kind: it trains on
// as many problems as the manual says, and on an environment that gives what the method reads.
func TestRunSpecs(t *testing.T) {
	bench, err := newProgram(t.Context(), filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	defer bench.close()
	for _, c := range []struct{ method, environment, why string }{
		{"base", "bandit", "it does not train"},
		{"grpo", "bandit", "one answer"},
		{"optimum", "bandit", "no policy"},
		{"goal-conditioned", "maze", "the prompt states weights"},
		{"em-rl-token", "maze", "answers of more than a token"},
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
			if page := ofRepository(t).pages[methodPath(c.method)].body; !strings.Contains(page, escape(strings.TrimSpace(text))) {
				t.Errorf("the page has another spec than\n%s", text)
			}
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

// TestBeside: a page says what else its spec runs.
func TestBeside(t *testing.T) {
	s := ofRepository(t)
	for method, want := range map[string]string{
		"base":    "bench run mine.toml : the base policy beside GRPO.",
		"grpo":    "bench run mine.toml : the method beside the base policy.",
		"optimum": "bench run mine.toml : the optimum beside GRPO and the base policy.",
		"vpo":     "The method gives chains of 3 answers. The other two answer once.",
		"sd-e2":   "The method gives chains of 1 to 3 answers. The other two answer once.",
	} {
		if page := words(s.pages[methodPath(method)].body); !strings.Contains(page, want) {
			t.Errorf("the page of %s does not say %q", method, want)
		}
	}
}
