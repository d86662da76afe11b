package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// stageFinished puts cells there that took so many seconds, by their numbers; what is below
// 0 is a cell whose provenance is damaged.
func stageFinished(t *testing.T, s *spec.Spec, dir string, seconds map[int]float64) *Status {
	t.Helper()
	err := CellsOf(t.Context(), s)(func(c PlannedCell) error {
		took, ok := seconds[c.Cell]
		if !ok {
			return nil
		}
		text := fmt.Sprintf(`{"seconds": %g}`, took)
		if took < 0 {
			text = "{"
		}
		cell := filepath.Join(dir, c.ID)
		if err := os.MkdirAll(cell, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(cell, record.DoneFile), nil, 0o644); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(cell, record.ProvenanceFile), []byte(text), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	status, err := StatusOf(dir, CellsOf(t.Context(), s), false)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// TestWork: the number of tasks follows from what the finished cells of the same variants
// took, whatever their seeds.
func TestWork(t *testing.T) {
	tables := strings.Replace(exptest.Minimal, "seeds = 2", "seeds = 10", 1) + "[[method]]\nname = \"vpo\"\n"
	network := strings.Replace(tables, "[train]", "[policy]\nname = \"transformer\"\n[train]", 1)
	for _, c := range []struct {
		reason, text string
		seconds      map[int]float64 // of cells that are finished: 0-9 are grpo's, 10-19 vpo's
		shards       int
		longest      time.Duration
		guessed      int
	}{
		{"nothing is measured: ten seconds a cell", tables, nil, 1, 200 * time.Second, 2},
		{"nor of a transformer: a task a cell", network, nil, 20, 10 * time.Minute, 2},
		{"cells of 50 ms", tables, map[int]float64{0: 0.05, 10: 0.05}, 1, 900 * time.Millisecond, 0},
		{"cells of a minute", tables, map[int]float64{0: 60, 10: 60}, 2, 10 * time.Minute, 0},
		{"the mean of the seeds that are there", tables, map[int]float64{3: 100, 4: 300, 10: 0.1}, 3, 600300 * time.Millisecond, 0},
		{"one variant is measured", tables, map[int]float64{7: 60}, 2, 350 * time.Second, 1},
		{"and the other is one of a transformer", network, map[int]float64{7: 0.5}, 11, 600500 * time.Millisecond, 1},
		{"a damaged provenance says nothing", tables, map[int]float64{0: -1, 10: 0, 11: 1e300}, 1, 170 * time.Second, 2},
		{"a cell that is longer than a task is not cut", tables, map[int]float64{0: 7200, 10: 7200}, 20, 2 * time.Hour, 0},
	} {
		s, dir := exptest.Load(t, "my.toml", c.text), t.TempDir()
		w, err := WorkOf(t.Context(), s, dir, stageFinished(t, s, dir, c.seconds), 10*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Shards(10 * time.Minute); got != c.shards || w.Longest(c.shards).Round(time.Millisecond) != c.longest || w.Guessed != c.guessed {
			t.Errorf("%s: %d tasks, of %d the longest takes %v, %d variants are guessed; want %d, %v, %d", c.reason, got, c.shards, w.Longest(c.shards), w.Guessed, c.shards, c.longest, c.guessed)
		}
	}
}

// TestWorkBounds: an array is never larger than the experiment, nor than Slurm takes.
func TestWorkBounds(t *testing.T) {
	s, dir := manyCells(t, 10), t.TempDir()
	for seconds, shards := range map[float64]int{1e-3: 20, 1e8: mostShards} { // seven variants are guessed
		w, err := WorkOf(t.Context(), s, dir, stageFinished(t, s, dir, map[int]float64{0: seconds, 1000: seconds, 2000: seconds}), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Shards(time.Hour); got != shards {
			t.Errorf("cells of %v s: %d tasks, want %d", seconds, got, shards)
		}
	}
	small := exptest.Small(t)
	status := stageFinished(t, small, dir, map[int]float64{0: 1, 1: 1})
	w, err := WorkOf(t.Context(), small, dir, status, time.Minute)
	if err != nil || w.Shards(time.Minute) != 1 || w.Longest(1) != 0 {
		t.Errorf("with nothing left: %d tasks of %v (%v)", w.Shards(time.Minute), w.Longest(1), err)
	}
}
