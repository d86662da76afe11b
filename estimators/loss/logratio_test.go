package loss

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestSquaredLogRatio, value and gradient, is on every token, whatever the policy term.
func TestSquaredLogRatio(t *testing.T) {
	for _, without := range objectives() {
		if without.KLCoef > 0 {
			continue
		}
		for seed := range uint64(3) {
			tokens := ragged(seed)
			plain := lossOf(t, without, tokens)
			dlogp, clipped := slices.Clone(tokens.DLogp), tokens.Clipped
			o := without
			o.LogRatioCoef = .3
			squares := make([][]float64, tokens.Sequences())
			for s := range squares {
				for k := tokens.Start[s]; k < tokens.Start[s+1]; k++ {
					squares[s] = append(squares[s], math.Pow(tokens.Logp[k]-tokens.Old[k], 2))
				}
			}
			byToken := o
			byToken.Ratio = "token"
			at := fmt.Sprintf("%+v, batch %d", o, seed)
			near(t, at, []float64{lossOf(t, o, tokens) - plain}, []float64{.3 * aggregated(byToken, squares)}, 1e-14)
			for s := range squares {
				for i := range squares[s] {
					k := tokens.Start[s] + i
					slope := make([][]float64, len(squares))
					for s := range slope {
						slope[s] = make([]float64, len(squares[s]))
					}
					slope[s][i] = 2 * (tokens.Logp[k] - tokens.Old[k])
					near(t, fmt.Sprintf("%s: token %d", at, k), []float64{tokens.DLogp[k] - dlogp[k]}, []float64{.3 * aggregated(byToken, slope)}, 1e-14)
				}
			}
			if tokens.Clipped != clipped {
				t.Errorf("%s: %d clipped, want %d", at, tokens.Clipped, clipped)
			}
		}
	}
}
