package cpu

import (
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/policies/internal/device"
	"modebench/policies/internal/device/devicetest"
)

var (
	sameBits   = devicetest.SameBits
	fillNormal = devicetest.FillNormal
	fillNasty  = devicetest.FillNasty
)

// allLevels are the levels of all machines.
var allLevels = []string{"reference", "avx2", "avx512", "neon"}

// forLevels runs a test on every level but the reference, and skips those that
// this machine lacks.
func forLevels(t *testing.T, test func(t *testing.T, k device.Kernels)) {
	for _, name := range allLevels[1:] {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(Levels(), name) {
				t.Skipf("this machine cannot run %s", name)
			}
			k, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			test(t, k)
		})
	}
}

// benchmarkLevels runs a benchmark on every level of this machine.
func benchmarkLevels(b *testing.B, run func(b *testing.B, k device.Kernels)) {
	for _, name := range Levels() {
		k, err := New(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) { run(b, k) })
	}
}

// guard is a slice that lies between zones of a bit pattern that no kernel may touch.
type guard struct {
	data  []float32
	whole []float32
}

const (
	guardZone = 64
	guardBits = 0x7fc5a5a5 // a NaN, so that reading it shows as well
)

// newGuard makes a guarded slice of n elements, all of the guard's pattern.
func newGuard(n int) guard {
	whole := make([]float32, n+2*guardZone)
	for i := range whole {
		whole[i] = math.Float32frombits(guardBits)
	}
	return guard{data: whole[guardZone : guardZone+n : guardZone+n], whole: whole}
}

// check fails the test if anything around the slice was written to.
func (g guard) check(t testing.TB, what string) {
	t.Helper()
	for i, v := range g.whole {
		inside := i >= guardZone && i < guardZone+len(g.data)
		if !inside && math.Float32bits(v) != guardBits {
			t.Fatalf("%s: element %d, outside of the slice of %d, was written: %x", what, i-guardZone, len(g.data), math.Float32bits(v))
		}
	}
}

func TestNew(t *testing.T) {
	names := Levels()
	if len(names) == 0 || names[0] != "reference" {
		t.Fatalf("Levels() = %q, want the reference first", names)
	}
	for _, name := range names {
		k, err := New(name)
		if err != nil || k.Name() != name {
			t.Errorf("New(%q) = %v, %v", name, k, err)
		}
	}
	fastest := names[len(names)-1]
	for _, name := range []string{"", "auto"} {
		if k, err := New(name); err != nil || k.Name() != fastest {
			t.Errorf("New(%q) = %v, %v, want %s", name, k, err, fastest)
		}
	}
	for _, name := range append([]string{"NEON", "AVX2", "cuda"}, allLevels...) {
		if slices.Contains(names, name) {
			continue
		}
		_, err := New(name)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), strings.Join(names, ", ")) {
			t.Errorf("New(%q): %v, want an error with the name and what there is", name, err)
		}
	}
}
