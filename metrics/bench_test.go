package metrics

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"modebench/envs"
	"modebench/internal/rng"
)

var benchKs = []int{1, 2, 4, 8, 16, 32, 64}

// benchScores returns 100 problems of 64 scores.
func benchScores() [][]float64 {
	r := rng.New(1).Str("bench").Rand()
	problems := make([][]float64, 100)
	for i := range problems {
		problems[i] = make([]float64, 64)
		for j := range problems[i] {
			problems[i][j] = r.Float64()
		}
	}
	return problems
}

// bootstrapBest is the best@k that trainers print: the mean maximum of k draws
// with replacement, over 1000 resamples.
func bootstrapBest(r *rand.Rand, scores []float64, k int) float64 {
	const resamples = 1000
	sum := 0.0
	for range resamples {
		best := scores[r.IntN(len(scores))]
		for range k - 1 {
			best = max(best, scores[r.IntN(len(scores))])
		}
		sum += best
	}
	return sum / resamples
}

// BenchmarkBestAtK measures 100 problems x 64 samples at seven k; one operation
// is all 100 problems. bootstrap-ms is the time of the same table by bootstrap in
// the same process, bootstrap/exact the ratio.
func BenchmarkBestAtK(b *testing.B) {
	problems := benchScores()
	r := rng.New(2).Rand()
	start := time.Now()
	for _, scores := range problems {
		for _, k := range benchKs {
			bootstrapBest(r, scores, k)
		}
	}
	bootstrap := time.Since(start)
	b.ReportAllocs()
	for b.Loop() {
		for _, scores := range problems {
			bestAtK(scores, benchKs...)
		}
	}
	each := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(bootstrap.Milliseconds()), "bootstrap-ms")
	b.ReportMetric(float64(bootstrap)/float64(each), "bootstrap/exact")
}

// BenchmarkAdd measures every metric of one pool of 64 single answers.
func BenchmarkAdd(b *testing.B) {
	r := rng.New(3).Rand()
	p := Pool{Modes: 4}
	for range 64 {
		mode := r.IntN(12)
		v := verdict(envs.Mode(fmt.Sprint("arm", mode)), mode < 4, r.Float64(), 0)
		p.Chains = append(p.Chains, []*envs.Verdict{v})
	}
	benchmarkTable(b, Options{Weights: testWeights, K: benchKs}, func(t *Table) error { return t.Add(p) })
}

// benchmarkTable measures one problem after the other in the same table.
func benchmarkTable(b *testing.B, o Options, add func(t *Table) error) {
	t, err := NewTable(o)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := add(t); err != nil {
			b.Fatal(err)
		}
	}
}

// mazeLike is a pool of 20 chains of 3 with the rewards of a maze: completion,
// gold, diamonds, lava avoided.
func mazeLike() Pool {
	r := rng.New(4).Rand()
	p := Pool{Modes: 200, Front: [][]float64{{1, 0, 1, 1}, {1, 1, 0, 1}}}
	for range 20 {
		var chain []*envs.Verdict
		for range 3 {
			v := &envs.Verdict{Correct: r.IntN(3) > 0, Mode: envs.Mode(fmt.Sprint("items", r.IntN(40)))}
			completion, gold, diamonds := 0.0, float64(r.IntN(5))/4, 0.0
			if v.Correct {
				completion = 1
			}
			if gold == 0 {
				diamonds = float64(r.IntN(4)) / 3
			}
			v.Reward = []float64{completion, gold, diamonds, float64(r.IntN(3)) / 2}
			chain = append(chain, v)
		}
		p.Chains = append(p.Chains, chain)
	}
	return p
}

// BenchmarkAddMaze measures every metric of one pool of 20 chains x 3 at seven
// k, with 128 scalarisations.
func BenchmarkAddMaze(b *testing.B) {
	p := mazeLike()
	benchmarkTable(b, Options{Weights: envs.UniformWeights(4), K: []int{1, 2, 5, 10, 16, 30, 60}, Draws: Scalarisations(4, 128)},
		func(t *Table) error { return t.Add(p) })
}

// BenchmarkAddExact measures every exact metric, as a training loop calls it at
// an evaluation: single answers, and chains of 3 with 128 scalarisations.
func BenchmarkAddExact(b *testing.B) {
	for _, n := range []int{12, 48} {
		d := Distribution{Modes: 4}
		for i := range n {
			mode := i % 12
			d.Outcomes = append(d.Outcomes, outcome(1/float64(n), envs.Mode(fmt.Sprint("arm", mode)), mode < 4, float64(mode), 0))
		}
		b.Run(fmt.Sprint(n, " outcomes"), func(b *testing.B) {
			benchmarkTable(b, Options{Weights: testWeights, K: benchKs, Samples: 64}, func(t *Table) error { return t.AddExact(d) })
		})
	}
	d := Distribution{Modes: 4}
	var arms []*envs.Verdict
	for i := range 12 {
		arms = append(arms, verdict(envs.Mode(fmt.Sprint("arm", i)), i < 4, float64(i%5), float64(i%7)))
	}
	for i := range 12 * 12 * 12 {
		d.Outcomes = append(d.Outcomes, Outcome{P: 1. / 1728, Chain: []*envs.Verdict{arms[i/144], arms[i/12%12], arms[i%12]}})
	}
	b.Run("1728 chains", func(b *testing.B) {
		o := Options{Weights: testWeights, K: benchKs, Samples: 64, Draws: Scalarisations(2, 128)}
		benchmarkTable(b, o, func(t *Table) error { return t.AddExact(d) })
	})
}
