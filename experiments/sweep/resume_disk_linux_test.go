package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"

	"github.com/google/go-cmp/cmp"
)

// TestFullDisk: a disk that fills up ends a run with a line for each cell that it stopped, and
// leaves earlier files whole. Once there is room the run continues.
func TestFullDisk(t *testing.T) {
	everyStep(t)
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=160k"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, 0) })
	spec := exptest.Load(t, "full.toml", strings.Replace(strings.Replace(exptest.Minimal, "seeds = 2", "seeds = 3", 1), "steps = 20", "steps = 250", 1))
	whole := t.TempDir()
	runIn(t, spec, whole, 1)
	_, err := Run(context.Background(), spec, Options{Out: disk, Jobs: 1, Checkpoint: 1})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want a full disk (the test wants a smaller one)", err)
	}
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, "grpo, seed ") || !strings.Contains(line, disk) {
			t.Errorf("%q names no cell or no file", line)
		}
	}
	finishedBefore := len(besides(t, disk, "grpo"))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	var plan Plan
	opt := Options{Out: disk, Jobs: 1, Planned: func(p Plan) { plan = p }, Notes: func(line string) { t.Error(line) }}
	if _, err := Run(context.Background(), spec, opt); err != nil {
		t.Fatal(err)
	}
	if plan.Finished != finishedBefore {
		t.Errorf("%d cells are found finished, want %d", plan.Finished, finishedBefore)
	}
	if d := cmp.Diff(wholeCells(t, whole), wholeCells(t, disk)); d != "" {
		t.Errorf("other files:\n%.500s", d)
	}
	t.Logf("%d of 3 cells were finished before the disk was full", finishedBefore)
}

// TestReadOnlyFolder: one line, before anything is trained.
func TestReadOnlyFolder(t *testing.T) {
	disk := t.TempDir()
	if err := os.MkdirAll(filepath.Join(disk, record.CellsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_RDONLY, "size=16k"); err != nil {
		t.Skipf("a read-only disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, 0) })
	_, err := Run(context.Background(), exptest.Small(t), Options{Out: disk, Jobs: 1})
	if !errors.Is(err, syscall.EROFS) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), disk) {
		t.Errorf("got %v, want one line that names the folder", err)
	}
}
