package estimators

import (
	"fmt"

	"modebench/envs"
)

// gatherChains collects the trained rollouts of a group, each of one or more
// candidates of d reward components, and the score of each rollout's candidates,
// less its penalty, as its scalar reward.
func (w *groupwise) gatherChains(g *Group, d int, score func([]*envs.Verdict) float64) error {
	return w.gatherBy(g, func(i int, r *Rollout) (float64, error) {
		if err := checkChain(r.Candidates, d); err != nil {
			return 0, fmt.Errorf("rollout %d%w", i, err)
		}
		s := score(r.Candidates) - r.Penalty
		if s-s != 0 {
			return 0, fmt.Errorf("rollout %d has the score %v, want a finite number: rewards of this size overflow", i, s)
		}
		return s, nil
	})
}

// checkChain says what is wrong with the candidates of a rollout, in words that
// continue its name.
func checkChain(candidates []*envs.Verdict, d int) error {
	if len(candidates) == 0 {
		return fmt.Errorf(" has 0 candidates; this estimator takes one or more")
	}
	for k, c := range candidates {
		if len(c.Reward) != d {
			return fmt.Errorf(", candidate %d, has %d reward components for %d weights", k, len(c.Reward), d)
		}
		for j, x := range c.Reward {
			if x-x != 0 {
				return fmt.Errorf(", candidate %d, has %v as reward component %d, want a finite number", k, x, j)
			}
		}
	}
	return nil
}

// MultiRLVR is the best candidate of a chain under the fixed scalarisation
//
//	score_i = max over the candidates c of rollout i of w*.r_c
//
// and the group-relative advantage of the scores (Puri et al., 2603.24844, as
// VPO sec. 4.2 uses it). With one candidate it is GRPO.
type MultiRLVR struct{ GRPO }

// Needs implements Estimator.
func (*MultiRLVR) Needs() Needs { return Needs{Fields: envs.HasReward, MinGroup: 1, Chains: true} }

// Advantages implements Estimator.
func (e *MultiRLVR) Advantages(dst [][]float64, b *Batch) error {
	return e.eachBy(dst, b, func(g *Group) error {
		weights := g.scalarisation(b)
		return e.gatherChains(g, len(weights), func(candidates []*envs.Verdict) float64 {
			best := candidates[0].Scalar(weights)
			for _, c := range candidates[1:] {
				best = max(best, c.Scalar(weights))
			}
			return best
		})
	}, func(dst, rewards []float64, _ []*Rollout) error {
		e.relative(dst, rewards)
		return nil
	})
}
