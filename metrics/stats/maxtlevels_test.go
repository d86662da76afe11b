package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/internal/rng"
	"modebench/internal/testkit"
)

const (
	boardMethods  = 100 // beside the reference
	boardTasks    = 6
	rankedMethods = 20 // where all pairs are compared
	boardSeeds    = 40
	boardMargin   = 0.05
)

// boardDraws are of simulated boards: all levels are multiples of 1/200, and hold for any number of
// draws. The power grows a little with more.
var boardDraws, powerDraws = draws{199, 199}, draws{999, 499}

// A simulatedBoard is where the scores of a reference and of methods come from. A score is 1 plus the
// method's shift, the same on every task; the seed's effect, shared by all methods, of deviation .2,
// times the method's response; and noise of mean 0.
type simulatedBoard struct {
	name     string
	noise    func(r *rand.Rand, method, task int) float64 // method 0 is the reference
	shift    func(method int) float64                     // nil: 0
	response func(method int) float64                     // nil: 1
}

// draw returns the tables of the reference and the methods. A board has tasks of its own names, so
// that its signs are its own.
func (b simulatedBoard) draw(r *rand.Rand, number, methods, seeds int) []Table {
	out := make([]Table, methods+1)
	for i := range out {
		out[i] = Table{}
	}
	for k := range boardTasks {
		effect := draw(r, seeds, func(r *rand.Rand) float64 { return 0.2 * rng.Normal(r) })
		for i := range out {
			xs := make([]float64, seeds)
			for s := range xs {
				xs[s] = 1 + b.shiftOf(i) + b.responseOf(i)*effect[s] + b.noise(r, i, k)
			}
			out[i][fmt.Sprint(number, " ", k)] = xs
		}
	}
	return out
}

func (b simulatedBoard) shiftOf(method int) float64 {
	if b.shift == nil || method == 0 {
		return 0
	}
	return b.shift(method)
}

func (b simulatedBoard) responseOf(method int) float64 {
	if b.response == nil || method == 0 {
		return 1
	}
	return b.response(method)
}

// wrong reports whether a board's answer on a method is not true.
func (b simulatedBoard) wrong(method int, answer Standing) bool {
	shift := b.shiftOf(method)
	return answer == Better && shift <= 0 || answer == Worse && shift >= 0 || answer == Equal && math.Abs(shift) >= boardMargin
}

// normalNoise and skewedNoise have the same deviation for all.
func normalNoise(deviation float64) func(*rand.Rand, int, int) float64 {
	return func(r *rand.Rand, _, _ int) float64 { return deviation * rng.Normal(r) }
}

func skewedNoise(reference, methods float64) func(*rand.Rand, int, int) float64 {
	return func(r *rand.Rand, method, _ int) float64 {
		deviation := methods
		if method == 0 {
			deviation = reference
		}
		return deviation * (testkit.Exponential(r) - 1)
	}
}

// halfApart shifts every second method, by .05 to .4 to either side.
func halfApart(method int) float64 {
	if method%2 == 0 {
		return 0
	}
	return []float64{0.05, -0.1, 0.2, -0.4, -0.05, 0.1, -0.2, 0.4}[method/2%8]
}

// simulatedBoards are the rows of the table of errors.
func simulatedBoards(t *testing.T) []simulatedBoard {
	var real []population
	var spread []float64
	for _, p := range populations(t)[6:] {
		xs := draw(rng.New(2).Str("spread").Rand(), 20000, p.draw)
		if d := Deviation(xs); d > 0 {
			real, spread = append(real, p), append(spread, d)
		}
	}
	metrics := func(r *rand.Rand, _, task int) float64 {
		k := (3*task + 4) % len(real)
		return 0.2 * (real[k].draw(r) - real[k].mean) / spread[k]
	}
	return []simulatedBoard{
		{name: "normal", noise: normalNoise(0.2)},
		{name: "exponential", noise: skewedNoise(0.2, 0.2)},
		{name: "exponential, the reference's a third", noise: skewedNoise(0.1, 0.3)},
		{name: "exponential, the reference's threefold", noise: skewedNoise(0.3, 0.1)},
		{name: "real metrics", noise: metrics},
		{name: "noise of tasks from .02 to .64", noise: func(r *rand.Rand, _, task int) float64 {
			return 0.02 * math.Pow(2, float64(task)) * rng.Normal(r)
		}},
		{name: "noise of methods from .05 to .40", noise: func(r *rand.Rand, method, _ int) float64 {
			return 0.05 * float64(1+method%8) * rng.Normal(r)
		}},
		{name: "responses to the seed from 0 to 2", noise: normalNoise(0.1), response: func(method int) float64 {
			return 2 * float64(method-1) / (boardMethods - 1)
		}},
		{name: "half differ, normal", noise: normalNoise(0.1), shift: halfApart},
		{name: "half differ, exponential", noise: skewedNoise(0.1, 0.1), shift: halfApart},
		{name: "half differ, the reference's a third", noise: skewedNoise(0.05, 0.15), shift: halfApart},
	}
}

// fixedLooks are the numbers of seeds at which methods are compared once, at Alpha.
var fixedLooks = []int{10, 20, 40}

// boardErrors measures how often a board has a wrong answer: by the looks, then at fixed numbers of
// seeds.
func boardErrors(t *testing.T, b simulatedBoard, taken sample) []measurement {
	r := rng.New(50).Str("board errors").Rand()
	var sequential int
	fixed := make([]int, len(fixedLooks))
	for number := range taken.taken {
		tables := b.draw(r, number, boardMethods, boardSeeds)
		decided, err := decideWith(boardDraws, tables[1:], tables[0], Looks, boardMargin)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range decided.Methods {
			if b.wrong(i+1, m.Standing) {
				sequential++
				break
			}
		}
		for k, seeds := range fixedLooks {
			for i, m := range compareFirst(t, boardDraws, tables, seeds).Methods {
				if b.wrong(i+1, m.Standing) {
					fixed[k]++
					break
				}
			}
		}
	}
	out := []measurement{taken.share(sequential)}
	for _, count := range fixed {
		out = append(out, taken.share(count))
	}
	return out
}

// compareFirst compares the methods with the first table over the first seeds of each task.
func compareFirst(t *testing.T, d draws, tables []Table, seeds int) *Comparisons {
	t.Helper()
	first := make([]Table, len(tables))
	for i, table := range tables {
		first[i] = firstSeeds(table, seeds)
	}
	c, err := compareWith(d, first[1:], first[0], Alpha, boardMargin)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDecideLevels measures that table of docs/statistics.md.
func TestDecideLevels(t *testing.T) {
	testkit.Long(t, "simulates thousands of boards")
	for _, b := range simulatedBoards(t) {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			publishedUnder(t, "Errors of decisions", b.name, boardErrors(t, b, sample{min(*replications/6, 300), 300}))
		})
	}
}

// TestEqualLevels measures how often a method whose difference is the margin, to one side or the
// other, is called equal: on any of 100 methods.
func TestEqualLevels(t *testing.T) {
	testkit.Long(t, "simulates thousands of boards")
	side := func(method int) float64 {
		if method%2 == 0 {
			return -boardMargin
		}
		return boardMargin
	}
	for _, b := range []simulatedBoard{
		{name: "equal at the margin, normal .05", noise: normalNoise(0.05), shift: side},
		{name: "equal at the margin, normal .1", noise: normalNoise(0.1), shift: side},
		{name: "equal at the margin, exponential .05", noise: skewedNoise(0.05, 0.05), shift: side},
		{name: "equal at the margin, the reference's a third", noise: skewedNoise(0.03, 0.09), shift: side},
		{name: "equal at the margin, the reference's threefold", noise: skewedNoise(0.09, 0.03), shift: side},
	} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			publishedUnder(t, "Errors of decisions", b.name, boardErrors(t, b, sample{min(*replications/6, 300), 300}))
		})
	}
}

// TestDecidePower measures the table of answers found. A board has twenty methods of each of five
// differences; paired differences have the row's deviation.
func TestDecidePower(t *testing.T) {
	testkit.Long(t, "simulates hundreds of boards")
	shifts := []float64{0, 0.05, 0.1, 0.2, 0.4}
	for _, deviation := range []float64{0.15, 0.3} {
		b := simulatedBoard{noise: normalNoise(deviation / math.Sqrt2), shift: func(method int) float64 { return shifts[method%len(shifts)] }}
		t.Run(fmt.Sprint(deviation), func(t *testing.T) {
			t.Parallel()
			r, taken := rng.New(51).Str("board power").Rand(), sample{min(*replications/60, 50), 50}
			names := []string{"10 seeds", "20 seeds", "40 seeds", "by looks"}
			found := make([][]int, len(names))
			for i := range found {
				found[i] = make([]int, len(shifts))
			}
			seeds := make([]int, len(shifts))
			note := func(row, method int, answer Standing) {
				if want := b.shiftOf(method); want == 0 && answer == Equal || want > 0 && answer == Better {
					found[row][method%len(shifts)]++
				}
			}
			for number := range taken.taken {
				tables := b.draw(r, number, boardMethods, boardSeeds)
				for row, n := range fixedLooks {
					for i, m := range compareFirst(t, powerDraws, tables, n).Methods {
						note(row, i+1, m.Standing)
					}
				}
				decided, err := decideWith(powerDraws, tables[1:], tables[0], Looks, boardMargin)
				if err != nil {
					t.Fatal(err)
				}
				for i, m := range decided.Methods {
					note(len(fixedLooks), i+1, m.Standing)
					seeds[(i+1)%len(shifts)] += m.Seeds
				}
			}
			// Methods of a board share the reference's luck, so that the noise is that of boards.
			each := float64(taken.taken * boardMethods / len(shifts))
			for row, name := range names {
				var measured []measurement
				for _, count := range found[row] {
					measured = append(measured, measurement{taken, 100 * float64(count) / each})
				}
				publishedUnder(t, "Power of decisions", fmt.Sprintf("deviation %v, %s", deviation, name), measured)
			}
			var means []measurement
			for _, total := range seeds {
				means = append(means, measurement{taken, float64(total) / each})
			}
			publishedUnder(t, "Power of decisions", fmt.Sprintf("deviation %v, mean seeds", deviation), means)
		})
	}
}

// TestRankByDifferencesLevels measures how often any pair of methods is put in an order that is not
// true: with the seeds that Decide left each method, by RankByLooks and without looks,
// and at fixed numbers of seeds.
func TestRankByDifferencesLevels(t *testing.T) {
	testkit.Long(t, "simulates hundreds of boards")
	// About half of the methods, which are equal, stop at the first look for being lucky.
	lucky := simulatedBoard{name: "all are .06 above the reference", noise: normalNoise(0.1), shift: func(int) float64 { return 0.06 }}
	for _, b := range append(simulatedBoards(t), lucky) {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			taken := sample{min(*replications/60, 100), 100}
			r, wrong := rng.New(52).Str("board ranks").Rand(), make([]int, 2+len(fixedLooks))
			for number := range taken.taken {
				tables := b.draw(r, number, rankedMethods, boardSeeds)
				decided, err := decideWith(boardDraws, tables[1:], tables[0], Looks, boardMargin)
				if err != nil {
					t.Fatal(err)
				}
				left := slices.Clone(tables)
				for i, m := range decided.Methods {
					left[i+1] = firstSeeds(tables[i+1], m.Seeds)
				}
				ranks, err := rankLooks(boardDraws, left, Looks)
				if err != nil {
					t.Fatal(err)
				}
				all := []*Rankings{ranks, rankFirst(t, left, boardSeeds)}
				for _, seeds := range fixedLooks {
					all = append(all, rankFirst(t, tables, seeds))
				}
				for k, ranks := range all {
					if b.misordered(ranks) {
						wrong[k]++
					}
				}
			}
			var measured []measurement
			for _, count := range wrong {
				measured = append(measured, taken.share(count))
			}
			publishedUnder(t, "Errors of ranks by differences", b.name, measured)
		})
	}
}

// rankFirst ranks the methods over the first seeds of each task.
func rankFirst(t *testing.T, tables []Table, seeds int) *Rankings {
	t.Helper()
	first := make([]Table, len(tables))
	for i, table := range tables {
		first[i] = firstSeeds(table, seeds)
	}
	ranks, err := rankAll(boardDraws, first, Alpha)
	if err != nil {
		t.Fatal(err)
	}
	return ranks
}

// misordered reports whether a method is surely above another that is as good or better.
func (b simulatedBoard) misordered(ranks *Rankings) bool {
	for i, above := range ranks.Above {
		for j, sure := range above {
			if sure && b.shiftOf(i) <= b.shiftOf(j) {
				return true
			}
		}
	}
	return false
}

// TestCovariateBreaksTheLevel: the regression of paired differences on the mean of all methods' scores
// of the seed leaves residuals with less spread, but the mean of the differences varies with the seeds'
// effects as before. So methods of equal means are separated if their responses differ.
func TestCovariateBreaksTheLevel(t *testing.T) {
	testkit.Long(t, "simulates hundreds of boards")
	boards := simulatedBoards(t)
	for _, b := range []simulatedBoard{boards[0], boards[7]} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			r, taken := rng.New(53).Str("covariate").Rand(), sample{min(*replications/30, 200), 200}
			plain, adjusted := make([]int, len(fixedLooks)), make([]int, len(fixedLooks))
			for number := range taken.taken {
				tables := b.draw(r, number, boardMethods, boardSeeds)
				for k, seeds := range fixedLooks {
					first := make([]Table, len(tables))
					for i, table := range tables {
						first[i] = firstSeeds(table, seeds)
					}
					differs := func(m Comparison) bool { return m.Difference.Low > 0 || m.Difference.High < 0 }
					if slices.ContainsFunc(compareFirst(t, boardDraws, first, seeds).Methods, differs) {
						plain[k]++
					}
					if slices.ContainsFunc(compareFirst(t, boardDraws, withCovariate(first), seeds).Methods, differs) {
						adjusted[k]++
					}
				}
			}
			var measured []measurement
			for _, count := range slices.Concat(plain, adjusted) {
				measured = append(measured, taken.share(count))
			}
			publishedUnder(t, "A covariate that is not used", b.name, measured)
		})
	}
}

// withCovariate returns the tables with the scores of each method less the slope of its paired
// difference on the mean score of the seed, times that mean's deviation from its own.
func withCovariate(tables []Table) []Table {
	out := make([]Table, len(tables))
	for i := range out {
		out[i] = Table{}
	}
	for task, reference := range tables[0] {
		covariate := make([]float64, len(reference))
		for _, table := range tables {
			for s, x := range table[task] {
				covariate[s] += x / float64(len(tables))
			}
		}
		centre, squares := Mean(covariate), 0.0
		for s := range covariate {
			covariate[s] -= centre
			squares += covariate[s] * covariate[s]
		}
		for i, table := range tables {
			slope := 0.0
			for s, c := range covariate {
				slope += c * (table[task][s] - reference[s]) / squares
			}
			for s, c := range covariate {
				out[i][task] = append(out[i][task], table[task][s]-slope*c)
			}
		}
	}
	return out
}
