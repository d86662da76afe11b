package metrics

import (
	"cmp"
	"slices"
)

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
