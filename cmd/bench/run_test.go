package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"modebench/experiments/record"
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
