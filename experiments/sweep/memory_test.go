package sweep

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/internal/input"
)

// short makes runs find a peak, and memory that is available.
func short(t *testing.T, peak, available uint64) {
	before, before2 := peakMemory, availableMemory
	peakMemory = func() (uint64, bool) { return peak, true }
	availableMemory = func() (uint64, bool) { return available, true }
	t.Cleanup(func() { peakMemory, availableMemory = before, before2 })
}

// TestMemoryGate: of four cells that want to begin as many run as memory does for, and one
// at least.
func TestMemoryGate(t *testing.T) {
	for _, c := range []struct {
		reason          string
		peak, available uint64
		want            int // at the same time
	}{
		{"enough", 100, 1000, 4},
		{"none is left", 100, 0, 1},
		{"a share of two fits, and the whole peak does not", 100, 60, 1},
		{"the peak fits", 100, 100, 4},
	} {
		short(t, c.peak, c.available)
		var mu sync.Mutex
		var said []string
		g := newMemoryGate(func(line string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, line)
		})
		ctx, cancel := context.WithCancel(context.Background())
		in := make(chan bool, 4)
		for range 4 {
			go func() { in <- g.enter(ctx, 0) }()
		}
		for range c.want {
			<-in
		}
		time.Sleep(20 * time.Millisecond)
		if len(in) > 0 {
			t.Errorf("%s: more than %d run", c.reason, c.want)
		}
		mu.Lock()
		if (c.want < 4) != (len(said) == 1 && strings.HasPrefix(said[0], "cells are held back: one takes up to 0 MB")) {
			t.Errorf("%s: it says %q", c.reason, said)
		}
		mu.Unlock()
		if c.want < 4 {
			g.leave(0) // the next one begins
			if !<-in {
				t.Errorf("%s: the next one does not begin", c.reason)
			}
			cancel()
			for range 2 {
				if <-in {
					t.Errorf("%s: a cell begins after the run was ended", c.reason)
				}
			}
		}
		cancel()
	}
}

// TestKnownNeeds: cells of known need begin as long as there is room for all of it, before any has
// run; a cell that needs more than the machine has does not wait.
func TestKnownNeeds(t *testing.T) {
	before := totalMemory
	totalMemory = func() (uint64, bool) { return 10e9, true }
	t.Cleanup(func() { totalMemory = before })
	short(t, 0, 1<<40)
	var said []string
	g := newMemoryGate(func(line string) { said = append(said, line) })
	ctx, cancel := context.WithCancel(context.Background())
	for _, need := range []uint64{4e9, 5e9, 0, 1e12} {
		if !g.enter(ctx, need) {
			t.Fatalf("a cell that takes %d does not begin", need)
		}
	}
	g.leave(1e12)
	if said != nil {
		t.Errorf("it says %q", said)
	}
	in := make(chan bool, 1)
	go func() { in <- g.enter(ctx, 2e9) }()
	time.Sleep(20 * time.Millisecond)
	if len(in) > 0 {
		t.Error("a third cell begins")
	}
	g.leave(5e9)
	if !<-in {
		t.Error("it does not begin when there is room")
	}
	if want := "cells are held back: one takes about 2.0 GB, and there are 10.0 GB of memory for it and the 3 that run"; len(said) != 1 || said[0] != want {
		t.Errorf("it says %q, want %q", said, want)
	}
	cancel()
	if g.enter(ctx, 1e9) {
		t.Error("a cell begins after the run was ended")
	}
}

// TestHeldBackCells: if memory is short, cells run one at a time, a note states it, and records are
// those of any other run.
func TestHeldBackCells(t *testing.T) {
	spec, want := severalCells(t), t.TempDir()
	runIn(t, spec, want, 1)
	short(t, 1<<40, 1)
	var mu sync.Mutex
	var said []string
	w := &atOnce{}
	out := t.TempDir()
	opt := Options{Out: out, Jobs: 4, Watch: w, Notes: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, line)
	}}
	if _, err := Run(context.Background(), spec, opt); err != nil {
		t.Fatal(err)
	}
	if w.most != 1 || len(said) != 1 || !strings.HasPrefix(said[0], "cells are held back: one takes up to 1099.5 GB, and 0 MB") {
		t.Errorf("%d cells at the same time, and it says %q", w.most, said)
	}
	if d := cmp.Diff(wholeCells(t, want), wholeCells(t, out)); d != "" {
		t.Errorf("other files:\n%.500s", d)
	}
}

// atOnce counts the cells that run at the same time.
type atOnce struct {
	Watcher
	mu        sync.Mutex
	now, most int
}

func (w *atOnce) Begun(*CellRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now++
	w.most = max(w.most, w.now)
}

func (w *atOnce) Ended(*CellRun, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now--
}

func (w *atOnce) Evaluated(*CellRun, record.Eval) {}

// TestNoRoom: a run with a cell that has no room ends before any cell, in one line that counts
// such cells, and no cell of it has failed. Cells that are finished are not asked for.
func TestNoRoom(t *testing.T) {
	before := totalMemory
	t.Cleanup(func() { totalMemory = before })
	out, spec := t.TempDir(), exptest.Small(t)
	opt := Options{Out: out, Jobs: 1, Planned: func(Plan) { t.Error("a run that is refused is planned") }}
	totalMemory = func() (uint64, bool) { return 1, true }
	_, err := Run(t.Context(), spec, opt)
	var wrong *input.Error
	var failed *CellError
	if !errors.As(err, &wrong) || errors.As(err, &failed) || !strings.HasPrefix(err.Error(), "grpo, seed 0 and 1 other cell: a tabular policy that meets 1 problem, with ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	totalMemory = before
	opt.Planned = nil
	if _, err := Run(t.Context(), spec, opt); err != nil {
		t.Fatal(err)
	}
	totalMemory = func() (uint64, bool) { return 1, true }
	if _, err := Run(t.Context(), spec, opt); err != nil {
		t.Errorf("with nothing left to run: %v", err)
	}
}
