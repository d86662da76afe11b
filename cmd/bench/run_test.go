package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
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

// TestTooLargeTransformer: one line says what it would take, for all cells, with the exit code of
// what was handed in.
func TestTooLargeTransformer(t *testing.T) {
	if total, known := memory.Total(); !known || total > 300e9 {
		t.Skip("the machine has room for it, or does not say")
	}
	inDir(t)
	write(t, "large.toml", "seeds = 2\n[env]\nname = \"bandit\"\n[policy]\nname = \"transformer\"\nlayers = 64\nwidth = 4096\nheads = 64\n[[method]]\nname = \"grpo\"\n[[method]]\nname = \"base\"\n")
	code, _, errs := call(t, "", "run", "large.toml", "--out", "out", "--cache", "cache", "--jobs", "2")
	const says = "and 3 other cells: a transformer with layers = 64 and width = 4096 has 12888 million parameters and takes"
	if code != exitInput || strings.Count(errs, "a transformer with") != 1 || !strings.Contains(errs, says) || !strings.Contains(errs, " of memory at least, and there are ") {
		t.Errorf("exit code %d, want %d: %s", code, exitInput, errs)
	}
}
