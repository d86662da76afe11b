package estimators

import (
	"fmt"
	"math"

	"modebench/envs"
)

// ReinforcePP is REINFORCE++ for outcome rewards (Hu et al., 2501.03262):
// no baseline of the group, but a normalisation over all tokens of the batch. The
// reward stands on the last token and is not discounted, so every token of rollout
// i, of l_i tokens, has the return r_i, and
//
//	A_i = (r_i - m) / sqrt(v + epsilon)
//	m = sum_i l_i r_i / L,  v = sum_i l_i (r_i - m)^2 / (L - ddof),  L = sum_i l_i
//
// over the trained rollouts of the whole batch: long rollouts weigh more, groups
// are not independent of one another, and it is over tokens that advantages sum to
// 0. Of a single token, of which verl's code makes an error, the advantage is 0.
//
// The paper writes a deviation without a ddof or an epsilon; epsilon stands inside
// the root, as in verl's code, which adds another 1e-8 to L, and as in OpenRLHF's,
// which takes the larger of v and epsilon. A divergence that is taken from rewards
// (Rollout.Penalty) is summed over the rollout and so the same for all its tokens,
// where the paper gives a token what is still to come.
type ReinforcePP struct {
	groupwise
	DDoF    int     `param:"ddof" doc:"delta degrees of freedom of the deviation over the batch's tokens: 0 as in OpenRLHF and NeMo-RL, 1 as in verl" min:"0" max:"1"`
	Epsilon float64 `param:"epsilon" doc:"added to the variance, inside the root" min:"0"`

	returns []float64 // of all trained rollouts of the batch
	lengths []float64 // and their numbers of tokens
}

// Needs implements Estimator.
func (*ReinforcePP) Needs() Needs {
	return Needs{Fields: envs.HasReward, Facts: HasTokens, MinGroup: 1}
}

// Advantages implements Estimator.
func (e *ReinforcePP) Advantages(dst [][]float64, b *Batch) error {
	return e.whitened(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		copy(dst, rewards)
		return nil
	})
}

// ReinforcePPBaseline is REINFORCE++-baseline: the mean of the group is taken from
// the rewards before REINFORCE++ normalises over the tokens of the batch. A group of
// one has, as in verl's code, the mean 0, or under singleton "zero" its own reward
// as mean.
type ReinforcePPBaseline struct {
	ReinforcePP
	Singleton string `param:"singleton" doc:"what a group of one rollout brings into the normalisation: 0, or its raw reward" choices:"zero,raw"`
}

// Advantages implements Estimator.
func (e *ReinforcePPBaseline) Advantages(dst [][]float64, b *Batch) error {
	centred := GRPO{Scale: "none", Singleton: e.Singleton}
	return e.whitened(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		centred.relative(dst, rewards)
		return nil
	})
}

// whitened normalises what core writes over the tokens of the batch.
func (e *ReinforcePP) whitened(dst [][]float64, b *Batch, core core) error {
	e.returns, e.lengths = e.returns[:0], e.lengths[:0]
	err := e.each(dst, b, func(dst, rewards []float64, rollouts []*Rollout) error {
		if err := e.checkLengths(); err != nil {
			return err
		}
		if err := core(dst, rewards, rollouts); err != nil {
			return err
		}
		e.returns = append(e.returns, dst...)
		for _, r := range rollouts {
			e.lengths = append(e.lengths, float64(r.Tokens))
		}
		return nil
	})
	if err != nil {
		return err
	}
	whiten(e.returns, e.lengths, e.DDoF, e.Epsilon)
	return scatter(dst, b, e.returns)
}

// checkLengths says which of the trained rollouts gathered last has no tokens, where
// its length is its weight.
func (w *groupwise) checkLengths() error {
	for i, r := range w.rollouts {
		if r.Tokens < 1 {
			return fmt.Errorf("rollout %d has %d tokens, want at least 1: rollouts are weighted by length", w.number(i), r.Tokens)
		}
	}
	return nil
}

// whiten replaces xs by (x - mean) / sqrt(variance + epsilon), where both count each
// x weight times. A deviation that is only rounding, or too little weight to have
// one, is no signal: all zeros.
func whiten(xs, weights []float64, ddof int, epsilon float64) {
	total, mean := weightedMean(xs, weights)
	square := 0.0
	for i, x := range xs {
		d := x - mean
		square += float64(weights[i] * float64(d*d))
	}
	variance := square / (total - float64(ddof))
	if total <= float64(ddof) || math.Sqrt(variance) < rounding(xs) {
		clear(xs)
		return
	}
	scale := 1 / math.Sqrt(variance+epsilon)
	if scale == 0 {
		scale = math.NaN() // the squares overflowed: reported, not taken for no signal
	}
	for i, x := range xs {
		xs[i] = (x - mean) * scale
	}
}

// weightedMean is the sum of the weights and sum w_i x_i over it.
func weightedMean(xs, weights []float64) (total, mean float64) {
	for i, x := range xs {
		total += weights[i]
		mean += float64(weights[i] * x)
	}
	return total, mean / total
}
