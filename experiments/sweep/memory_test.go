package sweep

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
)

func TestAvailableMemory(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	meminfo := file("MemTotal:       24105 kB\nMemAvailable:       1000 kB\n")
	for _, c := range []struct {
		reason string
		files  fstest.MapFS
		want   uint64
		known  bool
	}{
		{"not Linux", nil, 0, false},
		{"no control group", fstest.MapFS{"proc/meminfo": meminfo}, 1024000, true},
		{"a group without a limit", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a\n"), "sys/fs/cgroup/a/memory.max": file("max\n"), "sys/fs/cgroup/a/memory.current": file("5\n")}, 1024000, true},
		{"version 2, and files that it would give up", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a\n"),
			"sys/fs/cgroup/a/memory.max": file("900000\n"), "sys/fs/cgroup/a/memory.current": file("500000\n"), "sys/fs/cgroup/a/memory.stat": file("anon 7\ninactive_file 100000\n")}, 500000, true},
		{"a limit of the group above", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/memory.max": file("900000\n"), "sys/fs/cgroup/a/memory.current": file("800000\n")}, 100000, true},
		{"over the limit", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("9\n"), "sys/fs/cgroup/memory.current": file("10\n")}, 0, true},
		{"version 1", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("3:cpu:/x\n2:memory,x:/x\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("600000\n"), "sys/fs/cgroup/memory/x/memory.usage_in_bytes": file("400000\n"), "sys/fs/cgroup/memory/x/memory.stat": file("total_inactive_file 50000\n")}, 250000, true},
		{"foreign text", fstest.MapFS{"proc/meminfo": file("x"), "proc/self/cgroup": file("::\nx\n0::/../../etc\n")}, 0, false},
	} {
		got, known := availableIn(c.files)
		if known != c.known || known && got != c.want {
			t.Errorf("%s: got %d, %v, want %d, %v", c.reason, got, known, c.want, c.known)
		}
	}
}

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
			go func() { in <- g.enter(ctx) }()
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
			g.leave() // the next one begins
			if !<-in {
				t.Errorf("%s: the next one does not begin", c.reason)
			}
			cancel()
			if <-in || <-in {
				t.Errorf("%s: a cell begins after the run was ended", c.reason)
			}
		}
		cancel()
	}
}

// TestHeldBackCells: where memory is short cells run one at a time, a line says so, and
// records are those of any other run.
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
