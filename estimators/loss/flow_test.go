package loss

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// flowRL is FlowRL's loss as its runs have it.
func flowRL() Function {
	return Function{Ratio: "flow", FlowBeta: 15, Aggregation: "seq-mean-token-mean", KL: "k3"}
}

// TestFlowOfItsCode holds the loss of sequences of a given log Z against what FlowRL's
// compute_flowrl_objective and verl-recipe's compute_flowrl gave when they were executed.
func TestFlowOfItsCode(t *testing.T) {
	for _, high := range []float64{0, 9} {
		o := flowRL()
		o.ClipHigh = high
		tokens := tokensOf([]float64{.7, -.7}, [][]float64{{-1, -2}, {-.5, -1.5}}, [][]float64{{-1, -2.1}, {-.7, -1.5}})
		tokens.Ref = []float64{-1.2, -1.8, -1, -1}
		if err := o.advantages(tokens); err != nil {
			t.Fatal(err)
		}
		tokens.Loss = 0
		for s := range 2 {
			o.balance(tokens, s, .5, 1./2, true)
		}
		near(t, "loss", []float64{tokens.Loss}, []float64{129.153412}, 1e-6)
		up, down := math.Exp(.1)*-10/2, math.Exp(.2)*11/2 // w residual / tokens, by hand
		near(t, "gradient", tokens.DLogp, []float64{up, up, down, down}, 1e-12)
	}
}

// balances is the loss by its definition, with the constants taken from other
// log-probabilities, held. With live, log Z has one.
func balances(o *Function, t *Tokens, logp, held []float64, live bool) float64 {
	mean := func(of []float64, s int) float64 {
		sum := 0.0
		for _, x := range of[t.Start[s]:t.Start[s+1]] {
			sum += x
		}
		return sum / float64(t.Start[s+1]-t.Start[s])
	}
	z := held
	if live {
		z = logp
	}
	total, sequences := 0.0, 0
	for s := range t.Sequences() {
		if t.Start[s+1] > t.Start[s] {
			sequences++
		}
	}
	for g := range len(t.Groups) - 1 {
		logZ, n := 0.0, 0.0
		for s := t.Groups[g]; s < t.Groups[g+1]; s++ {
			if t.Start[s+1] > t.Start[s] {
				logZ += o.FlowBeta*t.Advantage[s] + mean(t.Ref, s) - mean(z, s)
				n++
			}
		}
		for s := t.Groups[g]; s < t.Groups[g+1]; s++ {
			length := t.Start[s+1] - t.Start[s]
			if length == 0 {
				continue
			}
			w := math.Exp(float64(length) * (mean(held, s) - mean(t.Old, s)))
			if o.ClipLow > 0 {
				w = max(w, 1-o.ClipLow)
			}
			if o.ClipHigh > 0 {
				w = min(w, 1+o.ClipHigh)
			}
			residual := logZ/n + mean(logp, s) - o.FlowBeta*t.Advantage[s] - mean(t.Ref, s)
			weight := map[string]float64{
				"token-mean":              float64(length) / float64(len(t.Logp)),
				"seq-mean-token-mean":     1 / float64(sequences),
				"seq-mean-token-sum":      float64(length) / float64(sequences),
				"seq-mean-token-sum-norm": float64(length) / float64(sequences*o.MaxTokens),
				"token-sum":               float64(length),
			}[o.Aggregation]
			total += weight * w * residual * residual
		}
	}
	return total
}

// TestFlow: the loss is that of the definition, and its gradient that of central
// differences with log Z and the weights held. If the policy is the sampler, so
// that all weights are 1, it is also the gradient of the variance, log Z not held.
func TestFlow(t *testing.T) {
	const h = 1e-5
	clipped := 0
	for _, aggregation := range allAggregations {
		for _, clip := range [][2]float64{{0, 0}, {.2, .2}, {0, 9}} {
			for seed := range uint64(8) {
				o := flowRL()
				o.Aggregation, o.MaxTokens, o.ClipLow, o.ClipHigh = aggregation, 7, clip[0], clip[1]
				if err := o.Check(); err != nil {
					t.Fatal(err)
				}
				tokens := ragged(seed)
				tokens.Start, tokens.Groups = []int{0, 2, 3, 3, 5, 7, 9}, [][]int{{0, 6}, {0, 4, 6}, {0, 1, 1, 6}}[seed%3]
				tokens.Advantage = append(tokens.Advantage, .3, -.2)
				if seed%2 == 0 {
					copy(tokens.Logp, tokens.Old)
				}
				at := fmt.Sprintf("%s, clip %v, batch %d", aggregation, clip, seed)
				near(t, at, []float64{lossOf(t, o, tokens)}, []float64{balances(&o, tokens, tokens.Logp, tokens.Logp, false)}, 1e-10)
				clipped += tokens.Clipped
				for k := range tokens.Logp {
					slope := func(live bool) float64 {
						var l [2]float64
						for i, step := range []float64{h, -h} {
							moved := slices.Clone(tokens.Logp)
							moved[k] += step
							l[i] = balances(&o, tokens, moved, tokens.Logp, live)
						}
						return (l[0] - l[1]) / (2 * h)
					}
					near(t, fmt.Sprintf("%s: token %d", at, k), tokens.DLogp[k:k+1], []float64{slope(false)}, 1e-6)
					if perSequence := aggregation == "seq-mean-token-mean"; perSequence && seed%2 == 0 {
						near(t, fmt.Sprintf("%s: token %d, of the variance", at, k), tokens.DLogp[k:k+1], []float64{slope(true)}, 1e-6)
					}
				}
			}
		}
	}
	if clipped == 0 {
		t.Error("no weight was clipped")
	}
}

// TestFlowAtTheReference: where the policy is the reference and has sampled, the gradient is
// 2 beta times that of the plain score function, for advantages that sum to 0 in a group.
func TestFlowAtTheReference(t *testing.T) {
	for _, beta := range []float64{.5, 15} {
		o, plain := flowRL(), Function{Ratio: "none", Aggregation: "seq-mean-token-mean"}
		o.FlowBeta = beta
		tokens := ragged(2)
		tokens.Start, tokens.Groups = []int{0, 1, 4, 6, 9}, []int{0, 2, 4}
		tokens.Advantage = []float64{.7, -.7, -1.2, 1.2}
		copy(tokens.Old, tokens.Logp)
		copy(tokens.Ref, tokens.Logp)
		lossOf(t, plain, tokens)
		want := slices.Clone(tokens.DLogp)
		for k := range want {
			want[k] *= 2 * beta
		}
		lossOf(t, o, tokens)
		near(t, fmt.Sprintf("beta %v", beta), tokens.DLogp, want, 1e-12)
	}
}

// TestFlowWhereItIsNothing: groups of one, and groups of equal rewards whose policy is the
// reference, have no loss and no gradient, not even one of rounding.
func TestFlowWhereItIsNothing(t *testing.T) {
	o := flowRL()
	for _, c := range []struct {
		reason string
		change func(*Tokens)
	}{
		{"groups of one", func(t *Tokens) { t.Groups = []int{0, 1, 2, 3, 4} }},
		{"equal rewards at the reference", func(t *Tokens) { clear(t.Advantage); copy(t.Ref, t.Logp) }},
		{"the reference but for a factor, with advantages that rounding has made", func(t *Tokens) {
			for s := range t.Advantage {
				t.Advantage[s] = .1 + 1e-17*float64(s)
			}
			for k := range t.Ref {
				t.Ref[k] = t.Logp[k] - .3
			}
		}},
		{"no tokens", func(t *Tokens) {
			*t = *tokensOf([]float64{1, 2}, [][]float64{{}, {}}, nil)
			t.Groups = []int{0, 2}
		}},
	} {
		tokens := ragged(3)
		c.change(tokens)
		near(t, c.reason, []float64{lossOf(t, o, tokens)}, []float64{0}, 0)
		near(t, c.reason+": gradient", tokens.DLogp, make([]float64, len(tokens.DLogp)), 0)
	}
	// Once it has left the reference, a group of equal rewards is pulled together.
	tokens := ragged(3)
	clear(tokens.Advantage)
	if lossOf(t, o, tokens); tokens.Loss <= 0 || slices.Max(tokens.DLogp) <= 0 || slices.Min(tokens.DLogp) >= 0 {
		t.Errorf("equal rewards off the reference: loss %v, gradient %v", tokens.Loss, tokens.DLogp)
	}
}

// TestFlowRefusals: missing inputs and fields that do not combine are errors.
func TestFlowRefusals(t *testing.T) {
	o := flowRL()
	if w := o.Want(); w != (Want{Ref: true}) {
		t.Errorf("FlowRL asks for %+v", w)
	}
	for _, drop := range []func(*Tokens){
		func(t *Tokens) { t.Ref = nil }, func(t *Tokens) { t.Groups = nil }, func(t *Tokens) { t.Groups = []int{0, 2} },
	} {
		tokens := ragged(1)
		drop(tokens)
		if err := o.Evaluate(tokens); err == nil || !strings.Contains(err.Error(), "ratio flow") {
			t.Errorf("a batch that lacks something: %v", err)
		}
	}
	for _, change := range []func(*Function){
		func(o *Function) { o.FlowBeta = 0 }, func(o *Function) { o.DualClip = 3 }, func(o *Function) { o.Forking = .2 },
		func(o *Function) { o.Repo = .1 }, func(o *Function) { o.OffPolicyMask = .1 }, func(o *Function) { o.SimKO, o.SimKOTop = .1, 2 },
	} {
		o := flowRL()
		change(&o)
		if o.Check() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	tokens := ragged(1)
	tokens.TokenAdvantage = make([]float64, 9)
	if o.Evaluate(tokens) == nil {
		t.Error("advantages of tokens are taken")
	}
}
