package metrics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"modebench/envs"
	"modebench/internal/rng"
)

// benchVotes are 100 problems of 64 votes: the numbers of answers, of which 0 is the
// correct one, each decay times as likely as the one before.
func benchVotes(answers int, decay float64) [][]int {
	r := rng.New(5).Str("votes").Rand()
	weights := []float64{1}
	for len(weights) < answers {
		weights = append(weights, weights[len(weights)-1]*decay)
	}
	problems := make([][]int, 100)
	for i := range problems {
		for range 64 {
			u, vote := float64(r.Float64()*total(weights)), 0
			for vote < answers-1 && u >= weights[vote] {
				u -= weights[vote]
				vote++
			}
			problems[i] = append(problems[i], vote)
		}
	}
	return problems
}

// counted are votes by answer.
func counted(votes []int) []answerCount {
	counts := make([]answerCount, slices.Max(votes)+1)
	for _, v := range votes {
		counts[v].Count++
	}
	counts[0].Correct = counts[0].Count
	return counts
}

// bootstrapMajority is the maj@k that trainers print: k draws with replacement, over
// 1000 resamples, ties to the first answer.
func bootstrapMajority(r *rand.Rand, votes []int, k int) float64 {
	const resamples = 1000
	correct, counts := 0, make([]int, slices.Max(votes)+1)
	for range resamples {
		clear(counts)
		for range k {
			counts[votes[r.IntN(len(votes))]]++
		}
		if counts[0] > 0 && counts[0] == slices.Max(counts) {
			correct++
		}
	}
	return float64(correct) / resamples
}

var benchShapes = []struct {
	name    string
	answers int
	decay   float64
}{{"usual", 12, 0.6}, {"8 equal answers", 8, 1}, {"64 equal answers", 64, 1}}

// BenchmarkVotes measures maj@k and majority_share@k of 100 problems x 64 votes at
// seven k; one operation is all 100 problems. bootstrap-ms is the time of maj@k alone
// by bootstrap in the same process, bootstrap/exact the ratio. The last two numbers are
// the bootstrap's estimates of metrics that are 1.
func BenchmarkVotes(b *testing.B) {
	for _, shape := range benchShapes {
		b.Run(shape.name, func(b *testing.B) {
			problems := benchVotes(shape.answers, shape.decay)
			r := rng.New(2).Rand()
			var counts [][]answerCount
			start := time.Now()
			for _, votes := range problems {
				counts = append(counts, counted(votes))
				for _, k := range benchKs {
					bootstrapMajority(r, votes, k)
				}
			}
			bootstrap := time.Since(start)
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range counts {
					if _, _, err := majorityAtKs(p, 0, benchKs); err != nil {
						b.Fatal(err)
					}
				}
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(bootstrap.Milliseconds()), "bootstrap-ms")
			b.ReportMetric(float64(bootstrap)/float64(each), "bootstrap/exact")
			b.ReportMetric(float64((each+bestTime()).Microseconds())/1000, "ms-with-best@k")
			b.ReportMetric(averageOf(100, func() float64 { return bootstrapBest(r, []float64{1, 0, 0, 0}, 4) }), "bootstrap-pass@4-of-1-in-4")
			b.ReportMetric(averageOf(100, func() float64 { return bootstrapMajority(r, []int{0, 0, 1}, 3) }), "bootstrap-maj@3-of-2-in-3")
		})
	}
}

// averageOf is the mean of a random number, so that what is shown is its bias.
func averageOf(times int, number func() float64) float64 {
	sum := 0.0
	for range times {
		sum += number()
	}
	return sum / float64(times)
}

// bestTime is the time of best@k for as many problems, as a mean of 50.
func bestTime() time.Duration {
	problems := benchScores()
	start := time.Now()
	for range 50 {
		for _, scores := range problems {
			bestAtK(scores, benchKs...)
		}
	}
	return time.Since(start) / 50
}

// BenchmarkVotesInTable measures what the metrics of votes add to a table of the same
// problems, which counts the votes itself: the difference of the two.
func BenchmarkVotesInTable(b *testing.B) {
	for _, groups := range [][]string{nil, {MeasureVotes}} {
		var pools []Pool
		for _, votes := range benchVotes(12, 0.6) {
			pool := Pool{Modes: -1}
			for _, v := range votes {
				chain := []*envs.Verdict{{Answer: fmt.Sprint("answer ", v), Correct: v == 0, Mode: "A", Reward: []float64{float64(v)}}}
				pool.Chains = append(pool.Chains, chain)
			}
			pools = append(pools, pool)
		}
		b.Run([]string{"without", "with"}[len(groups)], func(b *testing.B) {
			benchmarkTable(b, Options{Weights: []float64{1}, K: benchKs, Answers: true, Measure: groups}, func(t *Table) error {
				for _, pool := range pools {
					if err := t.Add(pool); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// BenchmarkVotesExact measures maj@k and majority_share@k of distributions over many
// answers.
func BenchmarkVotesExact(b *testing.B) {
	for _, test := range []struct {
		name    string
		answers []answerShare
		k       int
	}{
		{"12 answers k 64", zipf(12, 0), 64},
		{"1000 answers k 64", zipf(1000, 3), 64},
		{"1000 equal answers k 64", slices.Repeat([]answerShare{{1. / 1000, 0}}, 1000), 64},
		{"1000 answers k 1024", zipf(1000, 3), 1024},
		{"10000 answers k 16", zipf(10000, 3), 16},
	} {
		b.Run(test.name, func(b *testing.B) {
			for b.Loop() {
				held(b, test.answers, 0, test.k)
			}
		})
	}
}
