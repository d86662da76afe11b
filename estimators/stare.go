package estimators

import (
	"cmp"
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/estimators/loss"
)

// STARE weighs the most surprising tokens while the policy's entropy is low (2606.19236, secs. 4.1-4.3;
// hp-luo/STARE at bffb9e7, verl/trainer/ppo/core_algos.py, compute_stare_token_weights, and
// recipe/STARE/stare_ray_trainer.py):
//
//	A_it = amplify A_i    of the share of tokens with A_i > 0 that were the least likely
//	A_it = attenuate A_i  of the share of tokens with A_i < 0 that were the least likely
//	A_it = A_i            of the others, and of all where the mean entropy of a token is gate or more
//
// A_i is the z-score with ddof 1. Each share is of the batch's tokens of that sign, rounded up. Of
// equally likely tokens the first counts. attenuate 1 is the paper's O1, the default, and 0.9 its C2.
//
// The code weighs the clipped loss of a token, which is the same, since weights are above 0. It takes
// log-probabilities of the policy as it is being updated, within a minibatch; here they are those
// of sampling, for all updates from the batch. So both agree in the first update of an undivided
// batch. The schedule of weights (sec. 4.4), off by default there, is left out. A group of one
// follows singleton.
type STARE struct {
	GRPO
	Share     float64 `param:"share" doc:"the share of tokens of either sign of advantage, the least likely ones, that is weighed" min:"0" max:"1" when:"gate>0"`
	Amplify   float64 `param:"amplify" doc:"weight of those with a positive advantage" min:"0" when:"gate>0,share>0"`
	Attenuate float64 `param:"attenuate" doc:"weight of those with a negative advantage" min:"0" when:"gate>0,share>0"`
	Gate      float64 `param:"gate" doc:"the mean entropy of a batch's tokens, in nats, from which on nothing is weighed" min:"0" when:"share>0"`

	base    [][]float64
	tokens  [][][]float64
	up, low []placed
}

// placed is the advantage of a token in a result, with the token's log-probability.
type placed struct {
	advantage *float64
	logprob   float64
}

func (*STARE) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, RolloutFields: RolloutTokens | TokenLogprob | TokenEntropy, MinGroup: 1, PerToken: true}
}

// Advantages implements Estimator: the means over tokens.
func (e *STARE) Advantages(dst [][]float64, b *Batch) error {
	return meansOfTokens(e, &e.tokens, dst, b)
}

func (e *STARE) TokenAdvantages(dst [][][]float64, b *Batch) error {
	if err := cmp.Or(checkTokenShape(dst, b), checkLists(b, TokenLogprob|TokenEntropy)); err != nil {
		return err
	}
	e.base = shapeRollouts(e.base, b)
	if err := e.GRPO.Advantages(e.base, b); err != nil {
		return err
	}
	e.up, e.low = e.up[:0], e.low[:0]
	entropy, n := 0.0, 0
	for g := range dst {
		for i, own := range dst[g] {
			r, a := &b.Groups[g].Rollouts[i], e.base[g][i]
			facts := r.perToken()
			for t := range own {
				if h := facts.Entropy[t]; !finite(h, 0) {
					return b.InGroup(g, fmt.Errorf("rollout %d: token %d has the entropy %v, want 0 or more", i, t, h))
				}
				own[t] = a
				switch {
				case a > 0:
					e.up = append(e.up, placed{&own[t], facts.Logprob[t]})
				case a < 0:
					e.low = append(e.low, placed{&own[t], facts.Logprob[t]})
				}
				if r.Train {
					entropy += facts.Entropy[t]
					n++
				}
			}
		}
	}
	if n > 0 && entropy/float64(n) < e.Gate {
		e.weigh(e.up, e.Amplify)
		e.weigh(e.low, e.Attenuate)
	}
	for g := range dst {
		if err := checkTokens(b, g, dst[g]); err != nil {
			return err
		}
	}
	return nil
}

// weigh multiplies the advantages of the share of tokens that were the least likely.
func (e *STARE) weigh(tokens []placed, factor float64) {
	const up = 0.999999 // as the code rounds up
	slices.SortStableFunc(tokens, func(x, y placed) int { return cmp.Compare(x.logprob, y.logprob) })
	count := int(float64(float64(len(tokens))*e.Share) + up)
	for _, token := range tokens[:min(count, len(tokens))] {
		*token.advantage *= factor
	}
}

func init() {
	Register(EntropyControl, 540, Method{
		Name: "stare", Summary: "DAPO whose least likely tokens of good answers weigh more while the entropy is low", Trains: true,
		Source:    "STARE 2026 (2606.19236), secs. 4.1-4.3; hp-luo/STARE (2026-06)",
		Estimator: From(STARE{GRPO: SampleZScore, Share: 0.1, Amplify: 1.1, Attenuate: 1, Gate: 0.3}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.28, DualClip: 10, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Protocol:  Protocol{Generations: 10},
		Properties: Properties{
			ShiftInvariant: true, Scale: Invariant, AcrossGroups: true, OrderMatters: true,
			Why: "a z-score, times weights of tokens that go by their log-probabilities",
		},
		Target: NoTarget("its advantages depend on the policy's own log-probabilities and entropies"),
	})
}
