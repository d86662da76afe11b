package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"modebench/internal/memory"
)

// Policies live as long as their cell, and going through all they hold time and again
// took a fifth of a run's time when the heap grew by 30 percent between two collections.
// At fastPercent that is a twentieth. Two cells of the largest tables hold 500 MB, though,
// and three times that is more than a small machine should have to give: above heapBudget
// for each processor the heap grows by less, and by slowPercent at least.
const (
	fastPercent = 200
	slowPercent = 30
	heapBudget  = 360 << 20 // bytes
)

// growth is the percentage by which a heap may grow until the next collection, with live
// bytes in it after the last and budget for all.
func growth(live, budget uint64) int {
	if live*fastPercent/100 <= budget-min(live, budget) {
		return fastPercent
	}
	return max(slowPercent, int((budget-min(live, budget))*100/live))
}

// paceCollector sets growth after a collection, until stop is called: the first that finds
// what was unreachable from its start cleans it up.
func paceCollector(budget uint64) (stop func()) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	set := 0
	var stopped atomic.Bool
	var collected func(int)
	collected = func(int) {
		if stopped.Load() {
			return
		}
		metrics.Read(live)
		if percent := growth(live[0].Value.Uint64(), budget); percent != set {
			debug.SetGCPercent(percent)
			set = percent
		}
		runtime.AddCleanup(&struct{ _ *int }{}, collected, 0)
	}
	collected(0)
	return func() { stopped.Store(true) }
}

// boundHeap makes the collector work harder where the heap comes near to what the process may
// have: what a run needs is known before, and what the collector leaves lying about is not
// part of it. Only then does the bound cost time.
func boundHeap() {
	if total, known := memory.Total(); known {
		debug.SetMemoryLimit(int64(min(total, math.MaxInt64) / 10 * 9))
	}
}
