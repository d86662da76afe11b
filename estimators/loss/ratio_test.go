package loss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// policyLoss is the policy term of every ratio written down naively, token by
// token as implementations with automatic differentiation do: a loss for each
// token, then the aggregation. Factors without a gradient (a weight of importance, the
// sequence's ratio in GSPO's token form) are computed from held, the rest from logp.
func policyLoss(o Function, t *Tokens, logp, held []float64) float64 {
	losses := make([][]float64, t.Sequences())
	clip := func(a, rho float64) float64 {
		l := -a * rho
		low, high := 1-o.ClipLow, 1+o.ClipHigh
		if o.ClipLow == 0 {
			low = 0
		}
		if o.ClipHigh == 0 {
			high = math.Inf(1)
		}
		if a != 0 {
			l = max(l, -a*min(max(rho, low), high))
		}
		if a < 0 && o.DualClip > 0 {
			l = min(l, -a*o.DualClip)
		}
		return l
	}
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		n := float64(hi - lo)
		sum, heldSum, cut := 0.0, 0.0, 0.0
		for k := lo; k < hi; k++ {
			d := logp[k] - t.Old[k]
			sum += d
			heldSum += held[k] - t.Old[k]
			low, high := -o.ClipLow, o.ClipHigh
			if low == 0 {
				low = math.Inf(-1)
			}
			if high == 0 {
				high = math.Inf(1)
			}
			sign := 1.0
			if a < 0 {
				sign = -1
			}
			cut += sign * min(sign*d, sign*min(max(d, low), high))
		}
		for k := lo; k < hi; k++ {
			l := 0.0
			switch rho := math.Exp(logp[k] - t.Old[k]); o.Ratio {
			case "token":
				l = clip(a, rho)
			case "sequence":
				l = clip(a, math.Exp(sum))
			case "sequence-norm": // GSPO-token
				l = clip(a, math.Exp(heldSum/n)*math.Exp(logp[k]-held[k]))
			case "geometric":
				l = -a * math.Exp(cut/n)
				if a < 0 && o.DualClip > 0 {
					l = min(l, -a*o.DualClip)
				}
			case "importance":
				low, high := 1-o.ClipLow, 1+o.ClipHigh
				if o.ClipHigh == 0 {
					high = math.Inf(1)
				}
				if o.ClipLow == 0 {
					low = 0
				}
				l = -a * min(max(math.Exp(held[k]-t.Old[k]), low), high) * logp[k]
			case "none":
				l = -a * logp[k]
			case "soft":
				tau := o.TauNeg
				if a > 0 {
					tau = o.TauPos
				}
				l = -a * 4 / tau / (1 + math.Exp(-tau*(rho-1)))
			case "truncated", "tapered":
				l = -a * logp[k]
				if o.Ratio == "truncated" || !t.Correct[s] {
					l *= min(math.Exp(held[k]-t.Old[k]), 1)
				}
			case "gamma":
				power, rate := 2., 3.
				if a < 0 {
					power, rate = 3, 2
				}
				w := math.Exp(heldSum)
				l = -a * logp[k] * math.Exp(rate) * math.Pow(w, power) * math.Exp(-rate*w)
			case "token-tv", "token-kl", "token-move":
				if inside(o, a, held[k], t.Old[k]) {
					l = -a * rho
				}
				if a < 0 && o.DualClip > 0 {
					l = min(l, -a*o.DualClip)
				}
			case "importance-tv", "importance-kl":
				highest := o.DualClip
				if highest == 0 {
					highest = math.Inf(1)
				}
				if inside(o, a, held[k], t.Old[k]) {
					l = -a * min(math.Exp(held[k]-t.Old[k]), highest) * logp[k]
				}
			}
			losses[s] = append(losses[s], l)
		}
	}
	return aggregated(o, losses)
}

// inside reports whether a token is in the region of its ratio, as verl and prime-rl write it:
// by the sign of the advantage, then of the move.
func inside(o Function, a, logp, old float64) bool {
	p, q := math.Exp(logp), math.Exp(old)
	kl := q*(old-logp) + (1-q)*math.Log((1-q+1e-8)/(1-p+1e-8))
	low, high := o.ClipLow, o.ClipHigh
	if low == 0 {
		low = math.Inf(1)
	}
	if high == 0 {
		high = math.Inf(1)
	}
	switch _, kind, _ := strings.Cut(o.Ratio, "-"); {
	case kind == "move":
		return -low <= p-q && p-q <= high
	case kind == "tv" && a > 0:
		return p-q <= high
	case kind == "tv":
		return p-q >= -low
	case a > 0:
		return kl <= high || p <= q
	}
	return kl <= low || p >= q
}

// aggregated is the aggregation of token losses by its definition.
func aggregated(o Function, losses [][]float64) float64 {
	tokens, all, means, sums, sequences := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, l := range losses {
		if len(l) == 0 {
			continue
		}
		n := float64(len(l))
		total := 0.0
		for _, x := range l {
			total += x
		}
		tokens += n
		all += total
		means += total / n
		sequences++
		if o.Ratio == "sequence" {
			total /= n // its loss counts once
		}
		sums += total
	}
	switch o.Aggregation {
	case "token-mean":
		return all / tokens
	case "seq-mean-token-mean":
		return means / sequences
	case "seq-mean-token-sum":
		return sums / sequences
	case "token-sum":
		return sums
	}
	return sums / sequences / float64(o.MaxTokens)
}

// TestPolicyTermEqualsItsDefinition: value, gradient and, for the gradient, what
// is held constant, for every ratio, aggregation and clip, just sampled and not.
func TestPolicyTermEqualsItsDefinition(t *testing.T) {
	const h = 1e-5
	checked := map[string]int{}
	for _, o := range objectives() {
		if o.KLCoef > 0 || o.KL != "k3" {
			continue
		}
		for seed := range uint64(8) {
			tokens := ragged(seed)
			if seed%4 == 3 {
				copy(tokens.Logp, tokens.Old)
			} else if nearKink(tokens, o) {
				continue
			}
			at := fmt.Sprintf("%+v, batch %d", o, seed)
			got := lossOf(t, o, tokens)
			held := slices.Clone(tokens.Logp)
			near(t, at+": loss", []float64{got}, []float64{policyLoss(o, tokens, held, held)}, 1e-13)
			for k := range held {
				logp := slices.Clone(held)
				logp[k] += h
				up := policyLoss(o, tokens, logp, held)
				logp[k] -= 2 * h
				down := policyLoss(o, tokens, logp, held)
				near(t, fmt.Sprintf("%s: token %d", at, k), tokens.DLogp[k:k+1], []float64{(up - down) / (2 * h)}, 1e-8)
				checked[o.Ratio]++
			}
		}
	}
	for _, ratio := range allRatios {
		if checked[ratio] < 100 {
			t.Errorf("ratio %s: only %d tokens compared", ratio, checked[ratio])
		}
	}
}

// randomTokens has sequences of that length whose log ratios have that deviation.
func randomTokens(seed uint64, sequences, length int, deviation float64) *Tokens {
	r := rand.New(rand.NewPCG(9, seed))
	t := &Tokens{Start: []int{0}}
	for s := range sequences {
		t.Advantage = append(t.Advantage, r.NormFloat64())
		for range length {
			old := -3 * r.Float64()
			t.Old = append(t.Old, old)
			t.Logp = append(t.Logp, old+deviation*r.NormFloat64())
		}
		t.Start = append(t.Start, (s+1)*length)
	}
	t.DLogp = rubbish(len(t.Logp))
	return t
}

// same fails unless two objectives agree on a minibatch.
func same(t *testing.T, why string, a, b Function, tokens *Tokens, tolerance float64) {
	t.Helper()
	want := lossOf(t, a, tokens)
	dlogp, clipped := slices.Clone(tokens.DLogp), tokens.Clipped
	near(t, why+": loss", []float64{lossOf(t, b, tokens)}, []float64{want}, tolerance)
	near(t, why+": gradient", tokens.DLogp, dlogp, tolerance)
	if tokens.Clipped != clipped {
		t.Errorf("%s: %d tokens clipped, want %d", why, tokens.Clipped, clipped)
	}
}

// TestRatiosAgreeOnOneToken: the effect of a ratio on a sequence shows only if a
// sequence has more than one token.
func TestRatiosAgreeOnOneToken(t *testing.T) {
	for _, aggregation := range allAggregations {
		for seed := range uint64(20) {
			o := Function{ClipLow: .2, ClipHigh: .28, DualClip: 3, Ratio: "token", Aggregation: aggregation, MaxTokens: 7}
			tokens := randomTokens(seed, 6, 1, .5)
			for _, ratio := range []string{"sequence", "sequence-norm"} {
				other := o
				other.Ratio = ratio
				same(t, ratio+" "+aggregation, o, other, tokens, 1e-15)
			}
			// The bounds of geometric are those of the log ratio.
			other := o
			other.Ratio, other.ClipLow, other.ClipHigh = "geometric", -math.Log1p(-.2), math.Log1p(.28)
			same(t, "geometric "+aggregation, o, other, tokens, 1e-15)
		}
	}
}

// TestRatiosAgreeJustAfterSampling: the first update from a batch of rollouts is
// the policy gradient under every ratio with its tokens' weights.
func TestRatiosAgreeJustAfterSampling(t *testing.T) {
	for _, aggregation := range allAggregations {
		tokens := randomTokens(1, 5, 4, 0)
		o := Function{ClipLow: .2, ClipHigh: .2, Ratio: "token", Aggregation: aggregation, MaxTokens: 7}
		lossOf(t, o, tokens)
		want := slices.Clone(tokens.DLogp)
		for _, ratio := range allRatios {
			if ratio == "token" || ratio == "sequence" {
				continue
			}
			o.Ratio, o.TauPos, o.TauNeg = ratio, 1, 1.05
			tokens.Correct = make([]bool, 5)
			lossOf(t, o, tokens)
			near(t, ratio+" "+aggregation, tokens.DLogp, want, 1e-16)
			if tokens.Clipped != 0 {
				t.Errorf("%s: %d tokens clipped that nothing has moved", ratio, tokens.Clipped)
			}
		}
	}
}

// TestGeometricByHand: A = 2 and bounds of 0.4 in log space: of log ratios
// 0.1, 0.9 and -1 the second is cut to 0.4, so the mean is -1/6; for A = -2 the
// third is cut to -0.4, and the mean is 0.2.
func TestGeometricByHand(t *testing.T) {
	o := Function{ClipLow: .4, ClipHigh: .4, Ratio: "geometric", Aggregation: "seq-mean-token-mean"}
	old := [][]float64{{-2, -2, -2}}
	logp := [][]float64{{-1.9, -1.1, -3}}
	for _, c := range []struct {
		a, loss float64
		cut     int
		reason  string
	}{
		{2, -2 * math.Exp(-.5/3), 1, "only above where the advantage is positive"},
		{-2, 2 * math.Exp(.6/3), 2, "only below where it is negative"},
		{0, 0, -1, "no advantage: no loss, and nothing cut"},
	} {
		tokens := tokensOf([]float64{c.a}, logp, old)
		near(t, c.reason, []float64{lossOf(t, o, tokens)}, []float64{c.loss}, 1e-15)
		want := []float64{c.loss / 3, c.loss / 3, c.loss / 3}
		if c.cut >= 0 {
			want[c.cut] = 0
		}
		near(t, c.reason+": slopes", tokens.DLogp, want, 1e-15)
		if clipped := tokens.Clipped; clipped != len(slices.DeleteFunc(want, func(x float64) bool { return x != 0 || c.a == 0 })) {
			t.Errorf("%s: %d clipped", c.reason, clipped)
		}
	}
}

// TestGMPOHoldsMoreThanGSPO: one token that ran away takes a sequence's mean with
// it, unless it is cut before (GMPO sec. 3).
func TestGMPOHoldsMoreThanGSPO(t *testing.T) {
	tokens := tokensOf([]float64{1}, [][]float64{{-1, -1, -1, 2}}, [][]float64{{-1, -1, -1, -1}})
	gspo := Function{Ratio: "sequence-norm", Aggregation: "seq-mean-token-mean"}
	gmpo := Function{Ratio: "geometric", Aggregation: "seq-mean-token-mean", ClipLow: .4, ClipHigh: .4}
	near(t, "e^(3/4)", []float64{lossOf(t, gspo, tokens)}, []float64{-math.Exp(.75)}, 1e-15)
	near(t, "e^(0.4/4)", []float64{lossOf(t, gmpo, tokens)}, []float64{-math.Exp(.1)}, 1e-15)
}

// TestImportanceWeightIsClippedOnBothSides, for either sign of the advantage, and
// clipped tokens still learn.
func TestImportanceWeightIsClippedOnBothSides(t *testing.T) {
	for _, c := range []struct {
		low, high, rho, weight float64
		cut                    int
		reason                 string
	}{
		{.2, .28, 1.1, 1.1, 0, "inside"},
		{.2, .28, 1.5, 1.28, 1, "above"},
		{.2, .28, .5, .8, 1, "below"},
		{0, .28, .5, .5, 0, "no lower bound, as MiniMax runs it"},
		{0, 4, 4.5, 4.5, 0, "TRL's absolute bound of 5"},
		{.2, 0, 7, 7, 0, "no upper bound"},
	} {
		for _, a := range []float64{2, -3, 0} {
			o := Function{ClipLow: c.low, ClipHigh: c.high, Ratio: "importance", Aggregation: "token-mean"}
			logp := math.Log(c.rho) - 2
			tokens := tokensOf([]float64{a}, [][]float64{{logp}}, [][]float64{{-2}})
			near(t, c.reason, []float64{lossOf(t, o, tokens)}, []float64{-c.weight * a * logp}, 1e-14)
			near(t, c.reason, tokens.DLogp, []float64{-c.weight * a}, 1e-14)
			want := c.cut
			if a == 0 {
				want = 0
			}
			if tokens.Clipped != want {
				t.Errorf("%s, A=%v: %d clipped, want %d", c.reason, a, tokens.Clipped, want)
			}
		}
	}
}

func TestUnknownRatio(t *testing.T) {
	o := Function{Ratio: "median", Aggregation: "token-mean"}
	wantError(t, o.Evaluate(tokensOf([]float64{1}, [][]float64{{-1}}, nil)), `unknown ratio "median"`)
}

func TestTaperedAsksWhatIsCorrect(t *testing.T) {
	o := Function{Ratio: "tapered", Aggregation: "token-mean"}
	wantError(t, o.Evaluate(tokensOf([]float64{1, 2}, [][]float64{{-1}, {-1}}, nil)), "ratio tapered", "has 0 entries in Correct", "want 2")
}

// TestTwoSidedClip: the clip of TRL with delta is the dual clip, for a delta above the upper bound.
func TestTwoSidedClip(t *testing.T) {
	const delta = 4
	o := ppo(.2, .28, delta)
	for _, a := range []float64{-2, -.3, 0, 1.5} {
		for d := -3.; d <= 3; d += .05 {
			rho := math.Exp(d)
			want := -min(a*min(rho, delta), a*min(max(rho, .8), 1.28))
			got := lossOf(t, o, tokensOf([]float64{a}, [][]float64{{d - 4}}, [][]float64{{-4}}))
			near(t, fmt.Sprintf("A=%v, rho=%v", a, rho), []float64{got}, []float64{want}, 1e-13)
		}
	}
}
