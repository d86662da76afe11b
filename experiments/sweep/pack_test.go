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

// stageFinished puts cells there that took these seconds, by their numbers; below 0 the provenance
// of the cell is damaged.
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

// TestWork: the number of tasks follows from the time of the finished cells of the same variants,
// whatever their seeds.
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
		w, err := WorkOf(t.Context(), s, stageFinished(t, s, dir, c.seconds), Estimate{Dir: dir, Cache: dir, Task: 10 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Shards(10 * time.Minute); got != c.shards || w.Longest(c.shards).Round(time.Millisecond) != c.longest || w.Guessed != c.guessed {
			t.Errorf("%s: %d tasks, of %d the longest takes %v, %d variants are guessed; want %d, %v, %d", c.reason, got, c.shards, w.Longest(c.shards), w.Guessed, c.shards, c.longest, c.guessed)
		}
	}
}

// TestWorkWithBases: a task that needs a base policy which is not in the cache takes the time of
// making it, once, and there are enough tasks that each has room for it.
func TestWorkWithBases(t *testing.T) {
	text := strings.Replace(exptest.Minimal, "seeds = 2", "seeds = 10", 1) + "[[method]]\nname = \"vpo\"\n"
	text = strings.Replace(text, "[train]", "[policy]\nname = \"transformer\"\n[train]", 1)
	name := func(of string) string { return of + "-m1-0.base" }
	from := func(of string) string {
		return fmt.Sprintf(`"base": {"file": %q, "sha256": %q}`, name(of), strings.Repeat("0a", 32))
	}
	// Nine cells of each are left, and of two tasks one has ten of these.
	for _, c := range []struct {
		reason       string
		grpo, vpo    string // of the provenance of the first cell of each, which took a minute
		cached       []string
		shards       int
		longest, two time.Duration // of the tasks, and of the longer of two
		missing      int
	}{
		{"no base policy", "", "", nil, 2, 10 * time.Minute, 10 * time.Minute, 0},
		{"one for both, which a task makes once", from("a") + `, "pretraining": 240`, from("a"), nil, 3, 10 * time.Minute, 14 * time.Minute, 1},
		{"one for each", from("a") + `, "pretraining": 120`, from("b") + `, "pretraining": 120`, nil, 3, 10 * time.Minute, 14 * time.Minute, 2},
		{"they are in the cache", from("a") + `, "pretraining": 120`, from("b") + `, "pretraining": 120`, []string{"a", "b"}, 2, 10 * time.Minute, 10 * time.Minute, 0},
		{"one is", from("a") + `, "pretraining": 120`, from("b") + `, "pretraining": 120`, []string{"b"}, 2, 12 * time.Minute, 12 * time.Minute, 1},
		{"what made it is not known", from("a"), from("a"), nil, 2, 10 * time.Minute, 10 * time.Minute, 0},
		{"longer than a task", from("a") + `, "pretraining": 1200`, from("a"), nil, 4, 25 * time.Minute, 30 * time.Minute, 1},
		{"no number that makes sense", from("a") + `, "pretraining": -5`, from("a"), nil, 10, 11 * time.Minute, 55 * time.Minute, 0},
	} {
		s, dir, cache := exptest.Load(t, "my.toml", text), t.TempDir(), t.TempDir()
		status := stageFinished(t, s, dir, map[int]float64{0: 60, 10: 60})
		for label, more := range map[string]string{"grpo": c.grpo, "vpo": c.vpo} {
			paths, err := filepath.Glob(filepath.Join(dir, label+"-s0-*", record.ProvenanceFile))
			if err != nil || len(paths) != 1 {
				t.Fatalf("cells of %s: %q (%v)", label, paths, err)
			}
			if more != "" {
				more = ", " + more
			}
			if err := os.WriteFile(paths[0], []byte(`{"seconds": 60`+more+"}"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, of := range c.cached {
			if err := os.WriteFile(filepath.Join(cache, name(of)), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		w, err := WorkOf(t.Context(), s, status, Estimate{Dir: dir, Cache: cache, Task: 10 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Shards(10 * time.Minute); got != c.shards || w.Longest(got) != c.longest || w.Longest(2) != c.two || w.Missing != c.missing {
			t.Errorf("%s: %d tasks, the longest takes %v, of two %v, %d base policies are missing; want %d, %v, %v, %d", c.reason, got, w.Longest(got), w.Longest(2), w.Missing, c.shards, c.longest, c.two, c.missing)
		}
	}
}

// TestPretrainingIsMeasured: the time of making a base policy is in the provenance of the cell that
// it was made for. A plan counts it once the base policy is no longer there.
func TestPretrainingIsMeasured(t *testing.T) {
	out, cache := t.TempDir(), t.TempDir()
	if _, err := Run(t.Context(), pretrained(t, "2"), Options{Out: out, Jobs: 1, Cache: cache}); err != nil {
		t.Fatal(err)
	}
	s, dir := pretrained(t, "3"), filepath.Join(out, record.CellsDir)
	status, err := StatusOf(dir, CellsOf(t.Context(), s), false)
	if err != nil || len(status.Cells) != 1 {
		t.Fatalf("%d cells are left (%v), want 1", len(status.Cells), err)
	}
	making := 0.0
	err = CellsOf(t.Context(), s)(func(c PlannedCell) error {
		cost, ok := record.ReadCost(dir, c.ID)
		if ok != (c.Cell < 2) || (cost.Pretraining > 0) != (c.Cell == 0) {
			t.Errorf("cell %d: %+v, known: %v", c.Cell, cost, ok)
		}
		making += cost.Pretraining
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for missing := range 2 {
		w, err := WorkOf(t.Context(), s, status, Estimate{Dir: dir, Cache: cache, Task: time.Minute})
		if err != nil || w.Missing != missing || missing > 0 && w.Longest(1).Seconds() < making {
			t.Errorf("%d base policies are missing, want %d: of %v s the task takes %v (%v)", w.Missing, missing, making, w.Longest(1), err)
		}
		_ = os.RemoveAll(cache)
	}
}

// TestWorkBounds: an array is never larger than the experiment, nor than Slurm takes.
func TestWorkBounds(t *testing.T) {
	s, dir := manyCells(t, 10), t.TempDir()
	for seconds, shards := range map[float64]int{1e-3: 20, 1e8: mostShards} { // seven variants are guessed
		w, err := WorkOf(t.Context(), s, stageFinished(t, s, dir, map[int]float64{0: seconds, 1000: seconds, 2000: seconds}), Estimate{Dir: dir, Cache: dir, Task: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Shards(time.Hour); got != shards {
			t.Errorf("cells of %v s: %d tasks, want %d", seconds, got, shards)
		}
	}
	small := exptest.Small(t)
	status := stageFinished(t, small, dir, map[int]float64{0: 1, 1: 1})
	w, err := WorkOf(t.Context(), small, status, Estimate{Dir: dir, Cache: dir, Task: time.Minute})
	if err != nil || w.Shards(time.Minute) != 1 || w.Longest(1) != 0 {
		t.Errorf("with nothing left: %d tasks of %v (%v)", w.Shards(time.Minute), w.Longest(1), err)
	}
}
