package loss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/internal/testkit"
)

var (
	near      = testkit.Near
	wantError = testkit.WantError
)

// tokensOf flattens sequences of log-probabilities; old has the same shape, or
// is nil for "just sampled". Every output starts as rubbish.
func tokensOf(advantage []float64, logp, old [][]float64) *Tokens {
	t := &Tokens{Start: []int{0}, Advantage: advantage}
	for s, seq := range logp {
		t.Logp = append(t.Logp, seq...)
		if old != nil {
			t.Old = append(t.Old, old[s]...)
		} else {
			t.Old = append(t.Old, seq...)
		}
		t.Start = append(t.Start, len(t.Logp))
	}
	t.Loss, t.Clipped = 99, 99
	t.DLogp = rubbish(len(t.Logp))
	return t
}

func rubbish(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 99
	}
	return out
}

func lossOf(t *testing.T, o Function, tokens *Tokens) float64 {
	t.Helper()
	if err := o.Evaluate(tokens); err != nil {
		t.Fatal(err)
	}
	return tokens.Loss
}

// ppo is the clip most of the tests use.
func ppo(low, high, dual float64) Function {
	return Function{ClipLow: low, ClipHigh: high, DualClip: dual, Ratio: "token", Aggregation: "token-mean", KL: "k3"}
}

// TestPublishedLosses: the token losses and means of other implementations' tests. Each token is a
// sequence of its own here, so that it has its own advantage.
func TestPublishedLosses(t *testing.T) {
	for _, c := range []struct {
		source         string
		objective      Function
		a, old, logp   []float64
		losses         []float64
		mean, accuracy float64
	}{
		{"SkyRL test_losses.py and NeMo test_loss_functions.py: dual clip at 3", ppo(.2, .2, 3),
			[]float64{1, -1, -4}, []float64{-1, -1, -3}, []float64{-1.69315, -1, -.69741},
			[]float64{-.5, 1, 12}, 4.1667, 1e-4},
		{"the same without the dual clip: the third ratio is e^2.30259 = 10", ppo(.2, .2, 0),
			[]float64{1, -1, -4}, []float64{-1, -1, -3}, []float64{-1.69315, -1, -.69741},
			[]float64{-.5, 1, 40}, 13.5, 1e-3},
		{"NeMo test_loss_functions.py: PPO", ppo(.2, .2, 0),
			[]float64{1, -1, 2}, []float64{-1, -1, -1}, []float64{-1.69315, -1, -.59453},
			[]float64{-.5, 1, -2.4}, -.6333, 1e-4},
		{"NeMo test_loss_functions.py: REINFORCE", Function{Ratio: "none", Aggregation: "token-mean"},
			[]float64{1, -1, 2}, []float64{-.5, -1, -1.5}, []float64{-.5, -1, -1.5},
			[]float64{.5, -1, 3}, .8333, 1e-4},
		{"SkyRL test_losses.py: CISPO, sum -2.9930", Function{ClipLow: .2, ClipHigh: .2, Ratio: "importance", Aggregation: "token-mean"},
			[]float64{1, -1, -4}, []float64{-1, -1, -3}, []float64{-1.69315, -1, -.69741},
			[]float64{1.3545, -1, -3.3476}, -2.9930 / 3, 5e-5},
	} {
		column := func(xs []float64) [][]float64 {
			out := make([][]float64, len(xs))
			for i := range xs {
				out[i] = xs[i : i+1]
			}
			return out
		}
		got := lossOf(t, c.objective, tokensOf(c.a, column(c.logp), column(c.old)))
		near(t, c.source+": mean", []float64{got}, []float64{c.mean}, c.accuracy)
		for i := range c.losses {
			one := tokensOf(c.a[i:i+1], column(c.logp[i:i+1]), column(c.old[i:i+1]))
			near(t, fmt.Sprintf("%s: token %d", c.source, i), []float64{lossOf(t, c.objective, one)}, c.losses[i:i+1], float64(30*c.accuracy))
		}
	}
}

// TestPublishedSequenceLosses: GSPO of another implementation's tests, which give
// every token of a sequence an advantage of its own. Its loss is a mean over
// tokens, so it is the mean over minibatches of one advantage each.
func TestPublishedSequenceLosses(t *testing.T) {
	gspo := Function{ClipLow: .2, ClipHigh: .2, Ratio: "sequence-norm", Aggregation: "token-mean"}
	logp := []float64{-1.69315, -1, -.59453}
	for _, c := range []struct {
		source string
		old    []float64 // of every token of a sequence
		want   float64
	}{
		{"NeMo test_loss_functions.py: the ratio is 0.9086, so the losses are -0.9086 A", []float64{-1}, -.6057},
		{"NeMo test_loss_functions.py: a second sequence of ratio 2.4697: -1.2, 2.4697, -2.4", []float64{-1, -2}, -.4912},
	} {
		var all, before [][]float64
		for _, old := range c.old {
			all, before = append(all, logp), append(before, []float64{old, old, old})
		}
		mean := 0.0
		for _, a := range []float64{1, -1, 2} {
			mean += lossOf(t, gspo, tokensOf([]float64{a, a}[:len(all)], all, before)) / 3
		}
		near(t, c.source, []float64{mean}, []float64{c.want}, 5e-5)
	}
}

func TestPublishedDivergences(t *testing.T) {
	for _, c := range []struct {
		source, name string
		d, want, tol float64
	}{
		{"NeMo KL test: log pi -1, reference 0", "k1", -1, -1, 0},
		{"NeMo KL test: reference -15", "k1", 14, 14, 0},
		{"NeMo KL test: reference -30", "k1", 29, 29, 0},
		{"NeMo KL test: reference 0", "k2", -1, .5, 0},
		{"NeMo KL test: reference -15", "k2", 14, 98, 0},
		{"NeMo KL test: reference -30", "k2", 29, 420.5, 0},
		{"NeMo KL test: reference 0", "k3", -1, .7183, 5e-5},
		{"NeMo KL test: reference -15", "k3", 14, 13, 1e-6},
		{"NeMo KL test: reference -30 (unclamped there too before the clamp of 10)", "k3", 29, 28, 1e-6},
		{"eight digits of e^-.5 + .5 - 1", "k3", .5, .10653066, 5e-9},
		{"eight digits of e^.5 - .5 - 1", "k3", -.5, .14872127, 5e-9},
		{"no divergence at all", "k3", 0, 0, 0},
		{"d^2/2 to first order: no cancellation where it is small", "k3", 1e-8, 5e-17, 1e-24},
	} {
		value, _ := sampledKL(c.name, c.d)
		near(t, c.source+": "+c.name, []float64{value}, []float64{c.want}, c.tol)
	}
}

// TestAggregation: token losses [[1, 2], [3]] by hand. The policy term has one
// advantage per sequence, so the divergence k1, whose value is the difference
// itself, takes the place of token losses of any pattern.
func TestAggregation(t *testing.T) {
	for _, c := range []struct {
		name   string
		max    int
		losses [][]float64
		want   float64
		reason string
	}{
		{"token-mean", 0, [][]float64{{1, 2}, {3}}, 2, "(1+2+3)/3"},
		{"seq-mean-token-mean", 0, [][]float64{{1, 2}, {3}}, 2.25, "((1+2)/2 + 3)/2"},
		{"seq-mean-token-sum", 0, [][]float64{{1, 2}, {3}}, 3, "(1+2 + 3)/2"},
		{"seq-mean-token-sum-norm", 4, [][]float64{{1, 2}, {3}}, .75, "3 over T_max = 4"},
		{"token-mean", 0, [][]float64{{1, 2}, {}, {3}}, 2, "an empty sequence has no tokens"},
		{"seq-mean-token-mean", 0, [][]float64{{1, 2}, {}, {3}}, 2.25, "an empty sequence is not in B'"},
		{"seq-mean-token-sum", 0, [][]float64{{}, {1, 2}, {3}}, 3, "an empty sequence is not in B'"},
		{"seq-mean-token-sum-norm", 4, [][]float64{{1, 2}, {3}, {}}, .75, "an empty sequence is not in B'"},
		{"token-mean", 0, [][]float64{{1, 2, 30}, {4, 50, 6}}, 15.5, "93/6"},
		{"seq-mean-token-sum", 0, [][]float64{{1, 2}, {4, 6}}, 6.5, "verl's token-sum vector, 13 before its factor of 4 devices, over two sequences"},
		{"token-mean", 0, [][]float64{{}, {}}, 0, "nothing to learn from is no loss, and no 0/0"},
		{"seq-mean-token-mean", 0, [][]float64{{}}, 0, "nothing to learn from is no loss, and no 0/0"},
	} {
		zero := make([]float64, len(c.losses))
		tokens := tokensOf(zero, c.losses, c.losses)
		tokens.Ref = make([]float64, len(tokens.Logp))
		o := Function{Ratio: "token", Aggregation: c.name, MaxTokens: c.max, KL: "k1", KLCoef: 1}
		near(t, fmt.Sprintf("%s of %v: %s", c.name, c.losses, c.reason), []float64{lossOf(t, o, tokens)}, []float64{c.want}, 1e-14)
	}
}

// TestClipIsOneSided: the clip takes the gradient only where the ratio has
// already moved the way the advantage asks.
func TestClipIsOneSided(t *testing.T) {
	clip := ppo(.2, .28, 3)
	for _, c := range []struct {
		a, rho    float64
		loss      float64
		slope     float64
		reason    string
		cut       int
		objective Function
	}{
		{a: 1, rho: 1.1, loss: -1.1, slope: -1.1, reason: "inside", objective: clip},
		{a: 1, rho: 1.27, loss: -1.27, slope: -1.27, reason: "clip-higher: above 1.2, below 1.28", objective: clip},
		{a: 1, rho: 1.5, loss: -1.28, slope: 0, cut: 1, reason: "good and already likelier: enough", objective: clip},
		{a: 1, rho: .5, loss: -.5, slope: -.5, reason: "good but became rarer: still pulled back", objective: clip},
		{a: -1, rho: .5, loss: .8, slope: 0, cut: 1, reason: "bad and already rarer: enough", objective: clip},
		{a: -1, rho: 1.5, loss: 1.5, slope: 1.5, reason: "bad but became likelier: still pushed down", objective: clip},
		{a: -2, rho: 4, loss: 6, slope: 0, cut: 1, reason: "bad and far too likely: the dual clip bounds the loss at 3|A|", objective: clip},
		{a: -2, rho: 4, loss: 8, slope: 8, reason: "without a dual clip it does not", objective: ppo(.2, .28, 0)},
		{a: 2, rho: 4, loss: -2.56, slope: 0, cut: 1, reason: "the dual clip leaves good ones alone", objective: clip},
		{a: 1, rho: 4, loss: -4, slope: -4, reason: "0 means no upper clip", objective: ppo(.2, 0, 0)},
		{a: -1, rho: .1, loss: .1, slope: .1, reason: "0 means no lower clip", objective: ppo(0, .2, 0)},
		{a: 0, rho: 4, loss: 0, slope: 0, reason: "no advantage: nothing to cut off", objective: clip},
		{a: 1, rho: 1, loss: -1, slope: -1, reason: "just sampled", objective: clip},
	} {
		tokens := tokensOf([]float64{c.a}, [][]float64{{math.Log(c.rho) - 1}}, [][]float64{{-1}})
		got := lossOf(t, c.objective, tokens)
		at := fmt.Sprintf("A=%v rho=%v: %s", c.a, c.rho, c.reason)
		near(t, at+": loss", []float64{got}, []float64{c.loss}, 1e-14)
		near(t, at+": slope", tokens.DLogp, []float64{c.slope}, 1e-14)
		if tokens.Clipped != c.cut {
			t.Errorf("%s: %d tokens clipped, want %d", at, tokens.Clipped, c.cut)
		}
	}
}

// TestClippedCountsTokens of both kinds of ratio.
func TestClippedCountsTokens(t *testing.T) {
	old := [][]float64{{-1, -1, -1}, {}, {-1, -1}}
	logp := [][]float64{{-.5, -1, -.6}, {}, {-1.6, -1}}
	for _, c := range []struct {
		ratio  string
		a      []float64
		want   int
		reason string
	}{
		{"token", []float64{1, 1, 1}, 2, "two of the first sequence rose beyond 1.2"},
		{"token", []float64{-1, -1, -1}, 1, "one of the last fell below 0.8"},
		{"token", []float64{0, 1, 0}, 0, "no advantage anywhere but on nothing"},
		{"sequence", []float64{0, 1, 0}, 0, "no advantage anywhere but on nothing"},
		{"sequence", []float64{1, 1, 1}, 3, "the first sequence as a whole rose: e^0.9"},
		{"sequence", []float64{-1, -1, -1}, 2, "the last sequence as a whole fell: e^-0.6"},
		{"sequence-norm", []float64{1, 1, 1}, 3, "the first sequence's mean rose: e^0.3"},
		{"sequence-norm", []float64{-1, -1, -1}, 2, "the last sequence's mean fell: e^-0.3 = 0.74"},
		{"sequence-norm", []float64{0, 1, 0}, 0, "no advantage anywhere but on nothing"},
		{"geometric", []float64{1, 1, 1}, 2, "0.5 and 0.4 are beyond 0.2 in log space"},
		{"geometric", []float64{-1, -1, -1}, 1, "-0.6 is"},
		{"geometric", []float64{0, 1, 0}, 0, "no advantage anywhere but on nothing"},
		{"importance", []float64{1, 1, 1}, 3, "weights are clipped on both sides"},
		{"importance", []float64{0, 1, 0}, 0, "no advantage anywhere but on nothing"},
	} {
		o := ppo(.2, .2, 0)
		o.Ratio = c.ratio
		tokens := tokensOf(c.a, logp, old)
		lossOf(t, o, tokens)
		if tokens.Clipped != c.want {
			t.Errorf("%s: %d clipped, want %d: %s", c.ratio, tokens.Clipped, c.want, c.reason)
		}
	}
}

// TestSequenceRatio by hand: the product over the sequence, whatever the
// aggregation makes of lengths.
func TestSequenceRatio(t *testing.T) {
	old := [][]float64{{-1, -1}, {-1}}
	logp := [][]float64{{-1.2, -.9}, {-.95}}
	rho := []float64{math.Exp(-.1), math.Exp(.05)}
	a := []float64{2, -3}
	for _, c := range []struct {
		aggregation string
		weights     []float64 // of the two sequences' losses
		reason      string
	}{
		{"seq-mean-token-sum", []float64{.5, .5}, "SD-E2 eq. 33: one loss a sequence, mean over sequences"},
		{"seq-mean-token-mean", []float64{.5, .5}, "the mean over tokens of one and the same loss"},
		{"token-mean", []float64{2. / 3, 1. / 3}, "two of three tokens carry the first loss"},
		{"seq-mean-token-sum-norm", []float64{.05, .05}, "over T_max = 10"},
	} {
		o := Function{Ratio: "sequence", Aggregation: c.aggregation, MaxTokens: 10, ClipLow: .2, ClipHigh: .2}
		tokens := tokensOf(a, logp, old)
		got := lossOf(t, o, tokens)
		first, second := -c.weights[0]*a[0]*rho[0], -c.weights[1]*a[1]*rho[1]
		near(t, c.aggregation+": "+c.reason, []float64{got}, []float64{first + second}, 1e-14)
		near(t, c.aggregation+": slopes", tokens.DLogp, []float64{first, first, second}, 1e-14)
	}
}

func TestBadLossesAreErrors(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		tokens := tokensOf([]float64{1}, [][]float64{{-1}}, nil)
		tokens.Ref = []float64{bad}
		o := Function{Ratio: "token", Aggregation: "token-mean", KL: "k2", KLCoef: 1}
		wantError(t, o.Evaluate(tokens), "the loss is", "diverged")
	}
	o := ppo(.2, .2, 0)
	wantError(t, o.Evaluate(tokensOf([]float64{1}, [][]float64{{math.NaN()}}, nil)), "the loss is NaN")
	o.Aggregation = "seq-mean-token-sum-norm"
	wantError(t, o.Evaluate(tokensOf([]float64{1}, [][]float64{{-1}}, nil)), "seq-mean-token-sum-norm", "longest answer", "got 0")
	o.Aggregation = "median"
	wantError(t, o.Evaluate(tokensOf([]float64{1}, [][]float64{{-1}}, nil)), `unknown aggregation "median"`)
}

// BenchmarkLoss is a minibatch of 64 sequences of 16 tokens.
func BenchmarkLoss(b *testing.B) {
	for name, o := range map[string]Function{
		"token":    ppo(.2, .2, 0),
		"dual, k3": {ClipLow: .2, ClipHigh: .2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 1e-3},
		"sequence": {ClipLow: .2, ClipHigh: .2, Ratio: "sequence", Aggregation: "seq-mean-token-sum", KL: "exact", KLCoef: .02},
	} {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(6, 3))
			logp, advantage := make([][]float64, 64), make([]float64, 64)
			for s := range logp {
				logp[s], advantage[s] = make([]float64, 16), r.NormFloat64()
				for k := range logp[s] {
					logp[s][k] = -r.Float64()
				}
			}
			t := tokensOf(advantage, logp, nil)
			for k := range t.Old {
				t.Old[k] += 0.3 * r.NormFloat64()
			}
			t.Ref, t.KL, t.DKL = t.Old, t.Old, rubbish(len(t.Old))
			for b.Loop() {
				if err := o.Evaluate(t); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(t.Logp)), "ns/token")
		})
	}
}
