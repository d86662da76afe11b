package estimators

import "modebench/envs"

// SelfConsistency rewards an answer by how many agree with it (SC-RL of Agarwal et
// al., 2505.15134; Evol-RL app. B.2), with the soft vote in place of TTRL's hard one:
//
//	r_i = 1/N sum_j 1[answer of j = answer of i]
//
// over all N rollouts of the group, i itself and those that only vote included, and
// RLOO's baseline over the rewards of the trained ones. An invalid answer agrees
// with none, not even another invalid one: it earns 0, and counts in N.
type SelfConsistency struct {
	RLOO
	ballot ballot
}

func (*SelfConsistency) Requirements() Requirements { return Reads(envs.HasAnswer) }

func (e *SelfConsistency) Advantages(dst [][]float64, b *Batch) error {
	return e.eachScored(dst, b, func(g *Group) error {
		if err := g.single(); err != nil {
			return err
		}
		e.ballot.count(g, false)
		for i, answer := range e.ballot.answers {
			e.scores[i] = 0
			if answer >= 0 {
				e.scores[i] = float64(e.ballot.votes[answer]) / float64(len(g.Rollouts))
			}
		}
		return nil
	}, e.leaveOneOut)
}

func init() {
	Register(LabelFree, 80, Method{
		// Trained under the same label-free setting as the others (app. B.2).
		Name: "self-consistency", Summary: "RLOO on the share of rollouts with the same answer: no labels", Trains: true,
		Source:    "Agarwal et al. 2025 (2505.15134); Evol-RL app. B.2",
		Estimator: From(SelfConsistency{RLOO: RLOO{Singleton: "zero"}}),
		Loss:      evolrlLoss(0.2, 0), Protocol: votesOf64,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, VotersMatter: true, MovesEqualRewards: true, Why: "differences of shares of the vote: no reward is read"},
		Target:     noLabelTarget,
	})
}
