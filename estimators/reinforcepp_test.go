package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// whitenedByDefinition writes every token's return down by itself and normalises
// them as one list; it gives the advantage of each rollout's first token.
func whitenedByDefinition(returns [][]float64, tokens [][]int, ddof int, epsilon float64) [][]float64 {
	var all []float64
	for g := range returns {
		for i, r := range returns[g] {
			for range tokens[g][i] {
				all = append(all, r)
			}
		}
	}
	n, mean, square := float64(len(all)), 0.0, 0.0
	for _, r := range all {
		mean += r / n
	}
	for _, r := range all {
		square += (r - mean) * (r - mean)
	}
	variance := square / (n - float64(ddof))
	out := make([][]float64, len(returns))
	for g := range returns {
		for _, r := range returns[g] {
			a := (r - mean) / math.Sqrt(variance+epsilon)
			if !(variance > 1e-20) {
				a = 0
			}
			out[g] = append(out[g], a)
		}
	}
	return out
}

func TestReinforcePPEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for range 200 {
		b, raw, centred, tokens := batchOf(), [][]float64{}, [][]float64{}, [][]int{}
		for range 1 + r.IntN(4) {
			g, rewards, lengths := randomLengths(r, 1+r.IntN(6))
			c := slices.Clone(rewards)
			for i := range c {
				if len(c) > 1 { // a group of one has the mean 0
					c[i] -= sum(rewards) / float64(len(rewards))
				}
			}
			b.Groups = append(b.Groups, g)
			raw, centred, tokens = append(raw, rewards), append(centred, c), append(tokens, lengths)
		}
		for _, ddof := range []int{0, 1} {
			for method, returns := range map[string][][]float64{"reinforce++": raw, "reinforce++-baseline": centred} {
				want := whitenedByDefinition(returns, tokens, ddof, 1e-8)
				for g, got := range advantages(t, build(t, method, fmt.Sprint("ddof=", ddof)).Estimator, b) {
					near(t, fmt.Sprint(method, ddof, returns, tokens), got, want[g], 1e-12)
				}
			}
		}
	}
}

// TestReinforcePPLaws: over the tokens of the batch the advantages have the mean 0 and the variance
// 1, and one rollout of l tokens counts as two of the same reward with l tokens together.
func TestReinforcePPLaws(t *testing.T) {
	for _, method := range []string{"reinforce++", "reinforce++-baseline"} {
		e := build(t, method, "epsilon=0").Estimator
		rapid.Check(t, func(t *rapid.T) {
			b := batchOf()
			for range rapid.IntRange(1, 4).Draw(t, "groups") {
				g := drawGroup(t, 2)
				for i := range g.Rollouts {
					g.Rollouts[i].Tokens = rapid.IntRange(1, 40).Draw(t, "tokens")
				}
				b.Groups = append(b.Groups, g)
			}
			got := advantages(t, e, b)
			squares, tokens := 0.0, 0.0
			for g := range got {
				for i, a := range got[g] {
					l := float64(b.Groups[g].Rollouts[i].Tokens)
					squares += l * a * a
					tokens += l
				}
			}
			if squares != 0 {
				near(t, "sum over tokens, variance", []float64{tokenSum(b, got) / tokens, squares / tokens}, []float64{0, 1}, 1e-12)
			}
			if method != "reinforce++" {
				return // the mean of the group counts rollouts
			}
			split := batchOf(slices.Clone(b.Groups)...)
			g := &split.Groups[0]
			g.Rollouts = slices.Concat(g.Rollouts, g.Rollouts[:1])
			left := rapid.IntRange(1, 40).Draw(t, "left")
			g.Rollouts[0].Tokens = left
			whole := batchOf(slices.Clone(b.Groups)...)
			whole.Groups[0].Rollouts = slices.Clone(b.Groups[0].Rollouts)
			whole.Groups[0].Rollouts[0].Tokens = left + g.Rollouts[len(g.Rollouts)-1].Tokens
			near(t, "split in two", advantages(t, e, split)[0][:len(got[0])], advantages(t, e, whole)[0], 1e-12)
		})
	}
}

// TestReinforcePPCouplesGroups: a group that is all correct has advantages beside a group that
// is all wrong; by itself it is worth nothing.
func TestReinforcePPCouplesGroups(t *testing.T) {
	right, wrong := groupOf([]float64{1, 1}, ""), groupOf([]float64{0, 0}, "")
	e := build(t, "reinforce++", "epsilon=0").Estimator
	near(t, "alone", ofGroup(t, e, right), []float64{0, 0}, 0)
	got := advantages(t, e, batchOf(right, wrong))
	near(t, "beside wrong ones", slices.Concat(got...), []float64{1, 1, -1, -1}, 1e-15)
	// Nothing but lengths can make that of centred rewards.
	e = build(t, "reinforce++-baseline", "epsilon=0").Estimator
	mixed := groupOf([]float64{1, 0}, "")
	near(t, "equal lengths", advantages(t, e, batchOf(right, mixed))[0], []float64{0, 0}, 0)
	if a := advantages(t, e, batchOf(right, long(mixed, 5, 1)))[0][0]; a > -0.1 {
		t.Errorf("a long correct rollout elsewhere moves a group without a spread by %g", a)
	}
}

// TestReinforcePPOfOneGroup with equal lengths is the z-score with either ddof of
// rollouts only if that is 0: the former counts tokens.
func TestReinforcePPOfOneGroup(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	for range 50 {
		_, rewards := fractions(r, 2+r.IntN(9))
		g := groupOf(rewards, "")
		for i := range g.Rollouts {
			g.Rollouts[i].Tokens = 7
		}
		want := ofGroup(t, build(t, "grpo", "epsilon=0").Estimator, g)
		for _, method := range []string{"reinforce++", "reinforce++-baseline"} {
			near(t, method, ofGroup(t, build(t, method, "epsilon=0").Estimator, g), want, 1e-12)
		}
		n := float64(7 * len(rewards))
		for i := range want {
			want[i] *= math.Sqrt((n - 1) / n)
		}
		near(t, "ddof 1", ofGroup(t, build(t, "reinforce++", "epsilon=0", "ddof=1").Estimator, g), want, 1e-12)
	}
}

// TestEqualReturnsAreNoSignal, whatever the lengths: the rounding of a mean over
// tokens is not blown up to a step.
func TestEqualReturnsAreNoSignal(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for _, method := range []string{"reinforce++", "reinforce++-baseline", "opo"} {
		for _, set := range [][]string{{"epsilon=0"}, nil} {
			if method == "opo" {
				set = nil
			}
			e := build(t, method, set...).Estimator
			for range 200 {
				g, rewards, _ := randomLengths(r, 2+r.IntN(40))
				c := math.Pow(10, 10*r.Float64()-3)
				g = mapRewards(g, func(float64) float64 { return c })
				near(t, fmt.Sprintf("%s: %d rewards of %v", method, len(rewards), c), ofGroup(t, e, g), make([]float64, len(rewards)), 0)
			}
		}
	}
}

// TestLengthErrors name the group and the rollout, voters counted; the length of
// rollouts that only vote are not read.
func TestLengthErrors(t *testing.T) {
	for _, method := range []string{"reinforce++", "reinforce++-baseline", "opo"} {
		e := build(t, method).Estimator
		for _, tokens := range []int{0, -1} {
			bad := long(groupOf([]float64{0, 1, 0, 1}, ""), -5, 2, 3, tokens)
			bad.Rollouts[0].Train, bad.Problem = false, "the bad one"
			b := batchOf(groupOf([]float64{1, 0}, ""), bad)
			wantError(t, e.Advantages(NewAdvantages(b), b), "group 1", `"the bad one"`, fmt.Sprintf("rollout 3 has %d tokens", tokens), "at least 1")
			b.Groups[1].Rollouts[3].Tokens = 1
			advantages(t, e, b)
		}
	}
}

// TestReinforcePPTakesThePenalty: the divergence of a rollout comes off its return
// before anything is normalised.
func TestReinforcePPTakesThePenalty(t *testing.T) {
	g := groupOf([]float64{1, 1, 0}, "")
	g.Rollouts[0].Penalty, g.Rollouts[2].Penalty = 0.5, -0.25
	for _, method := range []string{"reinforce++", "reinforce++-baseline"} {
		e := build(t, method).Estimator
		near(t, method, ofGroup(t, e, g), ofGroup(t, e, groupOf([]float64{0.5, 1, 0.25}, "")), 1e-15)
	}
}
