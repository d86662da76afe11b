package sweep

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/cells"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"

	"github.com/google/go-cmp/cmp"
)

// TestMergeTakesTheLatestState: of two machines at different steps of one cell a merge takes the
// later state, whatever their order, and a run continues from it. Of a finished cell it takes no
// state.
func TestMergeTakesTheLatestState(t *testing.T) {
	everyStep(t)
	spec, whole, early, late := exptest.Small(t), t.TempDir(), t.TempDir(), t.TempDir()
	runIn(t, spec, whole, 1)
	first := stopped(t, spec, early)
	place := stopped(t, spec, late)
	id := strings.TrimPrefix(filepath.Base(place), cells.ResumePrefix)
	var at [2]int
	for i, path := range []string{first, place} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		point, err := cells.ParsePoint(data)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 { // as if that machine were further: no run reads it here
			point.Step++
			if data, err = point.Bytes(); err == nil {
				err = os.WriteFile(path, data, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		at[i] = point.Step
	}
	for _, from := range [][]string{{early, late}, {late, early}} {
		out := t.TempDir()
		m, err := Merge(out, from...)
		if err != nil || m.Carried != 1 {
			t.Fatalf("%+v, %v", m, err)
		}
		data, err := os.ReadFile(filepath.Join(out, record.CellsDir, cells.ResumePrefix+id))
		if err != nil {
			t.Fatal(err)
		}
		if point, err := cells.ParsePoint(data); err != nil || point.Step != at[1] || at[0] == at[1] {
			t.Errorf("of the steps %v it takes %+v (%v)", at, point.Step, err)
		}
	}
	out := t.TempDir()
	if _, err := Merge(out, early); err != nil {
		t.Fatal(err)
	}
	runIn(t, spec, out, 1)
	if d := cmp.Diff(wholeCells(t, whole), wholeCells(t, out)); d != "" {
		t.Errorf("gone on with after a merge it leaves other files:\n%.500s", d)
	}
	// A damaged cell is made again, so its state is still there.
	damaged := t.TempDir()
	if _, err := Merge(damaged, early); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(damaged, record.CellsDir, id), 0o755); err != nil {
		t.Fatal(err)
	}
	if m, err := Merge(damaged, late); err != nil || m.Carried != 1 || len(besides(t, damaged, cells.ResumePrefix)) != 1 {
		t.Errorf("of a cell that is damaged where it goes: %+v, %v", m, err)
	}
	done := t.TempDir()
	if m, err := Merge(done, early, whole); err != nil || m.Carried != 0 || len(besides(t, done, cells.ResumePrefix)) > 0 {
		t.Errorf("of a cell that is finished elsewhere: %+v, %v", m, err)
	}
	if m, err := Merge(late, whole); err != nil || m.Carried != 0 || len(besides(t, late, cells.ResumePrefix)) > 0 {
		t.Errorf("of a cell that is finished now: %+v, %v", m, err)
	}
}

// TestPluginsStartOver: a run that is stopped in a cell with a plug-in notes that the cell will
// start over.
func TestPluginsStartOver(t *testing.T) {
	everyStep(t)
	spec := pluginSpec(t, "none", 0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var said []string
	opt := Options{Out: t.TempDir(), Jobs: 1, Part: func(cell int) bool { return cell == 2 }, Notes: func(line string) { said = append(said, line) },
		Progress: func(done, _ int) {
			if done > 0 {
				cancel()
			}
		}}
	if _, err := Run(ctx, spec, opt); err == nil {
		t.Fatal("the run was not stopped")
	}
	if d := cmp.Diff([]string{"mine, seed 0 starts over when it is run again: its plug-in may remember what it was sent"}, said); d != "" {
		t.Error(d)
	}
}
