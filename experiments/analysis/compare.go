package analysis

import (
	"maps"
	"math"
	"slices"

	"modebench/internal/each"
	"modebench/metrics/stats"
)

// A Statistic sums up a metric over the seeds of one side.
type Statistic string

// The statistics: the mean, and the interquartile mean, which a few odd seeds do not move.
const (
	StatisticMean Statistic = "mean"
	StatisticIQM  Statistic = "iqm"
)

// interval is the statistic of xs with its 95% interval.
func (s Statistic) interval(xs []float64) stats.Interval {
	if s == StatisticIQM {
		return stats.IQMInterval(xs)
	}
	return stats.MeanInterval(xs)
}

// A Verdict is the outcome of a comparison of a metric.
type Verdict string

// The verdicts.
const (
	VerdictSame         Verdict = "same"         // no seed differs by more than rounding
	VerdictMoved        Verdict = "moved"        // p <= stats.Alpha after correction
	VerdictUnclear      Verdict = "unclear"      // enough seeds, and p is above
	VerdictUnderpowered Verdict = "underpowered" // too few seeds for p to be small, whatever the values
	VerdictUndefined    Verdict = "undefined"    // no seed has the metric on both sides
)

// seedValues is a metric by seed on both sides. A value that is not finite is
// undefined: that seed was run and has no value.
type seedValues struct {
	Metric   string
	Old, New map[int]float64
}

// A MetricComparison compares a metric of two sides. Values have the unit of the metric. An
// unknown value is NaN; a bound of an interval over fewer than three seeds is infinite.
type MetricComparison struct {
	Metric string
	// Paired reports that seeds are compared with themselves; Old.N and New.N are
	// then equal unless the metric is undefined.
	Paired   bool
	Old, New stats.Interval // over the seeds that are compared
	// Delta is new - old: over pairs the statistic of the differences, else the
	// difference of the statistics.
	Delta stats.Interval
	// Improvement is the probability that a seed of new is above one of old, ties
	// counted half, in [0, 1].
	Improvement stats.Interval
	// P is the two-sided p value after Holm's correction for the metrics compared
	// at the same time, in [0, 1]; NaN with fewer seeds than Need.
	P float64
	// Need is the fewest seeds, on either side, that a verdict takes.
	Need    int
	Verdict Verdict

	old, new []float64 // the values compared; pairs in the same order
}

// N is the number of seeds compared: pairs, or seeds of the smaller side.
func (c *MetricComparison) N() int {
	if c.Verdict == VerdictUndefined {
		return 0
	}
	return min(c.Old.N, c.New.N)
}

// compareValues compares the metrics of one variant over seeds, which are the unit
// of replication. Metrics of the same call are tested together: their p values are
// corrected for the number of metrics that have values to test (Holm 1979).
//
// If both sides ran the same seeds, or share stats.MinSeeds of them at least, seeds are paired
// (problems and the uniforms of evaluation are common then) and the test is stats.PairedTest on
// the differences. Otherwise all seeds of both sides are compared by stats.UnpairedTest. Seeds
// without a value drop out, as pairs if seeds are paired.
func compareValues(values []seedValues, stat Statistic) []MetricComparison {
	out := make([]MetricComparison, len(values))
	tests := 0
	for i, v := range values {
		out[i] = compareOne(v, stat)
		if out[i].Verdict != VerdictUndefined {
			tests++
		}
	}
	ps := make([]float64, len(out))
	for i := range out {
		ps[i] = out[i].test(tests)
	}
	for i, p := range stats.Holm(ps) {
		out[i].judge(p)
	}
	return out
}

// compareOne fills in everything but the test.
func compareOne(v seedValues, stat Statistic) MetricComparison {
	c := MetricComparison{Metric: v.Metric, P: math.NaN()}
	paired, oldSeeds, newSeeds := pairSeeds(slices.Sorted(maps.Keys(v.Old)), slices.Sorted(maps.Keys(v.New)))
	values := func(seeds []int, side, opposite map[int]float64) (xs []float64) {
		for _, seed := range seeds {
			if finite(side[seed]) && (!paired || finite(opposite[seed])) {
				xs = append(xs, side[seed])
			}
		}
		return xs
	}
	c.Paired, c.old, c.new = paired, values(oldSeeds, v.Old, v.New), values(newSeeds, v.New, v.Old)
	mergeRounding(c.old, c.new)
	c.Old, c.New = stat.interval(c.old), stat.interval(c.new)
	undefined := stat.interval(nil)
	if len(c.old) == 0 || len(c.new) == 0 {
		// A metric of one side alone is still shown.
		c.Old, c.New = stat.interval(finiteOf(v.Old)), stat.interval(finiteOf(v.New))
		c.Delta, c.Improvement, c.Verdict = undefined, undefined, VerdictUndefined
		return c
	}
	c.Improvement = stats.Improvement(c.old, c.new)
	if c.Paired {
		c.Delta = pairedInterval(c.differences(), stat)
	} else {
		c.Delta = differenceInterval(c.Old, c.New)
	}
	if c.same() {
		c.Verdict = VerdictSame
	}
	return c
}

// rounding is the distance up to which two values are equal, in parts of the larger, or
// absolute below 1. Metrics other than counts are of the order of 1, and sums of many terms: a
// pass@4 of 1 and a pass@4 of 1 - 1e-16 are no finding, though every seed may show it.
const rounding = 1e-12

// mergeRounding gives values that are one up to rounding the lowest of them.
func mergeRounding(old, new []float64) {
	var distinct []float64
	for _, x := range slices.Sorted(slices.Values(slices.Concat(old, new))) {
		if last := len(distinct) - 1; last < 0 || x-distinct[last] > rounding*max(1, math.Abs(x)) {
			distinct = append(distinct, x)
		}
	}
	for _, side := range [][]float64{old, new} {
		for i, x := range side {
			index, found := slices.BinarySearch(distinct, x)
			if !found {
				index--
			}
			side[i] = distinct[index]
		}
	}
}

// finiteOf lists the finite values in the order of seeds.
func finiteOf(values map[int]float64) []float64 {
	return definedOf(each.Map(slices.Sorted(maps.Keys(values)), func(seed int) float64 { return values[seed] }))
}

// differences lists new - old of the pairs.
func (c *MetricComparison) differences() []float64 {
	out := make([]float64, len(c.old))
	for i := range out {
		out[i] = c.new[i] - c.old[i]
	}
	return out
}

// same reports that no value differs: within every pair or, without pairs, anywhere.
func (c *MetricComparison) same() bool {
	if c.Paired {
		return slices.Equal(c.old, c.new)
	}
	return slices.Min(c.old) == slices.Max(c.new) && slices.Max(c.old) == slices.Min(c.new)
}

// test sets Need for that many tests and returns the p value before correction: NaN if there is
// nothing to test. A metric that cannot reach a verdict still counts as tested, with p = 1: the
// correction is for the metrics asked for, whatever their values.
func (c *MetricComparison) test(tests int) float64 {
	c.Need = stats.SeedsForVerdict(max(1, tests), c.Paired)
	switch {
	case c.Verdict == VerdictUndefined:
		return math.NaN()
	case c.Verdict == VerdictSame || c.N() < c.Need:
		return 1
	case c.Paired:
		return stats.PairedTest(c.differences())
	}
	return stats.UnpairedTest(c.old, c.new)
}

// judge takes the corrected p value and gives the verdict.
func (c *MetricComparison) judge(p float64) {
	if c.N() >= c.Need {
		c.P = p
	}
	switch {
	case c.Verdict != "":
	case c.N() < c.Need:
		c.Verdict = VerdictUnderpowered
	case p <= stats.Alpha:
		c.Verdict = VerdictMoved
	default:
		c.Verdict = VerdictUnclear
	}
}

// pairedInterval is the statistic of differences with its interval. The bootstrap draws other
// resamples for the negated differences; the mean of both makes old against new agree with new
// against old, with the sign turned.
func pairedInterval(differences []float64, stat Statistic) stats.Interval {
	negated := each.Map(differences, func(d float64) float64 { return -d })
	a, b := stat.interval(differences), stat.interval(negated)
	return stats.Interval{N: a.N, Mean: (a.Mean - b.Mean) / 2, Low: (a.Low - b.High) / 2, High: (a.High - b.Low) / 2}
}

// differenceInterval is new - old of two independent statistics. Its bounds lie as
// far from it as the root of the summed squares of the two intervals' arms (Zou
// and Donner 2008, Stat. Med. 27: 1693), which preserves the skewness of the
// intervals. With n = 6, 10, 20 a side it held the true difference in 97.6, 96.8, 95.6% of
// 3000 simulated normal samples and in 97.7, 96.9, 95.3% of exponential ones.
func differenceInterval(old, new stats.Interval) stats.Interval {
	root := func(a, b float64) float64 { return math.Sqrt(float64(a*a) + float64(b*b)) }
	d := new.Mean - old.Mean
	return stats.Interval{
		N: min(old.N, new.N), Mean: d,
		Low:  d - root(new.Mean-new.Low, old.High-old.Mean),
		High: d + root(new.High-new.Mean, old.Mean-old.Low),
	}
}

// pairSeeds picks the seeds of both sides that are compared, the same ones if they are paired.
// The lists are sorted.
func pairSeeds(old, new []int) (paired bool, oldSeeds, newSeeds []int) {
	common := each.Where(old, func(seed int) bool { return slices.Contains(new, seed) })
	if len(common) >= stats.MinSeeds || slices.Equal(old, new) {
		return true, common, common
	}
	return false, old, new
}
