package estimators

import (
	"math"
	"math/rand/v2"

	"modebench/envs"
	"modebench/estimators/internal/setstest"
	"modebench/internal/testkit"
)

type failer = testkit.Failer

var (
	near, wantError        = testkit.Near, testkit.WantError
	fractions, mixed       = setstest.Fractions, setstest.Mixed
	randomModes            = setstest.Modes
	eachSet, exactMarginal = setstest.EachSet, setstest.Marginal
)

// build returns a method's instance with fields set from name=value pairs.
func build(t failer, method string, pairs ...string) *Instance {
	t.Helper()
	m, err := Lookup(method)
	if err != nil {
		t.Fatalf("%v", err)
	}
	instance := m.New()
	for _, pair := range pairs {
		if err := instance.SetText(pair); err != nil {
			t.Fatalf("%v", err)
		}
	}
	if err := instance.Check(); err != nil {
		t.Fatalf("%v", err)
	}
	return instance
}

// change sets a field of a method and checks that all of them fit.
func change(i *Instance, pair string) error {
	if err := i.SetText(pair); err != nil {
		return err
	}
	return i.Check()
}

// groupOf makes a group of one-component rewards; letter i of modes is the mode of rollout i and
// its answer in a vote, '-' is degenerate. Without modes all share one.
func groupOf(rewards []float64, modes string) Group {
	g := Group{Problem: "p"}
	for i, r := range rewards {
		mode := envs.Mode("A")
		if modes != "" {
			mode = envs.Mode(modes[i : i+1])
		}
		if mode == "-" {
			mode = envs.Degenerate
		}
		g.Rollouts = append(g.Rollouts, Rollout{Tokens: 1, Train: true, Candidates: []*envs.Verdict{{
			Reward: []float64{r}, Correct: r > 0, Mode: mode, Answer: string(mode),
		}}})
	}
	return g
}

// batchOf makes a batch with every field and the weight 1.
func batchOf(groups ...Group) *Batch {
	for _, g := range groups {
		withTokens(g)
	}
	return &Batch{Weights: []float64{1}, CandidateFields: envs.HasAll, RolloutFields: AllRolloutFields | AllTokenFields, Groups: groups}
}

// withTokens fills in the facts of every token of the group's rollouts that lack them:
// numbers that depend on the rollout alone.
func withTokens(g Group) Group {
	for i := range g.Rollouts {
		r := &g.Rollouts[i]
		if r.PerToken != nil && len(r.PerToken.Logprob) == r.Tokens {
			continue
		}
		own := &PerToken{}
		for t := range r.Tokens {
			p := math.Exp((float64(r.Logprob/8) - float64((t+r.Tokens)%4) - 1) / 4)
			own.Logprob = append(own.Logprob, math.Log(p))
			own.Entropy = append(own.Entropy, (1+float64(t%3)+float64(r.Entropy/4))/4)
			own.Reference = append(own.Reference, math.Log(p)-0.1)
			own.Squares = append(own.Squares, float64(p*p)+float64((1-p)*(1-p)/2))
			own.Legal = append(own.Legal, []float64{p, (1 - p) / 2, (1 - p) / 2})
		}
		r.PerToken = own
	}
	return g
}

// embed gives the rollouts of a group their embeddings.
func embed(g Group, vectors [][]float32) Group {
	for i := range g.Rollouts {
		g.Rollouts[i].Candidates[0].Embedding = vectors[i]
	}
	return g
}

// randomVectors draws n vectors whose cosines are of both signs.
func randomVectors(r *rand.Rand, n, dim int) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, dim)
		for j := range out[i] {
			out[i][j] = float32(r.NormFloat64() + 0.4)
		}
	}
	return out
}

// advantages runs the estimator and fails the test on an error.
func advantages(t failer, e Estimator, b *Batch) [][]float64 {
	t.Helper()
	dst := NewAdvantages(b)
	if err := e.Advantages(dst, b); err != nil {
		t.Fatalf("%v", err)
	}
	return dst
}

// ofGroup is advantages for a batch of one group.
func ofGroup(t failer, e Estimator, g Group) []float64 {
	t.Helper()
	return advantages(t, e, batchOf(g))[0]
}

func sum(xs []float64) float64 {
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s
}

// largeGroup has 0/1 rewards and modes of very unequal sizes.
func largeGroup(r *rand.Rand, size, modes int) Group {
	rewards, letters := make([]float64, size), make([]byte, size)
	for i := range rewards {
		rewards[i] = float64(r.IntN(2))
		letters[i] = byte('0' + int(float64(modes)*math.Pow(r.Float64(), 3)))
	}
	return groupOf(rewards, string(letters))
}
