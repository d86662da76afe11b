package stats

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/internal/rng"
)

// A Table holds the scores of one method: under the name of each task, one score per seed.
// A method that does not fit a task has no entry for it. Seeds are paired between methods:
// index s of a task is the same problems and the same base policy in every table.
type Table map[string][]float64

// StratifiedIQM returns the interquartile mean over all runs of all tasks, as IQM defines it,
// with a 95% interval by the stratified bootstrap (Agarwal et al. 2021, sec. 4.2 and 4.3): the
// 2.5% and 97.5% quantiles of the IQM over 2000 resamples, in each of which the seeds are
// drawn anew within each task, and no task is left out. N is the number of runs.
//
// The estimate is of the performance on these tasks with other seeds, and not on other
// tasks. Seeds are drawn independently from task to task, since a seed names other problems
// in each. The draws depend on the task's name and its number of seeds alone, so all methods
// are resampled alike, and a method that is added changes no interval of another.
//
// The interval is not studentised, unlike that of IQMInterval, and holds somewhat less than 95% for few seeds (see
// docs/statistics.md). The bounds are infinite where a task has fewer than MinValues seeds.
// It is an error if there is no task, a task without seeds, or a score that is not finite.
func StratifiedIQM(scores Table) (Interval, error) {
	s, err := newStrata([]Table{scores})
	if err != nil {
		return Interval{}, err
	}
	return s.interval(scores), nil
}

// strata are the resampled seeds of a number of tasks, which all tables share.
type strata struct {
	tables []Table
	tasks  []stratum        // by name
	counts [][]int32        // [resample][run]: how often each run is drawn; a task's runs are adjacent
	byName map[string]int32 // where a task's runs begin
}

// A stratum is a task and how many seeds it has.
type stratum struct {
	name  string
	seeds int
}

// newStrata checks the tables and draws 2000 resamples of the seeds of every task.
func newStrata(tables []Table) (*strata, error) {
	s := &strata{tables: tables, byName: map[string]int32{}}
	seeds := map[string]int{}
	for i, table := range tables {
		if len(table) == 0 {
			return nil, fmt.Errorf("table %d has no tasks: give it at least one with its scores", i)
		}
		for _, task := range slices.Sorted(maps.Keys(table)) {
			n := len(table[task])
			switch known, listed := seeds[task]; {
			case n == 0:
				return nil, fmt.Errorf("table %d: task %q has no scores: leave out what was not run", i, task)
			case listed && known != n:
				return nil, fmt.Errorf("table %d: task %q has %d seeds, and %d in a table before: seeds are paired", i, task, n, known)
			case !finite(table[task]...):
				return nil, fmt.Errorf("table %d: task %q has a score that is not finite", i, task)
			}
			seeds[task] = n
		}
	}
	if len(tables) == 0 {
		return nil, errors.New("no tables: give one per method")
	}
	runs := 0
	for _, task := range slices.Sorted(maps.Keys(seeds)) {
		s.byName[task] = int32(runs)
		s.tasks = append(s.tasks, stratum{task, seeds[task]})
		runs += seeds[task]
	}
	s.counts = make([][]int32, resamples)
	all := make([]int32, resamples*runs)
	for b := range s.counts {
		s.counts[b] = all[b*runs : (b+1)*runs]
	}
	for _, task := range s.tasks {
		s.drawSeeds(task)
	}
	return s, nil
}

// drawSeeds fills in how often each seed of the task is drawn in each resample.
func (s *strata) drawSeeds(task stratum) {
	var source rand.PCG
	rng.New(uint64(task.seeds)).Str("stratified bootstrap").Str(task.name).Seed(&source)
	first := int(s.byName[task.name])
	for _, counts := range s.counts {
		draws := counts[first : first+task.seeds]
		for range draws {
			// The high half of (32 random bits)*n is uniform in 0..n-1 up to n*2^-32.
			draws[(source.Uint64()>>32)*uint64(task.seeds)>>32]++
		}
	}
}

// A pool is the runs of a table in ascending order of their scores.
type pool struct {
	scores []float64
	runs   []int32 // which run of the strata each is
	seeds  int     // the fewest of a task
}

// pool sorts the runs of a table.
func (s *strata) pool(table Table) pool {
	type run struct {
		score float64
		index int32
	}
	var all []run
	p := pool{seeds: math.MaxInt}
	for _, task := range s.tasks {
		scores := table[task.name]
		if len(scores) == 0 {
			continue
		}
		p.seeds = min(p.seeds, len(scores))
		for i, x := range scores {
			all = append(all, run{x, s.byName[task.name] + int32(i)})
		}
	}
	// Equal scores are sorted by task and seed, so that their order is fixed.
	slices.SortStableFunc(all, func(a, b run) int { return cmp.Compare(a.score, b.score) })
	for _, r := range all {
		p.scores, p.runs = append(p.scores, r.score), append(p.runs, r.index)
	}
	return p
}

// iqm is IQM of the resample in which each run occurs so often. A run counts in quarters: n
// of the 4n quarters are cut from each side, and no sorting is needed.
func (p pool) iqm(counts []int32) float64 {
	n := int32(len(p.scores))
	sum, before := 0.0, int32(0)
	for i, at := range p.runs {
		after := before + 4*counts[at]
		if after > n {
			if inside := min(after, 3*n) - max(before, n); inside > 0 {
				sum += float64(float64(inside) * p.scores[i])
			}
			if after >= 3*n {
				break
			}
		}
		before = after
	}
	return sum / float64(2*n)
}

// iqms returns the IQM of each resample.
func (s *strata) iqms(p pool) []float64 {
	out := make([]float64, len(s.counts))
	for b, counts := range s.counts {
		out[b] = p.iqm(counts)
	}
	return out
}

// interval is the percentile interval of the IQM of a table.
func (s *strata) interval(table Table) Interval {
	p := s.pool(table)
	return percentiles(len(p.scores), IQM(p.scores), p.seeds, s.iqms(p))
}

// percentiles is the interval of an estimate between the 2.5% and the 97.5% quantile of its
// resampled values, which it permutes. It holds the estimate.
func percentiles(n int, estimate float64, seeds int, resampled []float64) Interval {
	if seeds < MinValues {
		return Interval{n, estimate, math.Inf(-1), math.Inf(1)}
	}
	low, high, _ := bounds(resampled)
	return Interval{n, estimate, min(low, estimate), max(high, estimate)}
}

// PairedImprovement returns the share of runs, in [0, 1], in which new exceeds old, ties counted
// half. A run is a task and a seed, which both sides have:
//
//	P = mean over tasks m of (1/seeds) sum_i [new_mi > old_mi] + [new_mi = old_mi] / 2
//
// with a 95% interval by the stratified bootstrap over seeds, and in N the number of runs. It is
// rliable's probability of improvement (Agarwal et al. 2021, sec. 4.3) where every run is a task of
// its own: that compares all pairs of seeds, of which most share no problems. Over seeds that agree
// (every run of new above that of old) the interval has no width. SureWins counts the same runs.
//
// It is an error if no task is in both, if a task has different numbers of seeds, and in the
// cases of StratifiedIQM. The bounds are 0 and 1 if a task has fewer than MinValues seeds.
func PairedImprovement(old, new Table) (Interval, error) {
	common := shared(old, new)
	if len(common) == 0 {
		return Interval{}, errors.New("the two tables have no task in common")
	}
	s, err := newStrata([]Table{restrict(old, common), restrict(new, common)})
	if err != nil {
		return Interval{}, err
	}
	estimates, runs, fewest := make([]float64, resamples), 0, math.MaxInt
	estimate := 0.0
	for _, task := range s.tasks {
		first, n := int(s.byName[task.name]), task.seeds
		twice := make([]int64, n) // the wins
		for i, y := range new[task.name] {
			twice[i] = int64(1 + cmp.Compare(y, old[task.name][i]))
		}
		share := func(counts []int32) float64 {
			sum := int64(0)
			for i, win := range twice {
				sum += int64(counts[i]) * win
			}
			return float64(sum) / float64(2*n)
		}
		estimate += share(slices.Repeat([]int32{1}, n))
		for b, counts := range s.counts {
			estimates[b] += share(counts[first : first+n])
		}
		runs, fewest = runs+n, min(fewest, n)
	}
	tasks := float64(len(s.tasks))
	for b := range estimates {
		estimates[b] /= tasks
	}
	i := percentiles(runs, estimate/tasks, fewest, estimates)
	i.Low, i.High = max(i.Low, 0), min(i.High, 1)
	return i, nil
}

// shared returns the tasks that both tables have, by name.
func shared(a, b Table) (tasks []string) {
	for _, task := range slices.Sorted(maps.Keys(a)) {
		if _, ok := b[task]; ok {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// restrict returns the table of these tasks alone.
func restrict(table Table, tasks []string) Table {
	out := Table{}
	for _, task := range tasks {
		out[task] = table[task]
	}
	return out
}
