package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/cells"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/metrics"
)

// runIn runs a spec whole, with base policies of its own.
func runIn(t testing.TB, spec *spec.Spec, out string, jobs int) *record.Run {
	t.Helper()
	run, err := Run(context.Background(), spec, Options{Out: out, Jobs: jobs, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestFinishedCellsAreSkipped(t *testing.T) {
	spec, dir := exptest.Small(t), t.TempDir()
	runIn(t, spec, dir, 2)
	before := exptest.Tree(t, dir)
	var plan Plan
	_, err := Run(context.Background(), spec, Options{Out: dir, Jobs: 2, Planned: func(p Plan) { plan = p }})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Plan{Cells: 2, Finished: 2}); plan != want {
		t.Errorf("the second run plans %+v, want %+v", plan, want)
	}
	if d := cmp.Diff(before, exptest.Tree(t, dir)); d != "" {
		t.Errorf("the second run changed files:\n%s", d)
	}
}

// TestDamagedCellsAreRunAgain damages every file of a cell in turn, in three
// ways; the next run must notice and end with the bytes of the first.
func TestDamagedCellsAreRunAgain(t *testing.T) {
	spec, dir := exptest.Small(t), t.TempDir()
	run := runIn(t, spec, dir, 1)
	before := exptest.Tree(t, dir)
	cell := run.Folder(run.Variants[0].Cells[0])
	damage := map[string]func(string) error{
		"removed":   os.Remove,
		"truncated": func(path string) error { return os.Truncate(path, 10) },
		"flipped": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			data[len(data)/2] ^= 1
			return os.WriteFile(path, data, 0o644)
		},
	}
	for _, name := range append([]string{record.DoneFile}, record.Vouched[:4]...) {
		for how, f := range damage {
			if err := f(filepath.Join(cell, name)); err != nil {
				t.Fatal(err)
			}
			runIn(t, spec, dir, 1)
			if d := cmp.Diff(before, exptest.Tree(t, dir)); d != "" {
				t.Errorf("%s %s: the next run did not mend it:\n%.500s", name, how, d)
			}
		}
	}
}

func TestInterruptedRunLeavesWholeCells(t *testing.T) {
	spec, dir := exptest.Small(t), t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	// Cancelled in the middle of the second cell's training.
	_, err := Run(ctx, spec, Options{Out: dir, Jobs: 1, Progress: func(done, _ int) {
		if done >= 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want a cancelled run", err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, record.CellsDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".partial-") {
			t.Errorf("%s was left behind", e.Name())
		} else if strings.HasPrefix(e.Name(), cells.ResumePrefix) {
			continue // is the state from which the next run continues
		} else if whole, _, err := record.Finished(filepath.Join(dir, record.CellsDir, e.Name()), e.Name()); err != nil || !whole {
			t.Errorf("%s has its final name and is not whole (%v)", e.Name(), err)
		}
	}
	if _, err := record.Open(filepath.Join(dir, "small")); err == nil {
		t.Error("an interrupted run wrote a manifest")
	}
	runIn(t, spec, dir, 1)
	fresh := t.TempDir()
	runIn(t, spec, fresh, 1)
	if d := cmp.Diff(exptest.Tree(t, fresh), exptest.Tree(t, dir)); d != "" {
		t.Errorf("going on after an interruption gave other files:\n%.500s", d)
	}
}

// TestLeftoversOfKilledRunsAreCleared: those of programs that took no locks go by age.
func TestLeftoversOfKilledRunsAreCleared(t *testing.T) {
	spec, dir := exptest.Small(t), t.TempDir()
	run := runIn(t, spec, dir, 1)
	ours := filepath.Join(dir, record.CellsDir, ".partial-"+run.Variants[0].Cells[0].ID+"-123")
	theirs := filepath.Join(dir, record.CellsDir, ".probe-123")
	busy := filepath.Join(dir, record.CellsDir, ".partial-"+run.Variants[0].Cells[1].ID+"-456")
	old := time.Now().Add(-48 * time.Hour)
	for _, path := range []string{ours, theirs, busy} {
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		files := []string{path}
		if path != theirs { // a probe is empty
			files = append(files, filepath.Join(path, record.TrainFile))
			if err := os.WriteFile(files[1], nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, file := range files {
			if path != busy || file == path {
				if err := os.Chtimes(file, old, old); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	runIn(t, spec, dir, 1)
	for _, path := range []string{ours, theirs} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the leftover %s is still there", path)
		}
	}
	if _, err := os.Stat(busy); err != nil {
		t.Error("a folder that another process has just written to was removed")
	}
}

// TestRunsShareAFolder: two runs of one experiment in one folder, at the same
// time, both end well and leave the files that one would.
func TestRunsShareAFolder(t *testing.T) {
	spec, dir := exptest.Small(t), t.TempDir()
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := Run(context.Background(), spec, Options{Out: dir, Jobs: 2})
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	alone := t.TempDir()
	runIn(t, spec, alone, 1)
	if d := cmp.Diff(exptest.Tree(t, alone), exptest.Tree(t, dir)); d != "" {
		t.Errorf("two runs at once left other files than one (-one +two):\n%.1000s", d)
	}
}

// TestManyMendOneDamagedCell: several processes find a cell damaged and move their
// own in its place; all end well, and a whole cell is left.
func TestManyMendOneDamagedCell(t *testing.T) {
	spec, dir := exptest.Small(t), t.TempDir()
	run := runIn(t, spec, dir, 1)
	cell := run.Folder(run.Variants[0].Cells[0])
	whole := exptest.Tree(t, cell)
	for round := range 200 {
		if err := os.Remove(filepath.Join(cell, record.DoneFile)); err != nil {
			t.Fatal(err)
		}
		errs := make(chan error, 4)
		for worker := range 4 {
			partial := filepath.Join(dir, fmt.Sprintf(".partial-%d-%d", round, worker))
			if err := os.Mkdir(partial, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range whole {
				if err := os.WriteFile(filepath.Join(partial, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			go func() { errs <- cells.MoveInto(partial, cell) }()
		}
		for range 4 {
			if err := <-errs; err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if ok, _, err := record.Finished(cell, filepath.Base(cell)); err != nil || !ok {
			t.Fatalf("round %d: the cell is not whole (%v)", round, err)
		}
	}
}

// TestFailedCellDoesNotStopOthers makes one method diverge: its cells fail, the
// others are finished.
func TestFailedCellDoesNotStopOthers(t *testing.T) {
	spec := exptest.Load(t, "fail.toml", exptest.Minimal+diverging)
	dir := t.TempDir()
	_, err := Run(context.Background(), spec, Options{Out: dir, Jobs: 2})
	var cell *CellError
	if !errors.As(err, &cell) || cell.Label != "reinforce" {
		t.Fatalf("got %v, want the failure of reinforce", err)
	}
	if lines := strings.Count(err.Error(), "\n") + 1; lines != 2 {
		t.Errorf("%d lines for two failed cells:\n%v", lines, err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, record.CellsDir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), cells.FailedPrefix) {
			continue
		}
		names = append(names, strings.SplitN(e.Name(), "-s", 2)[0])
	}
	if d := cmp.Diff([]string{"grpo", "grpo"}, names); d != "" {
		t.Errorf("cells that are there (-want +got):\n%s", d)
	}
}

// TestRecordsHoldNoTraceOfTheMachine looks for words of the machine in records.
func TestRecordsHoldNoTraceOfTheMachine(t *testing.T) {
	dir := t.TempDir()
	runIn(t, exptest.Small(t), dir, 2)
	host, err := os.Hostname()
	if err != nil {
		t.Skip("this machine has no name to look for")
	}
	for name, text := range exptest.Tree(t, dir) {
		for _, trace := range []string{dir, host, "jobs", "seconds"} {
			if len(trace) > 3 && strings.Contains(text, trace) {
				t.Errorf("%s holds %q", name, trace)
			}
		}
	}
}

func TestEvaluationNamesEveryMetric(t *testing.T) {
	for _, enumerate := range []string{"4096", "0"} {
		spec := exptest.Load(t, "my.toml", strings.Replace(exptest.Minimal, "modes = true", "modes = true\nmeasure = [\"votes\", \"rollouts\", \"embeddings\", \"branches\", \"kl\", \"search\", \"updates\", \"drawn\", \"lengths\"]\npositions = [1]\nenumerate = "+enumerate, 1))
		run := runIn(t, spec, t.TempDir(), 1)
		evals, err := run.Evals(run.Variants[0].Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		if len(evals) != 3 || evals[0].Step != 0 || evals[2].Step != 20 {
			t.Fatalf("evaluations %+v, want steps 0, 10 and 20", evals)
		}
		if exact := enumerate != "0"; evals[0].Exact != exact {
			t.Errorf("enumerate = %s: exact is %v", enumerate, evals[0].Exact)
		}
		want := map[string]bool{}
		for _, m := range metrics.All() {
			switch family, isK := strings.CutSuffix(m.Name, "@k"); {
			case m.Vectors || m.Variants || m.Run || strings.HasPrefix(m.Name, "chain_") || m.Pools && enumerate != "0":
				// the bandit's rewards have one component, its strategies one variant, a
				// rollout one answer; no evaluation is the whole run
			case m.Measure == metrics.MeasureBoundary || m.Measure == metrics.MeasureBoundaryNull || m.Measure == metrics.MeasureLaw:
				// some are not defined where all problems are solved, or of three evaluations:
				// see TestBoundaryOfRecordedAnswers and TestLawOfRecordedEvaluations
			case m.Measure == metrics.MeasureBranches:
				want["branches@1"] = true
			case isK:
				want[family+"@1"], want[family+"@4"] = true, true
			default:
				want[m.Name] = true
			}
		}
		got := map[string]bool{}
		for name := range evals[2].Metrics {
			got[name] = true
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("enumerate = %s: metrics (-want +got):\n%s", enumerate, d)
		}
		mass := 0.0
		for _, s := range evals[2].Modes {
			mass += s.Mass
		}
		if mass < 1-1e-9 || mass > 1+1e-9 {
			t.Errorf("enumerate = %s: the modes hold a mass of %v", enumerate, mass)
		}
	}
}

// TestCellFileIsTheCell: the content of cell.json hashes to the folder's name.
func TestCellFileIsTheCell(t *testing.T) {
	run := runIn(t, exptest.Small(t), t.TempDir(), 1)
	ref := run.Variants[0].Cells[1]
	data, err := os.ReadFile(filepath.Join(run.Folder(ref), record.CellFile))
	if err != nil {
		t.Fatal(err)
	}
	var cell record.Cell
	if err := json.Unmarshal(data, &cell); err != nil {
		t.Fatal(err)
	}
	id, err := cell.ID()
	if err != nil || id != ref.ID || cell.Seed != 1 {
		t.Errorf("the cell file of seed 1 hashes to %s (%v), its folder is %s", id, err, ref.ID)
	}
}

// TestInterruptionReportsFailures: a cell that failed before the run was cancelled is reported all
// the same, and cells that the cancellation cut short are not.
func TestInterruptionReportsFailures(t *testing.T) {
	spec := exptest.Load(t, "fail.toml", strings.Replace(exptest.Minimal, grpoMethod, diverging+grpoMethod, 1))
	ctx, cancel := context.WithCancel(context.Background())
	done := 0
	_, err := Run(ctx, spec, Options{Out: t.TempDir(), Jobs: 1, Progress: func(steps, _ int) {
		if done = max(done, steps); done > 0 {
			cancel() // the first method has failed before any step was counted as done
		}
	}})
	var cell *CellError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &cell) || cell.Label != "reinforce" {
		t.Fatalf("got %v, want a cancelled run and the failure of reinforce", err)
	}
	if strings.Contains(err.Error(), "grpo") {
		t.Errorf("a cell that was cut short counts as failed: %v", err)
	}
}
