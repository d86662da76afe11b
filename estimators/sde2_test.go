package estimators

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
)

var sde2Names = []string{"sd-e2", "grpo-cfl", "grpo-cfee"}

func init() {
	sde2 := set{"ratio": "sequence", "aggregation": "seq-mean-token-sum", "kl": "exact", "kl_coef": .02,
		"duplicates": "drop", "lambda_oc": 1., "w_oc": 1., "gamma_s": .25, "gamma_a": .5, "gamma_c": .5, "w_fa": 1.}
	with := func(more set) set {
		for name, value := range sde2 {
			more[name] = value
		}
		return more
	}
	explores := set{"lambda_re": 1., "w_re": 1., "bonus": 1., "beta": .5, "rho": .1}
	for name, value := range explores {
		sde2[name] = value
	}
	semantic := with(set{"delta": .8, "w_sd": 1.})
	counting := with(set{"w_rd": 1.})
	for name := range explores {
		delete(sde2, name)
	}
	defaultRows = append(defaultRows, []defaultRow{
		{"sd-e2", semantic, "sec. 4.2: all weights 1, delta 0.8, alpha 1; beta and rho from the middle of their grids; the objective of grpo@sd-e2"},
		{"grpo-cfee", counting, "app. C mirrors SD-E2 without embeddings"},
		{"grpo-cfl", with(set{"length": 128., "w_l": 1.}), "eq. 24; the constants of the length term are not given"},
	}...)
	for _, method := range sde2Names {
		// Chains of one candidate with the same length and no final answer, so only
		// chi and the strategies could tell them apart.
		degenerateRows = append(degenerateRows, degenerateRow{method, nil, nil, nil, "every component is the same for all"})
		singletonRows = append(singletonRows,
			singletonRow{method, nil, 0, "no spread"},
			singletonRow{method, []string{"singleton=raw"}, 0, "of a batch of one every component is its own mean"})
		l := schemeProperties
		l.Why = "centred rewards of their own"
		moreDeclared = append(moreDeclared, declared{method, []string{"scale=none"}, l})
	}
}

// chainsWith is a group of one-strategy chains with these outcomes and finals; "1" is correct.
func chainsWith(outcomes, finals string) []chainDraw {
	var out []chainDraw
	for i := range outcomes {
		c := chainDraw{train: true, tokens: 1, strategies: []strategyDraw{{
			reasoned: true, correct: outcomes[i] == '1', outcome: outcomes[i : i+1], vector: [3]int{1, i % 2, 0},
		}}}
		if finals[i] != '-' {
			c.final = finals[i : i+1]
		}
		out = append(out, c)
	}
	return out
}

// TestFinalAnswersAreJudgedByTheirGroup: an answer that one group shows to be right proves
// nothing about another problem's answers.
func TestFinalAnswersAreJudgedByTheirGroup(t *testing.T) {
	shown, hidden := groupOfChains(chainsWith("122", "122")), groupOfChains(chainsWith("222", "122"))
	for _, method := range sde2Names {
		e := build(t, method, "scale=none", "epsilon=100", "w_fa=0").Estimator
		got := advantages(t, e, batchOf(shown, hidden))
		if got[0][0] <= got[0][1] {
			t.Errorf("%s: the right final answer is worth %v, a wrong one %v", method, got[0][0], got[0][1])
		}
		near(t, method+": no candidate of the second group shows which is right", got[1], []float64{0, 0, 0}, 0)
	}
}

// TestSolvedChainsCollapse: once an outcome is correct, how different the strategies
// are plays no part (eq. 17); before, it does.
func TestSolvedChainsCollapse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := build(t, "sd-e2", "beta=10", "duplicates=keep").Estimator // other embeddings, other copies
		chains := drawChains(t)
		for i := range chains {
			chains[i].strategies[0].outcome, chains[i].strategies[0].correct = "1", true
		}
		plain := ofGroup(t, e, groupOfChains(chains))
		for i := range chains {
			for k := range chains[i].strategies {
				chains[i].strategies[k].vector = [3]int{1, rapid.IntRange(-3, 3).Draw(t, "entry"), 2}
			}
		}
		near(t, "other embeddings", ofGroup(t, e, groupOfChains(chains)), plain, 0)
	})
	e := build(t, "sd-e2").Estimator
	wide, narrow := chainsWith("2", "-")[0], chainsWith("2", "-")[0]
	wide.strategies = append(wide.strategies, strategyDraw{reasoned: true, outcome: "2", vector: [3]int{0, 0, 1}})
	narrow.strategies = append(narrow.strategies, narrow.strategies[0])
	if got := ofGroup(t, e, groupOfChains([]chainDraw{wide, narrow})); got[0] < 0.9 || got[1] > -0.9 {
		t.Errorf("two different strategies and two copies of one, none right, get %v", got)
	}
}

// TestExpectedStepOfStrategies: with components that are only centred, the expected step over
// chains of two strategies follows the gradient of the expected reward of one chain. R_oc is left
// out: whether a final answer is known to be right depends on the group.
func TestExpectedStepOfStrategies(t *testing.T) {
	w := newWorld(t, 3, true)
	cosineOf := func(u, v *envs.Verdict) float64 {
		dot, uu, vv := 0.0, 0.0, 0.0
		for i, x := range u.Embedding {
			y := float64(v.Embedding[i])
			dot, uu, vv = dot+float64(x)*y, uu+float64(x)*float64(x), vv+y*y
		}
		return dot / math.Sqrt(uu*vv)
	}
	reward := func(vs []*envs.Verdict) float64 {
		n, novelty, solved := 0.0, 0.0, vs[0].Correct || vs[1].Correct
		for _, v := range vs {
			if v.Err == nil {
				n, novelty = n+1, 1
			}
		}
		if n == 2 {
			c := cosineOf(vs[0], vs[1])
			if novelty = min(1, 1-c); c <= 0.8 {
				novelty *= 2
			}
		}
		r := min(1, 0.25*n)
		if solved {
			return r + 2
		}
		return r + min(0.5, 0.1*novelty)
	}
	const rollouts = 2
	e := build(t, "sd-e2", "scale=none", "epsilon=100", "w_oc=0", "duplicates=keep").Estimator
	got := make([]float64, len(w.logits))
	w.each(2*rollouts, func(arms []int, chance float64) {
		g := Group{Problem: "p"}
		for i := range rollouts {
			g.Rollouts = append(g.Rollouts, Rollout{Train: true, Candidates: w.pick(arms[2*i : 2*i+2])})
		}
		a := ofGroup(t, e, g)
		w.score(got, arms, func(i int) float64 { return a[i/2] }, chance)
	})
	want := w.gradient(2, reward)
	for k := range want {
		want[k] *= rollouts - 1
	}
	near(t, "sd-e2", got, want, 1e-12)
}

// TestSchemesCoupleGroups: the deviation of a component is the batch's, so that what
// a group's components weigh against each other depends on the other groups; and a
// group in which nothing differs still gets zeros.
func TestSchemesCoupleGroups(t *testing.T) {
	one, other := groupOfChains(chainsWith("1221", "11-2")), groupOfChains(chainsWith("1111", "1222"))
	for _, method := range sde2Names {
		e := build(t, method).Estimator
		alone := ofGroup(t, e, one)
		together := advantages(t, e, batchOf(one, other, groupOfChains(chainsWith("33", "33"))))
		if math.Abs(alone[1]-together[0][1]) < 1e-3 {
			t.Errorf("%s: other groups in the batch change nothing: %v", method, alone)
		}
		near(t, method+": a group without a difference", together[2], []float64{0, 0}, 0)
	}
}

// TestTheGateIsTheDeviation of eq. 29 that ddof asks for: of two final answers, one
// right, R_oc deviates by 1/2, or by the root of 1/2 from a sample's mean.
func TestTheGateIsTheDeviation(t *testing.T) {
	g := groupOfChains(chainsWith("12", "12"))
	for ddof, want := range map[string]float64{"ddof=0": 0.5, "ddof=1": 0.5 / (math.Sqrt(0.5) + 0.6)} {
		e := build(t, "grpo-cfl", "scale=none", "epsilon=0.6", "w_fa=0", ddof).Estimator
		near(t, ddof, ofGroup(t, e, g), []float64{want, -want}, 1e-15)
	}
}

// TestRoundingIsNoReward: two orders of the same strategies, whose Div differs in the
// last bit, are worth the same under any weight.
func TestRoundingIsNoReward(t *testing.T) {
	e := build(t, "sd-e2", "delta=1", "beta=10", "w_sd=1e9").Estimator
	differ := 0
	for x := range 20 {
		var there, back []strategyDraw
		for k := range 5 {
			there = append(there, strategyDraw{reasoned: true, outcome: "2", vector: [3]int{x - k, 1 + k*k, 2}})
			back = slices.Insert(back, 0, there[k])
		}
		g := groupOfChains([]chainDraw{{strategies: there, train: true}, {strategies: back, train: true}})
		var div [2]float64
		for i := range div {
			h := reasonings{}
			if err := h.gather(g.Rollouts[i].Candidates); err != nil {
				t.Fatal(err)
			}
			div[i] = h.diversity()
		}
		if div[0] != div[1] {
			differ++
		}
		near(t, fmt.Sprint(x), ofGroup(t, e, g), []float64{0, 0}, 0)
	}
	if differ == 0 {
		t.Error("no rounding anywhere")
	}
}

// TestLengthsCount: the length penalty and nothing else reads lengths.
func TestLengthsCount(t *testing.T) {
	chains := chainsWith("12", "12")
	long := slices.Clone(chains)
	long[0].tokens = 200
	for _, method := range sde2Names {
		e := build(t, method, "scale=none", "epsilon=100").Estimator
		plain, after := ofGroup(t, e, groupOfChains(chains)), ofGroup(t, e, groupOfChains(long))
		want := plain[0]
		if method == "grpo-cfl" {
			want -= 72. / 128 / 2 // half of it goes into the mean
		}
		near(t, method, after[:1], []float64{want}, 1e-15)
	}
}

// TestSchemeErrors name the group, the rollout and the candidate, voters counted.
func TestSchemeErrors(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		reason string
		spoil  func(*Rollout)
		says   string
	}{
		{"a broken embedder", func(r *Rollout) { r.Candidates[1].Embedding = []float32{nan, 1, 1} }, "rollout 2, candidate 1, has an embedding that is not finite"},
		{"an overflowed one", func(r *Rollout) { r.Candidates[0].Embedding[2] = float32(math.Inf(-1)) }, "rollout 2, candidate 0, has an embedding that is not finite"},
		{"two encoders", func(r *Rollout) { r.Candidates[1].Embedding = []float32{1} }, "rollout 2, candidate 1, has an embedding of 1 numbers, the chain's first has 3"},
		{"an empty chain", func(r *Rollout) { r.Candidates = nil }, "rollout 2 has 0 candidates"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			chains := chainsWith("123", "123")
			chains[0].train = false
			for i := range chains {
				chains[i].strategies = append(chains[i].strategies, chains[i].strategies[0])
			}
			b := batchOf(groupOfChains(chainsWith("12", "12")), groupOfChains(chains))
			b.Groups[1].Problem = "the bad one"
			c.spoil(&b.Groups[1].Rollouts[2])
			e := build(t, "sd-e2").Estimator
			wantError(t, e.Advantages(NewAdvantages(b), b), "group 1", `"the bad one"`, c.says)
			b.Groups = b.Groups[:1]
			advantages(t, e, b) // an error leaves nothing behind
		})
	}
	b := batchOf(groupOfChains(chainsWith("122", "122")))
	for _, method := range sde2Names {
		e := build(t, method, "w_oc=1e308", "lambda_oc=1e308").Estimator
		wantError(t, e.Advantages(NewAdvantages(b), b), "group 0", "overflow")
		wantError(t, e.Advantages(nil, b), "room for 0 groups")
	}
}

// TestSchemesDoNotAllocate in the steady state, on chains of several strategies.
func TestSchemesDoNotAllocate(t *testing.T) {
	b := batchOf()
	for _, kind := range []string{"1234", "2222", "3211"} {
		chains := chainsWith(kind, "12-2")
		for i := range chains {
			chains[i].strategies = append(chains[i].strategies, chains[(i+1)%4].strategies[0], chains[(i+2)%4].strategies[0])
		}
		chains[3].train = false
		b.Groups = append(b.Groups, groupOfChains(chains))
	}
	dst := NewAdvantages(b)
	for _, method := range sde2Names {
		e := build(t, method).Estimator
		if per := testing.AllocsPerRun(20, func() {
			if err := e.Advantages(dst, b); err != nil {
				t.Fatal(err)
			}
		}); per != 0 {
			t.Errorf("%s: %v allocations for 3 groups of 4 chains of 3", method, per)
		}
	}
}

// BenchmarkSDE2: 128 groups of 8 chains of 3 strategies with embeddings of 64.
func BenchmarkSDE2(b *testing.B) {
	batch := chainBatch(128, 8, 3, 1)
	vectors := sampleBatch(1, 24, 64).Groups[0].Rollouts
	for g := range batch.Groups {
		for i := range batch.Groups[g].Rollouts {
			r := &batch.Groups[g].Rollouts[i]
			for k, c := range r.Candidates {
				c.Mode, c.Answer, c.Embedding = "A", fmt.Sprint(k), vectors[(3*i+k)%24].Candidates[0].Embedding
			}
			r.Final = r.Candidates[0].Answer
		}
	}
	for _, method := range sde2Names {
		b.Run(method, func(b *testing.B) { perGroup(b, build(b, method).Estimator, batch) })
	}
}
