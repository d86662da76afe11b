package memory

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
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

// TuneCollector trades memory for speed, unless the variables GOGC and GOMEMLIMIT of the environment
// do. Where the heap comes near to the memory that the process may have, the collector works harder:
// garbage is no part of the memory that a run needs.
func TuneCollector() {
	if os.Getenv("GOGC") == "" {
		paceCollector(heapBudget * uint64(runtime.GOMAXPROCS(0)))
	}
	if total, known := Total(); known && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(min(total, math.MaxInt64) / 10 * 9))
	}
}

// paceCollector sets growth after each collection, until stop is called: the cleanup of an object
// that is unreachable from its start runs then.
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
