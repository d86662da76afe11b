package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/bandit"
)

// A world is a small bandit under a softmax policy: everything an estimator's
// expectation depends on can be enumerated.
type world struct {
	logits   []float64
	verdicts []*envs.Verdict // of each arm
}

// newWorld has modes of two arms each, so that a mode is not an arm, and one
// more arm whose answer does not parse where invalid is set.
func newWorld(t *testing.T, modes int, invalid bool) *world {
	t.Helper()
	c := bandit.Default()
	c.Modes, c.Rewarded, c.ArmsPerMode, c.Dim = modes, 2, 2, 6
	env, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	problem, err := env.Problem(envs.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{}
	for a := range 2 * modes {
		w.verdicts = append(w.verdicts, problem.Judge([]envs.Token{envs.Token(a)}))
	}
	if invalid {
		w.verdicts = append(w.verdicts, problem.Judge(nil))
	}
	// Rewards that are not 0 or 1, so that no accident of those hides a mistake.
	r := rand.New(rand.NewPCG(3, uint64(modes)))
	for a := range w.verdicts {
		v := *w.verdicts[a] // the judge's own is shared
		w.verdicts[a] = &v
		v.Reward = []float64{v.Reward[0] + float64(r.IntN(8))/16}
		w.logits = append(w.logits, r.NormFloat64())
	}
	return w
}

func (w *world) policy() []float64 {
	p, z := make([]float64, len(w.logits)), 0.0
	for a, l := range w.logits {
		p[a] = math.Exp(l)
		z += p[a]
	}
	for a := range p {
		p[a] /= z
	}
	return p
}

// each visits every way to draw n arms, with its probability.
func (w *world) each(n int, visit func(arms []int, chance float64)) {
	p := w.policy()
	arms := make([]int, n)
	var grow func(filled int, chance float64)
	grow = func(filled int, chance float64) {
		if filled == n {
			visit(arms, chance)
			return
		}
		for a, pa := range p {
			arms[filled] = a
			grow(filled+1, chance*pa)
		}
	}
	grow(0, 1)
}

// score adds by * sum_i weight_i grad log pi(arm_i) to dst: the gradient of
// log softmax is the one-hot vector less the probabilities.
func (w *world) score(dst []float64, arms []int, weight func(i int) float64, by float64) {
	p := w.policy()
	for i, a := range arms {
		s := by * weight(i)
		dst[a] += s
		for k := range dst {
			dst[k] -= s * p[k]
		}
	}
}

// expected is E[sum_i grad log pi(y_i) A_i] over all groups of that size.
func (w *world) expected(t *testing.T, e Estimator, size int) []float64 {
	t.Helper()
	b := batchOf()
	var draws [][]int
	var chances []float64
	w.each(size, func(arms []int, chance float64) {
		g := Group{Problem: "p"}
		for _, a := range arms {
			g.Rollouts = append(g.Rollouts, Rollout{Tokens: 1, Train: true, Candidates: w.verdicts[a : a+1]})
		}
		b.Groups = append(b.Groups, g)
		draws = append(draws, append([]int(nil), arms...))
		chances = append(chances, chance)
	})
	out := make([]float64, len(w.logits))
	for g, a := range advantages(t, e, b) {
		w.score(out, draws[g], func(i int) float64 { return a[i] }, chances[g])
	}
	return out
}

// gradient is the exact gradient of E[f] over n independent draws.
func (w *world) gradient(n int, f func(vs []*envs.Verdict) float64) []float64 {
	out := make([]float64, len(w.logits))
	w.each(n, func(arms []int, chance float64) {
		x := f(w.pick(arms))
		w.score(out, arms, func(int) float64 { return x }, chance)
	})
	return out
}

func (w *world) pick(arms []int) []*envs.Verdict {
	vs := make([]*envs.Verdict, len(arms))
	for i, a := range arms {
		vs[i] = w.verdicts[a]
	}
	return vs
}

func meanReward(vs []*envs.Verdict) float64 {
	total := 0.0
	for _, v := range vs {
		total += v.Reward[0]
	}
	return total / float64(len(vs))
}

// polychromic is Poly-EPO's objective of a set (eq. 10).
func polychromic(vs []*envs.Verdict) float64 {
	seen := map[envs.Mode]bool{}
	for _, v := range vs {
		if v.Mode != envs.Degenerate {
			seen[v.Mode] = true
		}
	}
	return meanReward(vs) * float64(len(seen)) / float64(len(vs))
}

// spreadOf is SetPO's D of the answers (eq. 3).
func spreadOf(vs []*envs.Verdict) float64 {
	vectors := make([][]float32, len(vs))
	for i, v := range vs {
		vectors[i] = v.Embedding
	}
	return diversity(cosines(vectors), -1)
}

// TestGradientOfWorld holds the exact gradient the tests below rely on against
// central differences of the expectation.
func TestGradientOfWorld(t *testing.T) {
	w := newWorld(t, 3, true)
	value := func() float64 {
		total := 0.0
		w.each(3, func(arms []int, chance float64) { total += chance * polychromic(w.pick(arms)) })
		return total
	}
	got := w.gradient(3, polychromic)
	const h = 1e-5
	for k := range w.logits {
		at := w.logits[k]
		w.logits[k] = at + h
		up := value()
		w.logits[k] = at - h
		down := value()
		w.logits[k] = at
		near(t, fmt.Sprintf("logit %d", k), got[k:k+1], []float64{(up - down) / (2 * h)}, 1e-9)
	}
}

// TestExpectedStepIsTheGradient: the expectation of the policy gradient under
// an estimator is a constant times the gradient of its target.
func TestExpectedStepIsTheGradient(t *testing.T) {
	type claim struct {
		reason   string
		method   string
		set      []string
		size     int // of the group
		draws    int // answers the objective looks at
		factor   float64
		of       func([]*envs.Verdict) float64
		embedded bool // every answer has to parse
	}
	var claims []claim
	correct := func(vs []*envs.Verdict) float64 { return Indicator(vs[0].Correct) }
	largest := func(vs []*envs.Verdict) float64 {
		out := vs[0].Reward[0]
		for _, v := range vs[1:] {
			out = max(out, v.Reward[0])
		}
		return out
	}
	for _, size := range []int{3, 4} {
		n := float64(size)
		claims = append(claims,
			claim{"the log-probabilities of correct answers alone climb pass@1", "psr", nil, size, 1, n, correct, false},
			claim{"and so do those of the others: a constant has no gradient", "nsr", nil, size, 1, n, correct, false},
			claim{"the weights of both sides add up", "w-reinforce", []string{"positive=0.25"}, size, 1, 1.25 * n, correct, false},
			claim{"the lead of the best is what the others' largest lacks", "grpo-passk", []string{"scale=none"}, size, size, 1, largest, false},
			claim{"at beta 0 risk is the mean", "rs-grpo", []string{"beta=0"}, size, 1, n - 1, meanReward, false},
			claim{"all rewards times 1", "darling", []string{"floor=1"}, size, 1, n - 1, meanReward, false},
			claim{"no rank", "unlikeliness", []string{"beta=0", "scale=none"}, size, 1, n - 1, meanReward, false},
			claim{"none good", "mara", []string{"tau=9", "scale=none"}, size, 1, n - 1, meanReward, false},
			claim{"no sharing out", "ucpo", []string{"tau=0", "scale=none"}, size, 1, n - 1, meanReward, false},
			claim{"no focus", "f-grpo", []string{"gamma=0", "scale=none"}, size, 1, n - 1, meanReward, false},
			claim{"no cluster", "uniqueness-aware", []string{"alpha=0", "scale=none"}, size, 1, n - 1, meanReward, false},
			claim{"no baseline: N terms, each grad E[r] (Williams 1992)", "reinforce", nil, size, 1, n, meanReward, false},
			claim{"a baseline of the others' rewards changes nothing in expectation", "rloo", nil, size, 1, n, meanReward, false},
			claim{"the own reward in the mean costs one part in N", "grpo", []string{"scale=none"}, size, 1, n - 1, meanReward, false},
			claim{"as grpo without the deviation", "dr-grpo", nil, size, 1, n - 1, meanReward, false},
			claim{"without diversity grpo-div is the centred reward", "grpo-div", []string{"lambda=0"}, size, 1, n - 1, meanReward, false},
			// D(all without i) does not depend on answer i, so it is a baseline,
			// and the credit follows the gradient of E[D] itself.
			claim{"SetPO's credit is the gradient of the expected diversity of N answers", "setpo+grpo", []string{"scale=none", "lambda=1.5"}, size, size, 1,
				func(vs []*envs.Verdict) float64 { return (n-1)*meanReward(vs) + 1.5*spreadOf(vs) }, true},
		)
		for set := 1; set <= size; set++ {
			claims = append(claims, claim{"Poly-EPO Prop. 3.1 with eq. 8's mean over sets: M = (N - n)/n",
				"poly-epo", []string{fmt.Sprint("n=", set)}, size, set, (n - float64(set)) / float64(set), polychromic, false})
		}
	}
	for _, c := range claims {
		name := fmt.Sprintf("%s %s N=%d", c.method, strings.Join(c.set, " "), c.size)
		t.Run(name, func(t *testing.T) {
			for _, modes := range []int{2, 3} {
				w := newWorld(t, modes, !c.embedded)
				want := w.gradient(c.draws, c.of)
				for k := range want {
					want[k] *= c.factor
				}
				got := w.expected(t, build(t, c.method, c.set...).Estimator, c.size)
				near(t, c.reason, got, want, 1e-12)
			}
		})
	}
}

// TestZScoreIsNotTheGradient: dividing by the group's deviation bends the
// direction, which is why Dr.GRPO drops it. Were grpo's z-score proportional to
// grad E[r], this test's setting could not tell a z-score from a centred reward.
func TestZScoreIsNotTheGradient(t *testing.T) {
	w := newWorld(t, 3, true)
	want := w.gradient(1, meanReward)
	got := w.expected(t, build(t, "grpo").Estimator, 4)
	cos := cosineBetween(got, want)
	t.Logf("cosine between the z-score's expected step and grad E[r]: %.6f", cos)
	if cos < 0.5 || cos > 1-1e-6 {
		t.Errorf("the cosine is %.9f, want a related but different direction", cos)
	}
}

func cosineBetween(x, y []float64) float64 {
	dot, a, b := 0.0, 0.0, 0.0
	for k := range x {
		dot += x[k] * y[k]
		a += x[k] * x[k]
		b += y[k] * y[k]
	}
	return dot / math.Sqrt(a*b)
}

// TestExpectedStepOfChains: over rollouts of two independent answers with two reward components,
// VPO's and Multi-RLVR's centred scores follow the gradient of the expected score of one rollout.
func TestExpectedStepOfChains(t *testing.T) {
	w := newWorld(t, 2, true)
	r := rand.New(rand.NewPCG(3, 9))
	for _, v := range w.verdicts {
		v.Reward = []float64{float64(r.IntN(9)) / 8, float64(r.IntN(9)) / 8}
	}
	const rollouts = 2
	for method, score := range map[string]func(vs []*envs.Verdict) float64{
		"vpo": func(vs []*envs.Verdict) float64 {
			return (&VPO{Alpha: 1}).score(t, 0, [][]float64{vs[0].Reward, vs[1].Reward})
		},
		"multi-rlvr": func(vs []*envs.Verdict) float64 {
			return max(vs[0].Scalar([]float64{.25, .75}), vs[1].Scalar([]float64{.25, .75}))
		},
	} {
		e := build(t, method, "scale=none").Estimator
		got := make([]float64, len(w.logits))
		w.each(2*rollouts, func(arms []int, chance float64) {
			g := Group{Problem: "p", Weights: []float64{.25, .75}}
			for i := range rollouts {
				g.Rollouts = append(g.Rollouts, Rollout{Train: true, Candidates: w.pick(arms[2*i : 2*i+2])})
			}
			a := ofGroup(t, e, g)
			w.score(got, arms, func(i int) float64 { return a[i/2] }, chance)
		})
		want := w.gradient(2, score)
		for k := range want {
			want[k] *= rollouts - 1
		}
		near(t, method, got, want, 1e-12)
	}
}
