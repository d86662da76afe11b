package cpu

import "testing"

// peaks are the loops of nothing but fused multiply-adds, by level.
var peaks = map[string]struct {
	lanes int
	run   func(int)
}{"avx2": {8, peakAVX2}, "avx512": {16, peakAVX512}}

const peakRounds, peakPerRound = 1 << 10, 12

// BenchmarkPeak times the loop that MatMul is held against.
func BenchmarkPeak(b *testing.B) {
	for _, name := range Levels()[1:] {
		b.Run(name, func(b *testing.B) { peak(b, name) })
	}
}

// peak is the number of operations a nanosecond of a level's loop.
func peak(b *testing.B, level string) float64 {
	p := peaks[level]
	return best(b, 2*peakRounds*peakPerRound*float64(p.lanes), func() { p.run(peakRounds) })
}

// reportPeak reports a rate as a share of the peak, where the level has one.
func reportPeak(b *testing.B, level string, rate float64) bool {
	if _, ok := peaks[level]; !ok {
		return false
	}
	b.ReportMetric(100*rate/peak(nil, level), "%peak")
	return true
}
