package draw

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPick(t *testing.T) {
	for _, c := range []struct {
		reason string
		sums   []float64
		u      float64
		want   int
	}{
		{"the first entry above u", []float64{0.25, 0.5, 1}, 0.3, 1},
		{"a sum is not above itself", []float64{0.25, 0.5, 1}, 0.25, 1},
		{"entries without mass are passed over", []float64{0, 0, 1}, 0, 2},
		{"rounding left the sum short: the last entry with mass", []float64{0.5, 0.9999999, 0.9999999}, 0.99999999, 1},
	} {
		if got := Pick(c.sums, c.u); got != c.want {
			t.Errorf("%s: %d, want %d", c.reason, got, c.want)
		}
	}
}

func TestNucleus(t *testing.T) {
	for _, c := range []struct {
		reason string
		prob   []float64
		topP   float64
		want   []float64
	}{
		{"the likeliest whose mass reaches top-p", []float64{0.125, 0.5, 0.25, 0.125}, 0.7, []float64{0, 2. / 3, 1. / 3, 0}},
		{"mass that is just reached needs no more", []float64{0.125, 0.5, 0.25, 0.125}, 0.75, []float64{0, 2. / 3, 1. / 3, 0}},
		{"of equals the lower tokens", []float64{0.25, 0.25, 0.25, 0.25}, 0.5, []float64{0.5, 0.5, 0, 0}},
		{"one token at least", []float64{0.25, 0.75}, 1e-9, []float64{0, 1}},
	} {
		var n Nucleus
		n.Cut([]float64{0.1, 0.2, 0.3, 0.15, 0.25}, 0.9) // earlier contents do not matter
		if diff := cmp.Diff(c.want, n.Cut(c.prob, c.topP).Prob()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
		entropy := 0.0
		for _, p := range c.want {
			if p > 0 {
				entropy -= p * math.Log(p)
			}
		}
		if got := n.Entropy(); math.Abs(got-entropy) > 1e-15 {
			t.Errorf("%s: entropy %v, want %v", c.reason, got, entropy)
		}
		if got := n.Pick(0); c.want[got] == 0 {
			t.Errorf("%s: picks token %d, which is outside", c.reason, got)
		}
	}
}

func TestArgmax(t *testing.T) {
	if got := Argmax([]float64{1, 3, 2, 3}); got != 1 {
		t.Errorf("%d, want 1, the lowest of equals", got)
	}
}
