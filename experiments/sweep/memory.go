package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// This file holds cells back where there is not enough memory for one more. The records of
// a cell do not depend on when it runs.

// A memoryGate lets cells begin. One may always run. Another begins beside it where the
// memory of one cell is available: the peak of the process divided by the most cells that
// ran at once. The first cells, as many as there are jobs, begin together, because what a
// cell takes is not known before one has run.
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

// enter waits until a cell may begin; it is false if the context ended before.
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

// fits says whether there is memory for one more cell, and is true where that is not known.
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
