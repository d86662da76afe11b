package foretell

import (
	"math"
	"math/bits"
	"slices"

	"modebench/experiments/board"
	"modebench/metrics/stats"
)

// A sheet has a column of some methods on some tasks.
type sheet struct {
	seeds  int
	values [][][]float64 // [method][task][seed]; nil: known in the mean alone
	mean   []float64     // by method, over all seeds, without values
	iqm    bool          // over tasks and seeds; else the mean over tasks of means over seeds
}

// newSheet is a column of results of a board. single: they are of one task, and the score is the mean
// area.
func newSheet(results []*board.Result, methods []string, column string, single bool) *sheet {
	s := &sheet{seeds: results[0].Seeds[1], iqm: column == scoreColumn && !single}
	scores, _ := board.Scores(results, methods) // the board's table has them
	for i, method := range methods {
		if !slices.Contains(splitColumns, column) {
			s.mean = append(s.mean, meanColumn(results, method, column))
			continue
		}
		var tasks [][]float64
		for _, r := range results {
			if column == scoreColumn {
				tasks = append(tasks, scores[i][r.Task])
			} else {
				tasks = append(tasks, r.Tuned(method).BySeed(column))
			}
		}
		s.values = append(s.values, tasks)
	}
	return s
}

// meanColumn is a column of a method in the mean over tasks that have it. Diversity at a level is over
// all runs that reach it, and NaN if fewer than half of them do.
func meanColumn(results []*board.Result, method, column string) float64 {
	var xs []float64
	reached := slices.Contains(board.LevelColumns, column)
	for _, r := range results {
		if row := r.Tuned(method); reached {
			xs = append(xs, row.BySeed(column)...)
		} else {
			xs = append(xs, row.Mean(column))
		}
	}
	if !reached {
		return board.Mean(xs)
	}
	diversity, share := board.AtLevel(xs)
	if share < 0.5 {
		return math.NaN()
	}
	return diversity
}

// all is the column by method, over all seeds.
func (s *sheet) all() []float64 {
	if s.values == nil {
		return s.mean
	}
	every := make([]int, s.seeds)
	for i := range every {
		every[i] = i
	}
	return s.over(every)
}

// over is the column by method, over some of the seeds.
func (s *sheet) over(seeds []int) (out []float64) {
	var pool, means []float64
	for _, tasks := range s.values {
		pool, means = pool[:0], means[:0]
		for _, values := range tasks {
			start := len(pool)
			for _, seed := range seeds {
				pool = append(pool, values[seed])
			}
			means = append(means, board.Mean(pool[start:]))
		}
		if s.iqm {
			out = append(out, stats.IQM(pool))
		} else {
			out = append(out, board.Mean(means))
		}
	}
	return out
}

// splits are the ways to take some of n seeds, and the others: all of them, of which two halves are
// there once. Of more than twelve seeds they are n, each of seeds that follow each other in a circle.
func splits(n, taken int) (out [][2][]int) {
	add := func(has func(seed int) bool) {
		var s [2][]int
		for seed := range n {
			side := 1
			if has(seed) {
				side = 0
			}
			s[side] = append(s[side], seed)
		}
		out = append(out, s)
	}
	if n > 12 {
		for first := range n {
			add(func(seed int) bool { return (seed-first+n)%n < taken })
		}
		return out
	}
	for mask := range uint(1) << n {
		if bits.OnesCount(mask) == taken && (2*taken != n || mask&1 == 1) {
			add(func(seed int) bool { return mask>>seed&1 == 1 })
		}
	}
	return out
}

// again is tau between some of the board's seeds and its others, over all splits: the mean, the
// lowest and the highest. It is NaN if there are no two sets of seeds.
func (s *sheet) again(taken int) (stats.Interval, int) {
	var pairs [][2][]float64
	if taken >= 1 && taken < s.seeds {
		for _, split := range splits(s.seeds, taken) {
			pairs = append(pairs, [2][]float64{s.over(split[0]), s.over(split[1])})
		}
	}
	return meanTau(len(s.values), pairs)
}

// ceilingOf is how well halves of either board foretell each other, and the ceiling.
func ceilingOf(a, b *sheet) (halves [2]float64, top float64) {
	tauA, wholeA := a.halves()
	tauB, wholeB := b.halves()
	return [2]float64{tauA, tauB}, ceiling(wholeA, wholeB)
}

// ceiling is the tau to expect of boards of these reliabilities whose methods are equally good.
func ceiling(a, b float64) float64 { return tauOfCorrelation(math.Sqrt(float64(a * b))) }

// halves is the mean tau between halves of the seeds, and the reliability of all seeds.
func (s *sheet) halves() (tau, whole float64) {
	m := s.seeds / 2
	t, _ := s.again(m)
	return t.Mean, reliability(t.Mean, m, s.seeds-m, s.seeds)
}

// reliability is the share of the variance of a board's values that is of the methods and not of
// the seeds, in the mean over all seeds, from the tau between sets of some of them. With q the
// variance of methods over that of one seed, the mean over m seeds has the reliability mq/(mq+1), and
// the correlation of sets of m1 and m2 seeds is the root of the product of theirs (Spearman 1910,
// Brown 1910). r = sin(pi/2 tau) is the correlation of normal values with that tau.
func reliability(tau float64, m1, m2, all int) float64 {
	r := math.Sin(math.Pi / 2 * tau)
	switch {
	case math.IsNaN(tau):
		return tau
	case r <= 0:
		return 0
	case r >= 1:
		return 1
	}
	square, sum, product := float64(r*r), float64(m1+m2), float64(m1*m2)
	// product*(1-r^2) q^2 - r^2*sum q - r^2 = 0
	lead := float64(product * (1 - square))
	linear := float64(square * sum)
	q := (linear + math.Sqrt(float64(linear*linear)+float64(4*lead*square))) / float64(2*lead)
	signal := float64(q * float64(all))
	return signal / (signal + 1)
}

// tauOfCorrelation is the tau of normal values with a correlation.
func tauOfCorrelation(r float64) float64 { return 2 / math.Pi * math.Asin(r) }

// The columns that boards are compared by. Score is the interquartile mean of areas over tasks and
// seeds, in units of the Reference's; over a single task it is "area", the mean over seeds. The
// others are those of Columns in the mean over tasks.
const scoreColumn = "score"

var (
	// splitColumns are those of which results keep every seed, all of them.
	splitColumns = []string{scoreColumn, "accuracy", "diversity"}
	// meanColumns are known in the mean over seeds, or over those that reach a level.
	meanColumns = board.Names(board.Compared)
)

// fewestMethods is how many methods a tau takes.
const fewestMethods = 3

// noTau is a missing tau of n methods.
func noTau(n int) stats.Interval {
	return stats.Interval{N: n, Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
}

// tauOf is Kendall's tau over the methods that have a value in both lists. Of fewer than three it is
// NaN.
func tauOf(x, y []float64) stats.Interval {
	x, y = known(x, y)
	if len(x) < fewestMethods {
		return noTau(len(x))
	}
	tau, _ := stats.KendallTau(x, y) // which has as many finite scores in both
	return tau
}

// known are the entries of two lists that have a value in both.
func known(x, y []float64) (a, b []float64) {
	for i := range x {
		if d := x[i] - y[i]; d-d == 0 { // both are finite
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	return a, b
}

// meanTau is the mean of taus of pairs of lists, between the lowest and the highest of them, and how
// many there are. Pairs with fewer than three methods, or without a tau, do not count.
func meanTau(n int, pairs [][2][]float64) (stats.Interval, int) {
	var taus []float64
	for _, p := range pairs {
		x, y := known(p[0], p[1])
		if len(x) < fewestMethods {
			continue
		}
		if tau, _ := stats.Tau(x, y); !math.IsNaN(tau) {
			taus = append(taus, tau)
		}
	}
	if taus == nil {
		return noTau(n), 0
	}
	return stats.Interval{N: n, Mean: board.Mean(taus), Low: slices.Min(taus), High: slices.Max(taus)}, len(taus)
}
