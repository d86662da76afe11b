package estimators

import (
	"cmp"
	"fmt"
	"slices"

	"modebench/envs"
)

// MaxAtK optimises the expected best of k answers (Bagirov et al., 2510.23393,
// on-policy; the same credit is PKPO's s, Walder and Karkhanis, 2505.15201). A
// rollout's credit sums over the k-subsets I of the group's n rollouts
//
//	s_i = C(n, k)^-1 sum over I with i of max over I of r
//
// and the advantage is the group-relative one of the credits: the z-score that
// the former found best. With rewards in ascending order (ranks from 1)
//
//	s_i = r_i C(i-1, k-1) / C(n, k) + sum over j > i of r_j C(j-2, k-2) / C(n, k)
//
// in O(n log n), and no binomial is ever formed. sum_i s_i grad log pi(y_i) is
// an unbiased estimate of the gradient of E[max of k]; with s centred (scale
// "none") it is (n-k)/n times that in expectation, and with the z-score another
// direction.
//
// k = 1 is GRPO (with n times its epsilon, since credits are rewards over n), and k = n gives zeros: every rollout is in the only subset.
type MaxAtK struct {
	GRPO
	K       int `param:"k" doc:"answers of which the best counts; training takes groups of more than k, since one subset alone gives zeros" min:"1"`
	shares  shares
	order   []ranked
	credits []float64
}

// ranked is a reward with its place in the group.
type ranked struct {
	reward float64
	place  int
}

// Needs implements Estimator.
func (e *MaxAtK) Needs() Needs {
	return Needs{Fields: envs.HasReward, MinGroup: e.K, TrainGroup: e.K + 1}
}

// Advantages implements Estimator.
func (e *MaxAtK) Advantages(dst [][]float64, b *Batch) error {
	return e.each(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		if e.K > len(rewards) {
			return fmt.Errorf("k = %d, want at most the %d rollouts of the group", e.K, len(rewards))
		}
		e.credits = resize(e.credits, len(rewards))
		e.credit(e.credits, rewards)
		e.relative(dst, e.credits)
		return nil
	})
}

// credit writes s_i of every rollout to dst. Equal rewards get the same bits,
// the credit of the highest rank among them.
func (e *MaxAtK) credit(dst, rewards []float64) {
	e.shares.of(len(rewards), e.K)
	e.order = e.order[:0]
	for i, r := range rewards {
		e.order = append(e.order, ranked{r, i})
	}
	slices.SortFunc(e.order, func(a, b ranked) int { return cmp.Compare(a.reward, b.reward) })
	above, s := 0.0, 0.0 // what the ranks above give, and the credit
	for rank := len(e.order) - 1; rank >= 0; rank-- {
		at := e.order[rank]
		if rank == len(e.order)-1 || at.reward != e.order[rank+1].reward {
			s = float64(at.reward*e.shares.own[rank]) + above
		}
		dst[at.place] = s
		above += float64(at.reward * e.shares.above[rank])
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
