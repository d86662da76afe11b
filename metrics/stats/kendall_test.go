package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"modebench/internal/rng"
)

func TestKendallTau(t *testing.T) {
	for _, test := range []struct {
		reason string
		x, y   []float64
		want   float64
	}{
		{"the same order", []float64{1, 2, 3, 4}, []float64{10, 20, 30, 31}, 1},
		{"the other", []float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{"one of six pairs differs", []float64{1, 2, 3, 4}, []float64{1, 2, 4, 3}, 4.0 / 6},
		{"a tie in x: 5 pairs of 5 and 6", []float64{1, 2, 2, 4}, []float64{1, 2, 3, 4}, 5 / math.Sqrt(5*6)},
		{"ties in both", []float64{1, 1, 2}, []float64{1, 2, 2}, 0.5},
		{"no order", []float64{1, 1, 1}, []float64{1, 2, 3}, math.NaN()},
	} {
		got, err := KendallTau(test.x, test.y)
		if err != nil || math.Abs(got.Mean-test.want) > 1e-15 || math.IsNaN(got.Mean) != math.IsNaN(test.want) {
			t.Errorf("%s: got %+v, %v, want %v", test.reason, got, err, test.want)
		}
		if !math.IsNaN(test.want) && !(got.Low <= got.Mean && got.Mean <= got.High) {
			t.Errorf("%s: %+v does not hold the estimate", test.reason, got)
		}
	}
	for _, bad := range [][2][]float64{{{1, 2}, {1}}, {{1}, {1}}, {{1, math.NaN()}, {1, 2}}} {
		if _, err := KendallTau(bad[0], bad[1]); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// TestKendallOrder: the order of the methods changes nothing, ties among them included.
func TestKendallOrder(t *testing.T) {
	r := rng.New(2).Rand()
	count := func(r *rand.Rand) float64 { return float64(r.IntN(6)) }
	x, y := draw(r, 30, count), draw(r, 30, count)
	want, err := KendallTau(x, y)
	if err != nil {
		t.Fatal(err)
	}
	var px, py []float64
	for _, i := range r.Perm(30) {
		px, py = append(px, x[i]), append(py, y[i])
	}
	if got, _ := KendallTau(px, py); got != want {
		t.Errorf("got %+v, before the shuffle %+v", got, want)
	}
}

// TestKendallCoverage: tau of two normal variates with correlation rho is 2/pi*asin(rho)
// (Kendall and Gibbons 1990). docs/statistics.md has the shares.
func TestKendallCoverage(t *testing.T) {
	for _, test := range []struct {
		name string
		rho  float64
	}{{"no correlation", 0}, {"correlation 0.5", 0.5}, {"correlation 0.9", 0.9}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var measured []measurement
			for _, n := range []int{10, 20, 60} {
				r := rng.New(uint64(n)).Str("kendall").Rand()
				s := sample{simulations(*replications / 3), 2000}
				held := 0
				for range s.taken {
					x, y := draw(r, n, rng.Normal), draw(r, n, rng.Normal)
					for i := range y {
						y[i] = test.rho*x[i] + math.Sqrt(1-test.rho*test.rho)*y[i]
					}
					tau, err := KendallTau(x, y)
					if err != nil {
						t.Fatal(err)
					}
					if truth := 2 / math.Pi * math.Asin(test.rho); tau.Low <= truth && truth <= tau.High {
						held++
					}
				}
				measured = append(measured, s.share(held))
			}
			publishedUnder(t, "Coverage of Kendall's tau", test.name, measured)
		})
	}
}
