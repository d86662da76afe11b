// Package maclaurin holds the estimators of maximum-likelihood RL beside estimators.MaxRL,
// whose paper and code they come from.
//
// The objective is log p, where p is the chance of a correct answer. Its Maclaurin series
// in the chance of failure, cut off at order T, has the gradient
//
//	sum over k = 1..T of (1-p)^(k-1) grad p = sum over k = 1..T of (1/k) grad pass@k
//
// All but OneSided have a factor 1/N in their advantages: these are weights of a sum over
// the N rollouts of a group, and under a loss that averages over rollouts the step is N
// times smaller than that of other methods. Their learning rate is not that of the others.
package maclaurin

import (
	"fmt"
	"math"

	"modebench/envs"
	"modebench/estimators"
)

// Maclaurin weighs failures by the chance that other failures are drawn with them (Tajwar et al.,
// 2602.02710; tajwarfahim/maxrl, maclaurin.py, read there and not in the paper). With f of the N
// rollouts of a group not correct,
//
//	A_i =  1/N                                          where rollout i is correct
//	A_i = -1/N sum over k = 2..min(T, f) of C(f-1, k-1)/C(N-1, k-1)   for a wrong one
//
// The term of k is the mean over all k-sets of rollouts of minus 1/k if all fail, each member of the set
// having a share; T is at most N. A baseline b adds its own terms for every k from 2 on:
//
//	loo    compares a set with the mean of all others of its size. With
//	       q = C(f, k)/(C(N, k) - 1), q/N for a correct rollout and q (1/N - 1/f) for
//	       another in place of the term above; k = N has one set and keeps the term
//	cross  compares a set with the mean of all that have no member in common with it, which
//	       there are for k <= N/2; larger k keep the term above alone
//
// In expectation "none" and "cross" are the gradient above, to order min(T, N). loo is not, from N = 3
// on: a set shares members with most of the others. At p = 0.3 its step along p is off by -0.35 at N 3
// and T 2, by -0.28 at N 4 and T 2, by -0.76 at N 5 and T 5.
//
// A rollout is correct by the judge's verdict; the code takes a reward above 0.5. Groups that are all
// wrong have -(min(T, N) - 1)/N each without a baseline. A group of one is 1 if correct, else 0.
type Maclaurin struct {
	weighing
	Order    int    `param:"order" doc:"T, the order at which the series ends; above the rollouts of a group it is their number" min:"1" max:"65536" when:"train.group>1"`
	Baseline string `param:"baseline" doc:"what the failure of a set is compared with: nothing; all other sets of its size, which is biased; or those that share no rollout with it" choices:"none,loo,cross" when:"order>1,train.group>2"`
}

func (e *Maclaurin) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.weigh(dst, b, e.weights)
}

// weighing weighs a group's rollouts by their correctness alone.
type weighing struct{ estimators.Groupwise }

func (*weighing) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasCorrect, MinGroup: 1, NoPenalty: true}
}

// weigh fills dst with the weights of correct and of other rollouts, by how many of n are correct.
func (e *weighing) weigh(dst [][]float64, b *estimators.Batch, weights func(n, right int) (ofCorrect, ofOthers float64)) error {
	return e.EachBy(dst, b, e.GatherCorrect, func(dst, correct []float64, _ []*estimators.Rollout) error {
		ofCorrect, ofOthers := weights(len(correct), int(estimators.Total(correct)))
		for i, c := range correct {
			dst[i] = ofOthers
			if c == 1 {
				dst[i] = ofCorrect
			}
		}
		return nil
	})
}

// weights are the advantages of a correct rollout and of another.
func (e *Maclaurin) weights(n, right int) (ofCorrect, ofOthers float64) {
	size, fails := float64(n), n-right
	ofCorrect = 1 / size
	for k := 2; k <= min(e.Order, n); k++ {
		plain := -ratio(fails-1, n-1, k-1) / size
		switch {
		case e.Baseline == "loo" && k < n && fails > 0:
			// C(N, k) may be beyond float64: then the 1 in C(f, k)/(C(N, k) - 1) is below rounding.
			q := ratio(fails, n, k) / (1 - 1/choose(n, k))
			ofCorrect += q / size
			ofOthers += float64(q * (1/size - 1/float64(fails)))
		case e.Baseline == "cross" && 2*k <= n:
			ofCorrect += failing(fails, right-1, n, k) / size
			ofOthers += plain + failing(fails-1, right, n, k)/size
		default:
			ofOthers += plain
		}
	}
	return ofCorrect, ofOthers
}

// failing is the mean, over the sets of k with a certain rollout, of the share of k-sets of
// the n-k others that all fail. Beside that rollout, fails fail and right do not.
func failing(fails, right, n, k int) float64 {
	total := 0.0
	for t := max(0, k-1-right); t <= min(k-1, fails-k); t++ { // failures in the set beside it
		total += float64(within(fails, right, k-1, t) * ratio(fails-t, n-k, k))
	}
	return total
}

// within is C(a, t) C(b, n-t) / C(a+b, n), the chance that n of a+b hold t of the a. It
// takes factors above and below in turn, so that none overflows.
func within(a, b, n, t int) float64 {
	chance := 1.0
	for j := range n {
		// Draw the t first, then the n-t: there are C(n, t) orders.
		if j < t {
			chance *= float64(a-j) * float64(n-j) / (float64(t-j) * float64(a+b-j))
		} else {
			chance *= float64(b-(j-t)) / float64(a+b-j)
		}
	}
	return chance
}

// ratio is C(a, k)/C(n, k) for a <= n, and 0 where a < k.
func ratio(a, n, k int) float64 {
	if a < k {
		return 0
	}
	out := 1.0
	for j := range k {
		out *= float64(a-j) / float64(n-j)
	}
	return out
}

// choose is C(n, k), infinite where float64 has no such number.
func choose(n, k int) float64 {
	out := 1.0
	for j := range min(k, n-k) {
		out = out * float64(n-j) / float64(j+1)
	}
	return out
}

// series is the target of all that weigh by correctness here: the log of the chance of a
// correct answer, cut off at an order that is at most the number of rollouts.
func series(order int, s estimators.TargetSetting) estimators.Target {
	order = min(order, s.Group)
	target := estimators.Target{Name: fmt.Sprintf("pass@k/k to %d", order)}
	for k := 1; k <= order; k++ {
		term := estimators.PassAt(k, s).Terms[0]
		term.Weight = 1 / float64(k)
		target.Terms = append(target.Terms, term)
	}
	return target
}

var byCorrectness = estimators.Properties{
	ShiftInvariant: true, Scale: estimators.Invariant, MovesEqualRewards: true,
	Why: "it looks at correctness, not at rewards",
}

func init() {
	estimators.Register(estimators.AnswerSets, 81, estimators.Method{
		Name: "maclaurin", Summary: "the log of the chance of success as a series of failures, cut off at order T; weights of a sum", Trains: true,
		Source:     "Tajwar et al. 2026 (2602.02710); tajwarfahim/maxrl",
		Estimator:  estimators.From(Maclaurin{Order: 16, Baseline: "none"}),
		Properties: byCorrectness,
		Target: func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return series(i.Estimator.(*Maclaurin).Order, s), nil // loo states it too and misses
		},
	})
}

// VRCond is the conditional mean of the log-probability's gradient over correct rollouts,
// less its mean over all, which reduces the variance (Tajwar et al., 2602.02710;
// tajwarfahim/maxrl, maclaurin.py, vr_cond_weights). With s of N rollouts correct,
//
//	A_i = (N - s)/(s N)   where rollout i is correct
//	A_i = -1/N            for a wrong one
//
// It is estimators.MaxRL under fidelity "paper" and epsilon 0, over N, and in expectation
// the gradient of the series to order N. A rollout is correct by the judge's verdict; the code
// takes a reward above 0.5. Groups that are all correct have 0, those that are all wrong -1/N;
// a group of one is 0 where correct and -1 where not.
type VRCond struct{ weighing }

func (e *VRCond) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.weigh(dst, b, func(n, right int) (ofCorrect, ofOthers float64) {
		return float64(n-right) / float64(max(right, 1)*n), -1 / float64(n)
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 82, estimators.Method{
		Name: "maxrl-vr-cond", Summary: "the mean over correct rollouts less that over all; weights of a sum", Trains: true,
		Source:     "Tajwar et al. 2026 (2602.02710); tajwarfahim/maxrl",
		Estimator:  estimators.From(VRCond{}),
		Properties: byCorrectness,
		Target: func(_ *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return series(s.Group, s), nil
		},
	})
}

// Oversample draws more rollouts than the order of the series (Tajwar et al., 2602.02710;
// tajwarfahim/maxrl, maclaurin.py, oversample_subset_vr_weights): over all sets S of T of a
// group's N rollouts, of which s are correct, n(S) of those in S,
//
//	A_i = mean over S of 1[i in S]/n(S) - beta/N   where rollout i is correct
//	A_i = -beta/N                                  for a wrong one
//
// The mean is sum over j = 1..min(T, s) of C(s-1, j-1) C(N-s, T-j)/(j C(N, T)). At T = N and
// beta 1 it is VRCond. In expectation it is the gradient of the series to order T at any beta,
// which takes the gradient of a constant. A group of fewer than T rollouts is an error.
//
// A rollout is correct by the judge's verdict; the code takes a reward above 0.5. Groups
// that are all correct have (1 - beta)/N, those that are all wrong -beta/N. The default of
// the order is ours: the published scripts take it from whoever runs them.
type Oversample struct {
	weighing
	Order int     `param:"order" doc:"T, the order at which the series ends, at most the rollouts of a group" min:"1" max:"65536"`
	Beta  float64 `param:"beta" doc:"weight of the mean over all rollouts that is subtracted" min:"0"`
}

func (e *Oversample) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasCorrect, MinGroup: e.Order, NoPenalty: true}
}

func (e *Oversample) Advantages(dst [][]float64, b *estimators.Batch) error {
	for g := range b.Groups {
		if n := b.Groups[g].Trained(); n > 0 && n < e.Order {
			return b.InGroup(g, fmt.Errorf("%d rollouts to train on, want at least order = %d: there is no set of as many", n, e.Order))
		}
	}
	return e.weigh(dst, b, e.weights)
}

func (e *Oversample) weights(n, right int) (ofCorrect, ofOthers float64) {
	ofOthers = -e.Beta / float64(n)
	share := 0.0
	for j := 1; j <= min(e.Order, right); j++ {
		if e.Order-j <= n-right {
			share += within(right-1, n-right, e.Order-1, j-1) / float64(j)
		}
	}
	// A set has a certain rollout with the chance T/N.
	return float64(share*float64(e.Order))/float64(n) + ofOthers, ofOthers
}

func init() {
	estimators.Register(estimators.AnswerSets, 83, estimators.Method{
		Name: "maxrl-oversample", Summary: "the mean over the correct rollouts of a set of T, over all such sets; weights of a sum", Trains: true,
		Source:     "Tajwar et al. 2026 (2602.02710); tajwarfahim/maxrl",
		Estimator:  estimators.From(Oversample{Order: 4, Beta: 1}),
		Properties: byCorrectness,
		Target: func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return series(i.Estimator.(*Oversample).Order, s), nil
		},
	})
}

// OneSided divides centred rewards by the root of their mean (tajwarfahim/maxrl,
// core_algos.py, one_sided_grpo):
//
//	A_i = (r_i - mean r) / (sqrt(mean r) + epsilon)
//
// for rewards of 0 or more. Of 0/1 rewards the deviation is sqrt(p (1-p)) and this is its side of
// p: rare success counts more, as in GRPO, and rare failure does not. Unlike its neighbours it
// carries no 1/N. Equal rewards, and so a group of one, which the code refuses, have 0.
type OneSided struct {
	estimators.Groupwise
	Epsilon float64 `param:"epsilon" doc:"added to the root of the mean reward" min:"0"`
}

func (*OneSided) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: 1, TrainGroup: 2, NoPenalty: true}
}

func (e *OneSided) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		for i, r := range rewards {
			if r < 0 {
				return fmt.Errorf("rollout %d has the reward %v, want 0 or more: the root of their mean is divided by", e.Number(i), r)
			}
		}
		estimators.Centre(dst, rewards)
		mean := estimators.Mean(rewards)
		for i, d := range dst {
			if d != 0 {
				dst[i] = d / (math.Sqrt(mean) + e.Epsilon)
			}
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 84, estimators.Method{
		Name: "maxrl-one-sided", Summary: "centred reward over the root of the group's mean reward", Trains: true,
		Source:     "tajwarfahim/maxrl (2602.02710)",
		Estimator:  estimators.From(OneSided{Epsilon: 1e-6}),
		Properties: estimators.Properties{Scale: estimators.Neither, ZeroSum: true, Why: "centred rewards over the root of their mean"},
		Target:     estimators.NoTarget("its division by the root of the group's mean is that of no fixed objective"),
	})
}

// Clipped is MaxRL with a bound on its divisor (tajwarfahim/maxrl, core_algos.py,
// clipped p-normalisation):
//
//	A_i = (r_i - mean r) / max(mean r, floor) / N
//
// with floor 1/8 and no epsilon. It carries 1/N, as its neighbours do. Equal rewards have 0. A
// group of one has 0, or under singleton "raw", as in the code, its reward over the floor: that
// takes 0 for its mean. The code's N is the size of the batch's first group, and here that of each.
type Clipped struct {
	estimators.Groupwise
	Floor     float64 `param:"floor" doc:"the least that centred rewards are divided by" min:"0.000001" when:"train.group>1|singleton=raw"`
	Singleton string  `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward over the floor" choices:"zero,raw" when:"train.group=1"`
}

func (e *Clipped) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		if len(rewards) == 1 {
			dst[0] = 0
			if e.Singleton == "raw" {
				dst[0] = rewards[0] / e.Floor
			}
			return nil
		}
		estimators.Centre(dst, rewards)
		divisor := max(estimators.Mean(rewards), e.Floor) * float64(len(rewards))
		for i := range dst {
			dst[i] /= divisor
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 85, estimators.Method{
		Name: "maxrl-clipped", Summary: "centred reward over the group's mean reward, of at least 1/8; weights of a sum", Trains: true,
		Source:     "tajwarfahim/maxrl (2602.02710)",
		Estimator:  estimators.From(Clipped{Floor: 0.125, Singleton: "zero"}),
		Properties: estimators.Properties{Scale: estimators.Neither, ZeroSum: true, Why: "centred rewards over their mean, of at least 1/8"},
		Target:     estimators.NoTarget("its bound on the group's mean is that of no fixed objective"),
	})
}
