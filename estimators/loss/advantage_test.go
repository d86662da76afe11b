package loss

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// tokenAdvantages are the advantages of tokens by their definitions.
func tokenAdvantages(o Function, t *Tokens) []float64 {
	var out []float64
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		drift := 0.0
		for k := lo; k < hi; k++ {
			drift += (t.Old[k] - t.Logp[k]) / float64(hi-lo)
		}
		for k := lo; k < hi; k++ {
			a := a
			if o.OffPolicyMask > 0 && a < 0 && drift > o.OffPolicyMask {
				a = 0
			}
			if a > 0 {
				a = max(0, a-o.Repo*a*t.Logp[k])
			} else if a < 0 {
				a = min(0, a+o.Repo*a*t.Logp[k])
			}
			out = append(out, a)
		}
	}
	if o.Forking > 0 {
		sorted := slices.Clone(t.Entropy)
		slices.Sort(sorted)
		place := (1 - o.Forking) * float64(len(sorted)-1)
		below, part := math.Modf(place)
		least := (1-part)*sorted[int(below)] + part*sorted[min(int(below)+1, len(sorted)-1)]
		for k, h := range t.Entropy {
			if h < least {
				out[k] = 0
			}
		}
	}
	return out
}

// apart is the minibatch with every token in a sequence of its own, of that advantage.
func apart(t *Tokens, advantage []float64) *Tokens {
	out := *t
	out.Start, out.Advantage, out.Correct = []int{0}, advantage, nil
	for s := range t.Sequences() {
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			out.Start = append(out.Start, k+1)
			out.Correct = append(out.Correct, t.Correct[s])
		}
	}
	out.DLogp, out.DEntropy, out.DKL = rubbish(len(t.Logp)), rubbish(len(t.Logp)), rubbish(len(t.Logp))
	return &out
}

// shaped are the settings that give tokens advantages of their own.
var shaped = []Function{
	{OffPolicyMask: .05}, {OffPolicyMask: 1e-4},
	{Repo: .1}, {Repo: -.4}, {Repo: 2}, {Forking: .2}, {Forking: .6}, {Forking: 1},
	{OffPolicyMask: .05, Repo: .1, Forking: .5},
}

// TestAdvantagesOfTokens: with advantages of tokens the loss and its gradient are those of tokens
// by themselves, each with the advantage that the definitions give it, which has no gradient.
// Under means and sums over all tokens the sequence of a token makes no difference.
func TestAdvantagesOfTokens(t *testing.T) {
	for _, ratio := range []string{"token", "importance", "none", "soft", "truncated", "tapered", "token-tv", "token-kl", "token-move", "importance-tv"} {
		for _, aggregation := range []string{"token-mean", "token-sum"} {
			for _, o := range shaped {
				for seed := range uint64(6) {
					o.Ratio, o.Aggregation, o.TauPos, o.TauNeg = ratio, aggregation, 1, 1.05
					if ratio == "token" || ratio == "importance" || len(ratio) > len("token") && ratio[5] == '-' {
						o.ClipLow, o.ClipHigh = .2, .28
					}
					if err := o.Check(); err != nil {
						t.Fatal(err)
					}
					tokens := ragged(seed)
					plain := Function{Ratio: ratio, Aggregation: aggregation, ClipLow: o.ClipLow, ClipHigh: o.ClipHigh, TauPos: 1, TauNeg: 1.05}
					alone := apart(tokens, tokenAdvantages(o, tokens))
					at := fmt.Sprintf("%+v, batch %d", o, seed)
					near(t, at+": loss", []float64{lossOf(t, o, tokens)}, []float64{lossOf(t, plain, alone)}, 1e-12)
					near(t, at+": gradient", tokens.DLogp, alone.DLogp, 1e-12)
					near(t, at+": of the entropy", tokens.DEntropy, make([]float64, len(tokens.Logp)), 0)
				}
			}
		}
	}
}

// TestMaskOfSequences leaves out the same sequences under ratios of sequences.
func TestMaskOfSequences(t *testing.T) {
	masked := 0
	for _, ratio := range allRatios {
		for _, aggregation := range allAggregations {
			for seed := range uint64(6) {
				o := Function{Ratio: ratio, Aggregation: aggregation, MaxTokens: 7, TauPos: 1, TauNeg: 1.05, OffPolicyMask: .05}
				plain := o
				plain.OffPolicyMask = 0
				tokens, without := ragged(seed), ragged(seed)
				for s := range tokens.Sequences() {
					advantage := tokenAdvantages(o, tokens)
					if lo := tokens.Start[s]; lo < tokens.Start[s+1] && advantage[lo] != tokens.Advantage[s] {
						without.Advantage[s] = 0
						masked += tokens.Start[s+1] - lo
					}
				}
				at := fmt.Sprintf("%s %s, batch %d", ratio, aggregation, seed)
				want := lossOf(t, plain, without)
				near(t, at+": loss", []float64{lossOf(t, o, tokens)}, []float64{want}, 1e-15)
				near(t, at+": gradient", tokens.DLogp, without.DLogp, 1e-15)
				masked -= tokens.Clipped - without.Clipped
			}
		}
	}
	if masked != 0 {
		t.Errorf("%d tokens of masked sequences are not counted as clipped", masked)
	}
}

// TestForkingKeepsItsShare: of n different entropies, those from the quantile on.
func TestForkingKeepsItsShare(t *testing.T) {
	for _, c := range []struct {
		share  float64
		n, min int
		reason string
	}{
		{.2, 10, 2, "the quantile .8 lies between the 8th and the 9th"},
		{.2, 6, 2, "it is the 5th of 6"},
		{.9, 11, 10, "1 - .9 times 10 is a bit less than 1, which is rounding"},
		{.3, 11, 4, "the 8th of 11 and those above"},
		{1, 7, 7, "all"},
		{1e-9, 7, 1, "the highest alone"},
		{.2, 1, 1, "there is but one"},
	} {
		o := Function{Ratio: "token", Aggregation: "token-sum", Forking: c.share}
		logp := make([]float64, c.n)
		tokens := tokensOf([]float64{1}, [][]float64{logp}, nil)
		for k := range logp {
			tokens.Entropy = append(tokens.Entropy, math.Mod(float64(7*k+3), float64(c.n))+.1*float64(k))
		}
		kept := -lossOf(t, o, tokens)
		near(t, c.reason, []float64{kept}, []float64{float64(c.min)}, 0)
	}
	o := Function{Ratio: "token", Aggregation: "token-sum", Forking: .2}
	near(t, "no tokens", []float64{lossOf(t, o, tokensOf([]float64{1}, [][]float64{{}}, nil))}, []float64{0}, 0)
}
