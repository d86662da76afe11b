package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"modebench/internal/rng"
)

// draws are the numbers of flips and of resamples behind a critical value.
type draws struct{ flips, resamples int }

// critical returns the critical value of the simultaneous intervals: with probability 1-alpha every true
// difference lies within that many standard errors of its estimate. It is the larger of two values. The
// value of sign flips is exact for symmetric differences, and too small for skewed ones. The value of the
// studentised bootstrap accounts for the skewness of the seeds.
func (f *flips) critical(d draws, alpha float64) float64 {
	return max(f.flipped(d.flips, alpha), f.resampled(d.resamples, alpha))
}

// resampled returns the value that the largest |t| of all differences exceeds in at most a share alpha
// of resamples, by the studentised bootstrap (Romano and Wolf 2005, sec. 4.2): with k =
// alpha*(resamples+1), rounded down, the k-th largest. A resample draws the seeds of every column
// anew, for all methods at once; t is of the differences less their means on the task. The draws
// depend on the name of the task and its seeds alone. It is +Inf if resamples are too few for
// alpha, or if they often leave no spread.
func (f *flips) resampled(resamples int, alpha float64) float64 {
	var live []centred
	for k := range f.differences {
		if d := &f.differences[k]; d.compared() && d.spread() {
			live = append(live, f.centre(d))
		}
	}
	counts, sources := make([][]float64, len(f.columns)), make([]rand.PCG, len(f.columns))
	for c, column := range f.columns {
		counts[c] = make([]float64, len(column.seeds))
		key := rng.New(uint64(len(column.seeds))).Str("max t bootstrap").Str(f.tasks[column.task])
		for _, s := range column.seeds {
			key = key.Int(uint64(s))
		}
		key.Seed(&sources[c])
	}
	largest := make([]float64, resamples)
	for b := range largest {
		for c := range counts {
			countSeeds(counts[c], &sources[c])
		}
		for k := range live {
			largest[b] = max(largest[b], live[k].statistic(counts))
		}
	}
	slices.Sort(largest)
	k := rankOf(alpha, resamples)
	if k == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(largest[resamples-k])
}

// countSeeds draws len(counts) seeds with replacement, and counts how often each is drawn.
func countSeeds(counts []float64, source *rand.PCG) {
	clear(counts)
	n := uint64(len(counts))
	for range counts {
		// The high half of (32 random bits)*n is uniform in 0..n-1 up to n*2^-32.
		counts[(source.Uint64()>>32)*n>>32]++
	}
}

// centred has a difference's deviations from the mean of each of its tasks.
type centred struct {
	*difference
	deviations [][]float64 // [term][seed of the column]
}

// centre returns the deviations of a difference.
func (f *flips) centre(d *difference) centred {
	out := centred{difference: d}
	for _, term := range d.terms {
		column := f.columns[term.column]
		a, b := f.methods[d.i][f.tasks[column.task]], f.methods[d.j][f.tasks[column.task]]
		deviations := make([]float64, len(column.seeds))
		for k, s := range column.seeds {
			deviations[k] = a[s] - b[s]
		}
		mean := Mean(deviations)
		for k := range deviations {
			deviations[k] -= mean
		}
		out.deviations = append(out.deviations, deviations)
	}
	return out
}

// spread reports whether the differences vary on some task, by more than rounding.
func (d *difference) spread() bool {
	return float64(d.se*float64(len(d.terms))) > float64(sameStatistic*math.Sqrt(d.squares))
}

// statistic returns t^2 of a resample, by how often it has each seed of each column.
func (c *centred) statistic(counts [][]float64) float64 {
	sum, variance, about0 := 0.0, 0.0, 0.0
	for k, term := range c.terms {
		deviations, weights := c.deviations[k], counts[term.column]
		total, squares := 0.0, 0.0
		for s, x := range deviations {
			weighted := float64(weights[s] * x)
			total += weighted
			squares += float64(weighted * x)
		}
		n := float64(len(deviations))
		mean := total / n
		sum += mean
		about0 += float64(term.weight * squares / n)
		variance += float64(term.weight * (squares/n - float64(mean*mean)))
	}
	switch square := float64(sum * sum); {
	case variance > float64(cancelled*about0):
		return square / variance
	case square > 0:
		return math.Inf(1)
	}
	return 0
}

// rankOf returns alpha*(draws+1), rounded down.
func rankOf(alpha float64, draws int) int {
	// The product of two decimal numbers may round to less than the whole number that it is.
	return int(float64(alpha*float64(draws+1)) + sameStatistic)
}
