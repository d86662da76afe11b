package estimators

import "modebench/envs"

// A ballot is the vote of a group's rollouts on their answers, those that are not trained on
// included. An answer of "" is invalid: nothing to vote for could be read from it.
type ballot struct {
	answers []int // the answer of each rollout, numbered in order of appearance; -1: it abstains
	votes   []int // for each answer
	winner  int   // the majority answer; -1: every rollout abstains
	numbers map[string]int
}

// count takes the vote. Of answers with equally many votes the one seen first wins,
// in rollout order. Invalid answers abstain, or under blank vote like any other.
// Every rollout has one candidate.
func (v *ballot) count(g *Group, blank bool) {
	if v.numbers == nil {
		v.numbers = map[string]int{}
	}
	clear(v.numbers)
	v.answers, v.votes, v.winner = v.answers[:0], v.votes[:0], -1
	for i := range g.Rollouts {
		answer := g.Rollouts[i].Candidates[0].Answer
		if answer == "" && !blank {
			v.answers = append(v.answers, -1)
			continue
		}
		k, ok := v.numbers[answer]
		if !ok {
			k = len(v.votes)
			v.numbers[answer] = k
			v.votes = append(v.votes, 0)
		}
		v.votes[k]++
		v.answers = append(v.answers, k)
	}
	for k, n := range v.votes {
		if v.winner < 0 || n > v.votes[v.winner] {
			v.winner = k
		}
	}
}

func (v *ballot) elected(rollout int) bool { return v.winner >= 0 && v.answers[rollout] == v.winner }

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
