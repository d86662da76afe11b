// Package batchtest makes batches for the tests of packages that use estimators. It imports
// no method, so that a family's own tests use it too; others import package all. (Tests
// inside package estimators cannot import it and have their own.)
package batchtest

import (
	"math"
	"math/rand/v2"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/testkit"
)

// Method returns a method's instance with fields set from name=value pairs.
func Method(t testkit.Failer, method string, pairs ...string) *estimators.Instance {
	t.Helper()
	m, err := estimators.Lookup(method)
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

// Group makes a group of one-component rewards; letter i of modes is the mode of rollout
// i and its answer in a vote, '-' is degenerate. Without modes all share one.
func Group(rewards []float64, modes string) estimators.Group {
	g := estimators.Group{Problem: "p"}
	for i, r := range rewards {
		mode := envs.Mode("A")
		if modes != "" {
			mode = envs.Mode(modes[i : i+1])
		}
		if mode == "-" {
			mode = envs.Degenerate
		}
		g.Rollouts = append(g.Rollouts, estimators.Rollout{Tokens: 1, Train: true, Candidates: []*envs.Verdict{{
			Reward: []float64{r}, Correct: r > 0, Mode: mode, Answer: string(mode),
		}}})
	}
	return g
}

// Of makes a batch with every field and the weight 1.
func Of(groups ...estimators.Group) *estimators.Batch {
	for _, g := range groups {
		Tokens(g)
	}
	return &estimators.Batch{Weights: []float64{1}, CandidateFields: envs.HasAll, RolloutFields: estimators.AllRolloutFields | estimators.AllTokenFields, Groups: groups}
}

// Tokens fills in missing facts per token, from the rollout alone.
func Tokens(g estimators.Group) estimators.Group {
	for i := range g.Rollouts {
		r := &g.Rollouts[i]
		if r.PerToken != nil && len(r.PerToken.Logprob) == r.Tokens {
			continue
		}
		facts := &estimators.PerToken{}
		for t := range r.Tokens {
			p := math.Exp((float64(r.Logprob/8) - float64((t+r.Tokens)%4) - 1) / 4)
			facts.Logprob = append(facts.Logprob, math.Log(p))
			facts.Entropy = append(facts.Entropy, (1+float64(t%3)+float64(r.Entropy/4))/4)
			facts.Reference = append(facts.Reference, math.Log(p)-0.1)
			facts.Squares = append(facts.Squares, float64(p*p)+float64((1-p)*(1-p)/2))
			facts.Legal = append(facts.Legal, []float64{p, (1 - p) / 2, (1 - p) / 2})
		}
		r.PerToken = facts
	}
	return g
}

// Sample draws groups of rewards 0 and 1, modes of very unequal sizes, and embeddings.
func Sample(groups, size, embedding int) *estimators.Batch {
	r := rand.New(rand.NewPCG(6, uint64(groups*size+embedding)))
	b := Of()
	for range groups {
		rewards, letters := make([]float64, size), make([]byte, size)
		for i := range rewards {
			rewards[i] = float64(r.IntN(2))
			letters[i] = byte('0' + int(8*math.Pow(r.Float64(), 3)))
		}
		g := Group(rewards, string(letters))
		for i := range g.Rollouts {
			vector := make([]float32, embedding)
			for j := range vector {
				vector[j] = float32(r.NormFloat64() + 0.4)
			}
			if embedding > 0 {
				g.Rollouts[i].Candidates[0].Embedding = vector
			}
		}
		b.Groups = append(b.Groups, Tokens(g))
	}
	return b
}

// Advantages runs the estimator and fails the test on an error.
func Advantages(t testkit.Failer, e estimators.Estimator, b *estimators.Batch) [][]float64 {
	t.Helper()
	dst := estimators.NewAdvantages(b)
	if err := e.Advantages(dst, b); err != nil {
		t.Fatalf("%v", err)
	}
	return dst
}
