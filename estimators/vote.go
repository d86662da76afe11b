package estimators

import "fmt"

// A ballot is the vote of a group's rollouts on their answers, those that are not
// trained on included. An answer of "" is invalid: nothing to vote for could be
// read from it.
type ballot struct {
	of     []int // the answer of each rollout, numbered in order of appearance; -1: it abstains
	votes  []int // for each answer
	winner int   // the majority answer; -1: every rollout abstains
	seen   map[string]int
}

// count takes the vote. Of answers with equally many votes the one seen first wins,
// in rollout order. Invalid answers abstain, or under blank vote like any other.
// Every rollout has one candidate.
func (v *ballot) count(g *Group, blank bool) {
	if v.seen == nil {
		v.seen = map[string]int{}
	}
	clear(v.seen)
	v.of, v.votes, v.winner = v.of[:0], v.votes[:0], -1
	for i := range g.Rollouts {
		answer := g.Rollouts[i].Candidates[0].Answer
		if answer == "" && !blank {
			v.of = append(v.of, -1)
			continue
		}
		k, ok := v.seen[answer]
		if !ok {
			k = len(v.votes)
			v.seen[answer] = k
			v.votes = append(v.votes, 0)
		}
		v.votes[k]++
		v.of = append(v.of, k)
	}
	for k, n := range v.votes {
		if v.winner < 0 || n > v.votes[v.winner] {
			v.winner = k
		}
	}
}

// elected says whether a rollout gave the majority answer.
func (v *ballot) elected(rollout int) bool { return v.winner >= 0 && v.of[rollout] == v.winner }

// single is an error unless every rollout of the group, those that only vote
// included, has exactly one candidate.
func (g *Group) single() error {
	for i := range g.Rollouts {
		if n := len(g.Rollouts[i].Candidates); n != 1 {
			return errNotOne(i, n)
		}
	}
	return nil
}

// eachScored is eachBy where a rollout is rewarded for its score, not for what its
// candidate earns: score writes one to scores for every rollout of the group, those
// that only vote included, and relate turns those of the trained ones, less their
// penalties, into advantages.
func (w *groupwise) eachScored(dst [][]float64, b *Batch, score func(*Group) error, relate func(dst, rewards []float64)) error {
	return w.eachBy(dst, b, func(g *Group) error {
		w.scores = resize(w.scores, len(g.Rollouts))
		if err := score(g); err != nil {
			return err
		}
		return w.gatherScores(g)
	}, func(dst, rewards []float64, _ []*Rollout) error {
		relate(dst, rewards)
		return nil
	})
}

// gatherScores collects the trained rollouts of a group and their scores, less the
// penalties, as scalar rewards.
func (w *groupwise) gatherScores(g *Group) error {
	return w.gatherBy(g, func(i int, r *Rollout) (float64, error) {
		s := w.scores[i] - r.Penalty
		if s-s != 0 {
			return 0, fmt.Errorf("rollout %d has the score %v less the penalty %v, want a finite number", i, w.scores[i], r.Penalty)
		}
		return s, nil
	})
}
