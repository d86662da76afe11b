package loss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// ragged is a minibatch with sequences of lengths 3, 0, 1 and 5, ratios well
// away from the kinks of every clip below, and all inputs present.
func ragged(seed uint64) *Tokens {
	r := rand.New(rand.NewPCG(5, seed))
	t := &Tokens{Start: []int{0, 3, 3, 4, 9}, Groups: []int{0, 2, 4}, Advantage: []float64{0.7, 5, -1.3, r.NormFloat64()}, Correct: []bool{true, false, false, seed%2 == 0}}
	// Differences for which neither a token's nor a sequence's ratio lies near
	// 0.8, 1.2, 1.28 or 3 (checked by the test).
	d := []float64{.1, .4, -.5, 1.5, -.6, .05, -.12, .09, .35}
	r.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
	for k := range d {
		old := -max(d[k], 0) - .01 - 2*r.Float64() // no probability is above 1
		t.Old = append(t.Old, old)
		t.Logp = append(t.Logp, old+d[k])
		t.Ref = append(t.Ref, old+r.NormFloat64())
		t.Entropy = append(t.Entropy, r.Float64())
		t.KL = append(t.KL, r.Float64())
	}
	t.DLogp, t.DEntropy, t.DKL = rubbish(len(d)), rubbish(len(d)), rubbish(len(d))
	return t
}

// nearKink reports whether a log ratio of the minibatch, of a token, a sequence's sum or its mean,
// lies so close to a bound that a central difference would straddle it.
func nearKink(t *Tokens, o Function) bool {
	near := func(d float64) bool {
		if o.Ratio == "geometric" {
			for _, bound := range []float64{-o.ClipLow, o.ClipHigh} {
				if bound != 0 && math.Abs(d-bound) < 1e-3 {
					return true
				}
			}
		}
		for _, bound := range []float64{1 - o.ClipLow, 1 + o.ClipHigh, o.DualClip} {
			if bound > 0 && bound != 1 && math.Abs(math.Exp(d)-bound) < 1e-3 { // at 1 and at 0 it is off
				return true
			}
		}
		return false
	}
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		sum := 0.0
		for k := lo; k < hi; k++ {
			sum += t.Logp[k] - t.Old[k]
			if near(t.Logp[k] - t.Old[k]) {
				return true
			}
		}
		if near(sum) || near(sum/float64(hi-lo)) {
			return true
		}
	}
	for k := range t.Logp {
		p, q := math.Exp(t.Logp[k]), math.Exp(t.Old[k])
		kl := q*math.Log(q/p) + (1-q)*math.Log((1-q+1e-8)/(1-p+1e-8))
		for _, bound := range []float64{o.ClipLow, o.ClipHigh} {
			if !strings.Contains(o.Ratio, "-norm") && strings.Contains(o.Ratio, "-") && (math.Abs(math.Abs(p-q)-bound) < 1e-3 || math.Abs(kl-bound) < 1e-3) {
				return true
			}
		}
	}
	return false
}

// heldRatios are those whose weight is a constant of the gradient.
var heldRatios = []string{"importance", "truncated", "tapered", "gamma", "importance-tv", "importance-kl"}

// slopeOf is the central difference of the loss in one token's log-probability. Where the weight is
// a constant of the gradient, the log-probability it is compared with moves along.
func slopeOf(t *testing.T, o Function, tokens *Tokens, k int) float64 {
	t.Helper()
	if !slices.Contains(heldRatios, o.Ratio) {
		return difference(t, o, tokens, tokens.Logp, k)
	}
	const h = 1e-5
	logp, old := tokens.Logp[k], tokens.Old[k]
	defer func() { tokens.Logp[k], tokens.Old[k] = logp, old }()
	var at [2]float64
	for i, h := range []float64{h, -h} {
		tokens.Logp[k], tokens.Old[k] = logp+h, old+h
		at[i] = lossOf(t, o, tokens)
	}
	return (at[0] - at[1]) / (2 * h)
}

// difference is the central difference of the loss in one entry of an input.
func difference(t *testing.T, o Function, tokens *Tokens, x []float64, k int) float64 {
	t.Helper()
	const h = 1e-5
	at := x[k]
	x[k] = at + h
	up := lossOf(t, o, tokens)
	x[k] = at - h
	down := lossOf(t, o, tokens)
	x[k] = at
	return (up - down) / (2 * h)
}

var (
	allAggregations = []string{"token-mean", "seq-mean-token-mean", "seq-mean-token-sum", "seq-mean-token-sum-norm", "token-sum"}
	allRatios       = []string{
		"token", "sequence", "sequence-norm", "geometric", "importance", "none", "soft", "truncated", "tapered", "gamma",
		"token-tv", "token-kl", "token-move", "importance-tv", "importance-kl",
	}
	// uncut are the ratios that cut nothing off.
	uncut = []string{"none", "soft", "gamma"}
)

// objectives is every combination of aggregation, ratio, divergence and clip that Check takes.
func objectives() []Function {
	var out []Function
	for _, aggregation := range allAggregations {
		for _, ratio := range allRatios {
			for _, kl := range []string{"k1", "k2", "k3", "exact"} {
				for _, clip := range [][3]float64{{0, 0, 0}, {.2, .2, 0}, {.2, .28, 3}, {0, .28, 3}, {.2, 0, 0}, {.03, .04, 0}} {
					for _, coef := range [][2]float64{{0, 0}, {.3, .05}} {
						o := Function{
							ClipLow: clip[0], ClipHigh: clip[1], DualClip: clip[2], Ratio: ratio,
							Aggregation: aggregation, KL: kl, KLCoef: coef[0], EntropyCoef: coef[1], MaxTokens: 7,
							TauPos: 1.3, TauNeg: .8,
						}
						if o.Check() == nil {
							out = append(out, o)
						}
					}
				}
			}
		}
	}
	return out
}

func TestLossGradients(t *testing.T) {
	cut, open := map[string]int{}, map[string]int{}
	for _, o := range objectives() {
		for seed := range uint64(4) {
			tokens := ragged(seed)
			if nearKink(tokens, o) {
				continue
			}
			lossOf(t, o, tokens)
			cut[o.Ratio] += tokens.Clipped
			open[o.Ratio] += len(tokens.Logp) - tokens.Clipped
			dlogp := append([]float64(nil), tokens.DLogp...)
			dentropy := append([]float64(nil), tokens.DEntropy...)
			dkl := append([]float64(nil), tokens.DKL...)
			at := fmt.Sprintf("%+v", o)
			for k := range tokens.Logp {
				near(t, fmt.Sprintf("%s: dL/dlogp[%d]", at, k), dlogp[k:k+1], []float64{slopeOf(t, o, tokens, k)}, 1e-8)
				if o.Want().Entropy {
					near(t, fmt.Sprintf("%s: dL/dentropy[%d]", at, k), dentropy[k:k+1], []float64{difference(t, o, tokens, tokens.Entropy, k)}, 1e-8)
				}
				if o.Want().KL {
					near(t, fmt.Sprintf("%s: dL/dKL[%d]", at, k), dkl[k:k+1], []float64{difference(t, o, tokens, tokens.KL, k)}, 1e-8)
				}
			}
		}
	}
	for _, ratio := range allRatios {
		if least := 300; !slices.Contains(uncut, ratio) && cut[ratio] < least || open[ratio] < least {
			t.Errorf("ratio %s: %d tokens clipped and %d not: the minibatches do not try both", ratio, cut[ratio], open[ratio])
		}
	}
}

// TestWantSaysWhatIsRead: an objective must do without the inputs it does not ask for.
func TestWantSaysWhatIsRead(t *testing.T) {
	asked := [4]int{}
	for _, o := range objectives() {
		tokens := ragged(1)
		want := lossOf(t, o, tokens)
		w := o.Want()
		if !w.Ref {
			tokens.Ref = nil
		} else {
			asked[0]++
		}
		if !w.KL {
			tokens.KL, tokens.DKL = nil, nil
		} else {
			asked[1]++
		}
		if !w.Entropy {
			tokens.Entropy, tokens.DEntropy = nil, nil
		} else {
			asked[2]++
		}
		if !w.Correct {
			tokens.Correct = nil
		} else {
			asked[3]++
		}
		near(t, fmt.Sprintf("%+v", o), []float64{lossOf(t, o, tokens)}, []float64{want}, 0)
	}
	for i, n := range asked {
		if n == 0 {
			t.Errorf("input %d is never asked for", i)
		}
	}
}

// TestLossOverwritesEveryGradient: loss.Tokens promises that DLogp is overwritten, and DEntropy and
// DKL unless they are nil; values that an earlier objective left there must not reach the policy.
func TestLossOverwritesEveryGradient(t *testing.T) {
	for _, o := range objectives() {
		tokens := ragged(2)
		lossOf(t, o, tokens)
		for name, slice := range map[string][]float64{"DLogp": tokens.DLogp, "DEntropy": tokens.DEntropy, "DKL": tokens.DKL} {
			for k, x := range slice {
				if x == 99 {
					t.Fatalf("%+v: %s[%d] is what stood there before", o, name, k)
				}
			}
		}
	}
}

// TestGradientBeyondTheBoundOfTheRatio: the log ratio is bounded at 20, so beyond it the loss is
// flat and its derivative 0, as in the implementations the bound comes from.
func TestGradientBeyondTheBoundOfTheRatio(t *testing.T) {
	for _, ratio := range []string{"token", "sequence", "sequence-norm", "geometric", "soft", "token-tv", "token-kl", "token-move"} {
		for _, a := range []float64{1, -1} {
			for _, d := range []float64{25, -25} {
				o := Function{Ratio: ratio, Aggregation: "token-mean", TauPos: 1, TauNeg: 1}
				tokens := tokensOf([]float64{a}, [][]float64{{d - 30}}, [][]float64{{-30}})
				lossOf(t, o, tokens)
				got := append([]float64(nil), tokens.DLogp...)
				want := difference(t, o, tokens, tokens.Logp, 0)
				near(t, fmt.Sprintf("%s ratio, A=%v, log ratio %v", ratio, a, d), got, []float64{want}, 1e-12)
			}
		}
	}
}

// TestLossAtTheSamplingPolicyIsThePolicyGradient: where nothing has moved yet,
// the derivative is -A times the token's weight in the aggregation.
func TestLossAtTheSamplingPolicyIsThePolicyGradient(t *testing.T) {
	for _, o := range objectives() {
		if o.KLCoef > 0 {
			continue
		}
		tokens := ragged(3)
		copy(tokens.Logp, tokens.Old)
		lossOf(t, o, tokens)
		weights := map[string]func(length int) float64{
			"token-mean":              func(int) float64 { return 1. / 9 },
			"seq-mean-token-mean":     func(n int) float64 { return 1 / float64(3*n) },
			"seq-mean-token-sum":      func(int) float64 { return 1. / 3 },
			"seq-mean-token-sum-norm": func(int) float64 { return 1. / 21 },
			"token-sum":               func(int) float64 { return 1 },
		}
		for s := range tokens.Sequences() {
			n := tokens.Start[s+1] - tokens.Start[s]
			for k := tokens.Start[s]; k < tokens.Start[s+1]; k++ {
				weight := weights[o.Aggregation](n)
				if o.Ratio == "sequence" && (o.Aggregation == "token-mean" || o.Aggregation == "seq-mean-token-mean") {
					weight *= float64(n) // d rho / d logp of each token is the whole rho
				}
				near(t, fmt.Sprintf("%+v token %d", o, k), tokens.DLogp[k:k+1], []float64{-weight * tokens.Advantage[s]}, 1e-15)
			}
		}
	}
}
