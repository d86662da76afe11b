package estimators

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
