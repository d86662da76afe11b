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
	seeds int
	by    [][][]float64 // [method][task][seed]; nil: known in the mean alone
	mean  []float64     // by method, over all seeds; where by is nil
	iqm   bool          // over tasks and seeds; else the mean over tasks of means over seeds
}

// newSheets are a column of both boards. single: the boards are of one task each, and the score is
// the mean area.
func newSheets(short, long []*board.Result, methods []string, column string, single bool) (a, b *sheet, err error) {
	if a, err = newSheet(short, methods, column, single); err != nil {
		return nil, nil, err
	}
	b, err = newSheet(long, methods, column, single)
	return a, b, err
}

func newSheet(results []*board.Result, methods []string, column string, single bool) (*sheet, error) {
	s := &sheet{seeds: results[0].Seeds[1]}
	if !slices.Contains(splitColumns, column) {
		for _, method := range methods {
			s.mean = append(s.mean, meanColumn(results, method, column))
		}
		return s, nil
	}
	scales, err := board.Units(results)
	if err != nil {
		return nil, err
	}
	s.iqm = column == scoreColumn && !single
	for _, method := range methods {
		var by [][]float64
		for _, r := range results {
			row := r.Tuned(method)
			if column != scoreColumn {
				by = append(by, row.BySeed(column))
				continue
			}
			scores := row.BySeed("area")
			for i := range scores {
				scores[i] /= scales[r.Task]
			}
			by = append(by, scores)
		}
		s.by = append(s.by, by)
	}
	return s, nil
}

// meanColumn is a column of a method in the mean over tasks that have it. Diversity at a level is over
// all runs that reach it, and NaN where fewer than half of them do.
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
	at, share := board.AtLevel(xs)
	if share < 0.5 {
		return math.NaN()
	}
	return at
}

// all is the column by method, over all seeds.
func (s *sheet) all() []float64 {
	if s.by == nil {
		return s.mean
	}
	every := make([]int, s.seeds)
	for i := range every {
		every[i] = i
	}
	return s.of(every)
}

// of is the column by method, over some of the seeds.
func (s *sheet) of(seeds []int) (out []float64) {
	var pool, means []float64
	for _, tasks := range s.by {
		pool, means = pool[:0], means[:0]
		for _, by := range tasks {
			start := len(pool)
			for _, seed := range seeds {
				pool = append(pool, by[seed])
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
func (s *sheet) again(taken int) (stats.Interval, int, error) {
	var pairs [][2][]float64
	if taken >= 1 && taken < s.seeds {
		for _, split := range splits(s.seeds, taken) {
			pairs = append(pairs, [2][]float64{s.of(split[0]), s.of(split[1])})
		}
	}
	return meanTau(len(s.by), pairs)
}

// ceilingOf is how well halves of either board foretell each other, and the ceiling.
func ceilingOf(a, b *sheet) (halves [2]float64, top float64, err error) {
	var whole [2]float64
	for i, s := range []*sheet{a, b} {
		if halves[i], whole[i], err = s.halves(); err != nil {
			return halves, 0, err
		}
	}
	return halves, ceiling(whole[0], whole[1]), nil
}

// ceiling is the tau to expect of boards of these reliabilities whose methods are equally good.
func ceiling(a, b float64) float64 { return tauOfCorrelation(math.Sqrt(float64(a * b))) }

// halves is the mean tau between halves of the seeds, and the reliability of all seeds.
func (s *sheet) halves() (tau, whole float64, err error) {
	m := s.seeds / 2
	t, _, err := s.again(m)
	return t.Mean, reliability(t.Mean, m, s.seeds-m, s.seeds), err
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
	square, both, product := float64(r*r), float64(m1+m2), float64(m1*m2)
	// product*(1-r^2) q^2 - r^2*both q - r^2 = 0
	lead := float64(product * (1 - square))
	linear := float64(square * both)
	q := (linear + math.Sqrt(float64(linear*linear)+float64(4*lead*square))) / float64(2*lead)
	signal := float64(q * float64(all))
	return signal / (signal + 1)
}

// tauOfCorrelation is the tau of normal values with a correlation.
func tauOfCorrelation(r float64) float64 { return 2 / math.Pi * math.Asin(r) }
