package draw

import (
	"math"
	"slices"
	"testing"
)

// TestDeltaScale: the axis is symmetrical, has 0 in its middle and its ends at its ends, is linear
// near 0 and logarithmic far from it.
func TestDeltaScale(t *testing.T) {
	b := DeltaScale(37)
	if b.High != 50 || DeltaScale(3).High != 5 || DeltaScale(5).High != 5 || DeltaScale(1e6).High != 50 {
		t.Errorf("an effect of 37 is on an axis to %v", b.High)
	}
	for x, want := range map[float64]float64{0: 0.5, 50: 1, -50: 0, 70: 1, math.Inf(-1): 0} {
		if got := b.Share(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v is at %v, want %v", x, got, want)
		}
	}
	near := (b.Share(0.02) - 0.5) / (b.Share(0.01) - 0.5)
	far := (b.Share(40) - b.Share(20)) / (b.Share(20) - b.Share(10))
	if math.Abs(near-2) > 1e-3 || math.Abs(far-1) > 1e-2 {
		t.Errorf("twice as far near 0 is %v times as far, and a doubling far from it %v times the next", near, far)
	}
	if got := b.Share(-7) + b.Share(7); math.Abs(got-1) > 1e-15 {
		t.Errorf("-7 and 7 are at %v in sum, want 1", got)
	}
	if got := DeltaScale(9).Ticks(); !slices.Equal(got, []float64{-10, -5, -2, -1, 0, 1, 2, 5, 10}) {
		t.Errorf("ticks %v", got)
	}
	if b.Off(-51) != -1 || b.Off(51) != 1 || b.Off(50) != 0 {
		t.Error("values off the axis are on it, or the reverse")
	}
}

// TestRatioScale: the axis holds all values, ends at round ones, and twice is as far from 1 as half.
func TestRatioScale(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Scale
	}{
		{nil, Scale{0.5, 2, true}},
		{[]float64{0.9, 1.1}, Scale{0.5, 2, true}},
		{[]float64{6.9}, Scale{0.5, 10, true}},
		{[]float64{0.3, 60}, Scale{0.2, 100, true}},
		{[]float64{0, -3, math.Inf(1)}, Scale{0.5, 2, true}},
		{[]float64{1e-5, 1e5}, Scale{0.01, 100, true}},
	} {
		if got := RatioScale(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
	r := Scale{0.5, 2, true}
	if r.Share(1) != 0.5 || r.Share(0.1) != 0 || r.Share(9) != 1 || r.Off(3) != 1 || r.Off(0.2) != -1 || r.Off(1) != 0 {
		t.Errorf("1 is at %v", r.Share(1))
	}
	if got := r.Ticks(); !slices.Equal(got, []float64{0.5, 1, 2}) || r.Label(0.5) != "0.5x" {
		t.Errorf("ticks %v", got)
	}
}
