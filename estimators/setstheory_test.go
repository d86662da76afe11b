package estimators

import (
	"fmt"
	"math"
	"testing"

	"modebench/envs"
	"modebench/estimators/internal/setstest"
	"modebench/estimators/internal/subsets"
)

// judgedSets are the objectives of set-rl as a user would write them, of verdicts.
var judgedSets = map[string]func(vs []*envs.Verdict) float64{
	"polychromic": polychromic,
	"polychromic-ppo": func(vs []*envs.Verdict) float64 {
		if modesOf(vs) == 1 {
			return 0
		}
		return polychromic(vs)
	},
	"polychromic-max": func(vs []*envs.Verdict) float64 { return bestReward(vs) * float64(modesOf(vs)) / float64(len(vs)) },
	"mean":            meanReward,
	"max":             bestReward,
	"min": func(vs []*envs.Verdict) float64 {
		return -bestOf(vs, func(v *envs.Verdict) float64 { return -v.Reward[0] })
	},
	"distinct":         func(vs []*envs.Verdict) float64 { return float64(modesOf(vs)) / float64(len(vs)) },
	"distinct-correct": func(vs []*envs.Verdict) float64 { return float64(modesOf(right(vs))) / float64(len(vs)) },
	"pass":             func(vs []*envs.Verdict) float64 { return float64(min(1, len(right(vs)))) },
	"all":              func(vs []*envs.Verdict) float64 { return float64(len(right(vs)) / len(vs)) },
	"majority": func(vs []*envs.Verdict) float64 {
		if c := len(right(vs)); c > len(vs)-c {
			return 1
		}
		return 0
	},
}

func modesOf(vs []*envs.Verdict) int {
	seen := map[envs.Mode]bool{}
	for _, v := range vs {
		if v.Mode != envs.Degenerate {
			seen[v.Mode] = true
		}
	}
	return len(seen)
}

func right(vs []*envs.Verdict) []*envs.Verdict {
	var out []*envs.Verdict
	for _, v := range vs {
		if v.Correct {
			out = append(out, v)
		}
	}
	return out
}

func bestOf(vs []*envs.Verdict, f func(*envs.Verdict) float64) float64 {
	best := math.Inf(-1)
	for _, v := range vs {
		best = max(best, f(v))
	}
	return best
}

func bestReward(vs []*envs.Verdict) float64 {
	return bestOf(vs, func(v *envs.Verdict) float64 { return v.Reward[0] })
}

// TestSetRLFollowsTheGradient is Poly-EPO Prop. 3.1 with eq. 8's mean over the sets,
// for every objective: the expected step is (N-n)/n times the gradient of E[f].
func TestSetRLFollowsTheGradient(t *testing.T) {
	if len(judgedSets) != len(setstest.Exactly) {
		t.Errorf("%d objectives, want all %d", len(judgedSets), len(setstest.Exactly))
	}
	for objective := range setstest.Exactly {
		f := judgedSets[objective]
		for _, modes := range []int{2, 3} {
			w := newWorld(t, modes, true)
			for size := 3; size <= 4; size++ {
				for n := 1; n <= size; n++ {
					want := w.gradient(n, f)
					for k := range want {
						want[k] *= float64(size-n) / float64(n)
					}
					got := w.expected(t, build(t, "set-rl", "objective="+objective, fmt.Sprint("n=", n)).Estimator, size)
					near(t, fmt.Sprintf("%s, N=%d n=%d", objective, size, n), got, want, 1e-12)
				}
			}
		}
	}
}

// TestDrawnSetsFollowTheGradient is Poly-EPO Prop. B.1: with K of the C(N, n) sets drawn, the
// expected step, over groups and drawings, is (N/n) q - 1 times the gradient, q the chance that a
// rollout is in any drawn set. Both expectations are exact: every group, every choice of K sets.
func TestDrawnSetsFollowTheGradient(t *testing.T) {
	w := newWorld(t, 2, true)
	for _, c := range []struct{ size, n int }{{3, 1}, {3, 2}, {4, 2}, {4, 3}} {
		var all [][]int
		eachSet(c.size, c.n, func(set []int) { all = append(all, append([]int(nil), set...)) })
		gradient := w.gradient(c.n, polychromic)
		for k := 1; k <= len(all); k++ {
			choices, holding := 0, 0
			eachSet(len(all), k, func(chosen []int) {
				choices++
				for _, s := range chosen {
					if all[s][0] == 0 { // rollout 0 is in a set as its first member
						holding++
						break
					}
				}
			})
			q := 1 - setstest.Chance(len(all)-subsets.Count(c.size-1, c.n-1, 1<<30), k, len(all))
			if d := float64(holding)/float64(choices) - q; math.Abs(d) > 1e-12 {
				t.Fatalf("N=%d n=%d K=%d: q_K is off by %g", c.size, c.n, k, d)
			}
			got := make([]float64, len(w.logits))
			var totals subsets.Totals
			a := make([]float64, c.size)
			w.each(c.size, func(arms []int, chance float64) {
				vs := w.pick(arms)
				worth := make([]float64, len(all))
				for s, set := range all {
					members := make([]*envs.Verdict, 0, c.n)
					for _, i := range set {
						members = append(members, vs[i])
					}
					worth[s] = polychromic(members)
				}
				eachSet(len(all), k, func(chosen []int) {
					totals.Reset(c.size)
					for _, s := range chosen {
						totals.Add(all[s], worth[s])
					}
					totals.Marginal(a)
					w.score(got, arms, func(i int) float64 { return a[i] }, chance/float64(choices))
				})
			})
			want := make([]float64, len(gradient))
			factor := float64(c.size)/float64(c.n)*q - 1
			for i, g := range gradient {
				want[i] = factor * g
			}
			near(t, fmt.Sprintf("N=%d n=%d K=%d: M_K = %g", c.size, c.n, k, factor), got, want, 1e-12)
			if k == 1 && math.Abs(factor) > 1e-12 {
				t.Errorf("one set is its own mean, but M_1 = %g", factor)
			}
		}
	}
}

// population is the marginal set advantage of each arm under the policy itself
// (Poly-EPO eq. 14): E[f] with that arm in the set, less E[f].
func (w *world) population(n int, f func(vs []*envs.Verdict) float64) []float64 {
	given, mean := w.conditional(n, f)
	for a := range given {
		given[a] -= mean
	}
	return given
}

// conditional is E[f] with each arm in the set, and E[f].
func (w *world) conditional(n int, f func(vs []*envs.Verdict) float64) (given []float64, mean float64) {
	given, p := make([]float64, len(w.logits)), w.policy()
	w.each(n, func(arms []int, chance float64) {
		x := f(w.pick(arms))
		mean += chance * x
		given[arms[0]] += chance / p[arms[0]] * x
	})
	return given, mean
}

// TestMarginalAdvantageOfAGroup: given rollout i's arm, the expected advantage is 1 - n/N times
// that of the population; the rest is i's own addition to the mean over all sets.
func TestMarginalAdvantageOfAGroup(t *testing.T) {
	w := newWorld(t, 2, true)
	for name, f := range judgedSets {
		for n := 1; n <= 4; n++ {
			want := w.population(n, f)
			for a := range want {
				want[a] *= 1 - float64(n)/4
			}
			got, p := make([]float64, len(w.logits)), w.policy()
			e := build(t, "set-rl", "objective="+name, fmt.Sprint("n=", n)).Estimator
			w.each(4, func(arms []int, chance float64) {
				g := Group{Problem: "p"}
				for _, a := range arms {
					g.Rollouts = append(g.Rollouts, Rollout{Train: true, Candidates: w.verdicts[a : a+1]})
				}
				got[arms[0]] += chance / p[arms[0]] * ofGroup(t, e, g)[0]
			})
			near(t, fmt.Sprintf("%s, n=%d", name, n), got, want, 1e-12)
		}
	}
}

// TestPassNAdvantages is Poly-EPO sec. 5.1: with 0/1 rewards and the chance p of a correct answer,
// the marginal advantage of the largest of n is (1-p)^n where correct and (1-p)^n - (1-p)^(n-1)
// where wrong; and so is, but for 1 - n/N, the expected one of a group.
func TestPassNAdvantages(t *testing.T) {
	w := newWorld(t, 2, true)
	p := 0.0
	for a, chance := range w.policy() {
		w.verdicts[a].Reward = []float64{float64(a % 2)}
		p += chance * float64(a%2)
	}
	for n := 1; n <= 4; n++ {
		want := make([]float64, len(w.logits))
		for a := range want {
			want[a] = math.Pow(1-p, float64(n))
			if a%2 == 0 {
				want[a] -= math.Pow(1-p, float64(n-1))
			}
		}
		near(t, fmt.Sprint("n=", n), w.population(n, bestReward), want, 1e-12)
		// Of all groups of 5 by their number of correct ones: rollout 0 is correct
		// in the first case and wrong in the second.
		for right := range 2 {
			got := 0.0
			for c := 0; c <= 4; c++ {
				rewards := make([]float64, 5)
				rewards[0] = float64(right)
				for i := range c {
					rewards[1+i] = 1
				}
				chance := float64(subsets.Count(4, c, 1<<30)) * math.Pow(p, float64(c)) * math.Pow(1-p, float64(4-c))
				got += chance * ofGroup(t, build(t, "pass-n", fmt.Sprint("n=", n)).Estimator, groupOf(rewards, ""))[0]
			}
			near(t, fmt.Sprintf("groups of 5, n=%d, reward %d", n, right), []float64{got}, []float64{(1 - float64(n)/5) * want[right]}, 1e-12)
		}
	}
}

// shift is how much the logarithm of each arm's chance changes by a step of that
// length along the exact gradient of E[f].
func (w *world) shift(gradient []float64, rate float64) []float64 {
	before := w.policy()
	moved := &world{logits: append([]float64(nil), w.logits...), verdicts: w.verdicts}
	for a, g := range gradient {
		moved.logits[a] += rate * g
	}
	out := moved.policy()
	for a := range out {
		out[a] = math.Log(out[a]) - math.Log(before[a])
	}
	return out
}

// TestLogitShift is Poly-EPO Lemma 5.1: one step of rate alpha changes log pi(y) by
// alpha n pi(y) A(y) - alpha C, C = n E[pi(y) A(y)] the same for all y. It holds to
// first order: the remainder is a quarter for half the rate. Eq. 12 is the case n = 1,
// a plain reward, but without C: its error is a half for half the rate.
func TestLogitShift(t *testing.T) {
	w := newWorld(t, 3, true)
	p, compared := w.policy(), 0
	for _, n := range []int{1, 2, 3} {
		for _, name := range []string{"polychromic", "max", "distinct"} {
			advantage, gradient := w.population(n, judgedSets[name]), w.gradient(n, judgedSets[name])
			c, slope := 0.0, make([]float64, len(p))
			for a := range p {
				slope[a] = float64(n) * p[a] * advantage[a]
				c += p[a] * slope[a]
			}
			near(t, "the gradient by a logit is n pi(y) A(y)", gradient, slope, 1e-12)
			miss := func(rate, constant float64) float64 {
				off := 0.0
				for a, d := range w.shift(gradient, rate) {
					off = max(off, math.Abs(d-rate*(slope[a]-constant)))
				}
				return off
			}
			at := fmt.Sprintf("%s, n=%d", name, n)
			for _, rate := range []float64{0.1, 0.01} {
				if order := miss(rate, c) / miss(rate/2, c); order < 3.8 || order > 4.2 {
					t.Errorf("%s: half of rate %g leaves 1/%g of what the lemma misses, want a quarter", at, rate, order)
				}
				if math.Abs(c) < 1e-2 {
					continue // too little to tell the two apart
				}
				compared++
				if order := miss(rate, 0) / miss(rate/2, 0); order < 1.8 || order > 2.2 {
					t.Errorf("%s: half of rate %g leaves 1/%g of what eq. 12 misses, want a half", at, rate, order)
				}
			}
		}
	}
	if compared < 6 {
		t.Errorf("eq. 12 and the lemma differed enough to compare %d times, want 6 or more", compared)
	}
}

// TestSynergy is Poly-EPO eq. 15: the marginal advantage of the polychromic objective
// is the product of mean reward and mean diversity with y in the set less that
// without, and how the two go together with y less how they do without.
func TestSynergy(t *testing.T) {
	w := newWorld(t, 3, true)
	diversity := judgedSets["distinct"]
	for _, n := range []int{1, 2, 3} {
		both, bothMean := w.conditional(n, polychromic)
		d, dMean := w.conditional(n, diversity)
		r, rMean := w.conditional(1, meanReward)
		want := make([]float64, len(d))
		firstWithD := 0.0 // E[r(Y1) d]
		w.each(n, func(arms []int, chance float64) {
			vs := w.pick(arms)
			firstWithD += chance * vs[0].Reward[0] * diversity(vs)
		})
		for a := range want {
			reward := r[a]/float64(n) + float64(n-1)/float64(n)*rMean
			want[a] = reward*d[a] - rMean*dMean + (both[a] - reward*d[a]) - (firstWithD - rMean*dMean)
			both[a] -= bothMean
		}
		near(t, fmt.Sprint("n=", n), both, want, 1e-12)
	}
}

// TestShapedReward is Poly-EPO eq. 16: with a bonus lambda d(y) that does not depend
// on the policy the advantage is r - E[r] + lambda (d - E[d]), the slope of E[r +
// lambda d] by y's logit over pi(y). A wrong answer gains only where d is at least
// p/lambda + E[d]; a set objective may lift it whatever p is.
func TestShapedReward(t *testing.T) {
	w := newWorld(t, 3, true)
	const lambda = 0.5
	p, right, bonus := w.policy(), 0.0, 0.0
	d := func(v *envs.Verdict) float64 { return float64(v.Embedding[0] * v.Embedding[0]) }
	for _, v := range w.verdicts {
		if v.Embedding == nil {
			v.Embedding = []float32{0.5}
		}
	}
	for a, v := range w.verdicts {
		v.Reward = []float64{float64(a % 2)}
		right += p[a] * v.Reward[0]
		bonus += p[a] * d(v)
	}
	slope := w.gradient(1, func(vs []*envs.Verdict) float64 { return vs[0].Reward[0] + lambda*d(vs[0]) })
	lifted := 0
	for a, v := range w.verdicts {
		want := v.Reward[0] - right + lambda*(d(v)-bonus)
		near(t, "eq. 16", []float64{slope[a] / p[a]}, []float64{want}, 1e-12)
		if v.Reward[0] == 0 && (want >= 0) != (d(v) >= right/lambda+bonus) {
			t.Errorf("arm %d: advantage %g, d = %g, threshold %g", a, want, d(v), right/lambda+bonus)
		}
	}
	// Nearly always right, in one mode: the shaped reward's bound, p/lambda, is above
	// any d of at most 1, but wrong answers in other modes gain under set RL.
	for a := range w.logits {
		w.logits[a] = -4
	}
	w.logits[1] = 2
	for a, advantage := range w.population(3, polychromic) {
		if w.verdicts[a].Reward[0] == 0 && advantage > 0 {
			lifted++
		}
	}
	if lifted < 2 {
		t.Errorf("%d wrong arms gain under the polychromic objective", lifted)
	}
}

// TestSignalVanishesAndFlips at the paper's own group size: with one common correct
// mode and every wrong answer a mode of its own, a wrong answer is worth as much as a
// correct one at n = 4 and more at n = 6.
func TestSignalVanishesAndFlips(t *testing.T) {
	g := groupOf([]float64{1, 1, 1, 1, 1, 0, 0, 0}, "AAAAABCD")
	for n, want := range map[int][2]float64{4: {0, 0}, 6: {-1. / 504, 5. / 1512}} {
		a, b := want[0], want[1]
		near(t, fmt.Sprint("n=", n), ofGroup(t, build(t, "poly-epo", fmt.Sprint("n=", n)).Estimator, g), []float64{a, a, a, a, a, b, b, b}, 1e-15)
	}
	for n := 1; n <= 3; n++ {
		if a := ofGroup(t, build(t, "poly-epo", fmt.Sprint("n=", n)).Estimator, g); !(a[0] > 0 && a[7] < 0) {
			t.Errorf("n=%d: %v, want the correct ahead", n, a)
		}
	}
}

// TestPKPOFollowsTheGradient: the expected step of every variant is the gradient of
// the expected best of k, without any factor, for every k it is defined for.
func TestPKPOFollowsTheGradient(t *testing.T) {
	for _, modes := range []int{2, 3} {
		w := newWorld(t, modes, true)
		for n := 1; n <= 4; n++ {
			for k := 1; k <= n; k++ {
				want := w.gradient(k, bestReward)
				for _, variant := range []string{"s", "loo", "loo-1"} {
					if variant == "loo" && k == n {
						continue
					}
					near(t, fmt.Sprintf("%s n=%d k=%d", variant, n, k), w.expected(t, build(t, "pkpo", fmt.Sprint("k=", k), "variant="+variant).Estimator, n), want, 1e-12)
				}
			}
		}
	}
}

// TestMaxAtKCreditIsTheGradient: E[sum_i s_i grad log pi(y_i)] is the gradient of
// the expected best of k. Centring costs k parts in n and no direction: the mean
// of s is k/n times the unbiased best@k, whose expected product with the scores
// is that gradient again. Dividing by the deviation does bend it.
func TestMaxAtKCreditIsTheGradient(t *testing.T) {
	for _, modes := range []int{2, 3} {
		w := newWorld(t, modes, true)
		for n := 2; n <= 4; n++ {
			for k := 1; k <= n; k++ {
				at := fmt.Sprintf("n=%d k=%d", n, k)
				want := w.gradient(k, bestReward)
				near(t, at, w.expected(t, build(t, "pkpo", fmt.Sprint("k=", k), "variant=s").Estimator, n), want, 1e-12)
				for i := range want {
					want[i] *= float64(n-k) / float64(n)
				}
				centred := build(t, "max-at-k", "scale=none", fmt.Sprint("k=", k)).Estimator
				near(t, at+", centred", w.expected(t, centred, n), want, 1e-12)
			}
		}
	}
	w := newWorld(t, 3, true)
	cos := cosineBetween(w.expected(t, build(t, "max-at-k", "k=2").Estimator, 4), w.gradient(2, bestReward))
	t.Logf("cosine between the z-score's expected step and grad E[max of 2]: %.6f", cos)
	if cos < 0.5 || cos > 1-1e-6 {
		t.Errorf("the cosine is %.9f, want a related but different direction", cos)
	}
}
