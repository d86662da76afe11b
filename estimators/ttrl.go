package estimators

import "modebench/envs"

// TTRL takes the majority for the truth (Zuo et al., 2025; the baseline of Evol-RL):
//
//	r_i = 1 if the answer of rollout i is the majority answer of its group, else 0
//
// and the group-relative advantage of the trained rollouts' rewards. All rollouts
// vote; of answers with equally many votes the one seen first wins. An invalid
// answer does not vote and earns 0. Where all agree there is no signal left.
type TTRL struct {
	GRPO
	ballot ballot
}

func (*TTRL) Requirements() Requirements { return Reads(envs.HasAnswer) }

func (e *TTRL) Advantages(dst [][]float64, b *Batch) error {
	return e.eachScored(dst, b, func(g *Group) error {
		if err := g.single(); err != nil {
			return err
		}
		e.ballot.count(g, false)
		for i := range e.scores {
			e.scores[i] = Indicator(e.ballot.elected(i))
		}
		return nil
	}, e.core)
}
