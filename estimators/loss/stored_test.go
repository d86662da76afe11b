package loss

import (
	"math"
	"strings"
	"testing"
)

var departures = map[string]func(d float64) (f, slope float64){"forward": forward, "js": jensenShannon, "alpha": alpha}

// weighted is a loss with one of them.
func weighted(o Function, name string, weight float64) Function {
	*map[string]*float64{"forward": &o.DPHForward, "js": &o.DPHJS, "alpha": &o.DPHAlpha}[name] = weight
	o.DPHRollouts = 4
	return o
}

// TestDepartureVectors: js and alpha are results of the authors' functions, forward is by hand.
func TestDepartureVectors(t *testing.T) {
	for name, want := range map[string][3]float64{
		"forward": {0.193147, 0, 0.306853},
		"js":      {0.084950, 0, 0.169899},
		"alpha":   {0.160318, 0, 0.368118},
	} {
		for i, u := range []float64{.5, 1, 2} {
			f, slope := departures[name](math.Log(u))
			if math.Abs(f-want[i]) > 1e-6 {
				t.Errorf("%s: f(%v) is %v, want %v", name, u, f, want[i])
			}
			if u == 1 && (f != 0 || slope != 0) {
				t.Errorf("%s: %v and the slope %v where nothing has moved, want 0", name, f, slope)
			}
		}
	}
}

// TestDepartureSlopes: by finite differences, within the bounds and where a bound holds.
func TestDepartureSlopes(t *testing.T) {
	for name := range departures {
		for _, d := range []float64{-19, -12, -10.9, -3, -.7, -.01, .02, .4, 1, 2.5, 2.7, 5, 19} {
			const h = 1e-5
			up, _ := departures[name](d + h)
			down, _ := departures[name](d - h)
			_, slope := departures[name](d)
			if want := (up - down) / (2 * h); math.Abs(slope-want) > 1e-7*max(1, math.Abs(want)) {
				t.Errorf("%s: the slope at %v is %v, want %v", name, d, slope, want)
			}
		}
	}
	for _, d := range []float64{-12, 2.7, 5} {
		if f, slope := forward(d); f != 10 || slope != 0 {
			t.Errorf("forward at %v: %v and the slope %v, want 10 and 0", d, f, slope)
		}
	}
}

// TestDepartureIsADivergence: the mean over samples of the base policy is the divergence of
// whole distributions.
func TestDepartureIsADivergence(t *testing.T) {
	q, p := []float64{.5, .3, .15, .05}, []float64{.2, .3, .4, .1}
	kl := func(p, q []float64) (sum float64) {
		for i := range p {
			sum += p[i] * math.Log(p[i]/q[i])
		}
		return sum
	}
	var m []float64
	power := 0.0
	for i := range p {
		m = append(m, (p[i]+q[i])/2)
		power += math.Pow(p[i], .8) * math.Pow(q[i], .2)
	}
	for name, want := range map[string]float64{"forward": kl(q, p), "js": kl(p, m) + kl(q, m), "alpha": (1 - power) / .16} {
		mean := 0.0
		for i := range q {
			f, _ := departures[name](math.Log(p[i] / q[i]))
			mean += q[i] * f
		}
		if math.Abs(mean-want) > 1e-14 {
			t.Errorf("%s: %v, want %v", name, mean, want)
		}
	}
}

// heldBatch has two stored sequences and two rollouts, with every input that a loss may read.
func heldBatch(seed uint64) *Tokens {
	t := ragged(seed)
	t.Stored = []bool{true, false, true, false} // the second is empty
	t.Advantage[0], t.Advantage[2] = 0, 0
	return t
}

// TestHoldStored: the loss is that of the rollouts, with the part of stored samples by hand, and
// the gradient is that of the loss.
func TestHoldStored(t *testing.T) {
	for name := range departures {
		for _, aggregation := range []string{"token-mean", "seq-mean-token-mean", "seq-mean-token-sum", "token-sum"} {
			for _, ratio := range []string{"token", "sequence-norm", "none"} {
				tokens := heldBatch(1)
				plain := Function{Ratio: ratio, Aggregation: aggregation, EntropyCoef: .1}
				o := weighted(plain, name, .3)
				if err := o.Check(); err != nil {
					t.Fatal(err)
				}
				weights := map[string][2]float64{ // of a token of the first sequence, and of the third
					"token-mean": {1. / 9, 1. / 9}, "seq-mean-token-mean": {1. / 9, 1. / 3}, "seq-mean-token-sum": {1. / 3, 1. / 3}, "token-sum": {1, 1},
				}[aggregation]
				want := lossOf(t, plain, tokens)
				for i, w := range []float64{weights[0], weights[0], weights[0], weights[1]} {
					f, _ := departures[name](tokens.Logp[i] - tokens.Old[i])
					want += .3 * w * f
				}
				if got := lossOf(t, o, tokens); math.Abs(got-want) > 1e-14 {
					t.Errorf("%s, %s, %s: %v, want %v", name, aggregation, ratio, got, want)
				}
				for k := range tokens.Logp {
					want := difference(t, o, tokens, tokens.Logp, k)
					if err := o.Evaluate(tokens); err != nil {
						t.Fatal(err)
					}
					if got := tokens.DLogp[k]; math.Abs(got-want) > 1e-8 {
						t.Errorf("%s, %s, %s: the slope of token %d is %v, want %v", name, aggregation, ratio, k, got, want)
					}
				}
			}
		}
	}
}

// TestHeldLogRatio: beyond a log ratio of 20 the loss is that of 20, and has no gradient.
func TestHeldLogRatio(t *testing.T) {
	for name, f := range departures {
		for _, d := range []float64{-25, 25} {
			tokens := &Tokens{Start: []int{0, 1}, Advantage: []float64{0}, Stored: []bool{true}, Logp: []float64{d}, Old: []float64{0}, DLogp: make([]float64, 1)}
			want, _ := f(math.Copysign(20, d))
			if got := lossOf(t, weighted(Function{Ratio: "token", Aggregation: "token-mean"}, name, 1), tokens); got != want || tokens.DLogp[0] != 0 {
				t.Errorf("%s at %v: %v and the slope %v, want %v and 0", name, d, got, tokens.DLogp[0], want)
			}
		}
	}
}

// TestStoredIsSaidOfEverySequence: a batch without the entries is an error.
func TestStoredIsSaidOfEverySequence(t *testing.T) {
	o, tokens := weighted(Function{Ratio: "token", Aggregation: "token-mean"}, "js", .1), heldBatch(1)
	if !o.Want().Stored {
		t.Error("it does not ask which sequences are stored")
	}
	tokens.Stored = tokens.Stored[:2]
	if err := o.Evaluate(tokens); err == nil || !strings.Contains(err.Error(), "has 2 entries in Stored, want 4") {
		t.Errorf("got %v", err)
	}
}
