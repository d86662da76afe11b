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

// A ballot is what the rollouts for one problem vote for.
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

// close puts the classes in an order that depends neither on what answers are
// called nor on who came first, so that sums over them do not either, and with the
// correct ones last, which spares an election most of its work.
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
	most, ties, right := 0.0, 0.0, 0.0
	for _, c := range b.classes {
		if c.votes > most {
			most, ties, right = c.votes, 0, 0
		}
		if c.votes == most {
			ties++
			right += c.right
		}
	}
	if ties == 0 {
		return 0, 0
	}
	return right / ties, most / b.total
}
