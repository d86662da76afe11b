package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"modebench/internal/rng"
)

// sink keeps the compiler from dropping a benchmark's result.
var sink float64

func BenchmarkMeanInterval(b *testing.B) {
	sizes(b, func(old, _ []float64) { sink = MeanInterval(old).Low })
}

func BenchmarkIQMInterval(b *testing.B) {
	sizes(b, func(old, _ []float64) { sink = IQMInterval(old).Low })
}

func BenchmarkImprovement(b *testing.B) {
	sizes(b, func(old, new []float64) { sink = Improvement(old, new).Low })
}

func BenchmarkPairedTest(b *testing.B) {
	sizes(b, func(old, _ []float64) { sink = PairedTest(old) })
}

func BenchmarkTest(b *testing.B) {
	for _, n := range []int{6, 20, 32, 40} {
		x := draw(rng.New(1).Rand(), n, rng.Normal)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = Test(x, Question{Direction: Above, Delta: 0.5}).Supported
			}
		})
	}
}

func BenchmarkUnpairedTest(b *testing.B) {
	sizes(b, func(old, new []float64) { sink = UnpairedTest(old, new) })
}

func BenchmarkPlanPaired(b *testing.B) {
	sizes(b, func(old, _ []float64) { sink = float64(PlanPaired(old, 0.3, 5)) })
}

// sizes runs f on two normal samples of 6, 10 and 20 values.
func sizes(b *testing.B, f func(old, new []float64)) {
	for _, n := range []int{6, 10, 20} {
		old, new := draw(rng.New(1).Rand(), n, rng.Normal), draw(rng.New(2).Rand(), n, rng.Normal)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f(old, new)
			}
		})
	}
}

// BenchmarkRankByLooks: of methods that stopped at one of three looks.
func BenchmarkRankByLooks(b *testing.B) {
	tables := boardLike(110, 8, 40)
	for i := range tables {
		tables[i] = firstSeeds(tables[i], Looks[i%len(Looks)].Seeds)
	}
	for b.Loop() {
		if _, err := RankByLooks(tables, Looks); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	tables := boardLike(110, 8, 40)
	for b.Loop() {
		if _, err := Decide(tables[1:], tables[0], Looks, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}

// boardLike draws tables: tasks on levels of their own, methods a little apart.
func boardLike(methods, tasks, seeds int) []Table {
	r := rng.New(8).Str("board").Rand()
	tables := make([]Table, methods)
	for i := range tables {
		tables[i] = Table{}
		for k := range tasks {
			tables[i][fmt.Sprint("task ", k)] = draw(r, seeds, func(r *rand.Rand) float64 {
				return 0.15*float64(k) + 0.03*float64(i%5) + 0.05*rng.Normal(r)
			})
		}
	}
	return tables
}
