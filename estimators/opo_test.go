package estimators

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestOPOEqualsItsDefinition token by token: the baseline is the mean reward of a
// token drawn from the group.
func TestOPOEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	e := build(t, "opo").Estimator
	for range 200 {
		g, rewards, tokens := randomLengths(r, 1+r.IntN(10))
		total, n := 0.0, 0
		for i, reward := range rewards {
			for range tokens[i] {
				total += reward
				n++
			}
		}
		want := make([]float64, len(rewards))
		for i := range want {
			want[i] = rewards[i] - total/float64(n)
		}
		got := ofGroup(t, e, g)
		near(t, fmt.Sprint(rewards, tokens), got, want, 1e-12)
		near(t, "sum over tokens", []float64{tokenSum(batchOf(g), [][]float64{got})}, []float64{0}, 1e-12)
	}
}

// TestOPOSumsOverTokensOnly: with unequal lengths the plain sum is not 0, and twice
// the lengths change nothing.
func TestOPOSumsOverTokensOnly(t *testing.T) {
	e := build(t, "opo").Estimator
	got := ofGroup(t, e, long(groupOf([]float64{1, 0}, ""), 1, 3))
	near(t, "b = 1/4", got, []float64{0.75, -0.25}, 0)
	near(t, "twice as long", ofGroup(t, e, long(groupOf([]float64{1, 0}, ""), 2, 6)), got, 0)
}

// TestOPOIsBiasedWhereLengthsDiffer: the own rollout weighs in its baseline by its
// length, so the expected step is not along grad E[r] where the arms differ in
// length; with the exact expectation as baseline, sum p l r / sum p l, which no
// sample enters, it is. The more rollouts, the smaller the difference.
func TestOPOIsBiasedWhereLengthsDiffer(t *testing.T) {
	w := newWorld(t, 3, true)
	gradient := w.gradient(1, meanReward)
	length := func(arm int) int { return 1 + 3*arm }
	last := 0.0
	for _, size := range []int{2, 3, 4, 5} {
		got := w.expected(t, dressed{build(t, "opo").Estimator, func(g *Group) {
			for i := range g.Rollouts {
				g.Rollouts[i].Tokens = length(w.arm(&g.Rollouts[i]))
			}
		}}, size)
		cos := cosineBetween(got, gradient)
		t.Logf("N=%d: cosine with grad E[r] %.6f", size, cos)
		if cos < last || cos > 1-1e-4 {
			t.Errorf("N=%d: the cosine is %.9f after %.9f, want nearer but not there", size, cos, last)
		}
		last = cos
	}
	top, bottom := 0.0, 0.0
	for a, p := range w.policy() {
		top += p * float64(length(a)) * w.verdicts[a].Reward[0]
		bottom += p * float64(length(a))
	}
	got := w.expected(t, dressed{build(t, "remax").Estimator, func(g *Group) { g.Greedy = top / bottom }}, 3)
	if cos := cosineBetween(got, gradient); cos < 1-1e-12 {
		t.Errorf("with a constant baseline the cosine is %.15f", cos)
	}
}
