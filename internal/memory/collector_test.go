package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestGrowth: a small heap may grow to three times its size, a large one to the budget,
// and one near the budget or above it by three tenths.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		live, want uint64
	}{
		{0, 200}, {1, 200}, {266, 200}, // 266 + 532 = 798
		{267, 199}, // 267 + 531 = 798: no more fits
		{400, 100}, {500, 60},
		{615, 30}, {616, 30}, // 616 + 185 = 801: three tenths are the least
		{800, 30}, {5000, 30},
	} {
		if got := growth(c.live<<20, 800<<20); uint64(got) != c.want {
			t.Errorf("%d MiB of 800: %d%%, want %d", c.live, got, c.want)
		}
	}
}

// TestPaceCollector: a heap that grows beyond the budget is collected sooner from then on, and later
// again once it shrinks.
func TestPaceCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	read := func(name string) uint64 {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	budget := 4 * (read("/gc/heap/live:bytes") + 8<<20)
	defer paceCollector(budget)()
	await := func(want uint64) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); read("/gc/gogc:percent") != want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d%%, want %d", read("/gc/gogc:percent"), want)
			}
			runtime.GC()
		}
	}
	await(fastPercent)
	large := make([]byte, budget)
	await(slowPercent)
	runtime.KeepAlive(large)
	await(fastPercent)
}
