package estimators

import (
	"math"
	"testing"
)

// TestPairsAreOneMethod: in groups of two rollouts with rewards of 0 and 1, the advantages of
// GRPO, RLOO and MaxRL differ by a factor alone, the same for every group: to an optimiser
// that takes factors out they are one method.
func TestPairsAreOneMethod(t *testing.T) {
	for _, rewards := range [][]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}} {
		rloo := ofGroup(t, build(t, "rloo").Estimator, groupOf(rewards, "AB"))
		for name, factor := range map[string]float64{
			"grpo":  1, // z-scores of 0 and 1, by the deviation with n
			"maxrl": 1, // (r - mean) / mean, of a mean of one half
		} {
			for i, a := range ofGroup(t, build(t, name).Estimator, groupOf(rewards, "AB")) {
				if want := factor * rloo[i]; math.Abs(a-want) > 1e-5 {
					t.Errorf("%s of rewards %v: advantage %d is %v, want %v", name, rewards, i, a, want)
				}
			}
		}
	}
}
