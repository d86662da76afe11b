package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"modebench/internal/exact"
	"modebench/internal/rng"
)

// IQM returns the interquartile mean of xs, the mean of their middle half (Agarwal et al. 2021,
// sec. 4.3, take it over the scores of an RL suite): with the values sorted and n = 4c + r,
//
//	( (1-r/4)*(x[c] + x[n-1-c]) + sum of those between ) / (n/2)
//
// So the n/4 values that are cut from each side need not be whole: of 10 values two and a half go,
// of 6 one and a half, and the third (the second) counts in part. The common shortcut of whole cuts
// (scipy.stats.trim_mean, which rliable uses) keeps 60% of 10 values and 67% of 6, another quantity
// at every n; the two agree where 4 divides n. For n = 1 and 2 it is the mean.
//
// It has the unit of the data and lies among them. It is NaN for no values or if
// one is NaN; infinite values among those cut away do not matter.
func IQM(xs []float64) float64 {
	sorted := sortedCopy(xs)
	if len(sorted) == 0 || hasNaN(sorted) {
		return math.NaN()
	}
	return iqmOf(sorted)
}

// iqmOf is IQM of sorted values, at least one.
func iqmOf(sorted []float64) float64 {
	n := len(sorted)
	if n == 1 {
		return sorted[0]
	}
	cut := n / 4
	middle := slices.Clone(sorted[cut : n-cut])
	first, last := middle[0], middle[len(middle)-1]
	weight := 1 - float64(float64(n%4)/4)
	middle[0], middle[len(middle)-1] = float64(weight*first), float64(weight*last)
	// The rounded mean of equal values may lie beside them.
	return min(max(exact.Sum(middle)/(float64(n)/2), first), last)
}

// IQMInterval returns the interquartile mean of xs, in the field Mean, with a
// 95% interval for that of the distribution they come from: the studentised
// bootstrap of MeanInterval with the standard error of a trimmed mean,
//
//	se = 2*sw/sqrt(n)
//
// where sw is the deviation (with n-1) of the winsorised values, in which the c lowest and the c
// highest (c = n/4, rounded down) are replaced by their neighbours inside (Tukey and McLaughlin
// 1963). The order of xs does not matter: the stream is named by the sorted values.
//
// Where more than 1% of the resamples have no winsorised variance, or less than a
// twentieth of the data's deviation, the interval is Yuen's (1974) instead,
//
//	IQM -+ t(0.975, n-2c-1)*se*sqrt((n-1)/(n-2))
//
// (n/2 takes the place of the number of values that her trimming leaves; if 4 divides n they
// are equal). That is so for n = 4, 5 and 8, nearly always for 6, for many samples of 7 and 9,
// and else where values are tied. If the middle values are all equal (to a millionth of the
// largest deviation) and others are not, it is Student's around the IQM, with the deviation of
// all values: that these middles agree is no proof that the next will. For n = 3 no value is
// replaced, and it is Student's too.
//
// No values, too few, equal and non-finite ones give what they give in MeanInterval.
func IQMInterval(xs []float64) Interval {
	sorted := sortedCopy(xs)
	n, centre := len(sorted), IQM(sorted)
	switch {
	case n == 0 || !finite(sorted...) || !finite(centre):
		return Interval{n, centre, math.NaN(), math.NaN()}
	case n < MinValues:
		return Interval{n, centre, math.Inf(-1), math.Inf(1)}
	case sorted[0] == sorted[n-1]:
		return Interval{n, centre, centre, centre}
	}
	deviations, unit := standardise(sorted, centre)
	lo, hi := iqmBounds(deviations, valueStream("iqm interval", sorted))
	low, high := centre+float64(lo*unit), centre+float64(hi*unit)
	return Interval{n, centre, min(low, centre), max(high, centre)}
}

// iqmBounds returns the bounds of the interval, as seen from the centre, for
// the sorted deviations of two or more values from their IQM.
func iqmBounds(deviations []float64, key rng.Key) (lo, hi float64) {
	n := len(deviations)
	size, cut := float64(n), n/4
	_, squares, _ := trimmed(deviations)
	if cut == 0 || deviations[n-1-cut]-deviations[cut] <= tied {
		mean := Mean(deviations)
		half := 0.0
		for _, d := range deviations {
			half += float64((d - mean) * (d - mean))
		}
		half = float64(studentQuantile(n-1, 0.975) * math.Sqrt(half/float64(size*(size-1))))
		return -half, half
	}
	se := 2 * math.Sqrt(squares/float64(size*(size-1)))
	if lo, hi, ok := bootstrapIQM(deviations, squares, key); ok {
		// The statistics are in units of the root of the sum of squares.
		return -float64(hi * math.Sqrt(squares)), -float64(lo * math.Sqrt(squares))
	}
	half := float64(float64(studentQuantile(n-2*cut-1, 0.975)*se) * math.Sqrt((size-1)/(size-2)))
	return -half, half
}

// bootstrapIQM returns the 2.5% and 97.5% quantiles of the IQM of resamples in units of the root of
// their winsorised sum of squares, to which the standard error is proportional. ok is false when
// too many resamples have next to no variance for the quantiles to mean anything.
func bootstrapIQM(deviations []float64, squares float64, key rng.Key) (lo, hi float64, ok bool) {
	n := len(deviations)
	counts, resample := make([]int, n), make([]float64, n+2)
	return bounds(resampled(resamples, key, float64(thin*squares), func(source *rand.PCG) (t, scatter float64) {
		resampleSorted(deviations, resample, counts, source)
		mean, scatter, about0 := trimmed(resample[:n])
		switch {
		case mean == 0:
			return 0, scatter
		case scatter <= float64(cancelled*about0):
			return math.Copysign(math.Inf(1), mean), scatter
		}
		return mean / math.Sqrt(scatter), scatter
	}))
}

// resampleSorted draws as many of the sorted values as there are, and writes
// them in order: it counts how often each is drawn, which needs no sorting.
// resample is longer by two than sorted; those two elements mean nothing.
func resampleSorted(sorted, resample []float64, counts []int, source *rand.PCG) {
	clear(counts)
	n := uint64(len(sorted))
	var word uint64
	for i := range sorted {
		// One word serves two draws, as in resampledT.
		if i&1 == 0 {
			word = source.Uint64()
		} else {
			word >>= 32
		}
		counts[(word&(1<<32-1))*n>>32]++
	}
	next := 0
	for i, count := range counts {
		// Two are written at once, whatever the count, since a branch would be
		// mispredicted half of the time; the next value overwrites what is too
		// many, and of the last ones the slack takes it.
		x := sorted[i]
		resample[next], resample[next+1] = x, x
		for more := 2; more < count; more++ {
			resample[next+more] = x
		}
		next += count
	}
}

// trimmed returns, of sorted deviations (at least two), the interquartile mean,
// the sum of squares of the winsorised values about their mean, and that about
// 0. It is the inner loop of the bootstrap, hence the one pass.
func trimmed(sorted []float64) (mean, squares, about0 float64) {
	n := len(sorted)
	cut, size := n/4, float64(n)
	middle := sorted[cut : n-cut]
	first, last := middle[0], middle[len(middle)-1]
	sum, total := 0.0, float64(float64(cut)*(float64(first*first)+float64(last*last)))
	for _, x := range middle {
		sum += x
		total += float64(x * x)
	}
	mean = (sum - float64(float64(n%4)/4*(first+last))) / (size / 2)
	sum += float64(float64(cut) * (first + last))
	return mean, total - float64(sum*sum)/size, total
}
