package sweep

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/cells"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/train"
)

// wholeCells reads the files of a run under their final names.
func wholeCells(t testing.TB, out string) map[string]string {
	t.Helper()
	files := exptest.Tree(t, out)
	maps.DeleteFunc(files, func(name, _ string) bool {
		return slices.ContainsFunc(strings.Split(filepath.ToSlash(name), "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
	})
	return files
}

// besides lists the files of a prefix beside the cells of a run.
func besides(t testing.TB, out, prefix string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(out, record.CellsDir, prefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// everyStep makes runs notice at every step that they are to stop.
func everyStep(t testing.TB) {
	before := train.ReachedAfter
	train.ReachedAfter = 1
	t.Cleanup(func() { train.ReachedAfter = before })
}

// TestStoppedAtEveryStep: a run that is stopped at every step, with -short at every fifth, each time continued
// by the next, leaves the bytes of an uninterrupted one.
func TestStoppedAtEveryStep(t *testing.T) {
	everyStep(t)
	every := 1
	if testing.Short() {
		every = 5
	}
	for _, c := range exptest.Resumables {
		t.Run(c.Name, func(t *testing.T) {
			spec := exptest.Load(t, "resumed.toml", "seeds = 1\n"+c.Text)
			cache, whole, out := t.TempDir(), t.TempDir(), t.TempDir()
			if _, err := Run(context.Background(), spec, Options{Out: whole, Jobs: 2, Cache: cache}); err != nil {
				t.Fatal(err)
			}
			steps := 0
			for _, v := range spec.Variants {
				p, err := v.Setup()
				if err != nil {
					t.Fatal(err)
				}
				steps += p.Steps()
			}
			stops, made := 0, 0
			for {
				ctx, cancel := context.WithCancel(context.Background())
				progress := func(int, int) {
					if made++; made%every == 0 {
						cancel()
					}
				}
				_, err := Run(ctx, spec, Options{Out: out, Jobs: 1, Cache: cache, Progress: progress, Notes: func(line string) { t.Error(line) }})
				if err == nil {
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if stops++; stops > 2*steps {
					t.Fatalf("stopped %d times in %d steps: the run does not go on", stops, steps)
				}
			}
			if stops < steps/every {
				t.Errorf("stopped %d times, want %d: once in %d of %d steps", stops, steps/every, every, steps)
			}
			if d := cmp.Diff(wholeCells(t, whole), wholeCells(t, out)); d != "" {
				t.Errorf("a run that was stopped %d times left other files (-one that was not):\n%.2000s", stops, d)
			}
			if left := append(besides(t, out, "."), besides(t, whole, ".")...); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// stopped runs a spec until its first cell has made some steps and returns the file with its state.
func stopped(t testing.TB, spec *spec.Spec, out string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := Run(ctx, spec, Options{Out: out, Jobs: 1, Progress: func(done, _ int) {
		if done >= 10 {
			cancel()
		}
	}})
	left := besides(t, out, cells.ResumePrefix)
	if !errors.Is(err, context.Canceled) || len(left) != 1 {
		t.Fatalf("%v, and left %v; want a run that was stopped in one cell", err, left)
	}
	return left[0]
}

// TestDamagedResumePoints: a file that is not the state of this cell is reported in one line
// that names it, and nothing but the time is lost.
func TestDamagedResumePoints(t *testing.T) {
	everyStep(t)
	spec, whole := exptest.Small(t), t.TempDir()
	runIn(t, spec, whole, 1)
	want := wholeCells(t, whole)
	good := func() (string, string, []byte) {
		out := t.TempDir()
		path := stopped(t, spec, out)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return out, path, data
	}
	edited := func(data []byte, edit func(*cells.Point)) []byte {
		point, err := cells.ParsePoint(data)
		if err != nil {
			t.Fatal(err)
		}
		edit(point)
		if data, err = point.Bytes(); err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, c := range []struct {
		reason, want string
		damage       func([]byte) []byte
	}{
		{"nothing in it", "not an unfinished cell of this version", func([]byte) []byte { return nil }},
		{"another version", "not an unfinished cell of this version", func(d []byte) []byte { return bytes.Replace(d, []byte("cell 1"), []byte("cell 2"), 1) }},
		{"cut off in the checksum", "it is cut off", func(d []byte) []byte { return d[:len("modebench unfinished cell 1\n")+5] }},
		{"cut off", "its checksum does not match", func(d []byte) []byte { return d[:len(d)-1] }},
		{"a bit of the policy", "its checksum does not match", func(d []byte) []byte { d[len(d)-9] ^= 4; return d }},
		{"a foreign file", "not an unfinished cell of this version", func([]byte) []byte { return []byte("#!/bin/sh\n") }},
		{"of another cell", `it is of another cell, "grpo-s7-0"`, func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.Cell = "grpo-s7-0" }) }},
		{"behind the end", "step: got 21, want 1 to 20", func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.Step = 21 }) }},
		{"batches that were not drawn", "generation: got 3 at step 11", func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.Generation = 3 }) }},
		{"policies of rollouts that do not lag", "sizes: got 1 policies that draw rollouts, want 0", func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.Lagged = [][]byte{nil} }) }},
		{"tokens below none", "drawn: got -1 tokens", func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.Drawn = -1 }) }},
		{"a prompt that is not there", "prompt 9: want 0 to 0", func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.EndlessKL = []int{9} }) }},
		{"times of some phases", "spent: got 0 and 1 steps", func(d []byte) []byte {
			return edited(d, func(r *cells.Point) { r.Spent = [4][]float64{nil, {1}, nil, nil} })
		}},
		{"answers", "the cell records none", func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.Pools = []byte("{}\n") }) }},
		{"a state", "the method remembers nothing", func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.State = []byte("{}") }) }},
		{"a policy of another kind", "not a checkpoint of a tabular policy", func(d []byte) []byte { return edited(d, func(r *cells.Point) { r.Policy = []byte("x") }) }},
	} {
		out, path, data := good()
		if err := os.WriteFile(path, c.damage(data), 0o644); err != nil {
			t.Fatal(err)
		}
		var notes []string
		if _, err := Run(context.Background(), spec, Options{Out: out, Jobs: 1, Notes: func(line string) { notes = append(notes, line) }}); err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if len(notes) != 1 || !strings.HasPrefix(notes[0], path+": ") || !strings.Contains(notes[0], c.want) || strings.Contains(notes[0], "\n") {
			t.Errorf("%s: got %q, want one line with %q", c.reason, notes, c.want)
		}
		if d := cmp.Diff(want, wholeCells(t, out)); d != "" {
			t.Errorf("%s: other files:\n%.500s", c.reason, d)
		}
	}
}

// TestResumePointsAreWrittenOnTheWay: a run that is killed, not stopped, leaves what it
// wrote every so often; a method that does not train has nothing to go on from.
func TestResumePointsAreWrittenOnTheWay(t *testing.T) {
	everyStep(t)
	spec, out := exptest.Small(t), t.TempDir()
	seen := 0
	_, err := Run(context.Background(), spec, Options{Out: out, Jobs: 1, Checkpoint: 1, Progress: func(done, _ int) {
		seen = max(seen, len(besides(t, out, cells.ResumePrefix)))
	}})
	if err != nil || seen != 1 {
		t.Errorf("%v, %d files on the way; want one", err, seen)
	}
	if left := besides(t, out, "."); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestFailedCellsStartOver: a cell that fails by itself leaves the reason, and no state; a later
// success removes the reason.
func TestFailedCellsStartOver(t *testing.T) {
	everyStep(t)
	spec := exptest.Load(t, "fail.toml", exptest.Minimal+diverging)
	out := t.TempDir()
	if _, err := Run(context.Background(), spec, Options{Out: out, Jobs: 1, Checkpoint: 1}); err == nil {
		t.Fatal("nothing failed")
	}
	if left := besides(t, out, cells.ResumePrefix); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	failures := besides(t, out, cells.FailedPrefix)
	if len(failures) != 2 {
		t.Fatalf("failures: %v, want two", failures)
	}
	id := strings.TrimPrefix(filepath.Base(failures[0]), cells.FailedPrefix)
	folder, err := cells.Look(filepath.Join(out, record.CellsDir))
	if err != nil {
		t.Fatal(err)
	}
	if state, why, err := folder.State(id, false); err != nil || state != cells.Failed || !strings.Contains(why, "step ") {
		t.Errorf("%s, %q, %v; want why it failed", state, why, err)
	}
	// The files of cells that are there are old.
	runIn(t, exptest.Small(t), out, 1)
	done := filepath.Base(filepath.Dir(glob(t, filepath.Join(out, record.CellsDir, "grpo*", record.DoneFile))))
	for _, prefix := range []string{cells.ResumePrefix, cells.FailedPrefix} {
		if err := os.WriteFile(filepath.Join(out, record.CellsDir, prefix+done), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, exptest.Small(t), out, 1)
	if left := besides(t, out, cells.ResumePrefix); len(left) > 0 || len(besides(t, out, cells.FailedPrefix)) != 2 {
		t.Errorf("files of a finished cell are still there: %v", left)
	}
}

func glob(t testing.TB, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	return paths[0]
}

// TestFailFast: the first failure ends the run, what was under way can be continued,
// and it does not count as an interruption.
func TestFailFast(t *testing.T) {
	everyStep(t)
	spec := exptest.Load(t, "fail.toml", strings.Replace(exptest.Minimal, grpoMethod, diverging+grpoMethod, 1))
	out := t.TempDir()
	_, err := Run(context.Background(), spec, Options{Out: out, Jobs: 1, FailFast: true})
	var cell *CellError
	if !errors.As(err, &cell) || errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") || cell.Cell != 0 {
		t.Errorf("got %v, want the failure of the first cell alone", err)
	}
	if whole := besides(t, out, "grpo"); len(whole) > 0 {
		t.Errorf("cells behind the failure were run: %v", whole)
	}
}
