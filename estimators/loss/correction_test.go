package loss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// distribution draws one over n tokens.
func distribution(r *rand.Rand, n int) []float64 {
	out, sum := make([]float64, n), 0.0
	for i := range out {
		out[i] = math.Exp(r.NormFloat64())
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// of is a minibatch of one sequence, just before the first update of a step.
func of(advantage float64, pi, mu []float64) *Tokens {
	t := tokensOf([]float64{advantage}, [][]float64{logs(pi)}, nil)
	t.Sampler = logs(mu)
	return t
}

func logs(p []float64) (out []float64) {
	for _, x := range p {
		out = append(out, math.Log(x))
	}
	return out
}

// addScore adds to a gradient by logits weight times that of log pi(a).
func addScore(gradient, pi []float64, a int, weight float64) {
	for j, p := range pi {
		gradient[j] -= weight * p
	}
	gradient[a] += weight
}

func largestOff(a, b []float64) (most float64) {
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// TestCorrectionIsUnbiasedOnABandit: with answers of one token, importance weights without a bound
// make the expected step, over what a sampler of other probabilities draws, the one over what the
// policy itself draws. Without them it is another. The expectations are exact, over all answers.
func TestCorrectionIsUnbiasedOnABandit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, ratio := range []string{"token", "sequence", "sequence-norm", "geometric", "importance", "none"} {
		for range 20 {
			pi, mu, advantage := distribution(r, 5), distribution(r, 5), make([]float64, 5)
			want, got, plain := make([]float64, 5), make([]float64, 5), make([]float64, 5)
			for a := range advantage {
				advantage[a] = r.NormFloat64()
				addScore(want, pi, a, -pi[a]*advantage[a])
				for _, c := range []struct {
					into []float64
					by   Correction
				}{{got, Correction{TIS: 1e8}}, {plain, Correction{}}} {
					o := Function{Ratio: ratio, Aggregation: "seq-mean-token-mean", Correction: c.by}
					tokens := of(advantage[a], pi[a:a+1], mu[a:a+1])
					lossOf(t, o, tokens)
					addScore(c.into, pi, a, mu[a]*tokens.DLogp[0])
				}
			}
			// Under geometric each weight is raised by 1e-10.
			if off := largestOff(want, got); off > 1e-8 || ratio != "geometric" && off > 1e-13 {
				t.Errorf("%s: the expected step is %v, want %v", ratio, got, want)
			}
			if largestOff(want, plain) < 1e-3 {
				t.Errorf("%s: without a correction the expected step is right, too", ratio)
			}
		}
	}
}

// TestCorrectionOfSequences: with answers of two tokens it takes the weight of the whole
// sequence; weights of single tokens leave a bias.
func TestCorrectionOfSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 3
	for range 20 {
		first, drawn := distribution(r, n), distribution(r, n)
		var second, drawnSecond [n][]float64
		for a := range n {
			second[a], drawnSecond[a] = distribution(r, n), distribution(r, n)
		}
		// Logits of the first token, then those of the second behind each first one.
		want, whole, single := make([]float64, n+n*n), make([]float64, n+n*n), make([]float64, n+n*n)
		add := func(into []float64, a, b int, first1, second1 float64) {
			addScore(into[:n], first, a, first1)
			addScore(into[n+a*n:n+a*n+n], second[a], b, second1)
		}
		for a := range n {
			for b := range n {
				advantage := r.NormFloat64()
				p, mu := first[a]*second[a][b], drawn[a]*drawnSecond[a][b]
				add(want, a, b, -p*advantage, -p*advantage)
				for _, c := range []struct {
					into []float64
					by   Correction
				}{{whole, Correction{TIS: 1e8, BySequence: true}}, {single, Correction{TIS: 1e8}}} {
					o := Function{Ratio: "token", Aggregation: "seq-mean-token-sum", Correction: c.by}
					tokens := of(advantage, []float64{first[a], second[a][b]}, []float64{drawn[a], drawnSecond[a][b]})
					lossOf(t, o, tokens)
					add(c.into, a, b, mu*tokens.DLogp[0], mu*tokens.DLogp[1])
				}
			}
		}
		if off := largestOff(want, whole); off > 1e-13 {
			t.Errorf("by sequence the expected step is off by %v", off)
		}
		if largestOff(want, single) < 1e-3 {
			t.Error("by token the expected step is right, too")
		}
	}
}

// TestCorrectionWeights: two sequences, of ratios 1/2, 4 and of 1, 10, 1/8 to the sampler.
// In the update the policy has moved, so that the ratios of bound are twice as large.
func TestCorrectionWeights(t *testing.T) {
	for _, c := range []struct {
		reason string
		by     Correction
		want   []float64
		cut    int
	}{
		{"off", Correction{}, nil, 0},
		{"slime's and verl's usual bound", Correction{TIS: 2}, []float64{.5, 2, 1, 2, .125}, 2},
		{"of whole sequences", Correction{TIS: 1.5, BySequence: true}, []float64{1.5, 1.5, 1.25, 1.25, 1.25}, 2},
		{"IcePop", Correction{IcePopLow: .5, IcePopHigh: 5}, []float64{.5, 4, 1, 0, 0}, 2},
		{"IcePop by sequence", Correction{IcePopLow: .5, IcePopHigh: 1.5, BySequence: true}, []float64{0, 0, 1.25, 1.25, 1.25}, 2},
		{"prime-rl's bounds", Correction{BoundLow: .5, BoundHigh: 9}, []float64{1, 1, 1, 0, 0}, 2},
		{"a veto of a sequence", Correction{TIS: 2, Veto: .2}, []float64{.5, 2, 0, 0, 0}, 4},
		{"a veto is of the token, not of the product", Correction{TIS: 2, BySequence: true, Veto: .6}, []float64{0, 0, 0, 0, 0}, 5},
	} {
		tokens := of(1, []float64{.1, .1, .1, .1, .1}, []float64{.2, .025, .1, .01, .8})
		tokens.Start, tokens.Advantage = []int{0, 2, 2, 5}, []float64{1, 3, -1}
		for k := range tokens.Logp {
			tokens.Logp[k] += math.Log(2)
		}
		o := Function{Ratio: "none", Aggregation: "token-mean", Correction: c.by}
		lossOf(t, o, tokens)
		for k, w := range c.want {
			a := []float64{1, 1, -1, -1, -1}[k]
			near(t, fmt.Sprintf("%s: slope of token %d", c.reason, k), tokens.DLogp[k:k+1], []float64{-w * a / 5}, 1e-12)
		}
		if tokens.Corrected != c.cut {
			t.Errorf("%s: %d weights were changed, want %d", c.reason, tokens.Corrected, c.cut)
		}
	}
}

// TestCorrectionGradient: slopes are those of the weighted loss, whose weights are constants.
// A sequence-norm ratio has GSPO's slopes, where each token has its own weight.
func TestCorrectionGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, ratio := range []string{"token", "sequence", "geometric", "none"} {
		for _, aggregation := range []string{"token-mean", "seq-mean-token-mean", "seq-mean-token-sum"} {
			for _, by := range []Correction{{TIS: 1.2}, {TIS: 1.2, BySequence: true}, {IcePopLow: .6, IcePopHigh: 2}, {TIS: 3, Veto: .3}} {
				o := Function{ClipLow: .2, ClipHigh: .28, Ratio: ratio, Aggregation: aggregation, KL: "k3", KLCoef: .1, EntropyCoef: .02, Correction: by}
				if ratio == "none" {
					o.ClipLow, o.ClipHigh = 0, 0
				}
				tokens := ragged(11)
				if nearKink(tokens, o) {
					t.Fatal("the minibatch lies at a kink")
				}
				for _, old := range tokens.Old {
					tokens.Sampler = append(tokens.Sampler, old+r.NormFloat64()/2)
				}
				for k := range tokens.Logp {
					want := slopeOf(t, o, tokens, k)
					lossOf(t, o, tokens)
					near(t, fmt.Sprintf("%s, %s, %+v: slope of token %d", ratio, aggregation, by, k), tokens.DLogp[k:k+1], []float64{want}, 1e-7)
				}
			}
		}
	}
}

// TestCorrectionOfNothing: where the sampler is the old policy, no bit of a loss moves.
func TestCorrectionOfNothing(t *testing.T) {
	for _, ratio := range []string{"token", "sequence", "sequence-norm", "importance", "none"} {
		for _, by := range []Correction{{TIS: 2}, {TIS: 2, BySequence: true}, {IcePopLow: .5, IcePopHigh: 2, Veto: .1}} {
			o := Function{Ratio: ratio, Aggregation: "token-mean", KL: "k2", KLCoef: .1}
			tokens := ragged(3)
			want := lossOf(t, o, tokens)
			slopes, entropy := slices.Clone(tokens.DLogp), slices.Clone(tokens.DEntropy)
			o.Correction = by
			tokens.Sampler = slices.Clone(tokens.Old)
			if got := lossOf(t, o, tokens); got != want || !slices.Equal(slopes, tokens.DLogp) || !slices.Equal(entropy, tokens.DEntropy) || tokens.Corrected != 0 {
				t.Errorf("%s, %+v: loss %v and %d corrected, want %v and none", ratio, by, got, tokens.Corrected, want)
			}
		}
	}
}

// TestCorrectionSparesOtherTerms: a token that is left out of the policy term keeps its divergence.
func TestCorrectionSparesOtherTerms(t *testing.T) {
	tokens := ragged(3)
	tokens.Sampler = slices.Clone(tokens.Old)
	o := Function{Ratio: "token", Aggregation: "token-mean", KL: "k2", KLCoef: .1, Correction: Correction{IcePopLow: 2, IcePopHigh: 3}}
	got, slopes := lossOf(t, o, tokens), slices.Clone(tokens.DLogp)
	o.Correction = Correction{}
	tokens.Advantage = make([]float64, len(tokens.Advantage))
	if want := lossOf(t, o, tokens); math.Abs(got-want) > 1e-15 || largestOff(slopes, tokens.DLogp) > 1e-15 {
		t.Errorf("without a policy term the loss is %v, want that of the divergence, %v", got, want)
	}
}

// TestCorrectionMistakes: contradictions are refused, and so is a minibatch without
// the sampler's log-probabilities.
func TestCorrectionMistakes(t *testing.T) {
	for _, c := range []struct {
		by   Correction
		want string
	}{
		{Correction{TIS: 1, IcePopHigh: 2}, "alternatives"},
		{Correction{TIS: 1, BoundHigh: 2}, "alternatives"},
		{Correction{IcePopLow: 2, IcePopHigh: 2}, "below icepop_high"},
		{Correction{BoundLow: 3, BoundHigh: 2}, "below bound_high"},
	} {
		o := Function{Ratio: "token", Aggregation: "token-mean", Correction: c.by}
		wantError(t, o.Check(), c.want)
	}
	o := Function{Ratio: "token", Aggregation: "token-mean", Correction: Correction{TIS: 1}}
	wantError(t, o.Evaluate(ragged(1)), "log-probability of each token")
}
