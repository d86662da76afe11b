// Package loss holds the one type that a policy's update and an objective exchange. It lies below
// both, so that neither imports the other. Package estimators/loss exports it under the same name.
package loss

import (
	"slices"

	"modebench/internal/exact"
	"modebench/internal/rng"
)

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

	// The answer: the loss and its partial derivatives. The policy owns the slices; the objective
	// overwrites every entry of DLogp, and of DEntropy, DKL and DTop that is not empty.
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

// A Divergence is one between the distribution p that a token is drawn from and the
// reference's, q, over all tokens that are legal there, in nats.
type Divergence int

// The divergences. All are 0 where p = q and above elsewhere.
const (
	Reverse       Divergence = iota // KL(p || q): p keeps away from tokens that q does not choose
	Forward                         // KL(q || p): p keeps doing what q does
	JensenShannon                   // (KL(p || m) + KL(q || m)) / 2 with m = (p + q) / 2, at most log 2
)

// Term is one token's part in the divergence, from its probability p and the logarithms of p and q,
// and push, p times the derivative of that part with respect to p. The derivative of the divergence
// with respect to the logit of token j of a softmax is push_j - p_j sum(push), for any constant
// left out of the derivatives: a constant for all tokens cancels.
func (d Divergence) Term(p, logp, logq float64) (part, push float64) {
	switch d {
	case Forward:
		if q := exact.Exp(logq); q > 0 {
			return float64(q * (logq - logp)), -q
		}
		return 0, 0
	case JensenShannon:
		q := exact.Exp(logq)
		logm := exact.Log((p + q) / 2)
		if p > 0 {
			push = float64(p * (logp - logm) / 2)
		}
		part = push
		if q > 0 {
			part += float64(q * (logq - logm) / 2)
		}
		return part, push
	}
	push = float64(p * (logp - logq))
	return push, push
}

// AppendTop appends the places of the k likeliest tokens of a distribution, the likeliest
// first, from its probabilities and their logarithms. Of ties the first place counts. Tokens of
// probability 0 do not count, so that there may be fewer than k.
func AppendTop[F float32 | float64](dst []int, k int, p, logp []F) []int {
	none := len(dst)
	for j, x := range logp {
		if p[j] == 0 {
			continue
		}
		start := len(dst)
		for start > none && logp[dst[start-1]] < x {
			start--
		}
		if start-none >= k {
			continue
		}
		if len(dst)-none == k {
			dst = dst[:len(dst)-1]
		}
		dst = slices.Insert(dst, start, j)
	}
	return dst
}
