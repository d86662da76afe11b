package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/envs"
)

// likelihood is the gradient of the maximum-likelihood objective truncated at
// that order: sum over k of (1/k) grad pass@k.
func (w *world) likelihood(order int) []float64 {
	out := make([]float64, len(w.logits))
	for k := 1; k <= order; k++ {
		grad := w.gradient(k, func(vs []*envs.Verdict) float64 {
			for _, v := range vs {
				if v.Reward[0] == 1 {
					return 1
				}
			}
			return 0
		})
		for i, g := range grad {
			out[i] += g / float64(k)
		}
	}
	return out
}

// TestMaxRLOrder: the expected step over N rollouts is the gradient of order N-1
// where a group without reward gives nothing, and of order N if it keeps -1.
// The orders differ by far more than rounding.
func TestMaxRLOrder(t *testing.T) {
	for _, modes := range []int{2, 3} {
		w := newWorld(t, modes, true)
		for a, v := range w.verdicts {
			v.Reward[0] = 0
			if a%3 == 0 { // rare under these policies, so that the orders differ
				v.Reward[0] = 1
			}
		}
		// The closed form: grad p (1 - (1-p)^T) / p.
		p := 0.0
		for a, chance := range w.policy() {
			p += chance * w.verdicts[a].Reward[0]
		}
		for order := 1; order <= 4; order++ {
			want := w.likelihood(1)
			for i := range want {
				want[i] *= (1 - math.Pow(1-p, float64(order))) / p
			}
			near(t, fmt.Sprint("order ", order), w.likelihood(order), want, 1e-12)
		}
		for n := 2; n <= 4; n++ {
			for fidelity, order := range map[string]int{"code": n - 1, "paper": n} {
				got := w.expected(t, build(t, "maxrl", "epsilon=0", "fidelity="+fidelity).Estimator, n)
				for i := range got {
					got[i] /= float64(n)
				}
				near(t, fmt.Sprintf("%s, N=%d", fidelity, n), got, w.likelihood(order), 1e-12)
				gap := 0.0
				for i, next := range w.likelihood(order + 1) {
					gap = max(gap, math.Abs(next-got[i]))
				}
				if gap < 1e-4 {
					t.Errorf("orders %d and %d differ by %g here, which is too little to tell them apart", order, order+1, gap)
				}
			}
		}
	}
}

func TestMaxRLEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for range 100 {
		rewards := make([]float64, 2+r.IntN(20))
		for i := range rewards {
			rewards[i] = float64(r.IntN(3)) * r.Float64() * 100
		}
		mu := sum(rewards) / float64(len(rewards))
		want := make([]float64, len(rewards))
		for i := range want {
			want[i] = (rewards[i] - mu) / (mu + 1e-6)
		}
		near(t, fmt.Sprint(rewards), ofGroup(t, build(t, "maxrl").Estimator, groupOf(rewards, "")), want, 1e-12)
	}
}

// TestMaxRLOfRounding: a mean below rounding counts as 0; nothing is blown up by dividing by it.
func TestMaxRLOfRounding(t *testing.T) {
	g := groupOf([]float64{1e-13, 0, 0}, "")
	for fidelity, want := range map[string]float64{"code": 0, "paper": -1} {
		e := build(t, "maxrl", "epsilon=0", "fidelity="+fidelity).Estimator
		near(t, fidelity, ofGroup(t, e, g), []float64{want, want, want}, 0)
	}
	near(t, "small rewards are rewards", ofGroup(t, build(t, "maxrl", "epsilon=0").Estimator, groupOf([]float64{1e-9, 0}, "")), []float64{1, -1}, 1e-12)
}

// TestMaxRLNamesTheNegativeReward by its place in the group, voters counted.
func TestMaxRLNamesTheNegativeReward(t *testing.T) {
	g := groupOf([]float64{-1, 1, 0.5, -0.25}, "")
	g.Rollouts[0].Train = false // rollouts that only vote are not read
	b := batchOf(groupOf([]float64{1, 0}, ""), g)
	e := build(t, "maxrl").Estimator
	wantError(t, e.Advantages(NewAdvantages(b), b), "group 1", `"p"`, "rollout 3", "-0.25", "want 0 or more")
}
