package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestFitLaw: data made by a law give it back, and nothing explains more.
func TestFitLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-1, 1).Draw(t, "a"), rapid.Float64Range(-1, 1).Draw(t, "b")
		if math.Abs(a) < 1e-3 {
			t.Skip("a constant")
		}
		n := rapid.IntRange(3, 20).Draw(t, "evaluations")
		var hs, rs []float64
		for i := range n {
			h := float64(i) / 10
			hs, rs = append(hs, h), append(rs, b-a*math.Exp(h))
		}
		law, ok := FitLaw(hs, rs)
		if !ok || math.Abs(law.A-a) > 1e-9 || math.Abs(law.B-b) > 1e-9 || math.Abs(law.R2-1) > 1e-9 {
			t.Fatalf("got %+v, %v; want a = %v, b = %v", law, ok, a, b)
		}
		if got := law.Accuracy(hs[1]); math.Abs(got-rs[1]) > 1e-9 {
			t.Errorf("at %v: got %v, want %v", hs[1], got, rs[1])
		}
		// Any other line through noisy data leaves larger squares.
		for i := range rs {
			rs[i] += rapid.Float64Range(-0.1, 0.1).Draw(t, "noise")
		}
		law, ok = FitLaw(hs, rs)
		if !ok {
			t.Skip("the noise made it constant")
		}
		squares := func(l Law) float64 {
			sum := 0.0
			for i, h := range hs {
				sum += (rs[i] - l.Accuracy(h)) * (rs[i] - l.Accuracy(h))
			}
			return sum
		}
		least := squares(law)
		for _, other := range []Law{{A: law.A + 0.01, B: law.B}, {A: law.A, B: law.B - 0.01}, {A: law.A - 0.003, B: law.B - 0.004}} {
			if squares(other) < least-1e-12 {
				t.Errorf("%+v has squares %v, and %+v has %v", law, least, other, squares(other))
			}
		}
	})
}

// TestLawNeedsVariation: two evaluations, or a policy that does not change, have no law.
func TestLawNeedsVariation(t *testing.T) {
	for _, c := range [][2][]float64{
		{{1, 0.5}, {0.1, 0.2}}, {{1, 1, 1}, {0.1, 0.2, 0.3}}, {{1, 0.9, 0.8}, {0.1, 0.1, 0.1}}, {{}, {}},
	} {
		if law, ok := FitLaw(c[0], c[1]); ok {
			t.Errorf("of %v and %v: %+v", c[0], c[1], law)
		}
	}
}
