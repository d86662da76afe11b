package loss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// simko is SimKO's loss as its runs have it.
func simko(share float64, top int) Function {
	return Function{Ratio: "token", ClipLow: .2, ClipHigh: .2, Aggregation: "token-mean", KL: "k3", SimKO: share, SimKOTop: top, SimKOQuantile: .8}
}

// TestSimKOOfItsCode holds the loss and the gradients against what compute_policy_loss_simko
// of CLR-Lab/SimKO (306f4ff) gave when it was executed.
func TestSimKOOfItsCode(t *testing.T) {
	o := simko(.01, 3)
	old, entropy := []float64{-1, -.5, -2}, []float64{.2, .5, 1.4}
	logp := []float64{-.9, -.6, -1.95}
	tokens := tokensOf([]float64{1, -1}, [][]float64{logp, logp}, [][]float64{old, old})
	tokens.Correct, tokens.Entropy, tokens.DEntropy = []bool{true, false}, slices.Concat(entropy, entropy), rubbish(6)
	tokens.Likeliest, tokens.DTop = []bool{true, true, true, true, false, true}, rubbish(6)
	near(t, "loss", []float64{lossOf(t, o, tokens)}, []float64{.017521}, 1e-6)
	near(t, "gradient", tokens.DLogp, []float64{-.184195, -.150806, -.173460, .184195, .150806, .192733}, 1e-6)
	const each = -.000584 // of each of the three likeliest
	near(t, "gradient of the likeliest", tokens.DTop, []float64{0, 0, 3 * each, 0, 0, 0}, 3e-6)
	near(t, "of the entropy", tokens.DEntropy, make([]float64, 6), 0)
}

// A choice is a token among others, by their logits, now and when it was drawn.
type choice struct {
	now, old []float64
	drawn    int
}

// logSoftmax of logits.
func logSoftmax(z []float64) (logp []float64) {
	sum := 0.0
	for _, x := range z {
		sum += math.Exp(x)
	}
	for _, x := range z {
		logp = append(logp, x-math.Log(sum))
	}
	return logp
}

// published is the mean over tokens of SimKO's loss, written as its code has it, with the numbers it
// detaches taken from other logits, held.
func published(o *Function, t *Tokens, now, held []choice) float64 {
	total := 0.0
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		for k := lo; k < hi; k++ {
			below := 0 // with tau 1/2 and an odd number of tokens: of lower entropy
			for _, h := range t.Entropy[lo:hi] {
				if h < t.Entropy[k] {
					below++
				}
			}
			fork := 2*below > hi-lo-1
			logp, old, fixed := logSoftmax(now[k].now), logSoftmax(now[k].old), logSoftmax(held[k].now)
			order := make([]int, len(fixed))
			for j := range order {
				order[j] = j
			}
			slices.SortFunc(order, func(i, j int) int {
				if fixed[i] > fixed[j] {
					return -1
				}
				return 1
			})
			d := now[k].drawn
			rho := math.Exp(logp[d] - old[d])
			if t.Correct[s] && fork {
				top := 0.0
				for _, j := range order[:o.SimKOTop] {
					numerator, denominator := math.Exp(fixed[d]-old[d]), math.Exp(fixed[j]-old[j])
					top += numerator / (denominator + 1e-8) * math.Exp(logp[j]-old[j])
				}
				rho = (1-o.SimKO)*rho + o.SimKO/float64(o.SimKOTop)*top
			}
			own := a
			if a < 0 && fork && order[0] == d {
				own *= 1.1
			}
			total += max(-own*rho, -own*min(max(rho, .8), 1.2)) / float64(len(t.Logp))
		}
	}
	return total
}

// TestSimKOGradientOfLogits: on random distributions, the derivatives make the gradient that
// central differences of the published loss have in every logit, stop-gradients held.
func TestSimKOGradientOfLogits(t *testing.T) {
	const h, vocabulary = 1e-5, 5
	r := rand.New(rand.NewPCG(5, 70))
	spread, raised := 0, 0
	for batch := range 100 {
		o := simko(.3, 1+batch%4)
		o.SimKOQuantile = .5
		tokens := &Tokens{Start: []int{0, 3, 3, 8, 13}, Advantage: []float64{1.2, 3, -.7, r.NormFloat64()}, Correct: []bool{true, false, false, batch%2 == 0}}
		var all []choice
		for k := range 13 {
			c := choice{drawn: r.IntN(vocabulary)}
			for range vocabulary {
				z := 1.5 * r.NormFloat64()
				c.old, c.now = append(c.old, z), append(c.now, z+.3*r.NormFloat64())
			}
			all = append(all, c)
			logp := logSoftmax(c.now)
			tokens.Logp, tokens.Old = append(tokens.Logp, logp[c.drawn]), append(tokens.Old, logSoftmax(c.old)[c.drawn])
			tokens.Likeliest = append(tokens.Likeliest, slices.Max(c.now) == c.now[c.drawn])
			tokens.Entropy = append(tokens.Entropy, r.Float64()+.01*float64(k))
		}
		tokens.DLogp, tokens.DTop, tokens.DEntropy = rubbish(13), rubbish(13), rubbish(13)
		if nearKink(tokens, o) {
			continue
		}
		got := lossOf(t, o, tokens)
		near(t, "loss", []float64{got}, []float64{published(&o, tokens, all, all)}, 1e-7)
		for k := range all {
			p := logSoftmax(all[k].now)
			order := []int{0, 1, 2, 3, 4}
			slices.SortFunc(order, func(i, j int) int { return int(math.Copysign(1, p[j]-p[i])) })
			if tokens.DTop[k] != 0 {
				spread++
			}
			for j := range vocabulary {
				slope := -math.Exp(p[j]) * (tokens.DLogp[k] + tokens.DTop[k])
				if j == all[k].drawn {
					slope += tokens.DLogp[k]
				}
				if slices.Contains(order[:o.SimKOTop], j) {
					slope += tokens.DTop[k] / float64(o.SimKOTop)
				}
				at := func(step float64) float64 {
					moved := slices.Clone(all)
					moved[k].now = slices.Clone(all[k].now)
					moved[k].now[j] += step
					return published(&o, tokens, moved, all)
				}
				near(t, fmt.Sprintf("batch %d, token %d, logit %d", batch, k, j), []float64{slope}, []float64{(at(h) - at(-h)) / (2 * h)}, 1e-8)
			}
		}
		for s, a := range tokens.Advantage {
			for k := tokens.Start[s]; a < 0 && k < tokens.Start[s+1]; k++ {
				if tokens.DLogp[k] > 1.05*-a/13*math.Exp(tokens.Logp[k]-tokens.Old[k]) {
					raised++
				}
			}
		}
	}
	if spread < 50 || raised < 10 {
		t.Errorf("%d tokens whose gradient is spread and %d whose advantage is raised: this tests little", spread, raised)
	}
}

// TestSimKOWithoutEffect: without a token of high entropy, without a correct or likeliest
// token, the loss is the one without SimKO, to the bit.
func TestSimKOWithoutEffect(t *testing.T) {
	plain := simko(0, 0)
	for _, c := range []struct {
		reason string
		change func(*Tokens)
	}{
		{"all entropies of a sequence are equal", func(t *Tokens) {
			for s := range t.Sequences() {
				for k := t.Start[s]; k < t.Start[s+1]; k++ {
					t.Entropy[k] = float64(s)
				}
			}
		}},
		{"answers of one token", func(t *Tokens) {
			*t = *apart(t, t.Old)
			t.Likeliest, t.DTop = make([]bool, 9), rubbish(9)
			t.Correct[3] = true
		}},
		{"nothing correct, and never the likeliest token", func(t *Tokens) { clear(t.Correct); clear(t.Likeliest) }},
		{"no advantages", func(t *Tokens) { clear(t.Advantage) }},
		{"no tokens", func(t *Tokens) { *t = *tokensOf([]float64{1}, [][]float64{{}}, nil); t.Correct = []bool{true} }},
	} {
		tokens := ragged(4)
		tokens.Likeliest, tokens.DTop = slices.Repeat([]bool{true}, 9), rubbish(9)
		c.change(tokens)
		want := lossOf(t, plain, tokens)
		dlogp := slices.Clone(tokens.DLogp)
		near(t, c.reason, []float64{lossOf(t, simko(.5, 2), tokens)}, []float64{want}, 0)
		near(t, c.reason+": gradient", tokens.DLogp, dlogp, 0)
		near(t, c.reason+": of the likeliest", tokens.DTop, make([]float64, len(tokens.DTop)), 0)
	}
}

// TestSimKOBesideOtherTerms: SimKO spreads the policy term alone, under every ratio
// that takes it, and the value of the loss moves by the raised advantages only.
func TestSimKOBesideOtherTerms(t *testing.T) {
	taken := 0
	for _, o := range objectives() {
		o.SimKO, o.SimKOTop, o.SimKOQuantile, o.DivCoef, o.LogRatioCoef = .3, 2, .5, .2, .1
		if o.Check() != nil {
			continue
		}
		taken++
		tokens := ragged(2)
		tokens.Advantage[2], tokens.Advantage[3] = 1.1, .4 // so that nothing is raised
		tokens.Correct = []bool{true, false, false, true}
		tokens.Likeliest, tokens.DTop = slices.Repeat([]bool{true}, 9), rubbish(9)
		value := lossOf(t, o, tokens)
		dlogp, dtop, dentropy := slices.Clone(tokens.DLogp), slices.Clone(tokens.DTop), slices.Clone(tokens.DEntropy)
		at := fmt.Sprintf("%+v", o)
		plain, alone := o, o
		plain.SimKO = 0
		near(t, at, []float64{value}, []float64{lossOf(t, plain, tokens)}, 0)
		near(t, at+": of the entropy", dentropy, tokens.DEntropy, 0)
		want := slices.Clone(tokens.DLogp)
		alone.SimKO, alone.KLCoef, alone.EntropyCoef, alone.DivCoef, alone.LogRatioCoef = 0, 0, 0, 0, 0
		lossOf(t, alone, tokens)
		for k, d := range tokens.DLogp {
			above := 0.0
			lo, hi := 0, 3
			if k == 3 {
				lo, hi = 3, 4
			} else if k > 3 {
				lo, hi = 4, 9
			}
			sorted := slices.Sorted(slices.Values(tokens.Entropy[lo:hi]))
			if k != 3 && tokens.Entropy[k] > sorted[len(sorted)/2] {
				above = .3
			}
			near(t, fmt.Sprintf("%s: token %d", at, k), []float64{dlogp[k], dtop[k]}, []float64{want[k] - above*d, above * d}, 1e-15)
		}
	}
	if taken < 100 {
		t.Errorf("only %d objectives take simko", taken)
	}
}

// TestSimKOWants: it names its inputs, and a missing input is an error.
func TestSimKOWants(t *testing.T) {
	o := simko(.01, 3)
	if w := o.Want(); !w.Correct || !w.Entropy || w.Top != 3 {
		t.Errorf("SimKO asks for %+v", w)
	}
	off := simko(0, 3)
	if w := off.Want(); w != (Want{}) {
		t.Errorf("without SimKO %+v is asked for", w)
	}
	for _, drop := range []func(*Tokens){
		func(t *Tokens) { t.Correct = nil }, func(t *Tokens) { t.Entropy = nil },
		func(t *Tokens) { t.Likeliest = nil }, func(t *Tokens) { t.DTop = nil },
	} {
		tokens := ragged(1)
		tokens.Likeliest, tokens.DTop = make([]bool, 9), rubbish(9)
		drop(tokens)
		if err := o.Evaluate(tokens); err == nil {
			t.Error("a batch that lacks something is taken")
		}
	}
}
