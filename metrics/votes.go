package metrics

import (
	"cmp"
	"slices"

	"modebench/envs"
)

func init() {
	register(
		Metric{rank: 80, Name: "maj@k", Doc: "probability that the majority's answer among k rollouts is correct, ties split equally", Detail: "0 where all abstain; [0, 1]; Poly-EPO fig. 4, unbiased; a pool of chains has fewer rollouts than candidates",
			Label: "maj@k", Axis: AxisShare, Delta: shareDelta, Measure: MeasureVotes, Reads: envs.HasCorrect | envs.HasAnswer, add: (*Table).addVotes, ceiling: solvable},
		Metric{rank: 90, Name: "majority_share@k", Doc: "expected share of k rollouts that give the majority's answer", Detail: "abstainers count among the k; [0, 1]; Poly-EPO fig. 4",
			Label: "majority share@k", Axis: AxisShare, Delta: shareDelta, Measure: MeasureVotes, Reads: envs.HasCorrect | envs.HasAnswer},
	)
}

// addVotes adds maj@k and majority_share@k. Rollouts vote, and k counts rollouts: a pool
// of chains has no value for a k above the number of its chains.
func (t *Table) addVotes(a *answers) {
	s := &t.scratch
	a.fillBallot(&s.ballot, &s.tally)
	for i, k := range t.opt.K {
		if !a.exact && k > a.n {
			continue
		}
		if maj, share, ok := electionAt(&s.elections, i, k).hold(&s.ballot); ok {
			t.addAt("maj", i, maj)
			t.addAt("majority_share", i, share)
		}
	}
}

// A tally counts votes by answer, in the order in which answers come up.
type tally struct {
	number         map[string]int
	votes, correct []float64
}

// fillBallot replaces b by the votes of the rollouts: the answer of each one's final verdict.
func (a *answers) fillBallot(b *ballot, c *tally) {
	if c.number == nil {
		c.number = map[string]int{}
	}
	clear(c.number)
	c.votes, c.correct = c.votes[:0], c.correct[:0]
	*b = ballot{classes: b.classes[:0]}
	if !a.exact {
		b.n = a.n
	}
	for i, mass := range a.mass {
		v := a.final(i)
		if v == nil {
			b.abstained += mass
			continue
		}
		number, known := c.number[v.Answer]
		if !known {
			number = len(c.votes)
			c.number[v.Answer] = number
			c.votes, c.correct = append(c.votes, 0), append(c.correct, 0)
		}
		c.votes[number] += mass
		if v.Correct {
			c.correct[number] += mass
		}
	}
	for i, votes := range c.votes {
		b.add(votes, c.correct[i])
	}
	b.close()
}

// chain is the candidates of a rollout.
func (a *answers) chain(rollout int) []*envs.Verdict {
	return a.all[rollout*a.m : (rollout+1)*a.m]
}

// final is the verdict of a rollout's final answer; nil if it has no answer.
func (a *answers) final(rollout int) *envs.Verdict {
	return envs.FinalVerdict(a.chain(rollout), a.named[rollout])
}

// An answerClass is the votes for one answer.
type answerClass struct {
	votes float64 // how many in a pool; in a distribution, their probability; above 0
	right float64 // the share of them that is correct
}

// A ballot holds the votes of the rollouts for one problem. Its metrics at k are means over all
// k-subsets of a pool's n rollouts, or expectations over k draws of a distribution: with x_a the votes
// for answer a among the k,
//
//	maj   = mean of [sum over a with x_a = max x of correct_a/count_a] / #{a: x_a = max x}
//	share = mean of max x / k
//
// (Poly-EPO fig. 4), so both are unbiased for k independent rollouts. Ties are split equally. The share
// of an answer's votes that are correct is the chance that the vote of a rollout drawn from the winning
// ones is. Both lie in [0, 1], and neither depends on the order of the answers.
type ballot struct {
	n         int           // rollouts of a pool; 0 for a distribution
	classes   []answerClass // incorrect ones first, see close
	abstained float64       // votes for no answer
	total     float64       // all votes: n, or about 1
}

// add adds the votes for one answer.
func (b *ballot) add(votes, correct float64) {
	if votes > 0 {
		b.classes = append(b.classes, answerClass{votes, correct / votes})
	}
}

// close orders the classes by votes and correctness, and not by the names of answers or
// by who came first, so that sums over them have the same bits in any case. Correct classes
// come last, which saves an election most of its work.
func (b *ballot) close() {
	slices.SortFunc(b.classes, func(x, y answerClass) int {
		if (x.right > 0) != (y.right > 0) {
			return cmp.Compare(x.right, y.right)
		}
		return cmp.Or(cmp.Compare(x.votes, y.votes), cmp.Compare(x.right, y.right))
	})
	b.total = b.abstained
	for _, c := range b.classes {
		b.total += c.votes
	}
}

// cap is the most votes that a class can have among k.
func (b *ballot) cap(class, k int) int {
	if b.n == 0 {
		return k
	}
	return min(k, int(b.classes[class].votes))
}

// count is the vote of a whole pool.
func (b *ballot) count() (maj, share float64) {
	highest, ties, right := 0.0, 0.0, 0.0
	for _, c := range b.classes {
		if c.votes > highest {
			highest, ties, right = c.votes, 0, 0
		}
		if c.votes == highest {
			ties++
			right += c.right
		}
	}
	if ties == 0 {
		return 0, 0
	}
	return right / ties, highest / b.total
}
