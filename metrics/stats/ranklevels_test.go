package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/internal/rng"
)

// A suite is where the scores of a method on its tasks come from.
type suite struct {
	name string
	// table draws the seeds of all methods, which may share what a seed does.
	tables func(r *rand.Rand, methods, tasks, seeds int) []Table
	// iqm is that of a run of a task taken at random.
	iqm func(tasks int) float64
}

// suites are made of normal scores, and of real metrics over 400 seeds: every third of
// populations.json, beginning with the fifth. Levels are .15 from task to task.
func suites(t *testing.T) []suite {
	real := populations(t)[6:]
	of := func(name string, spread float64, one func(r *rand.Rand, task int) float64, shared float64) suite {
		tables := func(r *rand.Rand, methods, tasks, seeds int) []Table {
			out := make([]Table, methods)
			for i := range out {
				out[i] = Table{}
			}
			for k := range tasks {
				common := draw(r, seeds, func(r *rand.Rand) float64 { return shared * rng.Normal(r) })
				for i := range out {
					xs := draw(r, seeds, func(r *rand.Rand) float64 { return one(r, k) + spread*float64(k) })
					for s := range xs {
						xs[s] += common[s]
					}
					out[i][fmt.Sprint(k)] = xs
				}
			}
			return out
		}
		return suite{name, tables, func(tasks int) float64 {
			var all []float64
			for _, xs := range tables(rng.New(1).Str("truth").Rand(), 1, tasks, 1<<17)[0] {
				all = append(all, xs...)
			}
			return IQM(all)
		}}
	}
	normal := func(deviation float64) func(*rand.Rand, int) float64 {
		return func(r *rand.Rand, _ int) float64 { return deviation * rng.Normal(r) }
	}
	metric := func(r *rand.Rand, task int) float64 { return real[(3*task+4)%len(real)].draw(r) }
	return []suite{
		of("normal, one level", 0, normal(0.05), 0),
		of("normal, levels apart", 0.15, normal(0.05), 0),
		of("normal, the seed's share is half", 0.15, normal(0.05/math.Sqrt2), 0.05/math.Sqrt2),
		of("real metrics", 0, metric, 0),
		of("real metrics, levels apart", 0.15, metric, 0),
		// Each task three times as noisy as the one before, as the areas of a board are in units of
		// a method's that hardly learns there.
		of("normal, noise apart", 0, func(r *rand.Rand, task int) float64 { return 0.01 * math.Pow(3, float64(task)) * rng.Normal(r) }, 0),
	}
}

// TestRankSets measures that table of docs/statistics.md: for 7 tasks with 10 seeds, 4 with
// 10, and 4 with 5.
func TestRankSets(t *testing.T) {
	const methods, step = 20, 0.05 // four groups of five, which differ by the step on every task
	for i, from := range suites(t) {
		if testing.Short() && i%3 > 0 {
			continue // normal scores and real metrics on one level are enough
		}
		t.Run(from.name, func(t *testing.T) {
			t.Parallel()
			var iqm, improvement, equal, groups, quantiles, told []measurement
			for _, size := range []struct{ tasks, seeds int }{{7, 10}, {4, 10}, {4, 5}} {
				r := rng.New(uint64(size.seeds)).Str("rank sets").Rand()
				s := sample{max(simulations(*replications/15), 20), 200} // of four two may be wrong by chance
				truth := from.iqm(size.tasks)
				var held, half, apart, right, naive, seen int
				for range s.taken {
					tables := from.tables(r, methods, size.tasks, size.seeds)
					drawn, err := newStrata(tables)
					if err != nil {
						t.Fatal(err)
					}
					ranks := drawn.rankings()
					if i := drawn.interval(tables[0]); i.Low <= truth && truth <= i.High {
						held++
					}
					if i, err := PairedImprovement(tables[0], tables[1]); err != nil {
						t.Fatal(err)
					} else if i.Low <= 0.5 && 0.5 <= i.High {
						half++
					}
					if !setsHold(ranks.Ranks, 1) {
						apart++
					}
					if quantilesHold(drawn) {
						naive++
					}
					for i, table := range tables {
						for _, xs := range table {
							for k := range xs {
								xs[k] += step * float64(i/5)
							}
						}
					}
					ranks = drawn.rankings()
					if setsHold(ranks.Ranks, 4) {
						right++
					}
					// The first method of the lowest and of the highest group.
					if ranks.Above[15][0] {
						seen++
					}
				}
				iqm, improvement = append(iqm, s.share(held)), append(improvement, s.share(half))
				equal, groups = append(equal, s.share(apart)), append(groups, s.share(right))
				quantiles, told = append(quantiles, s.share(naive)), append(told, s.share(seen))
			}
			publishedUnder(t, "Coverage over tasks", from.name, slices.Concat(iqm, improvement))
			publishedUnder(t, "Errors of rank sets", from.name, slices.Concat(equal, groups, told, quantiles))
		})
	}
}

// setsHold reports whether all rank sets hold the ranks of groups of the same size, the
// last of them highest. Methods of a group have one rank, which any order of them may give.
func setsHold(ranks []Rank, groups int) bool {
	size := len(ranks) / groups
	for i, r := range ranks {
		higher := (groups - 1 - i/size) * size
		if r.Low > higher+1 || r.High < higher+size {
			return false
		}
	}
	return true
}

// quantilesHold reports whether the 2.5% and 97.5% quantiles of the first method's rank over
// resamples hold 1, its rank where all methods are equal.
func quantilesHold(s *strata) bool {
	ranks := slices.Repeat([]float64{1}, resamples)
	first := s.iqms(s.pool(s.tables[0]))
	for _, table := range s.tables[1:] {
		for b, x := range s.iqms(s.pool(table)) {
			if x > first[b] {
				ranks[b]++
			}
		}
	}
	slices.Sort(ranks)
	return ranks[tail-1] <= 1
}
