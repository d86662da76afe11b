package loss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/internal/exact"
	"modebench/internal/loss"
)

// TestPenaltyIsTheDivergence: kl_coef times the divergence, summed over a
// sequence's tokens, by hand: d = log pi - log pi_ref is 1, -2 and 0.5.
func TestPenaltyIsTheDivergence(t *testing.T) {
	tokens := tokensOf([]float64{0, 0, 0}, [][]float64{{-1, -3}, {}, {-.5}}, nil)
	tokens.Ref = []float64{-2, -1, -1}
	tokens.KL = []float64{.25, .5, 2}
	k3 := func(d float64) float64 { return math.Exp(-d) + d - 1 }
	for _, c := range []struct {
		kl   string
		want []float64
	}{
		{"k1", []float64{-1, 0, .5}},
		{"k2", []float64{.5 + 2, 0, .125}},
		{"k3", []float64{k3(1) + k3(-2), 0, k3(.5)}},
		{"exact", []float64{.75, 0, 2}},
		{"forward", []float64{.75, 0, 2}},
		{"js", []float64{.75, 0, 2}},
	} {
		o := Function{KL: c.kl, KLCoef: .1, KLInReward: true}
		for s, want := range c.want {
			near(t, fmt.Sprintf("%s, sequence %d", c.kl, s), []float64{o.Penalty(tokens, s)}, []float64{.1 * want}, 1e-15)
		}
	}
}

// TestDivergenceIsInOnePlace: in the loss or in the reward, never in both, and
// nowhere without a coefficient.
func TestDivergenceIsInOnePlace(t *testing.T) {
	for _, kl := range []string{"k1", "k2", "k3", "k3-ratio", "exact", "forward", "js"} {
		_, exactly := whole[kl]
		for _, inReward := range []bool{false, true} {
			for _, coef := range []float64{0, .3} {
				o := ppo(.2, .2, 0)
				without := o
				o.KL, o.KLCoef, o.KLInReward = kl, coef, inReward
				if kl == ratioKL && inReward && coef > 0 {
					if o.Check() == nil {
						t.Error("a reward has no ratio with a gradient")
					}
					continue
				}
				if err := o.Check(); err != nil {
					t.Errorf("kl_in_reward with kl_coef %v is nothing, and no mistake: %v", coef, err)
				}
				tokens := ragged(1)
				plain := lossOf(t, without, tokens)
				dlogp := slices.Clone(tokens.DLogp)
				got := lossOf(t, o, tokens)
				inLoss := coef > 0 && !inReward
				if (got != plain) != inLoss || slices.Equal(tokens.DLogp, dlogp) == (inLoss && !exactly) {
					t.Errorf("%s, coefficient %v, in the reward %v: loss %v, without a divergence %v", kl, coef, inReward, got, plain)
				}
				if moved := slices.ContainsFunc(tokens.DKL, func(x float64) bool { return x != 0 }); moved != (inLoss && exactly) {
					t.Errorf("%s, coefficient %v, in the reward %v: dL/dKL %v", kl, coef, inReward, tokens.DKL)
				}
				want, ok := o.Penalises()
				loss := o.Want()
				if ok != (coef > 0 && inReward) || (want.Ref || want.KL) != ok || (loss.Ref || loss.KL) != inLoss {
					t.Errorf("%s, coefficient %v, in the reward %v: the loss reads %+v, the reward %+v", kl, coef, inReward, loss, want)
				}
				if asked := want.KL || loss.KL; asked != (coef > 0 && exactly) || asked && max(want.Divergence, loss.Divergence) != whole[kl] {
					t.Errorf("%s, coefficient %v: asks for a divergence of whole distributions: %v", kl, coef, asked)
				}
			}
		}
	}
}

// TestKnownExponentials: a number that a policy has computed already is taken as it is, and
// gives the bits of computing it again; no other divergence looks at it.
func TestKnownExponentials(t *testing.T) {
	for _, kl := range []string{"k1", "k2", "k3", "k3-ratio", "exact"} {
		o := ppo(.2, .2, 0)
		o.KL, o.KLCoef = kl, .3
		tokens := ragged(3)
		want := lossOf(t, o, tokens)
		dlogp := slices.Clone(tokens.DLogp)
		for k, ref := range tokens.Ref {
			tokens.Expm1 = append(tokens.Expm1, exact.Expm1(ref-tokens.Logp[k]))
		}
		if got := lossOf(t, o, tokens); got != want || !slices.Equal(tokens.DLogp, dlogp) {
			t.Errorf("%s: loss %v, computed anew %v", kl, got, want)
		}
		tokens.Expm1[0]++
		if got := lossOf(t, o, tokens); (got != want) != (kl == "k3" || kl == "k3-ratio") {
			t.Errorf("%s: another exponential changes the loss from %v to %v", kl, want, got)
		}
	}
}

// ratioLoss is the divergence k3-ratio in the loss by its formula.
func ratioLoss(t *testing.T, o Function, tokens *Tokens, logp []float64) float64 {
	t.Helper()
	base, perLength, err := o.weight(tokens)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for s := range tokens.Sequences() {
		lo, hi := tokens.Start[s], tokens.Start[s+1]
		for k := lo; k < hi; k++ {
			d := logp[k] - tokens.Ref[k]
			total += share(base, perLength, hi-lo) * math.Exp(logp[k]-tokens.Old[k]) * (math.Exp(-d) + d - 1)
		}
	}
	return o.KLCoef * total
}

// TestDivergenceWithItsRatio: k3 times the token's ratio, value and gradient, beside every ratio
// of the policy term, which it does not follow, and aggregation. Beyond the bound of log ratios
// the ratio is held.
func TestDivergenceWithItsRatio(t *testing.T) {
	const h = 1e-5
	tried := 0
	for _, without := range objectives() {
		if without.KLCoef != 0 || without.KL != "k3" {
			continue
		}
		tried++
		tokens := ragged(2)
		plain := lossOf(t, without, tokens)
		dlogp, clipped := slices.Clone(tokens.DLogp), tokens.Clipped
		o := without
		o.KL, o.KLCoef = "k3-ratio", .7
		if want := o.Want(); !want.Ref || want.KL {
			t.Fatalf("k3-ratio reads %+v", want)
		}
		got := lossOf(t, o, tokens)
		at := fmt.Sprintf("%+v", o)
		near(t, at, []float64{got - plain}, []float64{ratioLoss(t, o, tokens, tokens.Logp)}, 1e-13)
		for k := range tokens.Logp {
			logp := slices.Clone(tokens.Logp)
			logp[k] += h
			up := ratioLoss(t, o, tokens, logp)
			logp[k] -= 2 * h
			near(t, at, []float64{tokens.DLogp[k] - dlogp[k]}, []float64{(up - ratioLoss(t, o, tokens, logp)) / (2 * h)}, 1e-8)
		}
		if tokens.Clipped != clipped {
			t.Errorf("%s: the divergence changes what counts as clipped", at)
		}
	}
	if tried == 0 {
		t.Error("no objective was tried")
	}
	for _, moved := range []float64{-30, 30} {
		tokens := tokensOf([]float64{0}, [][]float64{{-31}}, [][]float64{{-31 - moved}})
		tokens.Ref = []float64{-30.5}
		o := Function{Ratio: "token", Aggregation: "token-mean", KL: "k3-ratio", KLCoef: 1}
		rho := math.Exp(math.Copysign(20, moved))
		near(t, "held", []float64{lossOf(t, o, tokens) / rho, tokens.DLogp[0] / rho}, []float64{math.Exp(.5) - .5 - 1, 1 - math.Exp(.5)}, 1e-12)
	}
}

// TestExpectedGradients: over every token that another policy may have drawn, the gradient of
// k3-ratio is that of KL(pi || pi_ref), exactly, and that of k3 is not. Where nothing has moved
// that of k3 is the gradient of KL(pi_ref || pi).
func TestExpectedGradients(t *testing.T) {
	const n = 6
	r := rand.New(rand.NewPCG(7, 1))
	random := func() (logp []float64) {
		sum := 0.0
		for range n {
			x := math.Exp(1.5 * r.NormFloat64())
			sum += x
			logp = append(logp, x)
		}
		for j := range logp {
			logp[j] = math.Log(logp[j] / sum)
		}
		return logp
	}
	for range 20 {
		logp, old, ref := random(), random(), random()
		// exactly is the gradient of a divergence in the logits.
		exactly := func(of loss.Divergence) (out []float64) {
			sum := 0.0
			for j := range n {
				_, push := of.Term(math.Exp(logp[j]), logp[j], ref[j])
				out, sum = append(out, push), sum+push
			}
			for j := range out {
				out[j] -= math.Exp(logp[j]) * sum
			}
			return out
		}
		// expected is that of an estimate, whose tokens are drawn from the old policy.
		expected := func(kl string, old []float64) []float64 {
			out := make([]float64, n)
			for drawn := range n {
				tokens := tokensOf([]float64{0}, [][]float64{logp[drawn : drawn+1]}, [][]float64{old[drawn : drawn+1]})
				tokens.Ref = ref[drawn : drawn+1]
				lossOf(t, Function{Ratio: "token", Aggregation: "token-mean", KL: kl, KLCoef: 1}, tokens)
				for j := range n {
					own := -math.Exp(logp[j])
					if j == drawn {
						own++
					}
					out[j] += math.Exp(old[drawn]) * tokens.DLogp[0] * own
				}
			}
			return out
		}
		near(t, "k3-ratio", expected("k3-ratio", old), exactly(loss.Reverse), 1e-13)
		near(t, "k3-ratio, nothing moved", expected("k3-ratio", logp), exactly(loss.Reverse), 1e-13)
		near(t, "k3, nothing moved", expected("k3", logp), exactly(loss.Forward), 1e-13)
		if farthest(expected("k3", old), exactly(loss.Reverse)) < 1e-3 || farthest(expected("k3", logp), exactly(loss.Reverse)) < 1e-3 {
			t.Error("k3 has the gradient of KL(pi || pi_ref)")
		}
	}
}

// farthest is the largest difference of two lists.
func farthest(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// divLoss is R1-zero-Div's part of the loss by its formula.
func divLoss(o Function, t *Tokens, logp []float64) float64 {
	total, sequences := 0.0, 0.0
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		if lo == hi {
			continue
		}
		sequences++
		mean := 0.0
		for k := lo; k < hi; k++ {
			mean += math.Exp(logp[k]-t.Old[k]) * logp[k] / float64(hi-lo)
		}
		if t.Correct[s] {
			total += mean
		}
	}
	return o.DivCoef * total / sequences
}

// TestDiversityBonusEqualsItsFormula, value and gradient, beside every ratio and
// aggregation, which it does not follow.
func TestDiversityBonusEqualsItsFormula(t *testing.T) {
	const h = 1e-5
	for _, without := range objectives() {
		tokens := ragged(2)
		tokens.Correct = []bool{true, true, false, true}
		plain := lossOf(t, without, tokens)
		dlogp, clipped := slices.Clone(tokens.DLogp), tokens.Clipped
		o := without
		o.DivCoef = .7
		if !o.Want().Correct || without.Want().Correct != (without.Ratio == "tapered") {
			t.Fatal("which answers are correct is asked for when it matters")
		}
		got := lossOf(t, o, tokens)
		at := fmt.Sprintf("%+v", o)
		near(t, at, []float64{got - plain}, []float64{divLoss(o, tokens, tokens.Logp)}, 1e-14)
		for k := range tokens.Logp {
			logp := slices.Clone(tokens.Logp)
			logp[k] += h
			up := divLoss(o, tokens, logp)
			logp[k] -= 2 * h
			near(t, at, []float64{tokens.DLogp[k] - dlogp[k]}, []float64{(up - divLoss(o, tokens, logp)) / (2 * h)}, 1e-9)
		}
		if tokens.Clipped != clipped {
			t.Errorf("%s: the bonus changes what counts as clipped", at)
		}
	}
}

// TestDiversityBonusPushesRareTokens: just after sampling, tokens of correct
// answers are pushed up if their probability is below 1/e and down if it is
// above (SetPO's baseline; Yao et al., 2025).
func TestDiversityBonusPushesRareTokens(t *testing.T) {
	o := Function{Ratio: "token", Aggregation: "token-mean", DivCoef: .01}
	for _, c := range []struct {
		logp    float64
		correct bool
		want    float64
	}{
		{-3, true, .01 * -2},
		{-1, true, 0},
		{-.5, true, .01 * .5},
		{-3, false, 0},
	} {
		tokens := tokensOf([]float64{0}, [][]float64{{c.logp}}, nil)
		tokens.Correct = []bool{c.correct}
		lossOf(t, o, tokens)
		near(t, fmt.Sprintf("%+v", c), tokens.DLogp, []float64{c.want}, 1e-17)
	}
	// Beyond the bound of the log ratio only log pi moves.
	tokens := tokensOf([]float64{0}, [][]float64{{-1}}, [][]float64{{-30}})
	tokens.Correct = []bool{true}
	lossOf(t, o, tokens)
	near(t, "ratio held at e^20", tokens.DLogp, []float64{.01 * math.Exp(20)}, 1e-6)
}

func TestDiversityBonusNeedsCorrect(t *testing.T) {
	o := Function{Ratio: "token", Aggregation: "token-mean", DivCoef: .01}
	tokens := tokensOf([]float64{1, 2}, [][]float64{{-1}, {-1}}, nil)
	for _, correct := range [][]bool{nil, {true}} {
		tokens.Correct = correct
		wantError(t, o.Evaluate(tokens), "div_coef", fmt.Sprintf("has %d entries in Correct", len(correct)), "want 2")
	}
	tokens = tokensOf(nil, nil, nil)
	if loss := lossOf(t, o, tokens); loss != 0 {
		t.Errorf("nothing to learn from has the loss %v", loss)
	}
}
