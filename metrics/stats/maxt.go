package stats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/internal/rng"
)

// A difference is of two methods, i less j, over the tasks that both have. With d the paired
// differences over a task's n seeds, m their mean, and sums and means over the T tasks,
//
//	delta = mean of m,    se^2 = sum of var(d)/n / T^2,    t = delta/se
//
// where var divides by n-1. A seed that one of the two lacks is left out, and so is a task of which
// fewer than two seeds are left, since its noise is unknown.
type difference struct {
	i, j      int
	terms     []term
	runs      int
	squares   float64 // sum over tasks of sum(d^2) / n(n-1), which no flip changes
	delta, se float64
	copies    bool // every d is 0, up to rounding
}

// A term is a task of a difference: the column that holds the mean of each of the two methods over
// the seeds that both have, and 1/(n-1).
type term struct {
	column int
	weight float64
}

// A column is some of the seeds of a task.
type column struct {
	task  int
	seeds []int
}

// flips has the methods, columns and differences of a test by sign flips. A flip is a sign for each seed of
// each task, common to all methods. The mean of a flipped difference is the difference of the means of
// both methods' flipped scores. So a draw takes one sum for each method and column, and a few operations
// for each difference.
type flips struct {
	methods     []Table
	tasks       []string // by name
	columns     []column
	used        [][]int // [method]: the columns of its differences
	differences []difference
}

// newFlips checks the methods and prepares their differences for the pairs of their indices.
func newFlips(methods []Table, pairs [][2]int) (*flips, error) {
	f := &flips{methods: methods, used: make([][]int, len(methods))}
	names := map[string]bool{}
	for i, table := range methods {
		for _, task := range slices.Sorted(maps.Keys(table)) {
			names[task] = true
			for s, x := range table[task] {
				if math.IsInf(x, 0) {
					return nil, fmt.Errorf("table %d: task %q, seed %d: the score is infinite: give a number, or NaN for a seed that is missing", i, task, s)
				}
			}
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no scores: give each method a table with at least one task")
	}
	f.tasks = slices.Sorted(maps.Keys(names))
	index := columnIndex{flips: f, byShape: map[string][]term{}, columns: map[string]int{}}
	for _, p := range pairs {
		f.differences = append(f.differences, index.difference(p[0], p[1]))
	}
	for i := range f.used {
		slices.Sort(f.used[i])
		f.used[i] = slices.Compact(f.used[i])
	}
	return f, nil
}

// columnIndex finds the columns of differences. Differences over the same seeds share their terms.
type columnIndex struct {
	*flips
	columns map[string]int    // by task and seeds
	byShape map[string][]term // by columns
}

// difference returns the difference of two methods, and adds its columns.
func (x *columnIndex) difference(i, j int) difference {
	d := difference{i: i, j: j, copies: true}
	var terms []term
	var shape []byte
	variance := 0.0
	for k, task := range x.tasks {
		a, b := x.methods[i][task], x.methods[j][task]
		var seeds []int
		for s := range min(len(a), len(b)) {
			if !math.IsNaN(a[s]) && !math.IsNaN(b[s]) {
				seeds = append(seeds, s)
			}
		}
		n := float64(len(seeds))
		if n < 2 {
			continue
		}
		values := make([]float64, len(seeds))
		for k, s := range seeds {
			values[k] = a[s] - b[s]
			if math.Abs(values[k]) > sameStatistic*max(math.Abs(a[s]), math.Abs(b[s])) {
				d.copies = false
			}
			d.squares += float64(values[k]*values[k]) / float64(n*(n-1))
		}
		mean := Mean(values)
		for _, v := range values {
			variance += float64((v-mean)*(v-mean)) / float64(n*(n-1))
		}
		d.delta += mean
		d.runs += len(seeds)
		c := x.column(k, seeds)
		terms = append(terms, term{c, 1 / (n - 1)})
		shape = binary.AppendUvarint(shape, uint64(c))
		x.used[i], x.used[j] = append(x.used[i], c), append(x.used[j], c)
	}
	if shared, known := x.byShape[string(shape)]; known {
		terms = shared
	} else {
		x.byShape[string(shape)] = terms
	}
	d.terms = terms
	d.delta /= float64(len(terms)) // NaN without a task
	d.se = math.Sqrt(variance) / float64(len(terms))
	return d
}

// column returns the number of the column of a task and its seeds.
func (x *columnIndex) column(task int, seeds []int) int {
	key := binary.AppendUvarint(nil, uint64(task))
	for _, s := range seeds {
		key = binary.AppendUvarint(key, uint64(s))
	}
	c, known := x.columns[string(key)]
	if !known {
		c = len(x.flips.columns)
		x.columns[string(key)], x.flips.columns = c, append(x.flips.columns, column{task, seeds})
	}
	return c
}

// compared reports whether the difference has a statistic that flips can change.
func (d *difference) compared() bool { return len(d.terms) > 0 && !d.copies }

// flipped returns the value that the largest |t| of all differences exceeds in at most a share alpha
// of the draws of flips, the data's own signs counted as one of draws+1: with k = alpha*(draws+1),
// rounded down, the (k+1)-th largest. The signs are drawn by the names of the tasks, and depend on
// nothing else. It is +Inf if draws are too few for alpha, or if flips often leave no spread.
func (f *flips) flipped(draws int, alpha float64) float64 {
	var live []difference
	for _, d := range f.differences {
		if d.compared() {
			live = append(live, d)
		}
	}
	largest := make([]float64, draws+1)
	means := f.newMeans()
	for b := range largest {
		if b > 0 {
			means.flip()
		}
		largest[b] = means.largest(live)
	}
	slices.Sort(largest)
	k := rankOf(alpha, draws)
	if k == 0 {
		return math.Inf(1)
	}
	// A flip with the data's own statistic counts as equal to it, however both round.
	return math.Sqrt(largest[draws-k]) * (1 + sameStatistic)
}

// signChunk is how many signs a table of sums takes at once.
const signChunk = 4

// A chunkTable has the sums of up to four of a method's scores under all of their signs: bit i of the
// index is set if score i keeps its sign. A seed that does not belong to the column counts as 0.
type chunkTable [1 << signChunk]float64

// flippedMeans has the means of all methods over all columns under one draw of signs.
type flippedMeans struct {
	*flips
	signs   [][]uint8 // [task][chunk of seeds]: bits, 1 for a score that keeps its sign
	sources [][]rand.PCG
	tables  [][][]chunkTable // [method][column]
	means   [][]float64      // [method][column]
}

// newMeans returns the means without a flip.
func (f *flips) newMeans() *flippedMeans {
	m := &flippedMeans{flips: f}
	for _, task := range f.tasks {
		seeds := 0
		for _, table := range f.methods {
			seeds = max(seeds, len(table[task]))
		}
		// A word of 64 signs has a stream of its own, so that more seeds change no sign of the first.
		sources := make([]rand.PCG, (seeds+63)/64)
		for w := range sources {
			rng.New(uint64(w)).Str("max t").Str(task).Seed(&sources[w])
		}
		kept := slices.Repeat([]uint8{1<<signChunk - 1}, (seeds+signChunk-1)/signChunk)
		m.signs, m.sources = append(m.signs, kept), append(m.sources, sources)
	}
	for i, table := range f.methods {
		tables := make([][]chunkTable, len(f.columns))
		for _, c := range f.used[i] {
			tables[c] = f.columns[c].sums(table[f.tasks[f.columns[c].task]])
		}
		m.tables, m.means = append(m.tables, tables), append(m.means, make([]float64, len(f.columns)))
	}
	m.fill()
	return m
}

// sums returns the column's tables of a method's scores.
func (c column) sums(scores []float64) []chunkTable {
	tables := make([]chunkTable, c.seeds[len(c.seeds)-1]/signChunk+1)
	for _, s := range c.seeds {
		sums := &tables[s/signChunk]
		for signs := range sums {
			if signs>>(s%signChunk)&1 == 1 {
				sums[signs] += scores[s]
			} else {
				sums[signs] -= scores[s]
			}
		}
	}
	return tables
}

// flip draws new signs.
func (m *flippedMeans) flip() {
	for k, signs := range m.signs {
		word := uint64(0)
		for chunk := range signs {
			if chunk%(64/signChunk) == 0 {
				word = m.sources[k][chunk/(64/signChunk)].Uint64()
			}
			signs[chunk] = uint8(word & (1<<signChunk - 1))
			word >>= signChunk
		}
	}
	m.fill()
}

// fill takes the means under the present signs.
func (m *flippedMeans) fill() {
	for i, used := range m.used {
		for _, c := range used {
			column := &m.columns[c]
			signs, sum := m.signs[column.task], 0.0
			for chunk := range m.tables[i][c] {
				sum += m.tables[i][c][chunk][signs[chunk]&(1<<signChunk-1)]
			}
			m.means[i][c] = sum / float64(len(column.seeds))
		}
	}
}

// largest returns the largest t^2 of the differences.
func (m *flippedMeans) largest(differences []difference) float64 {
	record := 0.0
	for k := range differences {
		d := &differences[k]
		a, b := m.means[d.i], m.means[d.j]
		sum, rest := 0.0, d.squares
		for _, term := range d.terms {
			mean := a[term.column] - b[term.column]
			sum += mean
			rest -= float64(float64(term.weight*mean) * mean)
		}
		// rest is T^2 se^2, as the sum of squares about the mean is that about 0 less n m^2.
		if square := float64(sum * sum); square > float64(record*rest) {
			record = max(record, d.statistic(a, b, square, rest))
		}
	}
	return record
}

// statistic is square/rest. If rest is 0 up to rounding, it is infinite, or 0 if the means of the tasks
// cancel.
func (d *difference) statistic(a, b []float64, square, rest float64) float64 {
	if rest > float64(sameStatistic*d.squares) {
		return square / rest
	}
	sizes := 0.0
	for _, term := range d.terms {
		sizes += math.Abs(a[term.column] - b[term.column])
	}
	if math.Sqrt(square) <= float64(sameStatistic*sizes) {
		return 0
	}
	return math.Inf(1)
}

// interval is delta -+ critical*se. It has no width for copies, and no bounds without a common task.
func (d *difference) interval(critical float64) Interval {
	switch {
	case len(d.terms) == 0:
		return Interval{0, math.NaN(), math.Inf(-1), math.Inf(1)}
	case d.copies:
		return Interval{d.runs, 0, 0, 0}
	case math.IsInf(critical, 1):
		return Interval{d.runs, d.delta, math.Inf(-1), math.Inf(1)}
	}
	half := float64(critical * d.se)
	return Interval{d.runs, d.delta, d.delta - half, d.delta + half}
}
