package loss

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// crossEntropy is TPO's loss by its definition, with other log-probabilities of the policy.
func crossEntropy(o *Function, t *Tokens, logp []float64) (total float64) {
	sequences := float64(notEmpty(t))
	for g := range len(t.Groups) - 1 {
		var q, p []float64
		weight, z, zq := 0.0, 0.0, 0.0
		for s := t.Groups[g]; s < t.Groups[g+1]; s++ {
			lo, hi := t.Start[s], t.Start[s+1]
			if lo == hi {
				continue
			}
			old, now := t.Advantage[s]/o.Eta, 0.0
			for k := lo; k < hi; k++ {
				old += t.Old[k]
				now += logp[k]
			}
			q, p = append(q, math.Exp(old)), append(p, math.Exp(now))
			zq, z = zq+math.Exp(old), z+math.Exp(now)
			weight += map[string]float64{
				"token-mean":              float64(hi-lo) / float64(len(t.Logp)),
				"seq-mean-token-mean":     1 / sequences,
				"seq-mean-token-sum":      1 / sequences,
				"seq-mean-token-sum-norm": 1 / (sequences * float64(o.MaxTokens)),
				"token-sum":               1,
			}[o.Aggregation]
		}
		for i := range q {
			total -= weight * q[i] / zq * math.Log(p[i]/z)
		}
	}
	return total
}

// TestTarget: the loss is that of the definition and its gradient that of central differences. The
// slopes of a group's sequences sum to 0, and vanish at the target.
func TestTarget(t *testing.T) {
	for _, aggregation := range allAggregations {
		for seed := range uint64(6) {
			o := Function{Ratio: "target", Eta: []float64{1, .25}[seed%2], Aggregation: aggregation, KL: "k3", MaxTokens: 7}
			tokens := ragged(seed)
			tokens.Start, tokens.Groups = []int{0, 2, 3, 3, 5, 7, 9}, [][]int{{0, 6}, {0, 4, 6}, {0, 1, 1, 6}}[seed%3]
			tokens.Advantage = append(tokens.Advantage, .3, -.2)
			at := fmt.Sprintf("%s, batch %d", aggregation, seed)
			near(t, at, []float64{lossOf(t, o, tokens)}, []float64{crossEntropy(&o, tokens, tokens.Logp)}, 1e-12)
			dlogp := slices.Clone(tokens.DLogp)
			for k := range tokens.Logp {
				near(t, at, dlogp[k:k+1], []float64{difference(t, o, tokens, tokens.Logp, k)}, 1e-8)
			}
			for g := range len(tokens.Groups) - 1 {
				sum := 0.0
				for s := tokens.Groups[g]; s < tokens.Groups[g+1]; s++ {
					if lo := tokens.Start[s]; lo < tokens.Start[s+1] {
						sum += dlogp[lo]
						tokens.Logp[lo] = tokens.Old[lo] + tokens.Advantage[s]/o.Eta
						copy(tokens.Logp[lo+1:tokens.Start[s+1]], tokens.Old[lo+1:])
					}
				}
				near(t, at+": the slopes of a group", []float64{sum}, []float64{0}, 1e-12)
			}
			lossOf(t, o, tokens)
			near(t, at+": at the target", tokens.DLogp, make([]float64, len(tokens.DLogp)), 1e-12)
		}
	}
}

// TestDelight: the gradient is -w A of each token, w a gate of its own log-probability.
func TestDelight(t *testing.T) {
	o := Function{Ratio: "delight", Eta: .5, Aggregation: "seq-mean-token-sum", KL: "k3"}
	tokens := tokensOf([]float64{1, -1}, [][]float64{{-9, 0}, {-9, 0}}, [][]float64{{-1, -1}, {-1, -1}})
	gate := 1 / (1 + math.Exp(-18))
	near(t, "loss", []float64{lossOf(t, o, tokens)}, []float64{(9*gate - 9*(1-gate)) / 2}, 1e-12)
	near(t, "gradient", tokens.DLogp, []float64{-gate / 2, -.25, (1 - gate) / 2, .25}, 1e-12)
	if tokens.Clipped != 0 {
		t.Errorf("%d tokens are said to be clipped", tokens.Clipped)
	}
}
