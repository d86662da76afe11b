package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/cells"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/testkit"
)

// severalCells is a spec of several variants and seeds, of cells that take no time.
func severalCells(t testing.TB) *spec.Spec {
	t.Helper()
	spec := exptest.Load(t, "grid.toml", strings.Replace(exptest.Minimal, "steps = 20", "steps = 20\nlr = [0.1, 0.2]", 1)+"[[method]]\nname = \"base\"\n[[method]]\nname = \"vpo\"\n")
	return spec
}

// writePlan writes the plan to where a run writes its manifest.
func writePlan(t testing.TB, spec *spec.Spec, out string) string {
	t.Helper()
	path, err := SavePlan(t.Context(), spec, out, 0)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(path)
}

// TestPlanIsTheManifest: the plan, made without running anything, lists the cells that
// the manifest of the run will, in its order.
func TestPlanIsTheManifest(t *testing.T) {
	spec, out := severalCells(t), t.TempDir()
	planned, err := ReadCells(writePlan(t, spec, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	ran, err := ReadCells(runIn(t, spec, out, 2).Dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(ran, planned); d != "" || len(planned.Cells) < 8 {
		t.Errorf("%d cells; the plan is not the manifest (-manifest +plan):\n%s", len(planned.Cells), d)
	}
}

// TestPlanKeepsShards: the number of shards is in the plan, and outlives an unfinished run of all
// cells.
func TestPlanKeepsShards(t *testing.T) {
	spec, out := severalCells(t), t.TempDir()
	shards := func() int {
		t.Helper()
		n, err := PlannedShards(filepath.Join(out, spec.Name))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := shards(); n != 0 {
		t.Errorf("%d shards without a plan", n)
	}
	dir := writePlan(t, spec, out)
	if n := shards(); n != 0 {
		t.Errorf("%d shards in a plan that says nothing of them", n)
	}
	if _, err := SavePlan(t.Context(), spec, out, 3); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	opt := Options{Out: out, Jobs: 1, Planned: func(Plan) { stop() }}
	if _, err := Run(ctx, spec, opt); err == nil {
		t.Fatal("the run was not cut short")
	}
	list, err := ReadCells(dir)
	if err != nil || list.Shards != 3 || shards() != 3 {
		t.Errorf("a run that was cut short left a plan of %d shards (%v), want 3", shards(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, record.PlanFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := PlannedShards(dir); err == nil {
		t.Errorf("a damaged plan has %d shards", n)
	}
}

func TestReadCellsRefuses(t *testing.T) {
	dir := writePlan(t, exptest.Small(t), t.TempDir())
	path := filepath.Join(dir, record.PlanFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	for _, c := range []struct{ reason, text, want string }{
		{"cut off", good[:60], record.PlanFile + ":2:"},
		{"another version", strings.Replace(good, fmt.Sprintf(`"version": %d`, record.Version), `"version": 99`, 1), "a plan of results version 99"},
		{"a foreign file", `{"cellz": []}`, `unknown field "cellz"`},
		{"no cells", fmt.Sprintf(`{"version": %d, "spec": "s", "cells": []}`, record.Version), "names no spec or no cells"},
		{"a folder elsewhere", strings.Replace(good, `"id":"grpo`, `"id":"../grpo`, 1), "cells[0]: got cell 0, id \"../grpo"},
		{"another order", strings.Replace(good, `"cell":1`, `"cell":0`, 1), "cells[1]: got cell 0"},
		{"fewer shards than none", strings.Replace(good, `"cells": [`, `"shards": -1, "cells": [`, 1), "shards: got -1, want 1 to 1000000"},
		{"more shards than memory", strings.Replace(good, `"cells": [`, `"shards": 1000001, "cells": [`, 1), "shards: got 1000001"},
		{"half a shard", strings.Replace(good, `"cells": [`, `"shards": 1.5, "cells": [`, 1), "shards"},
		{"an id that is none", strings.Replace(good, `"id":"grpo-s0`, `"id":"grpo`, 1), "cells[0]"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadCells(dir); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line from %s with %q", c.reason, err, path, c.want)
		}
	}
	if _, err := ReadCells(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no plan.json and no run.json") {
		t.Errorf("an empty folder: %v", err)
	}
}

func FuzzPlan(f *testing.F) {
	var b bytes.Buffer
	if err := WritePlan(f.Context(), &b, exptest.Small(f), 3); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"version":2,"spec":"s","cells":[{"cell":0,"id":"base-s0-000000000000","label":"b","seed":0}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parsePlan("plan.json", data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		for _, c := range list.Cells {
			if filepath.Base(c.ID) != c.ID || strings.HasPrefix(c.ID, ".") {
				t.Errorf("accepted %q for a folder's name", c.ID)
			}
		}
	})
}

// TestShardsMerge: the files are those of one run, whatever the number of shards and the order of
// merging.
func TestShardsMerge(t *testing.T) {
	spec, whole := severalCells(t), t.TempDir()
	runIn(t, spec, whole, 2)
	want := wholeCells(t, whole)
	for _, n := range []int{1, 2, 3, 5} {
		var outs []string
		for i := range n {
			out := t.TempDir()
			run, err := Run(context.Background(), spec, Options{Out: out, Jobs: 1, Part: Shard{i, n}.Has})
			if err != nil || run != nil {
				t.Fatalf("shard %d of %d: %v, %v", i, n, run, err)
			}
			outs = append([]string{out}, outs...)
		}
		all := t.TempDir()
		if _, err := Merge(all, outs[:1]...); err != nil {
			t.Fatal(err)
		}
		if _, err := WriteManifest(t.Context(), spec, all); n > 1 && (err == nil || !strings.Contains(err.Error(), "cells are not finished")) {
			t.Errorf("a manifest of one shard of %d: %v", n, err)
		}
		m, err := Merge(all, outs...) // the first once more
		if err != nil {
			t.Fatal(err)
		}
		if m.There == 0 || m.Copied+m.There != len(spec.Variants)*spec.Seeds {
			t.Errorf("%d shards: merged %+v", n, m)
		}
		if _, err := WriteManifest(t.Context(), spec, all); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, wholeCells(t, all)); d != "" {
			t.Errorf("%d shards are other files (-one run):\n%.1000s", n, d)
		}
		if left := besides(t, all, "."); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// TestMergeRefuses: nothing is copied where a cell has other bytes, and a damaged one is
// left out.
func TestMergeRefuses(t *testing.T) {
	spec, a, b := exptest.Small(t), t.TempDir(), t.TempDir()
	run := runIn(t, spec, a, 1)
	runIn(t, spec, b, 1)
	cell := filepath.Join(b, record.CellsDir, run.Variants[0].Cells[1].ID)
	file := filepath.Join(cell, record.TrainFile)
	if err := os.WriteFile(file, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := t.TempDir()
	m, err := Merge(all, b)
	if err != nil || m.Copied != 1 || cmp.Diff([]string{cell}, m.Damaged) != "" {
		t.Errorf("with a damaged cell: %+v, %v", m, err)
	}
	if m, err = Merge(all, b, a); err != nil || m.Copied != 1 || m.There != 1 {
		t.Errorf("the whole one in its place: %+v, %v", m, err)
	}
	done, err := record.HashFiles(cell) // as if another program had made it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cell, record.DoneFile), done, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, from := range [][]string{{a, b}, {b, a}} {
		all := filepath.Join(t.TempDir(), "all")
		_, err = Merge(all, from...)
		if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), cell+" ") && !strings.Contains(err.Error(), cell+"\n") || !strings.Contains(err.Error(), "nothing was merged") {
			t.Errorf("a cell with other bytes: %v", err)
		}
		if _, err := os.Stat(all); err == nil {
			t.Error("something was merged")
		}
	}
	if _, err := Merge(t.TempDir(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "not an output folder of bench run") {
		t.Errorf("a folder without cells: %v", err)
	}
}

// TestStatus stages every state and looks.
func TestStatus(t *testing.T) {
	spec, out := severalCells(t), t.TempDir()
	runIn(t, spec, out, 2)
	list, err := ReadCells(filepath.Join(out, spec.Name))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(out, record.CellsDir)
	at := func(prefix string, i int, suffix string) string {
		return filepath.Join(dir, prefix+list.Cells[i].ID+suffix)
	}
	for _, i := range []int{1, 2, 3, 4, 5} {
		if err := os.RemoveAll(at("", i, "")); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	for _, err := range []error{
		cells.WriteFailure(dir, list.Cells[1].ID, cells.Failure{Label: "grpo", Seed: 1, Error: "step 3:\nit broke"}),
		os.WriteFile(at(cells.ResumePrefix, 2, ""), nil, 0o644),
		os.Mkdir(at(".partial-", 3, "-123"), 0o755),
		cells.WriteFailure(dir, list.Cells[3].ID, cells.Failure{Label: "grpo", Seed: 1, Error: "before"}),
		os.Mkdir(at(".partial-", 4, "-123"), 0o755),
		os.Chtimes(at(".partial-", 4, "-123"), old, old),
		os.WriteFile(at(cells.FailedPrefix, 5, ""), []byte("not JSON"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := StatusOf(dir, list.Each, true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Cells {
		got = append(got, fmt.Sprintf("%d %s %s", c.Cell, c.State, c.Why))
	}
	want := []string{"1 failed step 3: it broke", "2 resumable ", "3 running ", "4 missing ", "5 failed " + at(cells.FailedPrefix, 5, "") + ": invalid character 'o' in literal null (expecting 'u')"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("states (-want +got):\n%s", d)
	}
	if s.All() != len(list.Cells) || s.ToRun(len(list.Cells)).String() != "1-2,4-5" || s.ToRun(4).String() != "0-2" {
		t.Errorf("%d cells, to run %v, of 4 shards %v", s.All(), s.ToRun(len(list.Cells)), s.ToRun(4))
	}
	if left := s.Left(s.ToRun(4), 4).String(); left != "1-2,4-5" { // not cell 3, whose task is alive
		t.Errorf("of 4 shards cells %s are left to others", left)
	}
	if left := s.Left(s.ToRun(2), 2).String(); left != "2,4" {
		t.Errorf("of 2 shards cells %s are left to others", left)
	}
	// A bit of a finished cell: its hash shows it, a look at the folder does not.
	if err := os.WriteFile(filepath.Join(at("", 0, ""), record.EvalFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for verify, missing := range map[bool]int{false: 1, true: 2} {
		if s, err := StatusOf(dir, list.Each, verify); err != nil || s.Counts[cells.Missing] != missing {
			t.Errorf("verify %v: %+v, %v, want %d missing", verify, s.Counts, err, missing)
		}
	}
	if s, err := StatusOf(filepath.Join(t.TempDir(), "none"), CellsOf(t.Context(), spec), true); err != nil || s.Counts[cells.Missing] != len(list.Cells) {
		t.Errorf("before any run: %+v, %v", s, err)
	}
}

// manyCells is an experiment of 10,000 cells.
func manyCells(tb testing.TB, variants int) *spec.Spec {
	tb.Helper()
	rates := make([]string, variants)
	for i := range rates {
		rates[i] = fmt.Sprintf("0.%05d", i+1)
	}
	spec := exptest.Load(tb, "many.toml", strings.Replace(strings.Replace(exptest.Minimal, "seeds = 2", fmt.Sprintf("seeds = %d", 10000/variants), 1), "steps = 20", "steps = 1\nlr = ["+strings.Join(rates, ", ")+"]", 1))
	return spec
}

// BenchmarkPlan10000 is reading a spec of 10,000 cells and planning them.
func BenchmarkPlan10000(b *testing.B) {
	for _, variants := range []int{10, 1000} {
		b.Run(fmt.Sprintf("%d variants", variants), func(b *testing.B) {
			out := b.TempDir()
			var before, after runtime.MemStats
			for b.Loop() {
				spec := manyCells(b, variants)
				writePlan(b, spec, out)
				runtime.GC()
				runtime.ReadMemStats(&before)
				if err := CellsOf(b.Context(), spec)(func(PlannedCell) error { return nil }); err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
			}
			b.ReportMetric(float64(after.HeapAlloc)/1e6, "MB-held")
			b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/1e6, "MB-grown")
		})
	}
}

// BenchmarkStatus10000 looks at 10,000 cells, half of them finished.
func BenchmarkStatus10000(b *testing.B) {
	spec, dir := manyCells(b, 10), b.TempDir()
	err := CellsOf(b.Context(), spec)(func(c PlannedCell) error {
		if c.Cell%2 == 1 {
			return nil
		}
		dir := filepath.Join(dir, c.ID)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, record.DoneFile), nil, 0o644)
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := StatusOf(dir, CellsOf(b.Context(), spec), false)
		if err != nil || s.Counts[cells.Finished] != 5000 {
			b.Fatal(s, err)
		}
	}
}

// TestPlansHeedTheContext: going through the cells of a spec ends with the context, whatever they
// are gone through for, and leaves no plan behind that lacks cells.
func TestPlansHeedTheContext(t *testing.T) {
	s, out := manyCells(t, 100), t.TempDir()
	dir := filepath.Join(out, record.CellsDir)
	status, err := StatusOf(dir, CellsOf(t.Context(), s), false)
	if err != nil {
		t.Fatal(err)
	}
	for name, walk := range map[string]func(context.Context) error{
		"status": func(ctx context.Context) error { _, err := StatusOf(dir, CellsOf(ctx, s), false); return err },
		"work": func(ctx context.Context) error {
			_, err := WorkOf(ctx, s, status, Estimate{Dir: dir, Task: time.Minute})
			return err
		},
		"plan":     func(ctx context.Context) error { _, err := SavePlan(ctx, s, out, 3); return err },
		"manifest": func(ctx context.Context) error { _, err := WriteManifest(ctx, s, out); return err },
	} {
		ctx := testkit.NewEndsAt(150) // after some cells
		if err := walk(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
			t.Errorf("%s leaves %v (%v)", name, entries, err)
		}
	}
}
