package estimators

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestReMaxShiftsWithTheGreedyRollout: where the baseline is shifted too, nothing
// changes, and scaled too, everything scales.
func TestReMaxShiftsWithTheGreedyRollout(t *testing.T) {
	e := build(t, "remax").Estimator
	rapid.Check(t, func(t *rapid.T) {
		g := drawGroup(t, 1)
		g.Greedy = float64(rapid.IntRange(-24, 24).Draw(t, "greedy")) / 12
		want := ofGroup(t, e, g)
		shifted := mapRewards(g, func(r float64) float64 { return r + 0.75 })
		shifted.Greedy += 0.75
		near(t, "shifted", ofGroup(t, e, shifted), want, 1e-15)
		for i := range want {
			want[i] *= 4
		}
		scaled := mapRewards(g, func(r float64) float64 { return 4 * r })
		scaled.Greedy *= 4
		near(t, "scaled", ofGroup(t, e, scaled), want, 0)
	})
}

// TestReMaxErrors: a baseline that is no number is an error that names the group, and
// a missing reward of a group counts as missing in the batch.
func TestReMaxErrors(t *testing.T) {
	e := build(t, "remax").Estimator
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		g := groupOf([]float64{1, 0}, "")
		g.Greedy, g.Problem = bad, "the bad one"
		b := batchOf(groupOf([]float64{1, 0}, ""), g)
		wantError(t, e.Advantages(NewAdvantages(b), b), "group 1", `"the bad one"`, "greedy rollout", "finite")
	}
	b := batchOf(groupOf([]float64{1, 0}, ""))
	b.RolloutFields &^= GroupGreedy
	wantError(t, e.Requirements().Check(b), "greedy")
}
