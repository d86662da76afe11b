package sweep

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
)

// diary is a watcher that writes down its calls, cell by cell.
type diary struct {
	mu    sync.Mutex
	cells map[string][]string
	evals map[string][]record.Eval
	begun func(*CellRun)
}

func (d *diary) note(cell int, text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cells == nil {
		d.cells, d.evals = map[string][]string{}, map[string][]record.Eval{}
	}
	key := fmt.Sprint(cell)
	d.cells[key] = append(d.cells[key], text)
	return key
}

func (d *diary) Found(cell int, evals []record.Eval) {
	d.evals[d.note(cell, "found")] = evals
}

func (d *diary) Begun(c *CellRun) {
	d.note(c.Cell, fmt.Sprintf("begun at %d of %d", c.Step(), c.Steps))
	if d.begun != nil {
		d.begun(c)
	}
}

func (d *diary) Evaluated(c *CellRun, e record.Eval) {
	key := d.note(c.Cell, fmt.Sprintf("evaluated at %d", c.Step()))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.evals[key] = append(d.evals[key], e)
}

func (d *diary) Ended(c *CellRun, err error) {
	d.note(c.Cell, fmt.Sprintf("ended at %d: %v", c.Step(), err))
}

// TestWatchedRun: a watcher is called with every cell once and with the evaluations in the records,
// and the records are those of a run without a watcher.
func TestWatchedRun(t *testing.T) {
	spec, dir, plain := exptest.Small(t), t.TempDir(), t.TempDir()
	runIn(t, spec, plain, 1)
	watch := func() *diary {
		d := &diary{}
		run, err := Run(context.Background(), spec, Options{Out: dir, Jobs: 2, Watch: d})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range run.Variants {
			for _, ref := range v.Cells {
				want, err := run.Evals(ref)
				if err != nil {
					t.Fatal(err)
				}
				if key := fmt.Sprint(ref.Seed); d.cells != nil && !cmp.Equal(want, d.evals[key]) {
					t.Errorf("cell %s: the watcher's evaluations are not those of the records:\n%s", key, cmp.Diff(want, d.evals[key]))
				}
			}
		}
		return d
	}
	whole := []string{"begun at 0 of 20", "evaluated at 0", "evaluated at 10", "evaluated at 20", "ended at 20: <nil>"}
	if d := cmp.Diff(map[string][]string{"0": whole, "1": whole}, watch().cells); d != "" {
		t.Errorf("a first run (-want +got):\n%s", d)
	}
	if d := cmp.Diff(exptest.Tree(t, plain), exptest.Tree(t, dir)); d != "" {
		t.Errorf("watching changed the records:\n%.500s", d)
	}
	if d := watch(); d.cells != nil {
		t.Errorf("where nothing is left to run, the watcher hears %v", d.cells)
	}
	spec.Seeds = 3
	want := map[string][]string{"0": {"found"}, "1": {"found"}, "2": whole}
	if d := cmp.Diff(want, watch().cells); d != "" {
		t.Errorf("one seed more (-want +got):\n%s", d)
	}
}

// TestWatchedFailures: the end of a cell gives the error, and that of a cancelled one the
// cancellation.
func TestWatchedFailures(t *testing.T) {
	spec := exptest.Load(t, "fail.toml", strings.Replace(exptest.Minimal, grpoMethod, diverging+grpoMethod, 1))
	spec.Seeds = 1
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d := &diary{begun: func(c *CellRun) {
		if c.Cell == 1 {
			cancel()
		}
	}}
	if _, err := Run(ctx, spec, Options{Out: t.TempDir(), Jobs: 1, Watch: d}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want a cancelled run", err)
	}
	failed := d.cells["0"]
	if last := failed[len(failed)-1]; !strings.HasPrefix(last, "ended at 0: step ") {
		t.Errorf("the first cell %q, want it to end with its failure", failed)
	}
	if diff := cmp.Diff([]string{"begun at 0 of 20", "ended at 0: context canceled"}, d.cells["1"]); diff != "" {
		t.Errorf("the cell that was cut short (-want +got):\n%s", diff)
	}
}
