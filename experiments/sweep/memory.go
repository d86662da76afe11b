package sweep

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// This file holds cells back where memory would not do for one more beside those that run.
// When a cell runs leaves no trace in its records, so nothing depends on it but the time.

// A memoryGate lets cells begin. One may always run; another begins beside it where what
// the process has taken at its peak, divided by the cells that ran at once, is available
// once more. The first cells, as many as there are jobs, begin together: what a cell takes
// is not known before one has run.
type memoryGate struct {
	peak      func() (bytes uint64, known bool) // of the process so far
	available func() (bytes uint64, known bool) // to the process
	notes     func(string)                      // nil: not wanted

	mu      sync.Mutex
	ended   *sync.Cond
	running int
	most    int // that ran at once so far
	held    bool
}

func newMemoryGate(notes func(string)) *memoryGate {
	g := &memoryGate{peak: peakMemory, available: availableMemory, notes: notes}
	g.ended = sync.NewCond(&g.mu)
	return g
}

// enter waits until a cell may begin; false: the context ended before.
func (g *memoryGate) enter(ctx context.Context) bool {
	defer context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.ended.Broadcast()
	})()
	g.mu.Lock()
	defer g.mu.Unlock()
	for ctx.Err() == nil && g.running > 0 && !g.fits() {
		again := time.AfterFunc(time.Second, g.ended.Broadcast) // others may have given memory back
		g.ended.Wait()
		again.Stop()
	}
	if ctx.Err() != nil {
		return false
	}
	g.running++
	g.most = max(g.most, g.running)
	return true
}

// leave says that a cell has ended.
func (g *memoryGate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.ended.Broadcast()
}

// fits says whether there is memory for one more. What is not known is no reason to wait.
func (g *memoryGate) fits() bool {
	peak, known := g.peak()
	left, known2 := g.available()
	share := peak / uint64(max(1, g.most))
	if !known || !known2 || share <= left {
		return true
	}
	if !g.held && g.notes != nil {
		g.notes(fmt.Sprintf("cells are held back: one takes up to %s, and %s of memory are available beside the %d that run", sizeText(share), sizeText(left), g.running))
	}
	g.held = true
	return false
}

func sizeText(bytes uint64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

// availableIn reads what memory a process may still take, from the files of Linux below
// root: what the system has without swapping, or less where the process's control group,
// or one above it, has a limit. Files that are read again are no use of memory: a group
// gives them up first.
func availableIn(root fs.FS) (available uint64, known bool) {
	available = math.MaxUint64
	if text, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		if kib, ok := field(text, "MemAvailable:"); ok {
			available, known = kib*1024, true
		}
	}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		at, limit, usage, cache := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if parts[1] != "" { // version 1
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			at, limit, usage, cache = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			if left, ok := leftIn(root, path.Join(at, group), limit, usage, cache); ok {
				available, known = min(available, left), true
			}
			if group == "/" {
				break
			}
		}
	}
	return available, known
}

// leftIn is what a control group may still take.
func leftIn(root fs.FS, dir, limit, usage, cache string) (uint64, bool) {
	number := func(name string) (uint64, bool) {
		text, err := fs.ReadFile(root, path.Join(dir, name))
		n, err2 := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		return n, err == nil && err2 == nil // "max" is none
	}
	most, ok := number(limit)
	taken, ok2 := number(usage)
	if !ok || !ok2 {
		return 0, false
	}
	if stat, err := fs.ReadFile(root, path.Join(dir, "memory.stat")); err == nil {
		files, _ := field(stat, cache)
		taken -= min(taken, files)
	}
	return most - min(most, taken), true
}

// field is the number behind a name at the begin of a line.
func field(text []byte, name string) (uint64, bool) {
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) >= 2 && string(words[0]) == name {
			n, err := strconv.ParseUint(string(words[1]), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
