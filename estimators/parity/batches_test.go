package parity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/estimators/loss"
)

// shape names the inputs of a framework's function.
type shape struct {
	Equal       bool // groups of one size, which is at least 2
	OneToken    bool // rollouts of one token
	NotNegative bool // no rewards below 0
	Tenths      bool // groups of equal rewards that are no binary fractions, as 0.1
	Spread      bool // rewards of the batch that are not all equal
	Flat        bool // rewards of the batch that are all equal
	Long        bool // of losses: no rollout without a token
	Near        bool // of losses: policy and reference near one another
}

// draw is a random batch and the same as frameworks.py takes it. Rewards are of several
// kinds, a kind to a group: right and wrong, their signs, one in a few right, all equal,
// fractions, and large. They are multiples of 1/1024, so that sums and means of equal
// rewards are exact, in float32 too: inexact rewards are a row of their own.
func draw(r *rand.Rand, s shape) (*estimators.Batch, map[string]any) {
	for {
		batch, sent := drawAny(r, s)
		rewards := sent["rewards"].([]float64)
		if spread := slices.Max(rewards) > slices.Min(rewards); !s.Spread || spread {
			return batch, sent
		}
	}
}

func drawAny(r *rand.Rand, s shape) (*estimators.Batch, map[string]any) {
	d := 1 + r.IntN(3)
	size := 2 + r.IntN(7)
	weights := make([]float64, d)
	for k := range weights {
		weights[k] = float64(1+r.IntN(8)) / 4
	}
	batch := batchtest.Of()
	batch.Weights = weights
	var rewards, greedy []float64
	var vectors [][]float64
	var tokens, groups []int
	for g := range 1 + r.IntN(5) {
		n := 1 + r.IntN(8)
		if s.Equal {
			n = size
		}
		group := estimators.Group{Problem: fmt.Sprint("p", g), Greedy: float64(r.IntN(3)) / 2}
		component := kinds(r, s)
		for range n {
			one := envs.Verdict{Reward: make([]float64, d)}
			scalar := 0.0
			for k := range one.Reward {
				one.Reward[k] = component()
				scalar += float64(weights[k] * one.Reward[k])
			}
			rollout := estimators.Rollout{Tokens: 1 + r.IntN(12), Train: true, Candidates: []*envs.Verdict{&one}}
			if s.OneToken {
				rollout.Tokens = 1
			}
			group.Rollouts = append(group.Rollouts, rollout)
			rewards, vectors, greedy = append(rewards, scalar), append(vectors, one.Reward), append(greedy, group.Greedy)
			tokens, groups = append(tokens, rollout.Tokens), append(groups, g)
		}
		batch.Groups = append(batch.Groups, group)
	}
	sent := map[string]any{"rewards": rewards, "vectors": vectors, "weights": weights, "greedy": greedy, "tokens": tokens, "groups": groups}
	if s.Equal {
		sent["size"] = size
	}
	return batch, sent
}

// kinds draws what the rewards of a group are like.
func kinds(r *rand.Rand, s shape) func() float64 {
	fraction := func() float64 { return float64(r.IntN(4096)) / 1024 }
	equal := fraction()
	if s.Flat {
		return func() float64 { return 1 }
	}
	if s.Tenths {
		equal = []float64{0.1, 0.7, 0.9}[r.IntN(3)]
		return func() float64 { return equal }
	}
	coin := func() float64 { return float64(r.IntN(2)) }
	all := []func() float64{
		coin,
		func() float64 { return coin() * coin() * coin() },
		func() float64 { return equal },
		fraction,
		func() float64 { return 1000 * coin() },
		func() float64 { return 2*coin() - 1 },
		func() float64 { return 2 - fraction() },
	}
	if s.NotNegative {
		all = all[:5]
	}
	return all[r.IntN(len(all))]
}

// drawTokens is a random minibatch of tokens and the same as padded rows, with numbers that
// must not matter in places without a token. Half of the ratios are beyond the usual clips, and
// some beyond a dual clip of 3.
func drawTokens(r *rand.Rand, s shape) (*loss.Tokens, map[string]any) {
	t := &loss.Tokens{Start: []int{0}}
	const width = 8
	rows := map[string][][]float64{}
	for row := range 2 + r.IntN(5) {
		length := r.IntN(width + 1)
		if (s.Long || row < 2) && length == 0 {
			length = 1
		}
		for _, name := range []string{"mask", "logp", "old", "ref"} {
			rows[name] = append(rows[name], make([]float64, width))
		}
		for k := range width {
			old := -3 * r.Float64()
			apart := 0.4
			if !s.Near && r.IntN(4) == 0 {
				apart = 1.5
			}
			// No log-probability is above 0.
			logp, ref := -math.Abs(old+apart*r.NormFloat64()), -math.Abs(old+0.4*r.NormFloat64())
			rows["logp"][row][k], rows["old"][row][k], rows["ref"][row][k] = logp, old, ref
			if k < length {
				rows["mask"][row][k] = 1
				t.Logp, t.Old, t.Ref = append(t.Logp, logp), append(t.Old, old), append(t.Ref, ref)
			}
		}
		t.Start = append(t.Start, len(t.Logp))
		t.Advantage = append(t.Advantage, 2*r.NormFloat64())
	}
	t.DLogp = make([]float64, len(t.Logp))
	sent := map[string]any{"advantage": t.Advantage}
	for name, of := range rows {
		sent[name] = of
	}
	return t, sent
}

// drawPerToken draws the probability of every token of the batch, certain for one in eight,
// and the sum of the squared probabilities of its distribution. It gives the same as lists,
// one per rollout.
func drawPerToken(r *rand.Rand, batch *estimators.Batch) (logprobs, squares [][]float64) {
	for _, g := range batch.Groups {
		for i := range g.Rollouts {
			own := &estimators.PerToken{}
			for range g.Rollouts[i].Tokens {
				p := 1 - r.Float64()
				if r.IntN(8) == 0 {
					p = 1
				}
				own.Logprob = append(own.Logprob, math.Log(p))
				own.Squares = append(own.Squares, p*p+(1-p)*(1-p)*r.Float64())
			}
			g.Rollouts[i].PerToken = own
			logprobs, squares = append(logprobs, own.Logprob), append(squares, own.Squares)
		}
	}
	return logprobs, squares
}

// drawSampler adds a sampler that is not the old policy to a minibatch and its padded rows. A
// fourth of the tokens are far from 1 in their ratio, so that bounds from a half to 2 act.
func drawSampler(r *rand.Rand, t *loss.Tokens, sent map[string]any) {
	var rows [][]float64
	for s, old := range sent["old"].([][]float64) {
		row := make([]float64, len(old))
		for k := range row {
			apart := 0.2
			if r.IntN(4) == 0 {
				apart = 1.5
			}
			row[k] = -math.Abs(old[k] + apart*r.NormFloat64())
		}
		rows = append(rows, row)
		t.Sampler = append(t.Sampler, row[:t.Start[s+1]-t.Start[s]]...)
	}
	sent["sampler"] = rows
}
