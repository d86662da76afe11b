package loss

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"modebench/internal/rng"
)

func clipCov(share, low, high float64) Function {
	return Function{ClipLow: .2, ClipHigh: .2, Ratio: "token", Aggregation: "token-mean", KL: "k3", ClipCov: share, ClipCovLow: low, ClipCovHigh: high}
}

func klCov(share, coef float64) Function {
	return Function{Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCov: share, KLCovCoef: coef}
}

// covariance is each token's part in the covariance, by definition.
func covariance(t *Tokens) []float64 {
	n := float64(len(t.Logp))
	meanA, meanL := 0.0, 0.0
	var a []float64
	for s := range t.Sequences() {
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			a = append(a, t.Advantage[s])
			meanA += t.Advantage[s] / n
			meanL += t.Logp[k] / n
		}
	}
	out := make([]float64, len(a))
	for k := range a {
		out[k] = (a[k] - meanA) * (t.Logp[k] - meanL)
	}
	return out
}

// uneven is a random minibatch of 20 tokens in sequences of many lengths: an advantage
// counts once for each token.
func uneven(seed uint64) *Tokens {
	t := randomTokens(seed, 5, 4, .3)
	t.Start = []int{0, 1, 8, 10, 16, 20}
	return t
}

// expect fails unless an objective's loss and gradient are those of per-token ones
// under its aggregation.
func expect(t *testing.T, why string, o Function, tokens *Tokens, losses, slopes []float64) {
	t.Helper()
	nested := func(flat []float64) [][]float64 {
		var out [][]float64
		for s := range tokens.Sequences() {
			out = append(out, flat[tokens.Start[s]:tokens.Start[s+1]])
		}
		return out
	}
	near(t, why+": loss", []float64{lossOf(t, o, tokens)}, []float64{aggregated(o, nested(losses))}, 1e-13)
	for k := range slopes {
		only := make([]float64, len(slopes))
		only[k] = slopes[k]
		near(t, fmt.Sprintf("%s: slope %d", why, k), tokens.DLogp[k:k+1], []float64{aggregated(o, nested(only))}, 1e-13)
	}
}

// untouched are the losses and slopes of tokens under a clip alone.
func untouched(o Function, tokens *Tokens) (losses, slopes []float64) {
	for s, a := range tokens.Advantage {
		for k := tokens.Start[s]; k < tokens.Start[s+1]; k++ {
			rho := math.Exp(tokens.Logp[k] - tokens.Old[k])
			l, slope := -a*rho, -a*rho
			if o.ClipHigh > 0 && a > 0 && rho > 1+o.ClipHigh {
				l, slope = -a*(1+o.ClipHigh), 0
			}
			if o.ClipLow > 0 && a < 0 && rho < 1-o.ClipLow {
				l, slope = -a*(1-o.ClipLow), 0
			}
			losses, slopes = append(losses, l), append(slopes, slope)
		}
	}
	return losses, slopes
}

// TestClipCovLeavesOutCandidates: at a share of 1 all candidates go, so who they
// are shows: covariance between the bounds, not cut by the clip already.
func TestClipCovLeavesOutCandidates(t *testing.T) {
	out, kept := 0, 0
	for _, aggregation := range allAggregations {
		for seed := range uint64(40) {
			for _, bounds := range [][2]float64{{.3, 1.5}, {.1, 0}, {-.5, .2}, {50, 60}} {
				o := clipCov(1, bounds[0], bounds[1])
				o.Aggregation, o.MaxTokens = aggregation, 9
				tokens := uneven(seed)
				tokens.Advantage[0] = 0 // no loss, but a covariance, since the mean is another
				losses, slopes := untouched(o, tokens)
				cov := covariance(tokens)
				clipped := 0
				for k := range losses {
					if cut := slopes[k] == 0 && losses[k] != 0; cut || cov[k] > bounds[0] && (bounds[1] == 0 || cov[k] < bounds[1]) {
						clipped++
						if !cut {
							losses[k], slopes[k] = 0, 0
							out++
						}
					} else {
						kept++
					}
				}
				at := fmt.Sprintf("%s, batch %d, bounds %v", aggregation, seed, bounds)
				expect(t, at, o, tokens, losses, slopes)
				if tokens.Clipped != clipped {
					t.Errorf("%s: %d clipped, want %d", at, tokens.Clipped, clipped)
				}
			}
		}
	}
	if out < 1000 || kept < 1000 {
		t.Errorf("%d tokens left out and %d kept: the bounds do not try both", out, kept)
	}
}

// leftOut are the tokens without a gradient.
func leftOut(t *testing.T, o *Function, tokens *Tokens) []int {
	t.Helper()
	if err := o.Evaluate(tokens); err != nil {
		t.Fatal(err)
	}
	var out []int
	for k, d := range tokens.DLogp {
		if d == 0 {
			out = append(out, k)
		}
	}
	return out
}

// TestClipCovCounts: max(1, floor(share N)) tokens, or all candidates.
func TestClipCovCounts(t *testing.T) {
	tokens := randomTokens(3, 10, 10, 0)
	candidates := 0
	for _, c := range covariance(tokens) {
		if c > .5 {
			candidates++
		}
	}
	if candidates < 8 || candidates > 50 {
		t.Fatalf("%d candidates of 100: this batch tests nothing", candidates)
	}
	for _, c := range []struct {
		share  float64
		want   int
		reason string
	}{
		{2e-4, 1, "at least one, though 2e-4 of 100 is none"},
		{.019, 1, "1.9 rounded down"},
		{.05, 5, "5 of 100"},
		{.07, 7, "0.07 * 100 is 7.000000000000001"},
		{1, candidates, "no more than there are"},
	} {
		o := clipCov(c.share, .5, 0)
		if got := leftOut(t, &o, tokens); len(got) != c.want {
			t.Errorf("share %v: %d left out, want %d: %s", c.share, len(got), c.want, c.reason)
		}
	}
	none := clipCov(1, 50, 60)
	if got := leftOut(t, &none, tokens); len(got) != 0 {
		t.Errorf("%d left out where no covariance lies between the bounds", len(got))
	}
}

// TestClipCovDrawsFromTheKey: the same tokens from the same key, whatever went before, and every
// set of candidates as often as any other. With 6 candidates and 2 to draw there are 15 pairs;
// chi-square on 14 degrees of freedom exceeds 36.1 once in a thousand.
func TestClipCovDrawsFromTheKey(t *testing.T) {
	tokens := tokensOf([]float64{2, -2}, [][]float64{{-.1, -.1, -.1, -.1, -.1, -.1}, {-.3, -.2, -.3, -.3, -.3, -.2}}, nil)
	// The first sequence's covariances are 0.167, the other's 0.233 and 0.033;
	// floor(0.17 * 12) = 2.
	o := clipCov(.17, .1, .2)
	const draws = 6000
	count := map[string]int{}
	for i := range draws {
		tokens.Key = rng.New(7).Int(uint64(i))
		got := leftOut(t, &o, tokens)
		fresh := clipCov(.17, .1, .2)
		if again := leftOut(t, &fresh, tokens); !slices.Equal(again, got) {
			t.Fatalf("key %d: %v, and %v from an objective that drew before", i, again, got)
		}
		count[fmt.Sprint(got)]++
	}
	chi := 0.0
	for _, n := range count {
		chi += math.Pow(float64(n)-draws/15., 2) / (draws / 15.)
	}
	if len(count) != 15 || chi > 36.1 {
		t.Errorf("%d pairs, want 15; chi-square %.1f: %v", len(count), chi, count)
	}
}

// TestKLCovHoldsTheHighest against the definition, with a sort of its own.
func TestKLCovHoldsTheHighest(t *testing.T) {
	for _, aggregation := range allAggregations {
		for seed := range uint64(20) {
			for _, share := range []float64{2e-3, .1, .33, 1} {
				o := klCov(share, .7)
				o.Aggregation, o.MaxTokens = aggregation, 9
				tokens := uneven(seed)
				losses, slopes := untouched(o, tokens)
				cov, order := covariance(tokens), make([]int, 20)
				for i := range order {
					order[i] = i
				}
				sort.SliceStable(order, func(i, j int) bool { return cov[order[i]] > cov[order[j]] })
				for _, k := range order[:max(1, int(share*20))] {
					d := tokens.Logp[k] - tokens.Old[k]
					losses[k] += .7 * math.Abs(d)
					slopes[k] += .7 * d / math.Abs(d)
				}
				expect(t, fmt.Sprintf("%s, batch %d, share %v", aggregation, seed, share), o, tokens, losses, slopes)
				if tokens.Clipped != 0 {
					t.Errorf("%d clipped; KL-Cov clips nothing", tokens.Clipped)
				}
			}
		}
	}
}

// TestKLCovDoesNotClip: a ratio of 5 keeps its full loss and slope, held or not.
func TestKLCovDoesNotClip(t *testing.T) {
	tokens := tokensOf([]float64{1, -1}, [][]float64{{-1}, {-1}}, [][]float64{{-1 - math.Log(5)}, {-1 + math.Log(5)}})
	lossOf(t, klCov(.5, 0), tokens)
	near(t, "slopes", tokens.DLogp, []float64{-5. / 2, .2 / 2}, 1e-14)
}

// TestKLCovIsNothingJustAfterSampling: |log rho| has no slope at 0, so one update
// per batch is the policy gradient.
func TestKLCovIsNothingJustAfterSampling(t *testing.T) {
	for seed := range uint64(5) {
		tokens := randomTokens(seed, 4, 5, 0)
		same(t, "first update", ppo(0, 0, 0), klCov(.3, 10), tokens, 0)
	}
}

// TestKLCovTies go to the first tokens, also where equal advantages make every
// covariance 0 up to rounding.
func TestKLCovTies(t *testing.T) {
	logp, old := [][]float64{{-.3, -.7}, {-1.1, -.2}}, [][]float64{{-.4, -.8}, {-1.2, -.3}}
	tokens := tokensOf([]float64{.1, .1}, logp, old)
	rho := math.Exp(.1)
	lossOf(t, klCov(.5, 1), tokens)
	near(t, "the first two of four are held", tokens.DLogp, []float64{(1 - .1*rho) / 4, (1 - .1*rho) / 4, -.1 * rho / 4, -.1 * rho / 4}, 1e-14)
	// The mean of three times 0.1 is not 0.1, and the rest of each covariance
	// is largest for the last token.
	tokens = tokensOf([]float64{.1, .1, .1}, [][]float64{{-.3}, {-.6}, {-2}}, [][]float64{{-.4}, {-.7}, {-2.1}})
	if mean := (tokens.Advantage[0] + tokens.Advantage[1] + tokens.Advantage[2]) / 3; !(mean > .1) {
		t.Fatalf("the mean is %v: there is no rounding to tell apart", mean)
	}
	lossOf(t, klCov(.1, 1), tokens)
	near(t, "the first of three is held", tokens.DLogp, []float64{(1 - .1*rho) / 3, -.1 * rho / 3, -.1 * rho / 3}, 1e-14)
}

// TestCovarianceKeepsTheOtherTerms: a token that is left out of the policy term
// still pays for its divergence and earns its entropy.
func TestCovarianceKeepsTheOtherTerms(t *testing.T) {
	for _, o := range []Function{clipCov(1, -1e9, 0), klCov(1, .5)} {
		tokens := ragged(1)
		lossOf(t, o, tokens)
		plain, dlogp := tokens.Loss, slices.Clone(tokens.DLogp)
		o.KLCoef, o.EntropyCoef = .3, .05
		other := Function{Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: .3, EntropyCoef: .05}
		lossOf(t, o, tokens)
		got, slopes, dentropy := tokens.Loss, slices.Clone(tokens.DLogp), slices.Clone(tokens.DEntropy)
		advantage := tokens.Advantage
		tokens.Advantage = make([]float64, len(advantage))
		near(t, "loss", []float64{got - plain}, []float64{lossOf(t, other, tokens)}, 1e-14)
		for k := range slopes {
			near(t, "slope", []float64{slopes[k] - dlogp[k]}, tokens.DLogp[k:k+1], 1e-14)
		}
		near(t, "entropy", dentropy, tokens.DEntropy, 0)
	}
}

func TestCovarianceOfNothing(t *testing.T) {
	for _, o := range []Function{clipCov(.5, 0, 0), klCov(.5, 1)} {
		for _, logp := range [][][]float64{nil, {{}}, {{}, {}}} {
			if loss := lossOf(t, o, tokensOf(make([]float64, len(logp)), logp, nil)); loss != 0 {
				t.Errorf("nothing to learn from has the loss %v", loss)
			}
		}
		tokens := tokensOf([]float64{1, 1}, [][]float64{{-1}, {-2, math.Inf(-1)}}, [][]float64{{-1}, {-2, -3}})
		wantError(t, o.Evaluate(tokens), "sequence 0, token 0", "covariance", "NaN")
	}
}

// TestCovarianceForgets: an objective's result for a minibatch does not depend on a
// longer and a shorter one before.
func TestCovarianceForgets(t *testing.T) {
	for _, o := range []Function{clipCov(.2, .1, 0), klCov(.2, 1)} {
		used := o
		for _, size := range []int{9, 2, 5} {
			var losses [2]float64
			var slopes [2][]float64
			for i, objective := range []*Function{&used, {}} {
				if i == 1 {
					*objective = o
				}
				tokens := randomTokens(uint64(size), size, size, .3)
				if err := objective.Evaluate(tokens); err != nil {
					t.Fatal(err)
				}
				losses[i], slopes[i] = tokens.Loss, tokens.DLogp
			}
			if losses[0] != losses[1] || !slices.Equal(slopes[0], slopes[1]) {
				t.Errorf("clip_cov %v, %d tokens: loss %v after other minibatches, %v before", o.ClipCov, size*size, losses[0], losses[1])
			}
		}
	}
}

// TestLossDoesNotAllocate once an objective has seen a minibatch.
func TestLossDoesNotAllocate(t *testing.T) {
	all := []Function{clipCov(.2, .1, 0), klCov(.2, 1), {Ratio: "token", Aggregation: "token-mean", OffPolicyMask: .1, Repo: .1, Forking: .2, LogRatioCoef: .1}}
	for _, ratio := range allRatios {
		all = append(all, Function{Ratio: ratio, Aggregation: "token-mean", DivCoef: .01, TauPos: 1, TauNeg: 1})
	}
	for _, o := range all {
		tokens := randomTokens(1, 8, 6, .3)
		tokens.Correct, tokens.Entropy = make([]bool, 8), make([]float64, len(tokens.Logp))
		n := testing.AllocsPerRun(50, func() {
			if err := o.Evaluate(tokens); err != nil {
				t.Fatal(err)
			}
		})
		if n > 0 {
			t.Errorf("%+v: %v allocations", o, n)
		}
	}
}
