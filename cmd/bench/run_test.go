package main

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"testing"

	"modebench/experiments/record"
	"modebench/internal/memory"
	"modebench/internal/testkit"
)

// TestTableAndFiguresHeedTheContext: once the context has ended, no verdict is worked out and no
// further figure is drawn.
func TestTableAndFiguresHeedTheContext(t *testing.T) {
	inDir(t)
	writeTiny(t)
	succeed(t, "run", "tiny.toml", "--out", "r", "--format", "none")
	run, err := record.Open(filepath.Join("r", "tiny"))
	if err != nil {
		t.Fatal(err)
	}
	for most := range int64(2) {
		dir := t.TempDir()
		files, err := draw(testkit.NewEndsAt(most), run, dir, []string{"svg"})
		written, _ := filepath.Glob(filepath.Join(dir, "*"))
		if !errors.Is(err, context.Canceled) || files != nil || len(written) != int(most) {
			t.Errorf("ended after %d figures: %q written, %v", most, written, err)
		}
	}
	if text, err := summary(testkit.NewEndsAt(0), run); !errors.Is(err, context.Canceled) || text != "" {
		t.Errorf("summary: %q, %v", text, err)
	}
}

// TestTooLarge: one line, and no second one on how to run it again, says what a run would take, for
// all cells, with the exit code of what was handed in. Nothing is run.
func TestTooLarge(t *testing.T) {
	if total, known := memory.Total(); !known || total > 100e9 {
		t.Skip("the machine has room for it, or does not say")
	}
	const methods = "[[method]]\nname = \"grpo\"\n[[method]]\nname = \"base\"\n"
	for name, c := range map[string]struct{ text, says string }{
		"a transformer": {
			"seeds = 2\n[env]\nname = \"bandit\"\n[policy]\nname = \"transformer\"\nlayers = 64\nwidth = 4096\nheads = 64\n" + methods,
			`^bench: grpo, seed 0 and 3 other cells: a transformer with layers = 64 and width = 4096 has 12888 million parameters and takes about \d+\.\d GB of memory, and there are \d+\.\d GB for it\n$`,
		},
		"tables": {
			"seeds = 2\n[env]\nname = \"maze\"\n[train]\nproblems = 1000000\nbatch = 1000\nsteps = 1000\n" + methods,
			`^bench: grpo, seed 0 and 3 other cells: a tabular policy that meets 1000000 problems, with 8000 rollouts a step, takes at least \d+\.\d GB of memory, and there are \d+\.\d GB for it\n$`,
		},
	} {
		inDir(t)
		write(t, "large.toml", c.text)
		code, out, errs := call(t, "", "run", "large.toml", "--out", "out", "--cache", "cache", "--jobs", "2")
		if code != exitInput || out != "" || !regexp.MustCompile(c.says).MatchString(errs) {
			t.Errorf("%s: exit code %d, want %d: %s%s", name, code, exitInput, out, errs)
		}
	}
}
