package sets

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/estimators"
)

// PKPO is pass@k policy optimisation for rewards of any size (Walder and Karkhanis, 2505.15201). Over
// the k-subsets I of a group's n rollouts
//
//	s:     A_i = C(n, k)^-1 sum over I with i of max over I of r
//	loo:   A_i = s_i - b_i / (n-1), b_i = k times the mean over the k-subsets J
//	       without i of max over J of r
//	loo-1: A_i = C(n, k)^-1 sum over I with i of (max over I of r - max over I without i of r)
//
// in O(n log n). Each has the gradient of E[max of k] as its expected sum_i A_i grad log pi(y_i), as
// neither baseline looks at rollout i; nothing is normalised. The paper recommends loo-1, the default.
//
// loo takes groups of more than k, since the others alone must hold a subset of k; equal rewards c give
// -k c / (n (n-1)). loo-1 gives zeros for k of 2 or more. For k = 1 the best of nothing is 0, as pass@0
// is, so that loo-1 is s, r_i over n. For k = n loo-1 gives the best rollout its lead over the second
// best and zeros to the others (Tang et al., 2503.19595; verl's grpo_passk without its deviation).
type PKPO struct {
	estimators.Groupwise
	K       int    `param:"k" doc:"answers of which the best counts" min:"1"`
	Variant string `param:"variant" doc:"the baseline: none (s), over the subsets without the rollout (loo; takes groups of more than k), or over each subset less the rollout (loo-1)" choices:"s,loo,loo-1"`
	ranks   ranks
	less    []float64
}

func (e *PKPO) Requirements() estimators.Requirements {
	least := e.K
	if e.Variant == "loo" {
		least++
	}
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: least}
}

func (e *PKPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		n := len(rewards)
		if err := checkSetSize("k", e.K, n); err != nil {
			return err
		}
		switch {
		case e.Variant == "s":
			e.ranks.credit(dst, rewards, e.K)
		case e.Variant == "loo-1":
			e.ranks.lead(dst, rewards, e.K)
		case e.K == n:
			return fmt.Errorf("k = %d, want less than the %d rollouts of the group: the others have no subset of k", e.K, n)
		default:
			e.ranks.credit(dst, rewards, e.K)
			e.less = estimators.Resize(e.less, n)
			lowest := e.ranks.without(e.less, e.K)
			share := float64(e.K) / float64(n-1)
			for i, less := range e.less {
				dst[i] -= float64(share * (lowest - less))
			}
			estimators.ZeroBelow(dst, estimators.Rounding(rewards))
		}
		return nil
	})
}

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

// sort orders the rewards, the lowest first, or with sign -1 the highest, as negative numbers.
func (o *ranks) sort(rewards []float64, sign float64) {
	o.order = o.order[:0]
	for i, r := range rewards {
		o.order = append(o.order, ranked{sign * r, i})
	}
	slices.SortFunc(o.order, func(a, b ranked) int { return cmp.Compare(a.reward, b.reward) })
}

// credit writes to dst the sum over all subsets of k with i of the best reward, over the number of
// all subsets. Equal rewards get the same bits, the credit of the highest rank among them.
func (o *ranks) credit(dst, rewards []float64, k int) {
	o.shares.fill(len(rewards), k)
	o.sort(rewards, 1)
	above, s := 0.0, 0.0 // the part of the ranks above, and the credit
	for rank := len(o.order) - 1; rank >= 0; rank-- {
		current := o.order[rank]
		if rank == len(o.order)-1 || current.reward != o.order[rank+1].reward {
			s = float64(current.reward*o.shares.best[rank]) + above
		}
		dst[current.place] = s
		above += float64(current.reward * o.shares.above[rank])
	}
}

// lead writes to dst the sum over all subsets of k with i of i's addition to the best, over the
// number of all subsets. Only as the best does i add anything, its lead over the second; the
// lead over rank i-1 counts in every subset whose other members lie below rank i, C(i, k-1) of
// them. The best of an empty set is 0.
func (o *ranks) lead(dst, rewards []float64, k int) {
	o.shares.fill(len(rewards), k)
	o.sort(rewards, 1)
	clear(dst)
	o.climb(dst, o.order[0].reward*o.shares.best[0], o.shares.best[1:])
}

// without is about the best reward of the k-subsets of the other rollouts, k at most their number:
// it returns its mean over all of them where the lowest rank is left out, and writes to dst by how
// much that mean is less where i is. Leaving out rank i in place of rank i-1 replaces r_i by
// r_(i-1). It comes after credit, which orders the rewards.
func (o *ranks) without(dst []float64, k int) float64 {
	o.rest.fill(len(dst)-1, k)
	lowest := 0.0
	for rank, at := range o.order[1:] {
		lowest += float64(at.reward * o.rest.best[rank])
	}
	clear(dst)
	o.climb(dst, 0, o.rest.best)
	return lowest
}

// climb adds to dst a quantity that is start for the lowest rank and grows by (r_i - r_(i-1))
// steps[i-1] from a rank to the next: equal rewards get the same bits, and nothing cancels.
func (o *ranks) climb(dst []float64, start float64, steps []float64) {
	for rank, at := range o.order {
		if rank > 0 {
			start += float64((at.reward - o.order[rank-1].reward) * steps[rank-1])
		}
		dst[at.place] += start
	}
}

// shares is the share of all k-subsets of n in which a rank (from 0, ascending) is the best.
type shares struct {
	n, k  int
	best  []float64 // of those it is in: C(rank, k-1) / C(n, k)
	above []float64 // of those that hold it and a given lower rank: C(rank-1, k-2) / C(n, k)
}

// fill fills the tables unless they already are for that n and k. Each entry
// follows from the one above it by a ratio of binomials of at most 1.
func (s *shares) fill(n, k int) {
	if s.n == n && s.k == k {
		return
	}
	s.n, s.k = n, k
	s.best, s.above = estimators.Resize(s.best, n), estimators.Resize(s.above, n)
	best := float64(k) / float64(n)
	above := 0.0
	if n > 1 {
		above = best * (float64(k-1) / float64(n-1))
	}
	for rank := n - 1; rank >= 0; rank-- {
		s.best[rank], s.above[rank] = best, above
		if rank > 0 {
			best *= float64(max(rank-k+1, 0)) / float64(rank)
		}
		if rank > 1 {
			above *= float64(max(rank-k+1, 0)) / float64(rank-1)
		}
	}
}

// maxTarget is the largest reward of as many answers as a field has.
func maxTarget(size func(e estimators.Estimator, group int) int) estimators.TargetOf {
	return func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
		k := size(i.Estimator, s.Group)
		return i.Best(fmt.Sprintf("max@%d", k), k, s)
	}
}

func init() {
	estimators.Register(estimators.AnswerSets, 50, estimators.Method{
		// The paper trains with several k and prefers none; the objective is no part of its claim.
		Name: "pkpo", Summary: "the gradient of the expected best of k, by leave-one-out baselines", Trains: true,
		Source:     "Walder and Karkhanis 2025 (2505.15201)",
		Estimator:  estimators.From(PKPO{K: 4, Variant: "loo-1"}),
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Linear, Why: "leads over the second best of a subset, all 0 or more"},
		Target:     maxTarget(func(e estimators.Estimator, _ int) int { return e.(*PKPO).K }),
	})
}

// PassN is the marginal set advantage of the best answer of n (Poly-EPO sec. 5.1,
// whose pass@n objective is the largest reward),
//
//	A_i = mean over the sets of n that contain i of max r - mean over all of max r
//
// over all sets of n of a group's N rollouts, in O(N log N). With 0/1 rewards and a chance p of a
// correct answer, the advantage of a correct one estimates (1-p)^n and that of a wrong one (1-p)^n
// - (1-p)^(n-1): wrong answers never gain. n = 1 gives r_i - mean r; n = N gives zeros.
//
// SetRL has it as its objective "max".
type PassN struct {
	setAdvantage
	N int `param:"n" doc:"set size n; training takes groups of more than n, since one set alone gives zeros" min:"1"`
}

func (e *PassN) Requirements() estimators.Requirements {
	return findSetObjective("max").requirements(e.N)
}

func (e *PassN) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.advantages(dst, b, findSetObjective("max"), e.N, 0)
}

// marginal writes the marginal advantage of the largest reward of sets of n, or
// with sign -1 of the smallest: the mean over the sets with i less the mean over
// all sets. Of the sets with i as the best, those count on the way from one rank
// to the next whose other members lie below both, C(i-1, n-1) of them.
func (o *ranks) marginal(dst, rewards []float64, n int, sign float64) {
	o.shares.fill(len(rewards), n)
	o.sort(rewards, sign)
	clear(dst)
	o.climb(dst, 0, o.shares.best)
	mean := estimators.Mean(dst)
	scale := sign * float64(len(rewards)) / float64(n)
	for i, s := range dst {
		dst[i] = scale * (s - mean)
	}
}

func init() {
	estimators.Register(estimators.AnswerSets, 40, estimators.Method{
		Name: "pass-n", Summary: "marginal set advantage of the best of n", Trains: true,
		Source:     "Poly-EPO sec. 5.1",
		Estimator:  estimators.From(PassN{N: 4}),
		Loss:       polyEPOLoss,
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Linear, ZeroSum: true, Why: "differences of largest rewards"},
		Target:     maxTarget(func(e estimators.Estimator, _ int) int { return e.(*PassN).N }),
	})
}

// MaxAtK optimises the expected best of k answers (Bagirov et al., 2510.23393, on-policy; the same
// credit is PKPO's s). A rollout's credit sums over the k-subsets I of the group's n rollouts
//
//	s_i = C(n, k)^-1 sum over I with i of max over I of r
//
// and the advantage is the group-relative one of the credits: the z-score that the paper found best.
// With rewards in ascending order (ranks from 1)
//
//	s_i = r_i C(i-1, k-1) / C(n, k) + sum over j > i of r_j C(j-2, k-2) / C(n, k)
//
// sum_i s_i grad log pi(y_i) is an unbiased estimate of the gradient of E[max of k]; with s centred
// (scale "none") it is (n-k)/n times that in expectation, and with the z-score another direction. k = 1
// is GRPO (with n times its epsilon, since credits are rewards over n), and k = n gives zeros.
//
// k = 0 is max(2, n/2), rounded down, as in VPO's published code (ryanboldi/vpo at 767db79f,
// compute_max_at_k_outcome_advantage), which divides by the sample deviation.
type MaxAtK struct {
	estimators.GRPO
	K       int `param:"k" doc:"answers of which the best counts, 0: half of the group, but 2 at least; training takes groups of more than k, since one subset alone gives zeros" min:"0"`
	ranks   ranks
	credits []float64
}

func (e *MaxAtK) Requirements() estimators.Requirements {
	k := e.size(0)
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: k, TrainGroup: k + 1}
}

// size is k in groups of n.
func (e *MaxAtK) size(n int) int {
	if e.K == 0 {
		return max(2, n/2)
	}
	return e.K
}

func (e *MaxAtK) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		k := e.size(len(rewards))
		if err := checkSetSize("k", k, len(rewards)); err != nil {
			return err
		}
		e.credits = estimators.Resize(e.credits, len(rewards))
		e.ranks.credit(e.credits, rewards, k)
		e.Relative(dst, e.credits)
		return nil
	})
}

func init() {
	paper := estimators.Method{
		// VPO gives no k for its runs.
		Name: "max-at-k", Summary: "z-score of the credit for the best of k", Trains: true,
		Source:     "Bagirov et al. 2025; VPO sec. 4.2",
		Estimator:  estimators.From(MaxAtK{GRPO: estimators.ZScore, K: 4}),
		Loss:       estimators.VPOLoss,
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, Why: "a z-score of credits in which a constant has the share k/n"},
		Target:     maxTarget(func(e estimators.Estimator, group int) int { return e.(*MaxAtK).size(group) }),
	}
	estimators.Register(estimators.AnswerSets, 70, paper)
	code := paper
	code.Name, code.Summary, code.Source = "max-at-k@code", "VPO's code: sample deviation, the best of half of the group", "ryanboldi/vpo at 767db79f, core_algos.py"
	code.Estimator = estimators.From(MaxAtK{GRPO: estimators.SampleZScore})
	estimators.Register(estimators.AnswerSets, 75, code)
}

// PassKTraining is the analytical advantage of pass@k training (Chen et al.,
// 2508.10751). With c of a group's N rollouts correct, W wrong and
//
//	rho = 1 - C(W, k) / C(N, k),  sd = sqrt(rho (1 - rho))
//
// the estimate of pass@k and the deviation of a set's reward, a correct rollout has
// the advantage (1 - rho) / (sd + epsilon), and a wrong one
//
//	(1 - rho - C(W-1, k-1) / C(N-1, k-1)) / (sd + epsilon)
//
// in O(N), without forming binomials. Times sd + epsilon it is the marginal set
// advantage of "any of k correct" (SetRL's objective "pass"). Groups whose sets of
// k all do or all do not hold a correct rollout get zeros. It looks at correctness
// alone, as the published code takes rewards of 0 and 1 only.
type PassKTraining struct {
	estimators.Groupwise
	K       int     `param:"k" doc:"answers of which any is to be correct; training takes groups of more than k, since one set alone gives zeros" min:"1"`
	Epsilon float64 `param:"epsilon" doc:"added to the deviation of a set's reward" min:"0"`
	odds    odds
}

func (e *PassKTraining) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasCorrect, MinGroup: e.K, TrainGroup: e.K + 1, NoPenalty: true}
}

func (e *PassKTraining) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.EachBy(dst, b, e.GatherCorrect, func(dst, correct []float64, _ []*estimators.Rollout) error {
		if err := checkSetSize("k", e.K, len(correct)); err != nil {
			return err
		}
		e.odds.fill(len(correct), e.K)
		c := countOnes(correct)
		failed := e.odds.free[c] // 1 - rho: all k are drawn past the c correct ones
		sd := math.Sqrt(failed * (1 - failed))
		if sd < estimators.Tiny {
			clear(dst)
			return nil
		}
		for i, x := range correct {
			dst[i] = failed
			if x == 0 {
				dst[i] -= e.odds.miss[c]
			}
			dst[i] /= sd + e.Epsilon
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 60, estimators.Method{
		// The published code is an advantage for verl, without a loss.
		Name: "passk-training", Summary: "analytical advantage of pass@k with set rewards over their deviation", Trains: true,
		Source:     "Chen et al. 2025 (2508.10751)",
		Estimator:  estimators.From(PassKTraining{K: 4, Epsilon: 1e-6}),
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, Why: "it looks at correctness, not at rewards"},
		Target: func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return estimators.PassAt(i.Estimator.(*PassKTraining).K, s), nil
		},
	})
}
