package estimators

import (
	"cmp"
	"math"

	"modebench/envs"
	"modebench/estimators/loss"
	"modebench/internal/exact"
)

// TokenBaseline subtracts a baseline of its own at each place of the answers, which weighs a rollout by
// how far its score has wandered by then (verl's optimal_token_baseline, core_algos.py at 1dda039b):
//
//	A_it = r_i - B_t,   B_t = sum_i r_i W_it / (sum_i W_it + epsilon)
//	W_it = sum over s <= t of (1 - 2 pi_is + sum_v pi_is(v)^2)
//
// over the group's rollouts i that have a token t. pi_is is the probability of token s when it was
// sampled, so the summand is the squared norm of its score in the logits: the baseline of least variance
// if scores of different tokens are orthogonal. B of a lone longest rollout is its own reward from the
// second longest length on. Under tail "zero", as in verl, B is 0 there and A the raw reward, so that a
// constant added to all rewards changes the step.
//
// A rollout's own reward is part of its baseline, with a weight that depends on its tokens, so the
// expected step points a little beside the gradient of the reward. verl's optional importance weights
// are left out, and a summand is at least 0. A group of one has the advantage 0, or under singleton
// "raw", as in verl, its raw reward. A group of equal rewards teaches the tail alone, and by epsilon.
//
// verl's tir_optimal_token_baseline joins the tokens that a mask leaves. Masks have no holes here, so it
// is the same and has no name of its own.
type TokenBaseline struct {
	Groupwise
	Tail      string  `param:"tail" doc:"the baseline of a lone longest rollout beyond the second longest: zero, or own, its reward" choices:"zero,own" when:"train.group>1"`
	Epsilon   float64 `param:"epsilon" doc:"added to the sum of weights" min:"0" when:"train.group>1"`
	Singleton string  `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward" choices:"zero,raw" when:"train.group=1"`

	weights [][]float64 // W of each rollout
	trained [][]float64 // where their advantages go
	tokens  [][][]float64
}

func (*TokenBaseline) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, RolloutFields: RolloutTokens | TokenLogprob | TokenSquares, MinGroup: 1, PerToken: true}
}

// Advantages implements Estimator: the means over tokens.
func (e *TokenBaseline) Advantages(dst [][]float64, b *Batch) error {
	return meansOfTokens(e, &e.tokens, dst, b)
}

func (e *TokenBaseline) TokenAdvantages(dst [][][]float64, b *Batch) error {
	if err := cmp.Or(checkTokenShape(dst, b), checkLists(b, TokenLogprob|TokenSquares)); err != nil {
		return err
	}
	for g := range b.Groups {
		group := &b.Groups[g]
		if _, _, err := e.Gather(group, group.Scalarisation(b)); err != nil {
			return b.InGroup(g, err)
		}
		e.trained = e.trained[:0]
		for i := range dst[g] {
			clear(dst[g][i])
			if group.Rollouts[i].Train {
				e.trained = append(e.trained, dst[g][i])
			}
		}
		if len(e.trained) > 0 {
			e.core(e.trained)
		}
		if err := checkTokens(b, g, dst[g]); err != nil {
			return err
		}
	}
	return nil
}

// core writes the advantages of the tokens of the gathered rollouts.
func (e *TokenBaseline) core(dst [][]float64) {
	if len(dst) == 1 {
		for t := range dst[0] {
			dst[0][t] = singleton(e.Singleton, e.rewards[0])
		}
		return
	}
	longest, second := e.weigh()
	small := Rounding(e.rewards)
	for t := range longest {
		numerator, denominator := 0.0, e.Epsilon
		for i, own := range e.weights {
			if t < len(own) {
				numerator += float64(e.rewards[i] * own[t])
				denominator += own[t]
			}
		}
		baseline := 0.0
		if denominator != 0 && (t < second || e.Tail == "own") {
			baseline = numerator / denominator
		}
		for i, own := range dst {
			if t < len(own) {
				if own[t] = e.rewards[i] - baseline; math.Abs(own[t]) < small {
					own[t] = 0
				}
			}
		}
	}
}

// weigh fills the weights W of the gathered rollouts, and gives the two largest lengths.
func (e *TokenBaseline) weigh() (longest, second int) {
	e.weights = room(e.weights, len(e.rollouts))
	for i, r := range e.rollouts {
		e.weights[i] = Resize(e.weights[i], r.Tokens)
		sum := 0.0
		facts := r.perToken()
		for t := range e.weights[i] {
			p := exact.Exp(facts.Logprob[t])
			sum += max(0, 1-float64(2*p)+facts.Squares[t])
			e.weights[i][t] = sum
		}
		second = max(second, min(longest, r.Tokens))
		longest = max(longest, r.Tokens)
	}
	return longest, second
}

func init() {
	Register(Baselines, 195, Method{
		Name: "token-baseline", Summary: "a baseline for each place of the answers, weighted by the squared scores so far", Trains: true,
		Source:    "verl optimal_token_baseline (1dda039b)",
		Estimator: From(TokenBaseline{Tail: "zero", Epsilon: 1e-8, Singleton: "zero"}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: Properties{
			Scale: Linear, MovesEqualRewards: true,
			Why: "differences of rewards, but for the end of a lone longest rollout, which keeps its reward",
		},
	})
}
