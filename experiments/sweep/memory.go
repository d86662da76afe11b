package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"

	"modebench/internal/memory"
)

// This file refuses runs that need more memory than the machine has, and holds cells back while
// there is not enough for one more. The records of a cell do not depend on when it runs.

// A memoryGate decides when a cell may begin. One cell may always run. Another begins beside it if
// there is memory for both, as far as their needs are known, and if the memory of one cell is free:
// the peak of the process divided by the largest number of cells that ran at once. The first cells,
// as many as there are jobs, begin together if their known needs allow it, because the use of a
// cell is unknown before one has run.
type memoryGate struct {
	peak      func() (bytes uint64, known bool) // of the process so far
	available func() (bytes uint64, known bool) // to the process
	total     func() (bytes uint64, known bool) // that and the memory of the process
	notes     func(string)

	mu         sync.Mutex
	ended      *sync.Cond
	running    int
	needed     uint64 // bytes that those that run take, as far as it is known
	maxRunning int    // that ran at once so far
	held       bool
}

// Tests put others in their place.
var peakMemory, availableMemory, totalMemory = memory.Peak, memory.Available, memory.Total

func newMemoryGate(notes func(string)) *memoryGate {
	g := &memoryGate{peak: peakMemory, available: availableMemory, total: totalMemory, notes: notes}
	g.ended = sync.NewCond(&g.mu)
	return g
}

// enter waits until a cell that needs that many bytes may begin; false: the context ended before.
func (g *memoryGate) enter(ctx context.Context, need uint64) bool {
	defer context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.ended.Broadcast()
	})()
	g.mu.Lock()
	defer g.mu.Unlock()
	for ctx.Err() == nil && g.running > 0 && !g.fits(need) {
		again := time.AfterFunc(time.Second, g.ended.Broadcast) // others may have given memory back
		g.ended.Wait()
		again.Stop()
	}
	if ctx.Err() != nil {
		return false
	}
	g.running++
	g.needed += need
	g.maxRunning = max(g.maxRunning, g.running)
	return true
}

// leave records the end of a cell that entered with this need.
func (g *memoryGate) leave(need uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.needed -= need
	g.ended.Broadcast()
}

// fits reports whether there is memory for one more cell that takes need, and is true if that is
// not known. A cell that needs more than the machine has does not wait.
func (g *memoryGate) fits(need uint64) bool {
	if total, known := g.total(); known && need > 0 && need <= total && g.needed+need > total {
		g.hold("one takes about %s, and there are %s of memory for it and the %d that run", memory.Text(need), memory.Text(total), g.running)
		return false
	}
	peak, known := g.peak()
	left, known2 := g.available()
	share := peak / uint64(max(1, g.maxRunning))
	if !known || !known2 || share <= left {
		return true
	}
	g.hold("one takes up to %s, and %s of memory are available beside the %d that run", memory.Text(share), memory.Text(left), g.running)
	return false
}

// hold reports once why cells wait.
func (g *memoryGate) hold(format string, args ...any) {
	if !g.held {
		g.notes("cells are held back: " + fmt.Sprintf(format, args...))
	}
	g.held = true
}
