package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// raggedTokens draws a group of rollouts of many lengths whose tokens are drawn from
// distributions over four tokens.
func raggedTokens(r *rand.Rand, size int) Group {
	rewards := make([]float64, size)
	for i := range rewards {
		rewards[i] = float64(r.IntN(5)) / 4
	}
	g := groupOf(rewards, "")
	for i := range g.Rollouts {
		one := &g.Rollouts[i]
		one.Tokens = 1 + r.IntN(6)
		one.PerToken = &PerToken{}
		for range one.Tokens {
			p := make([]float64, 4)
			total := 0.0
			for k := range p {
				p[k] = r.ExpFloat64()
				total += p[k]
			}
			squares, entropy := 0.0, 0.0
			for k := range p {
				p[k] /= total
				squares += p[k] * p[k]
				entropy -= p[k] * math.Log(p[k])
			}
			own := one.PerToken
			own.Logprob = append(own.Logprob, math.Log(p[r.IntN(4)]))
			own.Entropy = append(own.Entropy, entropy)
			own.Squares = append(own.Squares, squares)
		}
	}
	return g
}

func tokenAdvantages(t failer, i *Instance, b *Batch) [][][]float64 {
	t.Helper()
	dst := NewTokenAdvantages(b)
	if err := i.TokenAdvantages(dst, b); err != nil {
		t.Fatalf("%v", err)
	}
	return dst
}

// baselineByDefinition is verl's optimal token baseline place by place, by its doc comment,
// from sums that start anew at every place.
func baselineByDefinition(g Group, i, place int, epsilon float64) float64 {
	second := 0 // rollouts that reach the place
	numerator, denominator := 0.0, 0.0
	for _, one := range g.Rollouts {
		if place >= one.Tokens {
			continue
		}
		second++
		w := 0.0
		for s := 0; s <= place; s++ {
			w += 1 - 2*math.Exp(one.PerToken.Logprob[s]) + one.PerToken.Squares[s]
		}
		numerator += one.Candidates[0].Reward[0] * w
		denominator += w
	}
	if second == 1 {
		return 0 // the tail of a lone longest rollout
	}
	return numerator / (denominator + epsilon)
}

func TestTokenBaselineEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 3))
	tails := 0
	for range 300 {
		g := raggedTokens(r, 2+r.IntN(7))
		got := tokenAdvantages(t, build(t, "token-baseline"), batchOf(g))[0]
		for i, one := range g.Rollouts {
			want := make([]float64, one.Tokens)
			for place := range want {
				b := baselineByDefinition(g, i, place, 1e-8)
				want[place] = one.Candidates[0].Reward[0] - b
				if b == 0 {
					tails++
				}
			}
			near(t, fmt.Sprint("rollout ", i), got[i], want, 1e-12)
		}
	}
	if tails < 100 {
		t.Errorf("%d tokens of a lone longest rollout", tails)
	}
}

// TestTokenBaselineHasTheLeastVariance: of all baselines of one token, it is the one under
// which the second moment of (r - B) times the score is least, over the group's own rollouts.
func TestTokenBaselineHasTheLeastVariance(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 4))
	for range 50 {
		g := raggedTokens(r, 6)
		for i := range g.Rollouts {
			one := &g.Rollouts[i]
			one.Tokens = 1
			own := one.PerToken
			own.Logprob, own.Entropy, own.Squares = own.Logprob[:1], own.Entropy[:1], own.Squares[:1]
		}
		moment := func(move float64) float64 {
			total := 0.0
			for i, a := range tokenAdvantages(t, build(t, "token-baseline", "epsilon=0"), batchOf(g))[0] {
				own := g.Rollouts[i].PerToken
				square := 1 - 2*math.Exp(own.Logprob[0]) + own.Squares[0] // of the score's length
				total += (a[0] + move) * (a[0] + move) * square
			}
			return total
		}
		if at := moment(0); at > moment(0.01) || at > moment(-0.01) {
			t.Fatalf("%v, and with another baseline %v or %v", at, moment(0.01), moment(-0.01))
		}
	}
}

func TestEntropyShapedEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 5))
	bound, free := 0, 0
	for range 300 {
		g := raggedTokens(r, 2+r.IntN(7))
		b := batchOf(g)
		alpha, kappa := r.Float64(), 1+3*r.Float64()
		base := advantages(t, build(t, "grpo").Estimator, b)[0]
		got := tokenAdvantages(t, build(t, "entropy-shaped", fmt.Sprint("alpha=", alpha), fmt.Sprint("kappa=", kappa)), b)[0]
		for i, one := range g.Rollouts {
			var want []float64
			for _, h := range one.PerToken.Entropy {
				if alpha*h > math.Abs(base[i])/kappa {
					want = append(want, base[i]+math.Abs(base[i])/kappa)
					bound++
				} else {
					want = append(want, base[i]+alpha*h)
					free++
				}
				if w := want[len(want)-1]; w*base[i] < 0 {
					t.Fatalf("%v becomes %v", base[i], w)
				}
			}
			near(t, fmt.Sprint("rollout ", i), got[i], want, 1e-15)
		}
	}
	if bound < 300 || free < 300 {
		t.Errorf("%d tokens at the bound and %d below", bound, free)
	}
}

// TestNoEntropyIsGRPO, to the bit.
func TestNoEntropyIsGRPO(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 6))
	for range 100 {
		b := batchOf(raggedTokens(r, 5))
		want := advantages(t, build(t, "grpo").Estimator, b)[0]
		for i, own := range tokenAdvantages(t, build(t, "entropy-shaped", "alpha=0"), b)[0] {
			for _, a := range own {
				if a != want[i] {
					t.Fatalf("%v, want %v", a, want[i])
				}
			}
		}
	}
}

// TestAdvantagesOfTokensAndRollouts: the advantage of a rollout is the mean over its
// tokens, and a rollout without tokens gets 0.
func TestAdvantagesOfTokensAndRollouts(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 7))
	for _, method := range []string{"entropy-shaped", "token-baseline"} {
		g := raggedTokens(r, 6)
		g.Rollouts[2].Train = false
		g.Rollouts[4].Tokens, g.Rollouts[4].PerToken = 0, nil
		b := batchOf(g, raggedTokens(r, 3))
		tokens, means := tokenAdvantages(t, build(t, method), b), advantages(t, build(t, method).Estimator, b)
		for k := range tokens {
			for i, own := range tokens[k] {
				want := 0.0
				if len(own) > 0 {
					want = sum(own) / float64(len(own))
				}
				near(t, fmt.Sprint(method, " rollout ", i), means[k][i:i+1], []float64{want}, 4e-15)
			}
		}
		near(t, method+": voter", tokens[0][2], make([]float64, g.Rollouts[2].Tokens), 0)
	}
}

// TestTokenErrors: faults of the lists, the room, or the loss.
func TestTokenErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 8))
	for method, list := range map[string]string{"entropy-shaped": "token_entropies", "token-baseline": "token_logprobs"} {
		i, b := build(t, method), batchOf(raggedTokens(r, 3))
		dst := NewTokenAdvantages(b)
		wantError(t, i.TokenAdvantages(dst[:0], b), "room for 0 groups, the batch has 1")
		wantError(t, i.TokenAdvantages([][][]float64{dst[0][:2]}, b), "group 0", "room for 2 rollouts, want 3")
		own := b.Groups[0].Rollouts[1].PerToken
		b.Groups[0].Rollouts[1].PerToken = nil
		wantError(t, i.TokenAdvantages(dst, b), "group 0", "rollout 1: 0 entries in "+list, "one per token")
		wantError(t, i.Estimator.Advantages(NewAdvantages(b), b), "group 0", "rollout 1: 0 entries in "+list)
		wantError(t, i.Requirements().Check(b), "group 0", "rollout 1: 0 entries in "+list)
		b.Groups[0].Rollouts[1].PerToken = own
		b.Groups[0].Rollouts[0].Tokens++
		wantError(t, i.TokenAdvantages(dst, b), "group 0", "rollout 0: room for", "one per token")
		for _, ratio := range []string{"sequence", "geometric"} {
			wantError(t, change(build(t, method, "dual_clip=0"), "ratio="+ratio), "method "+method, "ratio", "got "+ratio, "want token, sequence-norm, importance or none")
		}
	}
	b := batchOf(raggedTokens(r, 2))
	wantError(t, build(t, "grpo").TokenAdvantages(NewTokenAdvantages(b), b), "method grpo gives one advantage per rollout")
}
