package estimators

import (
	"cmp"
	"slices"
)

// ranks sums the best of subsets over all subsets of a group, from the group's
// rewards in ascending order: r_0 <= r_1 <= ... by rank.
type ranks struct {
	shares shares
	rest   shares // of the group without one rollout
	order  []ranked
}

// ranked is a reward with its place in the group.
type ranked struct {
	reward float64
	place  int
}

// sort puts the rewards in order, the lowest first, or with sign -1 the highest,
// as negative numbers.
func (o *ranks) sort(rewards []float64, sign float64) {
	o.order = o.order[:0]
	for i, r := range rewards {
		o.order = append(o.order, ranked{sign * r, i})
	}
	slices.SortFunc(o.order, func(a, b ranked) int { return cmp.Compare(a.reward, b.reward) })
}

// credit writes to dst the sum over all subsets of k with i of the best reward,
// over the number of all subsets. Equal rewards get the same bits, the credit of
// the highest rank among them.
func (o *ranks) credit(dst, rewards []float64, k int) {
	o.shares.of(len(rewards), k)
	o.sort(rewards, 1)
	above, s := 0.0, 0.0 // what the ranks above give, and the credit
	for rank := len(o.order) - 1; rank >= 0; rank-- {
		at := o.order[rank]
		if rank == len(o.order)-1 || at.reward != o.order[rank+1].reward {
			s = float64(at.reward*o.shares.own[rank]) + above
		}
		dst[at.place] = s
		above += float64(at.reward * o.shares.above[rank])
	}
}

// climb adds to dst a quantity that is start for the lowest rank and grows by
// (r_i - r_(i-1)) steps[i-1] from a rank to the next: equal rewards get the same
// bits, and nothing cancels.
func (o *ranks) climb(dst []float64, start float64, steps []float64) {
	for rank, at := range o.order {
		if rank > 0 {
			start += float64((at.reward - o.order[rank-1].reward) * steps[rank-1])
		}
		dst[at.place] += start
	}
}

// marginal writes the marginal advantage of the largest reward of sets of n, or
// with sign -1 of the smallest: the mean over the sets with i less the mean over
// all sets. Of the sets with i as the best, those count on the way from one rank
// to the next whose other members lie below both, C(i-1, n-1) of them.
func (o *ranks) marginal(dst, rewards []float64, n int, sign float64) {
	o.shares.of(len(rewards), n)
	o.sort(rewards, sign)
	clear(dst)
	o.climb(dst, 0, o.shares.own)
	mean := mean(dst)
	scale := sign * float64(len(rewards)) / float64(n)
	for i, s := range dst {
		dst[i] = scale * (s - mean)
	}
}

// shares holds, for groups of n and subsets of k, in which share of all subsets
// a rank (from 0, ascending) is the best.
type shares struct {
	n, k  int
	own   []float64 // of those it is in: C(rank, k-1) / C(n, k)
	above []float64 // of those that hold it and a given lower rank: C(rank-1, k-2) / C(n, k)
}

// of fills the tables unless they already are for that n and k. Each entry
// follows from the one above it by a ratio of binomials of at most 1.
func (s *shares) of(n, k int) {
	if s.n == n && s.k == k {
		return
	}
	s.n, s.k = n, k
	s.own, s.above = resize(s.own, n), resize(s.above, n)
	own := float64(k) / float64(n)
	above := 0.0
	if n > 1 {
		above = own * (float64(k-1) / float64(n-1))
	}
	for rank := n - 1; rank >= 0; rank-- {
		s.own[rank], s.above[rank] = own, above
		if rank > 0 {
			own *= float64(max(rank-k+1, 0)) / float64(rank)
		}
		if rank > 1 {
			above *= float64(max(rank-k+1, 0)) / float64(rank-1)
		}
	}
}
