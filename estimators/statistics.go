package estimators

import (
	"cmp"
	"math"
	"slices"
)

// Tiny is the size below which a deviation or an advantage counts as rounding. Rounding must never
// become an advantage, since adaptive optimisers would scale it up to a full step.
const Tiny = 1e-12

// Rounding is the size below which a difference of rewards counts as rounding: 1e-12 for
// rewards of at most 1, and in proportion for larger ones. The error of a mean grows with
// the size of its terms.
func Rounding(rewards []float64) float64 {
	largest := 1.0
	for _, r := range rewards {
		largest = max(largest, math.Abs(r))
	}
	return Tiny * largest
}

// ZeroBelow replaces what is only rounding by zero.
func ZeroBelow(dst []float64, below float64) {
	for i, a := range dst {
		if math.Abs(a) < below {
			dst[i] = 0
		}
	}
}

// Total is the sum in rollout order.
func Total(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum
}

// Mean is the arithmetic mean, summed in order; xs has at least one number.
func Mean(xs []float64) float64 { return Total(xs) / float64(len(xs)) }

// Deviation is the mean and the standard deviation of xs, whose squares are divided
// by their number less ddof; too few numbers have a deviation of 0.
func Deviation(xs []float64, ddof int) (centre, sd float64) {
	centre = Mean(xs)
	if len(xs) <= ddof {
		return centre, 0
	}
	square := 0.0
	for _, x := range xs {
		d := x - centre
		square += float64(d * d)
	}
	return centre, math.Sqrt(square / float64(len(xs)-ddof))
}

// Standardise writes the z-scores (x - mean) / (sd + epsilon) to dst, which may
// be the same slice. Where the deviation is only rounding, or there are too few
// numbers to have one, there is no signal: all zeros.
func Standardise(dst, xs []float64, ddof int, epsilon float64) {
	mean, sd := Deviation(xs, ddof)
	if sd < Rounding(xs) {
		clear(dst)
		return
	}
	scale := cmp.Or(1/(sd+epsilon), math.NaN()) // the squares overflowed: reported, not taken for no signal
	for i, x := range xs {
		dst[i] = (x - mean) * scale
	}
}

// Centre writes x - mean to dst, which may be the same slice; differences of rounding are 0.
func Centre(dst, xs []float64) {
	mean, cutoff := Mean(xs), Rounding(xs)
	for i, x := range xs {
		dst[i] = x - mean
	}
	ZeroBelow(dst, cutoff)
}

// weightedMean is the sum of the weights and sum w_i x_i over it.
func weightedMean(xs, weights []float64) (total, mean float64) {
	for i, x := range xs {
		total += weights[i]
		mean += float64(weights[i] * x)
	}
	return total, mean / total
}

// Whiten replaces xs by (x - mean) / sqrt(regular(variance)), where both count each
// x weight times; regular keeps small variances from blowing it up. A deviation that is
// only rounding, or too little weight to have one, is no signal: all zeros.
func Whiten(xs, weights []float64, ddof int, regular func(variance float64) float64) {
	total, mean := weightedMean(xs, weights)
	square := 0.0
	for i, x := range xs {
		d := x - mean
		square += float64(weights[i] * float64(d*d))
	}
	variance := square / (total - float64(ddof))
	if total <= float64(ddof) || math.Sqrt(variance) < Rounding(xs) {
		clear(xs)
		return
	}
	scale := cmp.Or(1/math.Sqrt(regular(variance)), math.NaN()) // the squares overflowed: reported, not taken for no signal
	for i, x := range xs {
		xs[i] = (x - mean) * scale
	}
}

// Resize gives a buffer n entries, of any content.
func Resize(buffer []float64, n int) []float64 { return slices.Grow(buffer[:0], n)[:n] }

// Indicator is 1 if the condition holds, else 0.
func Indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func singleton(policy string, r float64) float64 {
	if policy == "raw" {
		return r
	}
	return 0
}
