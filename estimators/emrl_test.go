package estimators

import (
	"math"
	"math/rand/v2"
	"testing"

	"modebench/envs"
)

func init() {
	em := set{
		"scale": nil, "ddof": nil, "epsilon": nil, "clip_low": 0., "clip_high": 0.,
		"aggregation": "seq-mean-token-sum", "kl_coef": 1e-3,
	}
	for _, method := range []string{"em-rl-token", "em-rl-sequence"} {
		defaultRows = append(defaultRows, defaultRow{method, em, "Agarwal et al.: RLOO, KL 1e-3"})
		degenerateRows = append(degenerateRows, degenerateRow{method, nil, nil, nil, "what the judge says is not read; all are equally confident"})
		singletonRows = append(singletonRows,
			singletonRow{method, nil, 0, "no others: no baseline, no signal"},
			singletonRow{method, []string{"singleton=raw"}, 0, "its confidence, which is 0 here, not its reward"})
	}
}

// surely gives the rollouts of a group these confidences: minus the entropy, and
// the log-probability.
func surely(confidence ...float64) Group {
	g := Group{Problem: "p"}
	for _, c := range confidence {
		g.Rollouts = append(g.Rollouts, Rollout{Entropy: -c, Logprob: c, Train: true})
	}
	return g
}

// TestEMRLReadsNoVerdict: it works without any candidates, and asks
// only for its own fact.
func TestEMRLReadsNoVerdict(t *testing.T) {
	for method, fact := range map[string]RolloutFields{"em-rl-token": RolloutEntropy, "em-rl-sequence": RolloutLogprob} {
		e := build(t, method).Estimator
		if needs := e.Requirements(); needs.CandidateFields != 0 || needs.RolloutFields != fact {
			t.Errorf("%s reads %v and %v", method, needs.CandidateFields.Names(), needs.RolloutFields.Names())
		}
		near(t, method, ofGroup(t, e, surely(-3, -1, -2)), []float64{-1.5, 1.5, 0}, 1e-15)
	}
}

// TestEMRLIsRLOOOnConfidence, bit for bit, with the penalty taken off.
func TestEMRLIsRLOOOnConfidence(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	for range 100 {
		c, rewards := make([]float64, 1+r.IntN(8)), []float64{}
		for i := range c {
			c[i] = -10 * r.Float64()
		}
		g := surely(c...)
		for i := range g.Rollouts {
			g.Rollouts[i].Penalty = r.Float64()
			rewards = append(rewards, c[i]-g.Rollouts[i].Penalty)
		}
		want := ofGroup(t, build(t, "rloo").Estimator, groupOf(rewards, ""))
		for _, method := range []string{"em-rl-token", "em-rl-sequence"} {
			near(t, method, ofGroup(t, build(t, method).Estimator, g), want, 0)
		}
	}
}

func TestEMRLErrors(t *testing.T) {
	for _, method := range []string{"em-rl-token", "em-rl-sequence"} {
		e := build(t, method).Estimator
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			g := surely(bad, -1, bad) // rollouts that only vote are not read
			g.Rollouts[0].Train, g.Problem = false, "the bad one"
			b := batchOf(surely(-1, -2), g)
			wantError(t, e.Advantages(NewAdvantages(b), b), "group 1", `"the bad one"`, "rollout 2 has the score", "finite")
			g.Rollouts[2].Logprob, g.Rollouts[2].Entropy = -3, 3
			near(t, method, advantages(t, e, b)[1], []float64{0, 2, -2}, 0)
		}
		far := surely(-1, -1.5e308) // finite like its penalty, but not together
		far.Rollouts[1].Penalty = 1e308
		b := batchOf(far)
		wantError(t, e.Advantages(NewAdvantages(b), b), "rollout 1 has the score -1.5e+308 less the penalty 1e+308")
		b = batchOf(surely(-1, -2), surely(-math.MaxFloat64, -math.MaxFloat64))
		wantError(t, e.Advantages(NewAdvantages(b), b), "group 1", "overflow")
	}
}

// TestEMRLOnOneToken: in a world of one token the expected step of em-rl-sequence
// is N times the gradient of minus the policy's entropy, sum p log p, though its
// rewards are constants to the gradient. That of em-rl-token is nothing: every
// rollout comes from the same state and so has the same entropy.
func TestEMRLOnOneToken(t *testing.T) {
	for _, modes := range []int{2, 3} {
		w := newWorld(t, modes, true)
		p := w.policy()
		negative := 0.0 // minus the entropy
		for _, x := range p {
			negative += x * math.Log(x)
		}
		dress := func(g *Group) {
			for i := range g.Rollouts {
				g.Rollouts[i].Logprob = math.Log(p[w.arm(&g.Rollouts[i])])
				g.Rollouts[i].Entropy = -negative
			}
		}
		for _, size := range []int{2, 3, 4} {
			want := make([]float64, len(p))
			for k, x := range p {
				want[k] = float64(size) * x * (math.Log(x) - negative)
			}
			near(t, "em-rl-sequence", w.expected(t, dressed{build(t, "em-rl-sequence").Estimator, dress}, size), want, 1e-12)
			near(t, "em-rl-token", w.expected(t, dressed{build(t, "em-rl-token").Estimator, dress}, size), make([]float64, len(p)), 0)
		}
	}
}

// softmaxWorld is a world of nothing but a policy.
func softmaxWorld(r *rand.Rand, arms int) *world {
	w := &world{verdicts: make([]*envs.Verdict, arms)}
	for range arms {
		w.logits = append(w.logits, 1.5*r.NormFloat64())
	}
	return w
}

func entropyOf(p []float64) float64 {
	h := 0.0
	for _, x := range p {
		h -= x * math.Log(x)
	}
	return h
}

// TestEMRLOnTwoTokens tells the two apart. Over groups of two rollouts, the expected
// step of em-rl-sequence is the gradient of minus the entropy of whole answers, of
// the first token's logits and of the second's. That of em-rl-token is the gradient
// of minus the expected entropy of the state reached, of the first token's logits
// alone: no state is sharpened by itself, as its own entropy is a constant there.
func TestEMRLOnTwoTokens(t *testing.T) {
	const states, arms, size = 3, 3, 2
	r := rand.New(rand.NewPCG(14, 2))
	first := softmaxWorld(r, states)
	var second []*world
	for range states {
		second = append(second, softmaxWorld(r, arms))
	}
	p := first.policy()
	for _, sequence := range []bool{false, true} {
		method := "em-rl-token"
		if sequence {
			method = "em-rl-sequence"
		}
		e := build(t, method).Estimator
		step := make([]float64, states)
		steps := make([][]float64, states)
		for s := range steps {
			steps[s] = make([]float64, arms)
		}
		first.each(size, func(at []int, chance float64) {
			for x := range arms {
				for y := range arms {
					token := []int{x, y}
					g, both := Group{}, chance
					for i, s := range at {
						q := second[s].policy()
						both *= q[token[i]]
						g.Rollouts = append(g.Rollouts, Rollout{Train: true,
							Logprob: math.Log(p[s]) + math.Log(q[token[i]]), Entropy: entropyOf(p) + entropyOf(q)})
					}
					a := ofGroup(t, e, g)
					first.score(step, at, func(i int) float64 { return a[i] }, both)
					for i, s := range at {
						second[s].score(steps[s], token[i:i+1], func(int) float64 { return a[i] }, both)
					}
				}
			}
		})
		// The worth of each first token: minus the entropy to come, and for whole
		// answers its own log-probability too.
		worth, mean := make([]float64, states), 0.0
		for s := range worth {
			worth[s] = -entropyOf(second[s].policy())
			if sequence {
				worth[s] += math.Log(p[s])
			}
			mean += p[s] * worth[s]
		}
		for s := range worth {
			near(t, method+", first token", step[s:s+1], []float64{size * p[s] * (worth[s] - mean)}, 1e-12)
			q := second[s].policy()
			want := make([]float64, arms)
			for k := range want {
				if sequence {
					want[k] = size * p[s] * q[k] * (math.Log(q[k]) + entropyOf(q))
				}
			}
			near(t, method+", second token", steps[s], want, 1e-12)
		}
	}
}
