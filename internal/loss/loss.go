// Package loss holds the one type that a policy's update and an objective
// exchange. It lies below both, so that neither imports the other. Package
// estimators/loss exports it under the same name.
package loss

import "modebench/internal/rng"

// Tokens is one minibatch of rollouts flattened token by token: the inputs of an objective,
// from a policy, and its results. Sequence s is the tokens Start[s] <= t < Start[s+1]; all
// other slices but Groups, Advantage, Correct and Stored have one entry per token.
type Tokens struct {
	Start     []int     // len(sequences)+1 offsets
	Groups    []int     // len(groups)+1 offsets: group g, or what a minibatch has of it, is the sequences Groups[g] <= s < Groups[g+1]
	Advantage []float64 // one per sequence
	// TokenAdvantage is one per token, which then counts in place of its sequence's (At);
	// empty: every token has the advantage of its sequence.
	TokenAdvantage []float64
	Correct        []bool // of each sequence, whether its answer is; empty unless asked for
	// Stored marks the sequences that were drawn and kept before training. Their advantage is
	// 0, and Old is the log-probability at that draw. Empty unless asked for.
	Stored []bool
	Key    rng.Key // of the minibatch: the source of the objective's draws

	Logp    []float64 // log-probability under the policy that is being updated
	Old     []float64 // log-probability under the policy that ratios are to: when the token was sampled, or when the step began
	Sampler []float64 // log-probability under what drew the token; empty unless asked for
	Ref     []float64 // log-probability under the frozen reference; empty unless asked for
	Entropy []float64 // entropy of the distribution the token was drawn from; empty unless asked for
	KL      []float64 // divergence of that distribution from the reference's; empty unless asked for
	// Expm1 is exp(Ref - Logp) - 1, which costs more than all else about a token and which a
	// policy that records divergences has; else empty.
	Expm1 []float64
	// Squares is the sum of the squared probabilities of the distribution that the token
	// was drawn from, and Legal the probabilities themselves, of its legal tokens in
	// ascending order; both empty unless asked for.
	Squares []float64
	Legal   [][]float64
	// Likeliest marks whether the token is the likeliest of its distribution, of ties the
	// first; empty unless Want.Top asks for it.
	Likeliest []bool

	// The answer: the loss and its partial derivatives. The policy owns the
	// slices; the objective overwrites every entry of DLogp, and of DEntropy,
	// DKL and DTop that is not empty.
	Loss     float64
	DLogp    []float64
	DEntropy []float64
	DKL      []float64
	// DTop is the derivative with respect to the mean log-probability of the Want.Top likeliest
	// tokens of the distribution that the token was drawn from, by rank as it is now.
	DTop []float64

	Clipped   int // tokens whose ratio the clip cut off
	Corrected int // tokens whose weight a correction truncated or set to 0
}

// At is the advantage of token k, which is one of sequence s.
func (t *Tokens) At(s, k int) float64 {
	if len(t.TokenAdvantage) > 0 {
		return t.TokenAdvantage[k]
	}
	return t.Advantage[s]
}

// Sequences is the number of sequences in the minibatch.
func (t *Tokens) Sequences() int { return len(t.Start) - 1 }

// Want lists the optional inputs that an objective reads.
type Want struct {
	Correct bool // Tokens.Correct
	Stored  bool // Tokens.Stored
	Ref     bool // Tokens.Ref
	Entropy bool // Tokens.Entropy and DEntropy
	Sampler bool // Tokens.Sampler
	KL      bool // Tokens.KL and DKL: the full distribution's divergence
	// Divergence is the kind, if KL.
	Divergence Divergence
	Top        int  // Tokens.Likeliest and DTop: the number of tokens, or all if there are fewer; 0: no tokens
	Squares    bool // Tokens.Squares; no objective does
	Legal      bool // Tokens.Legal; no objective does
}
