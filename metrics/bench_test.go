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

// bootstrapBest is what trainers print as best@k: the mean maximum of k draws
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
			if _, err := BestAtKs(scores, benchKs); err != nil {
				b.Fatal(err)
			}
		}
	}
	each := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(bootstrap.Milliseconds()), "bootstrap-ms")
	b.ReportMetric(float64(bootstrap)/float64(each), "bootstrap/exact")
}

// BenchmarkSampled measures every sampled metric of one pool of 64.
func BenchmarkSampled(b *testing.B) {
	r := rng.New(3).Rand()
	p := Pool{Modes: 4}
	for range 64 {
		mode := r.IntN(12)
		p.Verdicts = append(p.Verdicts, verdict(envs.Mode(fmt.Sprint("arm", mode)), mode < 4, r.Float64(), 0))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Sampled(p, testWeights, benchKs); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDistribution measures every exact metric, as a training loop calls
// it at an evaluation.
func BenchmarkDistribution(b *testing.B) {
	for _, n := range []int{12, 48} {
		d := Distribution{Modes: 4}
		for i := range n {
			mode := i % 12
			d.Outcomes = append(d.Outcomes, outcome(1/float64(n), envs.Mode(fmt.Sprint("arm", mode)), mode < 4, float64(mode), 0))
		}
		b.Run(fmt.Sprint(n, " outcomes"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Metrics(testWeights, benchKs, 64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
