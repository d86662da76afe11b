package stats

import (
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/internal/rng"
)

// TestRatioCoverage measures the table of ratios in docs/statistics.md again: how often
// RatioInterval and DeviationRatioInterval hold the ratio of all seeds. Bounds that are
// NaN hold nothing.
func TestRatioCoverage(t *testing.T) {
	type both struct {
		name             string
		ratio, deviation float64 // in truth; 0: not measured
		pairs            func(r *rand.Rand, n int) (a, b []float64)
	}
	all := []both{{"normal, 5 and 4", 1.25, 1, func(r *rand.Rand, n int) (a, b []float64) {
		// Half of the variance is common to both sides.
		a, b = make([]float64, n), make([]float64, n)
		for i := range a {
			common := rng.Normal(r)
			a[i], b[i] = 5+common+rng.Normal(r), 4+common+rng.Normal(r)
		}
		return a, b
	}}}
	for _, p := range pairedPopulations(t) {
		deviation := 0.0
		// In the others a side often has no spread at all.
		if slices.Contains([]string{"bandit coverage@4 500", "bandit entropy_mode 500", "countdown distinct_correct 100", "countdown accuracy 50",
			"maze best@6 100", "maze ew_best@6 100", "maze reward_l1 100", "multiplication maj@8 25"}, p.Name) {
			deviation = Deviation(p.A) / Deviation(p.B)
		}
		all = append(all, both{p.Name, Mean(p.A) / Mean(p.B), deviation, p.pairs})
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			taken := sample{simulations(*replications / 4), 2000}
			measure := func(truth float64, interval func(a, b []float64) Interval) []measurement {
				var measured []measurement
				for _, n := range answerSizes {
					r, held := rng.New(uint64(n)).Str("ratio").Rand(), 0
					for range taken.taken {
						if i := interval(p.pairs(r, n)); i.Low <= truth*(1+1e-12) && truth*(1-1e-12) <= i.High {
							held++
						}
					}
					measured = append(measured, taken.share(held))
				}
				return measured
			}
			measured := measure(p.ratio, RatioInterval)
			if p.deviation > 0 {
				measured = append(measured, measure(p.deviation, DeviationRatioInterval)...)
			}
			publishedUnder(t, "Coverage of ratios", p.name, measured)
		})
	}
}
