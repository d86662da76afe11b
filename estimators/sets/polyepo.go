package sets

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

// PolyEPO is the marginal set advantage of the polychromic objective
//
//	f(S) = (mean reward of S) * (number of distinct modes in S) / n
//
// over all C(N, n) sets S of n of a group's N rollouts (Poly-EPO eqs. 8, 10, 11):
//
//	A_i = mean over the sets that contain i of f(S) - mean over all sets of f(S)
//
// in closed form, without enumeration: O(N + clusters) after clustering. There is no division by a
// standard deviation, nor by M = (N-n)/n of the paper's prop. 3.1. Degenerate rollouts, in which
// nothing parses, are in the sets but not in the count of modes. n = 1 gives r_i - mean r for
// non-degenerate rollouts; n = N gives zeros.
//
// SetRL has it as its objective "polychromic".
type PolyEPO struct {
	setAdvantage
	N    int `param:"n" doc:"set size n; training takes groups of more than n, since one set alone gives zeros" min:"1"`
	Sets int `param:"sets" doc:"how many sets to draw, without replacement; 0: all of them. A rollout in no drawn set gets 0" min:"0" max:"65536" late:"0"`
}

func (e *PolyEPO) Requirements() estimators.Requirements {
	return findSetObjective("polychromic").requirements(e.N)
}

func (e *PolyEPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.advantages(dst, b, findSetObjective("polychromic"), e.N, e.Sets)
}

// modeSums holds the modes of a group, and their sums for the closed form.
type modeSums struct {
	clusters estimators.Clusters
	odds     odds
	sums     []float64 // score sum of each cluster
}

// product writes the marginal advantages of f = beta D * sum of the scores r over all sets, where D
// is the number of distinct modes of a set. By linearity, E[f] / beta is the sum over rollouts j
// and clusters c of r_j P(j drawn and c hit), and P(j drawn and c hit) is P(j drawn), less P(j
// drawn and c missed) when j is outside c. The conditional expectation given rollout i is the same
// over the other N-1, where i's own cluster is always hit.
func (e *modeSums) product(dst, scores []float64, set int, beta float64) {
	group := len(scores)
	e.odds.fill(group, set)
	c := &e.clusters
	e.sums = e.sums[:0]
	for range c.Size {
		e.sums = append(e.sums, 0)
	}
	total := 0.0
	for i, r := range scores {
		total += r
		if k := c.Index[i]; k >= 0 {
			e.sums[k] += r
		}
	}
	count := float64(len(c.Size))
	joint := 0.0 // E[f] / beta
	var miss, missWith, missSum float64
	for k, s := range c.Size {
		joint -= float64((total - e.sums[k]) * e.odds.freeWith[s])
		miss += e.odds.miss[s]
		missWith += e.odds.missWith[s]
		missSum += float64(e.odds.missWith[s] * e.sums[k])
	}
	joint += float64(count * total * float64(set) / float64(group))
	pair := 0.0 // P(j drawn | i drawn)
	if group > 1 {
		pair = float64(set-1) / float64(group-1)
	}
	for i, r := range scores {
		missed, with, sum := miss, missWith, missSum
		if k := c.Index[i]; k >= 0 { // i's own cluster is never missed
			s := c.Size[k]
			missed -= e.odds.miss[s]
			with -= e.odds.missWith[s]
			sum -= float64(e.odds.missWith[s] * e.sums[k])
		}
		rest := total - r
		self := float64(r * (count - missed))
		around := float64(rest*count*pair) - float64(rest*with) + sum
		dst[i] = (self + around - joint) * beta
	}
}

// odds holds, for a group of N and sets of n, the chances that a uniformly
// drawn set misses a cluster of each size s = 0..N.
type odds struct {
	group, set int
	// With one given rollout outside the cluster drawn already, n-1 more come from the other N-1:
	miss     []float64 // P(cluster missed)             = C(N-1-s, n-1) / C(N-1, n-1)
	missWith []float64 // P(cluster missed, j also drawn) = C(N-2-s, n-2) / C(N-1, n-1), j another outside it
	// With nothing given:
	free     []float64 // P(cluster missed)          = C(N-s, n) / C(N, n)
	freeWith []float64 // P(cluster missed, j drawn) = C(N-1-s, n-1) / C(N, n), j outside it
}

// fill fills the table unless it already is for that group and set size. Each
// entry follows from the one before by a ratio of binomials.
func (o *odds) fill(group, set int) {
	if o.group == group && o.set == set {
		return
	}
	o.group, o.set = group, set
	o.miss = ratios(o.miss, group, 1, group-1, group-set)
	o.free = ratios(o.free, group, 1, group, group-set)
	o.freeWith = ratios(o.freeWith, group, float64(set)/float64(group), group-1, group-set)
	with := 0.0
	if group > 1 {
		with = float64(set-1) / float64(group-1)
	}
	o.missWith = ratios(o.missWith, group, with, group-2, group-set)
}

// ratios fills dst[s] = first * C(total-s, total-free) / C(total, total-free)
// for s = 0..group: each step multiplies by (free-s)/(total-s).
func ratios(dst []float64, group int, first float64, total, free int) []float64 {
	dst = append(dst[:0], first)
	for s := range group {
		next := 0.0
		if free > s && total > s {
			next = dst[s] * float64(free-s) / float64(total-s)
		}
		dst = append(dst, next)
	}
	return dst
}

var polyEPOLoss = loss.Function{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"}

// Poly-EPO, and GRPO as the paper runs it.
func init() {
	estimators.Register(estimators.AnswerSets, 20, estimators.Method{
		Name: "poly-epo", Summary: "marginal set advantage of mean reward times distinct modes", Trains: true,
		Source:     "Poly-EPO eqs. 8, 10, 11, app. A",
		Estimator:  estimators.From(PolyEPO{N: 4}),
		Loss:       polyEPOLoss,
		Properties: estimators.Properties{Scale: estimators.Linear, ZeroSum: true, MovesEqualRewards: true, Why: "f is a product with the mean reward: a constant is worth its diversity"},
		Target: func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return objectiveTarget(i, findSetObjective("polychromic"), i.Estimator.(*PolyEPO).N, s)
		},
	})
	estimators.Register(estimators.Baselines, 60, estimators.Method{
		Name: "grpo@poly-epo", Summary: "Poly-EPO's baseline: mean only, clip-higher", Trains: true,
		Source:     "Poly-EPO app. A, table 1",
		Estimator:  estimators.From(estimators.Centred),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"},
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Linear, ZeroSum: true, Why: "centred rewards"},
	})
}
