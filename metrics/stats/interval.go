package stats

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"modebench/internal/exact"
	"modebench/internal/rng"
)

const (
	// resamples is the number of bootstrap resamples of an interval.
	resamples = 2000
	// MinValues is the fewest values that have an interval. Student's for two of them is 18
	// deviations wide: nothing is known, in many digits.
	MinValues = 3
	// tail is how many of the resampled statistics lie at or beyond a bound:
	// 2.5% of them, so that 95% lie between.
	tail = resamples / 40
	// maxConstant is the share of resamples with no variance, or with next to none,
	// above which the bootstrap is given up. It has to stay clear of the 2.5% in
	// each tail, because the statistic of such a resample is infinite or huge.
	maxConstant = 0.01
	// thin is the variance, in parts of the data's, below which a resample has next
	// to none: a deviation of a twentieth.
	thin = 0.0025
	// tied is the distance, in units of the largest deviation, up to which two
	// values count as one for that share.
	tied = 1e-6
	// cancelled is the part of a resample's sum of squares below which its variance
	// is rounding: well below what values further apart than tied leave.
	cancelled = 1e-14
)

// An Interval is a mean over N seeds with 95% confidence bounds for the
// expectation. All have the unit of the data; Low <= Mean <= High unless NaN.
type Interval struct {
	N               int
	Mean, Low, High float64
}

// IntervalNote describes the intervals of MeanInterval; unit names the units of the values, as
// "seeds". The intervals may reach beyond the range of a metric.
func IntervalNote(unit string) string {
	return "95% interval: bootstrap-t, or Student's where " + unit + " tie; not clipped"
}

// Mean returns the arithmetic mean of xs by compensated summation in index
// order, and NaN for no values. A NaN or infinity among xs propagates.
func Mean(xs []float64) float64 {
	return exact.Sum(xs) / float64(len(xs))
}

// MeanInterval returns the mean of xs with a studentised bootstrap interval
// (bootstrap-t; Efron and Tibshirani 1993, ch. 12.5) of level 95%:
//
//	[mean - t_hi*se, mean - t_lo*se],  se = s/sqrt(n)
//
// where s is the deviation with n-1, and t_lo and t_hi are the 50th smallest
// and the 50th largest of (mean* - mean)/se* over 2000 resamples.
//
// The resamples come from a stream that is named by the values themselves, sorted. So the same
// values give the same interval, bit for bit, in any order and beside any other computation.
//
// A resample that holds one value only has no variance, and its statistic is
// infinite. If more than 1% of all n^n resamples are such, the interval is
// Student's instead: mean -+ t(0.975, n-1)*se. That is always so for n = 3 and 4, and else if
// many values are tied, as those of metrics that count (modes, say) often are. Values closer than a
// millionth of the largest deviation count as tied. It is Student's, too, if more than 1% of
// the resamples drawn have less than a twentieth of the data's deviation: one seed then lies
// far from all others (the one whose modes survived), resamples without it have next to no
// variance, and bootstrap-t would answer with bounds hundreds of deviations away.
//
// With n = 0 the mean is NaN, and so are the bounds. Below MinValues next to
// nothing is known of the variance, and the bounds are -Inf and +Inf; else, if all
// values are equal, the bounds are too. If the mean is not finite, the bounds are NaN.
func MeanInterval(xs []float64) Interval {
	sorted := sortedCopy(xs)
	n, mean := len(sorted), Mean(sorted)
	switch {
	case n == 0 || !finite(mean):
		return Interval{n, mean, math.NaN(), math.NaN()}
	case n < MinValues:
		return Interval{n, mean, math.Inf(-1), math.Inf(1)}
	case sorted[0] == sorted[n-1]:
		// Not the computed mean, which may be off by a rounding.
		return Interval{n, sorted[0], sorted[0], sorted[0]}
	}
	deviations, unit := standardise(sorted, mean)
	lo, hi, ok := 0.0, 0.0, false
	if constantShare(deviations) <= maxConstant {
		lo, hi, ok = bootstrapT(deviations, valueStream("mean interval", sorted))
	}
	if !ok {
		hi = studentQuantile(n-1, 0.975)
		lo = -hi
	}
	se := unit * standardError(deviations)
	low, high := mean-float64(hi*se), mean-float64(lo*se)
	// With extreme skewness a bootstrap quantile may lie on the wrong side of
	// 0; the interval is then extended to the estimate.
	return Interval{n, mean, min(low, mean), max(high, mean)}
}

// sortedCopy returns the values ascending, NaN first.
func sortedCopy(xs []float64) []float64 {
	sorted := make([]float64, len(xs))
	for i, x := range xs {
		sorted[i] = x + 0 // -0 becomes 0, which has the same rank but other bits
	}
	slices.Sort(sorted)
	return sorted
}

// finite reports whether xs holds no NaN and no infinity.
func finite(xs ...float64) bool {
	for _, x := range xs {
		if !(math.Abs(x) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// hasNaN reports whether xs holds a NaN.
func hasNaN(xs []float64) bool {
	return slices.ContainsFunc(xs, math.IsNaN)
}

// standardise returns the deviations from the centre, which lies among the values, in units of the
// largest, so that no square under- or overflows, and that unit.
func standardise(sorted []float64, centre float64) (deviations []float64, unit float64) {
	unit = max(centre-sorted[0], sorted[len(sorted)-1]-centre)
	deviations = make([]float64, len(sorted))
	for i, x := range sorted {
		deviations[i] = (x - centre) / unit
	}
	return deviations, unit
}

// standardError returns s/sqrt(n) of deviations from the mean.
func standardError(deviations []float64) float64 {
	n := float64(len(deviations))
	return math.Sqrt(exact.Dot(deviations, deviations) / float64(n*(n-1)))
}

// constantShare returns the share of the n^n resamples that hold one value
// only: the sum over distinct values of (multiplicity/n)^n.
func constantShare(deviations []float64) float64 {
	n, share := len(deviations), 0.0
	for start, end := range runs(deviations) {
		share += exact.PowInt(float64(end-start)/float64(n), n)
	}
	return share
}

// runs yields where each distinct value of the deviations, which ascend, starts and ends.
// Neighbours closer than tied count as one value.
func runs(deviations []float64) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start := 0; start < len(deviations); {
			end := start + 1
			for end < len(deviations) && deviations[end]-deviations[end-1] <= tied {
				end++
			}
			if !yield(start, end) {
				return
			}
			start = end
		}
	}
}

// valueStream returns the random stream that a purpose and sorted values name.
func valueStream(purpose string, sorted []float64) rng.Key {
	key := rng.New(uint64(len(sorted))).Str(purpose)
	for _, x := range sorted {
		key = key.Int(math.Float64bits(x))
	}
	return key
}

// bootstrapT returns the 2.5% and 97.5% quantiles of the studentised mean of
// resamples. deviations has mean 0 and at least two distinct values. ok is false
// when too many resamples have next to no variance for the quantiles to mean anything.
func bootstrapT(deviations []float64, key rng.Key) (lo, hi float64, ok bool) {
	return bounds(resampled(resamples, key, thinScatter(deviations), func(source *rand.PCG) (t, scatter float64) {
		return resampledT(deviations, source)
	}))
}

// thinScatter is thin of the scatter of the data as resampledT has it, whose mean is 0.
func thinScatter(deviations []float64) float64 {
	return thin * float64(len(deviations)) * exact.Dot(deviations, deviations)
}

// resampled returns the statistics of n resamples, and nil if more than maxConstant of them scatter
// less than the limit.
func resampled(n int, key rng.Key, limit float64, draw func(source *rand.PCG) (statistic, scatter float64)) []float64 {
	var source rand.PCG
	key.Seed(&source)
	statistics, thinOnes := make([]float64, n), 0
	for b := range statistics {
		statistic, scatter := draw(&source)
		statistics[b] = statistic
		if scatter < limit {
			if thinOnes++; float64(thinOnes) > maxConstant*float64(n) {
				return nil
			}
		}
	}
	return statistics
}

// bounds are the 2.5% and the 97.5% quantile of the statistics of resamples, which it permutes; not ok
// without statistics.
func bounds(statistics []float64) (lo, hi float64, ok bool) {
	if statistics == nil {
		return 0, 0, false
	}
	return selectNth(statistics, tail-1), selectNth(statistics, resamples-tail), true
}

// resampledT draws one resample and returns its mean in units of its standard
// error, infinite where the resample is constant, and its scatter: n(n-1) times its variance.
func resampledT(deviations []float64, source *rand.PCG) (t, scatter float64) {
	n := uint64(len(deviations))
	sum, squares := 0.0, 0.0
	var word uint64
	for i := range deviations {
		// One word serves two draws. The high half of (32 random bits)*n is
		// uniform in 0..n-1 up to n*2^-32.
		if i&1 == 0 {
			word = source.Uint64()
		} else {
			word >>= 32
		}
		d := deviations[(word&(1<<32-1))*n>>32]
		sum += d
		squares += float64(d * d)
	}
	// t = (sum/n) / sqrt(variance/n), variance = (squares - sum^2/n)/(n-1).
	total := float64(float64(n) * squares)
	scatter = total - float64(sum*sum)
	switch {
	case sum == 0:
		return 0, scatter
	case scatter <= cancelled*total:
		return math.Copysign(math.Inf(1), sum), scatter
	}
	return sum * math.Sqrt(float64(n-1)/scatter), scatter
}

// selectNth returns the element that would have index n if xs were sorted
// ascending (Hoare's FIND, CACM 4, 1961); it permutes xs, which holds no NaN.
// Sorting all of xs would take most of the time of an interval.
func selectNth(xs []float64, n int) float64 {
	for low, high := 0, len(xs)-1; low < high; {
		pivot, i, j := xs[n], low, high
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for pivot < xs[j] {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		if j < n {
			low = i
		}
		if n < i {
			high = j
		}
	}
	return xs[n]
}

// studentQuantile returns the p quantile of Student's t distribution, rounded to a multiple of
// 2^-32: gonum's logarithms may differ between CPUs in the last bits, and the intervals must not.
func studentQuantile(degrees int, p float64) float64 {
	nu := float64(degrees)
	x := mathext.InvRegIncBeta(nu/2, 0.5, 2*min(p, 1-p))
	q := math.Copysign(math.Sqrt(nu*(1-x)/x), p-0.5)
	return math.Round(q*(1<<32)) / (1 << 32)
}
