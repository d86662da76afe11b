// Package batchtest makes batches for the tests of packages that use estimators. (Tests
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
	return &estimators.Batch{Weights: []float64{1}, CandidateFields: envs.HasAll, RolloutFields: estimators.AllRolloutFields, Groups: groups}
}

// Sample draws groups of rewards 0 and 1, of modes of very unequal sizes, and of
// embeddings of so many numbers.
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
		b.Groups = append(b.Groups, g)
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
