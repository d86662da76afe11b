package reweighted_test

import (
	"math"
	"testing"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
)

// TestMARAFlattensTheOptimum: a group that holds every answer of a bandit once has the shaped
// reward of each, up to a constant. The optimum of E[r'] - beta KL(p || ref) is found from
// its gradient alone, and gives all good answers one probability, however unlike they are
// under the reference. Without the shaping they keep the reference's odds.
func TestMARAFlattensTheOptimum(t *testing.T) {
	const beta = 0.25
	ref := []float64{0.5, 0.2, 0.05, 0.01, 0.24}
	rewards := []float64{1, 1, 1, 1, 0}
	group := batchtest.Group(rewards, "")
	for i := range group.Rollouts {
		group.Rollouts[i].PerToken = &estimators.PerToken{
			Logprob: make([]float64, 1), Entropy: make([]float64, 1), Squares: make([]float64, 1), Legal: [][]float64{{1}},
			Reference: []float64{math.Log(ref[i])},
		}
	}
	batch := batchtest.Of(group)
	shaped := batchtest.Advantages(t, batchtest.Method(t, "mara", "beta=0.25", "scale=none").Estimator, batch)[0]
	p := climb(shaped, ref, beta)
	for i := 1; i < 4; i++ {
		if math.Abs(p[i]-p[0]) > 1e-9 {
			t.Errorf("good answers have the probabilities %v", p[:4])
		}
	}
	// The odds of the anchor against the answer that is not good are those without
	// the shaping: the likelihood under the reference times e^(r/beta).
	if got, want := p[0]/p[4], ref[0]/ref[4]*math.Exp(1/beta); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("odds of the anchor %v, want %v", got, want)
	}
	plain := climb(batchtest.Advantages(t, batchtest.Method(t, "grpo", "scale=none").Estimator, batch)[0], ref, beta)
	if got, want := plain[0]/plain[3], ref[0]/ref[3]; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("without the shaping the odds of two good answers are %v, want %v", got, want)
	}
}

// TestMARAPenalties: a divergence that is subtracted from rewards does not make a good
// rollout a bad one, and is subtracted from the shaped reward.
func TestMARAPenalties(t *testing.T) {
	group := batchtest.Group([]float64{1, 1, 0}, "")
	for i, logp := range []float64{-2, -5, -1} {
		group.Rollouts[i].PerToken = &estimators.PerToken{
			Logprob: make([]float64, 1), Entropy: make([]float64, 1), Squares: make([]float64, 1), Legal: [][]float64{{1}},
			Reference: []float64{logp},
		}
		group.Rollouts[i].Penalty = []float64{0.5, 0.25, -0.75}[i]
	}
	got := batchtest.Advantages(t, batchtest.Method(t, "mara", "scale=none").Estimator, batchtest.Of(group))[0]
	const mean = (0.5 + 1.05 + 0.75) / 3 // of 1 - 0.5, 1.3 - 0.25 and 0 + 0.75
	for i, shaped := range []float64{0.5, 1.05, 0.75} {
		if math.Abs(got[i]-(shaped-mean)) > 1e-12 {
			t.Errorf("rollout %d: the advantage %v, want %v", i, got[i], shaped-mean)
		}
	}
}

// climb goes up the exact gradient of E[r] - beta KL(p || ref) in the logits of p, with the
// step of natural gradients, until it vanishes.
func climb(r, ref []float64, beta float64) []float64 {
	logits, p := make([]float64, len(r)), make([]float64, len(r))
	for range 4000 {
		total := 0.0
		for i, l := range logits {
			p[i] = math.Exp(l)
			total += p[i]
		}
		mean := 0.0
		for i := range p {
			p[i] /= total
			mean += p[i] * (r[i] - beta*math.Log(p[i]/ref[i]))
		}
		for i := range p {
			// The gradient is p_i times this; dividing by p_i keeps rare answers from lagging.
			logits[i] += 0.2 * (r[i] - beta*math.Log(p[i]/ref[i]) - mean)
		}
	}
	return p
}
