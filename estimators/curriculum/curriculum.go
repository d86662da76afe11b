// Package curriculum has methods that weigh the prompts of a batch by how often they were solved.
package curriculum

import "modebench/estimators"

// A share is how many of a group's rollouts were correct, and of how many.
type share struct{ Correct, Rollouts int }

// mixed reports whether some rollouts were correct and some were not.
func (s share) mixed() bool { return s.Correct > 0 && s.Correct < s.Rollouts }

// shareOf counts the rollouts of a group that are trained on.
func shareOf(g *estimators.Group) (s share) {
	for i := range g.Rollouts {
		if r := &g.Rollouts[i]; r.Train && len(r.Candidates) == 1 { // of others weigh returns an error
			s.Rollouts++
			s.Correct += int(estimators.Indicator(r.Candidates[0].Correct))
		}
	}
	return s
}

// weigh writes the weight of each group times 1 - p for its correct rollouts and -p for the
// others, p the share of correct ones.
func weigh(w *estimators.Groupwise, dst [][]float64, b *estimators.Batch, weight func(share) float64) error {
	return w.EachBy(dst, b, w.GatherCorrect, func(dst, correct []float64, _ []*estimators.Rollout) error {
		estimators.Centre(dst, correct)
		factor := weight(share{int(estimators.Total(correct)), len(correct)})
		for i := range dst {
			dst[i] *= factor
		}
		return nil
	})
}
