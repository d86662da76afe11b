package transformer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/internal/loss"
	"modebench/policies"
)

// meanTop is the mean of the k largest log-probabilities; 0 where k is 0.
func meanTop(logp []float64, k int) float64 {
	sorted := slices.Sorted(slices.Values(logp))
	sum := 0.0
	for _, x := range sorted[len(sorted)-min(k, len(sorted)):] {
		sum += x / float64(min(k, len(sorted)))
	}
	return sum
}

// TestTopOfLogits: the gradient that DTop gives to logits, against central differences of
// the mean of the largest log-probabilities in float64, also where more tokens are asked for
// than there are.
func TestTopOfLogits(t *testing.T) {
	const h, v = 1e-5, 7
	p := tiny(t, reference(t), 30, v)
	e := randomExample(rand.New(rand.NewPCG(5, 61)), 30, v)
	c, s := e.chunk(false), &space{}
	c.space = s
	n := p.network(t.Context(), p.weights)
	n.forward(c, s, true)
	n.predict(c, s, 1)
	p.tokens = loss.Tokens{DLogp: make([]float64, c.answers), DTop: e.klBy}
	for _, k := range []int{1, 3, v, v + 2} {
		p.logits(c, &policies.Batch{Temperature: 1, Want: policies.Want{Top: k}})
		for i := range c.answers {
			var logp []float64
			for _, x := range s.logp[i*v : (i+1)*v] {
				logp = append(logp, float64(x))
			}
			for j := range v {
				at := func(step float64) float64 {
					z := slices.Clone(logp)
					z[j] += step
					return meanTop(logSoftmax(z, 1), k)
				}
				want := e.klBy[i] * (at(h) - at(-h)) / (2 * h)
				if got := float64(s.dlogits[i*v+j]); math.Abs(got-want) > 1e-6*max(1, math.Abs(e.klBy[i])) {
					t.Errorf("%d likeliest, answer %d, token %d: slope %v, central difference %v", k, i, j, got, want)
				}
			}
		}
	}
}
