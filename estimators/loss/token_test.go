package loss

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"modebench/internal/testkit"
)

// perToken are the objectives that take advantages of tokens, those that choose tokens among them.
func perToken() []Function {
	var out []Function
	for _, o := range append(objectives(), clipCov(1, .2, 1.5), klCov(.4, .7)) {
		if o.CheckTokens() == nil {
			out = append(out, o)
		}
	}
	return out
}

// TestEqualTokensAreTheirSequence: tokens that all have the advantage of their sequence have
// its loss and slopes.
func TestEqualTokensAreTheirSequence(t *testing.T) {
	for i, o := range perToken() {
		whole, each := ragged(uint64(i%16)), ragged(uint64(i%16))
		for s, a := range each.Advantage {
			for range each.Start[s+1] - each.Start[s] {
				each.TokenAdvantage = append(each.TokenAdvantage, a)
			}
			each.Advantage[s] = math.NaN() // not read
		}
		at := fmt.Sprintf("%+v", o)
		near(t, at, []float64{lossOf(t, o, each)}, []float64{lossOf(t, o, whole)}, 1e-14)
		near(t, at, each.DLogp, whole.DLogp, 1e-15)
		if each.Clipped != whole.Clipped {
			t.Errorf("%s: %d tokens clipped, want %d", at, each.Clipped, whole.Clipped)
		}
	}
}

// TestTokensOfTheirOwn: a token's slope depends on its own advantage alone, so it is that of a
// minibatch in which all have it; and where tokens have ratios of their own, so is the loss,
// which is a sum over tokens.
func TestTokensOfTheirOwn(t *testing.T) {
	for i, o := range objectives() {
		if o.CheckTokens() != nil {
			continue
		}
		mixed := ragged(uint64(i % 16))
		for k := range mixed.Logp {
			mixed.TokenAdvantage = append(mixed.TokenAdvantage, []float64{0.7, -1.3, 0, 2}[k%4])
		}
		total := lossOf(t, o, mixed)
		slopes := slices.Clone(mixed.DLogp)
		parts := -3 * regularisers(t, o, i) // of each of the four advantages below
		for _, a := range []float64{0.7, -1.3, 0, 2} {
			one := ragged(uint64(i % 16))
			for range one.Logp {
				one.TokenAdvantage = append(one.TokenAdvantage, 0)
			}
			for k := range one.Logp {
				if mixed.TokenAdvantage[k] == a {
					one.TokenAdvantage[k] = a
				}
			}
			parts += lossOf(t, o, one)
			for s := range one.Advantage {
				one.Advantage[s] = a
			}
			one.TokenAdvantage = nil
			lossOf(t, o, one)
			for k := range slopes {
				if mixed.TokenAdvantage[k] == a && slopes[k] != one.DLogp[k] {
					t.Fatalf("%+v: token %d of advantage %v has the slope %v, want %v", o, k, a, slopes[k], one.DLogp[k])
				}
			}
		}
		near(t, fmt.Sprintf("%+v", o), []float64{total}, []float64{parts}, 1e-13)
	}
}

// regularisers is the loss of a minibatch of no advantages.
func regularisers(t *testing.T, o Function, i int) float64 {
	one := ragged(uint64(i % 16))
	clear(one.Advantage)
	return lossOf(t, o, one)
}

// TestTokensUnderASequenceRatio: GSPO's token form by hand, as verl's gspo has it: every
// token has the sequence's ratio and its own advantage, and each term is clipped by itself.
func TestTokensUnderASequenceRatio(t *testing.T) {
	o := Function{ClipLow: .2, ClipHigh: .2, Ratio: "sequence-norm", Aggregation: "seq-mean-token-mean"}
	tokens := tokensOf([]float64{9}, [][]float64{{-1, -2}}, [][]float64{{-1.5, -2.5}}) // the ratio is e^0.5
	tokens.TokenAdvantage = []float64{1, -1}
	ratio := math.Exp(.5)
	near(t, "loss", []float64{lossOf(t, o, tokens)}, []float64{(-1.2 + ratio) / 2}, 1e-15)
	near(t, "slopes", tokens.DLogp, []float64{0, ratio / 2}, 1e-15)
	if tokens.Clipped != 1 {
		t.Errorf("%d tokens clipped, want 1", tokens.Clipped)
	}
}

// TestCovarianceOfTokens: the mean advantage is over tokens, and each has its own part.
func TestCovarianceOfTokens(t *testing.T) {
	tokens := tokensOf([]float64{9, 9}, [][]float64{{-1, -2}, {-3}}, [][]float64{{-1, -2}, {-3}})
	tokens.TokenAdvantage = []float64{3, 0, 0}
	c := &covariances{}
	if err := c.measure(tokens); err != nil {
		t.Fatal(err)
	}
	near(t, "covariances", c.parts, []float64{2, 0, 1}, 1e-15)
}

func TestTokensAreRefused(t *testing.T) {
	for _, ratio := range []string{"sequence", "geometric"} {
		tokens := ragged(1)
		tokens.TokenAdvantage = make([]float64, len(tokens.Logp))
		o := Function{Ratio: ratio, Aggregation: "token-mean", KL: "k3"}
		testkit.WantError(t, o.Evaluate(tokens), "ratio", "got "+ratio, "want token, sequence-norm, importance or none")
	}
	tokens := ragged(1)
	tokens.TokenAdvantage = make([]float64, 3)
	o := ppo(.2, .2, 0)
	testkit.WantError(t, o.Evaluate(tokens), "advantages of 3 tokens, want 9")
}
