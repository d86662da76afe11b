package estimators

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

// elected reports whether a rollout gave the majority answer.
func (v *ballot) elected(rollout int) bool { return v.winner >= 0 && v.of[rollout] == v.winner }
