package estimators

import (
	"fmt"

	"modebench/envs"
	"modebench/estimators/loss"
)

// ReinforcePP is REINFORCE++ for outcome rewards (Hu et al., 2501.03262): no baseline of the group,
// but a normalisation over all tokens of the batch. The reward falls on the last token and is not
// discounted, so every token of rollout i, of l_i tokens, has the return r_i, and
//
//	A_i = (r_i - m) / sqrt(v + epsilon)
//	m = sum_i l_i r_i / L,  v = sum_i l_i (r_i - m)^2 / (L - ddof),  L = sum_i l_i
//
// over the trained rollouts of the whole batch: long rollouts weigh more, groups
// are not independent of one another, and it is over tokens that advantages sum to
// 0. Of a single token, of which verl's code makes an error, the advantage is 0.
//
// The paper writes a deviation without a ddof or an epsilon; epsilon is inside
// the root, as in verl's code, which adds another 1e-8 to L. OpenRLHF takes the larger
// of v and epsilon, which is reinforce++@openrlhf. A divergence that is taken from rewards
// (Rollout.Penalty) is summed over the rollout and so the same for all its tokens,
// where the paper gives a token what is still to come.
type ReinforcePP struct {
	OverTokens
	DDoF    int     `param:"ddof" doc:"delta degrees of freedom of the deviation over the batch's tokens: 0 as in OpenRLHF and NeMo-RL, 1 as in verl" min:"0" max:"1"`
	Epsilon float64 `param:"epsilon" doc:"added to the variance, inside the root" min:"0"`
}

func (*ReinforcePP) Requirements() Requirements { return Reads(envs.HasReward, RolloutTokens) }

func (e *ReinforcePP) Advantages(dst [][]float64, b *Batch) error {
	return e.Normalised(dst, b, Copied, e.whiten)
}

func (e *ReinforcePP) whiten(returns, lengths []float64) {
	Whiten(returns, lengths, e.DDoF, func(variance float64) float64 { return variance + e.Epsilon })
}

// Copied is the Core whose advantages are the rewards.
func Copied(dst, rewards []float64, _ []*Rollout) error {
	copy(dst, rewards)
	return nil
}

// ReinforcePPBaseline is REINFORCE++-baseline: the mean of the group is taken from the rewards
// before REINFORCE++ normalises over the tokens of the batch. A group of one has, as in verl's
// code, the mean 0, or under singleton "zero" its own reward as mean.
type ReinforcePPBaseline struct {
	ReinforcePP
	Singleton string `param:"singleton" doc:"what a group of one rollout brings into the normalisation: 0, or its raw reward" choices:"zero,raw" when:"train.group=1"`
}

func (e *ReinforcePPBaseline) Advantages(dst [][]float64, b *Batch) error {
	centred := GRPO{Scale: "none", Singleton: e.Singleton}
	return e.Normalised(dst, b, centred.core, e.whiten)
}

// OverTokens normalises one number per rollout over all tokens of a batch. Estimators embed it.
type OverTokens struct {
	Groupwise
	numbers []float64 // of all trained rollouts of the batch
	lengths []float64 // and their numbers of tokens
}

// Normalised collects core's numbers of all rollouts, has normalise replace them, and fills dst.
func (e *OverTokens) Normalised(dst [][]float64, b *Batch, core Core, normalise func(numbers, lengths []float64)) error {
	e.numbers, e.lengths = e.numbers[:0], e.lengths[:0]
	err := e.Each(dst, b, func(dst, rewards []float64, rollouts []*Rollout) error {
		if err := e.CheckLengths(); err != nil {
			return err
		}
		if err := core(dst, rewards, rollouts); err != nil {
			return err
		}
		e.numbers = append(e.numbers, dst...)
		for _, r := range rollouts {
			e.lengths = append(e.lengths, float64(r.Tokens))
		}
		return nil
	})
	if err != nil {
		return err
	}
	normalise(e.numbers, e.lengths)
	return scatter(dst, b, e.numbers)
}

// CheckLengths returns an error for the first gathered rollout without tokens.
func (w *Groupwise) CheckLengths() error {
	for i, r := range w.rollouts {
		if r.Tokens < 1 {
			return fmt.Errorf("rollout %d has %d tokens, want at least 1: rollouts are weighted by length", w.Number(i), r.Tokens)
		}
	}
	return nil
}

// ReinforcePPLoss is PPO's clip with the divergence taken from rewards, as OpenRLHF has it.
var ReinforcePPLoss = loss.Function{
	ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k1", KLCoef: 0.01, KLInReward: true,
}

// ReinforcePPProperties are those of all variants of REINFORCE++.
var ReinforcePPProperties = Properties{
	ShiftInvariant: true, Scale: Invariant, AcrossGroups: true, MovesEqualRewards: true,
	Why: "a z-score of the batch's tokens: over those, not over rollouts, it sums to 0",
}

func init() {
	for i, m := range []Method{{
		// The divergence is k1, in the reward, at OpenRLHF's default weight.
		Name: "reinforce++", Summary: "rewards normalised over all tokens of the batch, KL in the reward",
		Source: "Hu et al. 2025; OpenRLHF", Estimator: From(ReinforcePP{Epsilon: 1e-8}),
	}, {
		Name: "reinforce++-baseline", Summary: "centred rewards normalised over all tokens of the batch, KL in the reward",
		Source:    "Hu et al. 2025; verl core_algos.py (2026-08)",
		Estimator: From(ReinforcePPBaseline{ReinforcePP: ReinforcePP{Epsilon: 1e-8}, Singleton: "raw"}),
	}} {
		m.Trains, m.Loss, m.Properties = true, ReinforcePPLoss, ReinforcePPProperties
		Register(Baselines, 160+10*i, m)
	}
}
