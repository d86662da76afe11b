package draw

import (
	"math"
	"slices"
	"testing"
)

// TestRatio: the axis holds all values, ends at round ones, and twice is as far from 1 as half.
func TestRatio(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Ratio
	}{
		{nil, Ratio{0.5, 2}},
		{[]float64{0.9, 1.1}, Ratio{0.5, 2}},
		{[]float64{6.9}, Ratio{0.5, 10}},
		{[]float64{0.3, 60}, Ratio{0.2, 100}},
		{[]float64{0, -3, math.Inf(1)}, Ratio{0.5, 2}},
		{[]float64{1e-5, 1e5}, Ratio{0.01, 100}},
	} {
		if got := RatioTo(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
	r := Ratio{0.5, 2}
	if r.Share(1) != 0.5 || r.Share(0.1) != 0 || r.Share(9) != 1 || r.Off(3) != 1 || r.Off(0.2) != -1 || r.Off(1) != 0 {
		t.Errorf("1 stands at %v", r.Share(1))
	}
	if got := r.Ticks(); !slices.Equal(got, []float64{0.5, 1, 2}) || r.Label(0.5) != "0.5x" {
		t.Errorf("ticks %v", got)
	}
}
