package stats

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// MinRankSeeds is the fewest seeds of a task with which methods are told apart. With three, no
// method of this kind keeps its level: see the package comment.
const MinRankSeeds = 5

// A Rank says where a method stands among M; 1 is the highest IQM.
type Rank struct {
	// IQM is StratifiedIQM of the method's own tasks.
	IQM Interval
	// Place is 1 plus the number of methods whose IQM is higher on the tasks that both
	// have. It orders rows on paper, and says nothing by itself.
	Place int
	// Low and High bound the method's true rank: 1 plus the number of methods that are
	// surely above it, and M less the number that are surely below.
	Low, High int
	// Shared is equal for any two methods that cannot be told apart, directly or through a
	// chain of others: 1 plus the number of methods in higher groups (see RankMethods).
	Shared int
}

// Rankings are the ranks of M methods.
type Rankings struct {
	Ranks []Rank // in the order of the tables
	// Above[i][j] says that method i is surely above method j.
	Above [][]bool
	// Factor is how many standard errors from 0 a difference must be to be sure, where
	// the standard error itself is known: c of RankMethods.
	Factor float64
}

// RankMethods ranks methods by the IQM of their scores, one table per method, and says which
// ranks the seeds carry: simultaneous confidence sets of ranks (Mogstad, Romano, Shaikh and
// Wilhelm 2024) at 95%. With d the difference of the IQMs of two methods over the tasks
// that both have, and se its standard error (see stratifiedError),
//
//	i is surely above j where d_ij > c_ij * se_ij
//	ranks of i: from 1 + #{j surely above i} to M - #{j surely below i}
//
// The factor c_ij rests on the resamples of StratifiedIQM. Every resample draws the same seeds
// for all methods, so what a seed does to two of them alike is not in their difference. Let c be
// the 95% quantile over resamples of the largest |d* - d|/spread of all pairs, where spread is
// the root of the mean square of d* - d. As the bootstrap does not know how uncertain a
// standard error from few seeds is, c_ij is the quantile of Student's distribution, with the
// degrees of freedom of se, at the level that c has in the normal one.
//
// c is at least 1.96, and spread at least half of se. So all rank sets are meant to hold the true ranks at once in 95% of experiments; the package
// comment has how often they do. The largest of all pairs takes the place of Holm's
// correction: it knows how the pairs depend on each other, and needs no p values of 1e-5 from
// 2000 resamples. There is no step-down: of a pair that is decided one side stays in, so it
// would gain next to nothing. Quantiles of resampled ranks are not used, since they leave out the true rank far
// too often where methods are equal.
//
// A difference of less than a 10^-9th of the largest score is rounding, and none. Two methods
// with no task in common, or with fewer than MinRankSeeds seeds on one, are not told apart.
// Where all seeds agree on both sides, se is 0 and any larger difference is sure.
//
// Shared is for a list of one number each: the methods fall into groups, as small as can be,
// such that all of a group are surely above all of the next. Not being told apart does not carry
// over (a may be surely above c, and b apart from neither), so a group can be large where the
// sets still say something.
//
// What is said of a method does not depend on the order of the tables. It is an error where it is
// one in StratifiedIQM, if there are no tables, and if a task has different numbers of seeds
// in two of them.
func RankMethods(methods []Table) (*Rankings, error) {
	s, err := newStrata(methods)
	if err != nil {
		return nil, err
	}
	m := len(methods)
	r := &Rankings{Ranks: make([]Rank, m), Above: make([][]bool, m)}
	for i, table := range methods {
		r.Ranks[i] = Rank{IQM: s.interval(table, s.pool(table)), Place: 1, Low: 1, High: m}
		r.Above[i] = make([]bool, m)
	}
	pairs := s.pairs()
	r.Factor = factor(pairs)
	quantiles := students{level: math.Erfc(-r.Factor/math.Sqrt2) / 2, known: map[int]float64{}}
	for _, p := range pairs {
		if math.Abs(p.difference) <= p.rounding {
			continue
		}
		up, down := p.i, p.j
		if p.difference < 0 {
			up, down = down, up
		}
		r.Ranks[down].Place++
		if p.seeds >= MinRankSeeds && math.Abs(p.difference) > float64(quantiles.of(p.degrees)*p.se) {
			r.Above[up][down] = true
			r.Ranks[down].Low++
			r.Ranks[up].High--
		}
	}
	r.share()
	return r, nil
}

// A pair is two methods, and what is known of the difference of their IQMs.
type pair struct {
	i, j       int
	difference float64 // of i less j
	spread     float64 // of the difference over resamples: the root of its mean square
	se         float64 // of the difference
	degrees    int
	rounding   float64   // what a difference must exceed
	seeds      int       // the fewest of a task that both have
	a, b       *resample // of i and j
}

// A resample is the IQM of a method on some of its tasks, and those of its resamples.
type resample struct {
	pool
	iqm             float64
	values          []float64
	raw, winsorised []float64 // the scores, by task and seed
	kept            []int     // of each score: 1 where it is not winsorised
	perTask         []int     // how many seeds each task has
}

// resample returns the resamples of a table.
func (s *strata) resample(table Table) *resample {
	p := s.pool(table)
	r := &resample{pool: p, iqm: IQM(p.scores), values: s.resampled(p)}
	cut := len(p.scores) / 4
	low, high := p.scores[cut], p.scores[len(p.scores)-1-cut]
	for _, task := range s.tasks {
		if scores := table[task.name]; scores != nil {
			r.perTask = append(r.perTask, len(scores))
			r.raw = append(r.raw, scores...)
			for _, x := range scores {
				w, kept := min(max(x, low), high), 0
				if w == x {
					kept = 1
				}
				r.winsorised, r.kept = append(r.winsorised, w), append(r.kept, kept)
			}
		}
	}
	return r
}

// pairs returns all pairs of methods that share a task.
func (s *strata) pairs() []pair {
	has := make([]string, len(s.tables)) // of each method: a letter per task
	for i, table := range s.tables {
		for _, task := range s.tasks {
			letter := "-"
			if table[task.name] != nil {
				letter = "x"
			}
			has[i] += letter
		}
	}
	known := make([]map[string]*resample, len(s.tables)) // by the tasks it is restricted to
	of := func(i int, tasks string) *resample {
		if known[i] == nil {
			known[i] = map[string]*resample{}
		}
		if known[i][tasks] == nil {
			table := Table{}
			for t, letter := range tasks {
				if letter == 'x' {
					table[s.tasks[t].name] = s.tables[i][s.tasks[t].name]
				}
			}
			known[i][tasks] = s.resample(table)
		}
		return known[i][tasks]
	}
	var pairs []pair
	for i := range s.tables {
		for j := range i {
			tasks := []byte(has[i])
			for t := range tasks {
				if has[j][t] == '-' {
					tasks[t] = '-'
				}
			}
			if strings.Contains(string(tasks), "x") {
				pairs = append(pairs, newPair(i, j, of(i, string(tasks)), of(j, string(tasks))))
			}
		}
	}
	return pairs
}

func newPair(i, j int, a, b *resample) pair {
	p := pair{i: i, j: j, difference: a.iqm - b.iqm, seeds: a.seeds, a: a, b: b}
	p.rounding = sameStatistic * max(a.largest(), b.largest())
	squares := 0.0
	for k, x := range a.values {
		e := x - b.values[k] - p.difference
		squares += float64(e * e)
	}
	linear, degrees := stratifiedError(a, b)
	p.spread = math.Sqrt(squares / resamples)
	p.se, p.degrees = max(linear, p.spread), degrees
	// Where the middle scores nearly agree, few resamples differ at all. Each would be many
	// spreads off, and many such pairs would set the factor of all others.
	p.spread = max(p.spread, linear/2)
	return p
}

// stratifiedError returns the standard error of the difference of two IQMs and its degrees of
// freedom, rounded down, as Yuen (1974) has them for a trimmed mean, added up over tasks as Welch
// (1947) and Satterthwaite (1946) do. From the winsorised scores w, over the seeds of task t,
//
//	v_t = h_t/(h_t-1) * sum of (e - mean of e)^2,  e = w_i - w_j
//	se = 2/N * sqrt(sum v_t),   degrees = (sum v_t)^2 / sum v_t^2/(h_t-1)
//
// N is the number of runs, of which the IQM takes half, and h_t, at least 2, that of task t's
// that are not replaced, on average over both sides. Where the middle scores agree on both
// sides, all scores are taken as they are, without the 2.
func stratifiedError(a, b *resample) (se float64, degrees int) {
	se, degrees = errorOf(a.winsorised, b.winsorised, a.perTask, func(k int) int { return a.kept[k] + b.kept[k] })
	if se *= 2; se > sameStatistic*max(a.largest(), b.largest()) {
		return se, degrees
	}
	return errorOf(a.raw, b.raw, a.perTask, func(int) int { return 2 })
}

// errorOf is the standard error of the mean of x - y, and its degrees of freedom. kept is 2, 1
// or 0 for a run: on how many sides it counts among h_t.
func errorOf(x, y []float64, perTask []int, kept func(run int) int) (se float64, degrees int) {
	total, squares, first := 0.0, 0.0, 0
	for _, n := range perTask {
		mean, v, sides := 0.0, 0.0, 0
		for k := first; k < first+n; k++ {
			mean += x[k] - y[k]
			sides += kept(k)
		}
		mean /= float64(n)
		for k := first; k < first+n; k++ {
			v += square(x[k] - y[k] - mean)
		}
		h := max(float64(sides)/2, 2)
		v *= h / (h - 1)
		total += float64(v) // not fused with the product
		squares += float64(v*v) / (h - 1)
		first += n
	}
	if total > 0 {
		degrees = int(float64(total*total) / squares)
	}
	return math.Sqrt(total) / float64(first), max(1, degrees)
}

// largest is the largest absolute score.
func (p pool) largest() float64 {
	return max(math.Abs(p.scores[0]), math.Abs(p.scores[len(p.scores)-1]))
}

// factor is the 95% quantile of the largest studentised difference of all pairs.
func factor(pairs []pair) float64 {
	largest := make([]float64, resamples)
	for _, p := range pairs {
		if p.seeds < MinRankSeeds || p.spread <= p.rounding {
			continue
		}
		unit := 1 / p.spread
		a, b := p.a.values, p.b.values
		for k := range largest {
			largest[k] = max(largest[k], math.Abs((a[k]-b[k]-p.difference)*unit))
		}
	}
	// One pair alone takes that of the normal distribution.
	return max(normal975, selectNth(largest, resamples-resamples/20))
}

// share fills in Shared. Whoever is in a higher group has fewer surely above, so groups stand
// together where methods are sorted by that, and one ends where all before are surely above all after.
func (r *Rankings) share() {
	order := make([]int, len(r.Ranks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.Ranks[i].Low, r.Ranks[j].Low) })
	start := 0
	for k, i := range order {
		r.Ranks[i].Shared = start + 1
		if r.parted(order[:k+1], order[k+1:]) {
			start = k + 1
		}
	}
}

// parted says whether all of the first are surely above all of the others.
func (r *Rankings) parted(first, others []int) bool {
	for _, i := range first {
		for _, j := range others {
			if !r.Above[i][j] {
				return false
			}
		}
	}
	return true
}

// students are quantiles of Student's distributions at a level.
type students struct {
	level float64
	known map[int]float64 // by degrees of freedom
}

func (s students) of(degrees int) float64 {
	if _, ok := s.known[degrees]; !ok {
		s.known[degrees] = studentQuantile(degrees, s.level)
	}
	return s.known[degrees]
}
