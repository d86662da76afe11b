// Package devicetest holds what the tests of all devices share: numbers to compute with,
// and the comparison of bits.
package devicetest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// SameBits fails the test at the first element of got that is not want's, bit for
// bit. Any NaN equals any other: x86 and Go do not agree on their payload.
func SameBits(t testing.TB, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", name, len(got), len(want))
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("%s: element %d is %x (%g), want %x (%g)", name, i,
				math.Float32bits(got[i]), got[i], math.Float32bits(want[i]), want[i])
		}
	}
}

// FillNormal fills a slice with normal draws.
func FillNormal(s []float32, r *rand.Rand) {
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
}

// FillNasty fills a slice with draws of which many are extreme: zeros of both signs,
// subnormals, huge numbers that cancel, and now and then an infinity.
func FillNasty(s []float32, r *rand.Rand) {
	for i := range s {
		switch r.IntN(16) {
		case 0:
			s[i] = 0
		case 1:
			s[i] = float32(math.Copysign(0, -1))
		case 2:
			s[i] = math.Float32frombits(r.Uint32() & 0x807fffff)
		case 3:
			s[i] = float32(math.Copysign(1e30, r.NormFloat64()))
		case 4:
			s[i] = math.Float32frombits(r.Uint32()&0x807fffff | 0x00800000) // the smallest normal ones
		case 5:
			s[i] = float32(math.Ldexp(r.NormFloat64(), r.IntN(120)-60))
		default:
			s[i] = float32(r.NormFloat64())
		}
		if r.IntN(4096) == 0 {
			s[i] = float32(math.Inf(r.IntN(2)*2 - 1))
		}
	}
}
