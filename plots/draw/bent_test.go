package draw

import (
	"math"
	"slices"
	"testing"
)

// TestBent: the axis is symmetrical, has 0 in its middle and its ends at its ends, is linear
// near 0 and logarithmic far from it.
func TestBent(t *testing.T) {
	b := BentTo(37)
	if b.End != 50 || BentTo(3).End != 5 || BentTo(5).End != 5 || BentTo(1e6).End != 50 {
		t.Errorf("an effect of 37 is on an axis to %v", b.End)
	}
	for x, want := range map[float64]float64{0: 0.5, 50: 1, -50: 0, 70: 1, math.Inf(-1): 0} {
		if got := b.Share(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v stands at %v, want %v", x, got, want)
		}
	}
	near := (b.Share(0.02) - 0.5) / (b.Share(0.01) - 0.5)
	far := (b.Share(40) - b.Share(20)) / (b.Share(20) - b.Share(10))
	if math.Abs(near-2) > 1e-3 || math.Abs(far-1) > 1e-2 {
		t.Errorf("twice as far near 0 is %v times as far, and a doubling far from it %v of another", near, far)
	}
	if got := b.Share(-7) + b.Share(7); math.Abs(got-1) > 1e-15 {
		t.Errorf("-7 and 7 are at %v in sum, want 1", got)
	}
	if got := BentTo(9).Ticks(); !slices.Equal(got, []float64{-10, -5, -2, -1, 0, 1, 2, 5, 10}) {
		t.Errorf("ticks %v", got)
	}
	if b.Off(-51) != -1 || b.Off(51) != 1 || b.Off(50) != 0 {
		t.Error("what is off the axis")
	}
}
