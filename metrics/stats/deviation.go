package stats

import (
	"math"

	"modebench/internal/exact"
)

// DeviationContrast returns one value per pair whose mean estimates
// log(sd(a)/sd(b)), the standard deviations with n-1: the pseudo-values of the
// jackknife (Tukey 1958; of the log variance, Miller 1968),
//
//	n*t - (n-1)*t_i
//
// where t is log(sd(a)/sd(b)) and t_i that of all pairs but the i-th. Their mean has
// less bias than t, and they are nearly independent, so that Test can ask of
// deviations what it asks of means. a and b have one value per unit, paired.
//
// It returns nil where there are none: fewer than three pairs, sides of different
// lengths, a value that is not finite, or a side without spread, also once a pair is
// left out.
func DeviationContrast(a, b []float64) []float64 {
	n := len(a)
	if n < MinValues || len(b) != n || !finite(a...) || !finite(b...) {
		return nil
	}
	whole, pseudo := logDeviations(a, b), make([]float64, n)
	restA, restB := make([]float64, n-1), make([]float64, n-1)
	for i := range pseudo {
		without(restA, a, i)
		without(restB, b, i)
		rest := logDeviations(restA, restB)
		pseudo[i] = float64(float64(n)*whole) - float64(float64(n-1)*rest)
	}
	if !finite(pseudo...) {
		return nil
	}
	return pseudo
}

// logDeviations returns log(sd(a)/sd(b)), infinite or NaN where a side has none.
func logDeviations(a, b []float64) float64 {
	return exact.Log(Deviation(a)) - exact.Log(Deviation(b))
}

// without copies all of xs but the i-th into rest.
func without(rest, xs []float64, i int) {
	copy(rest, xs[:i])
	copy(rest[i:], xs[i+1:])
}

// DeviationRatioInterval returns sd(a)/sd(b) of paired values with a 95% interval: that
// of MeanInterval for the mean of DeviationContrast, whose bootstrap draws pairs,
// taken out of the logarithm. The package comment has its measured coverage.
//
// The fields but N are NaN where DeviationContrast has no values.
func DeviationRatioInterval(a, b []float64) Interval {
	contrast := DeviationContrast(a, b)
	if contrast == nil {
		return Interval{len(a), math.NaN(), math.NaN(), math.NaN()}
	}
	i := MeanInterval(contrast)
	return Interval{i.N, exact.Exp(i.Mean), exact.Exp(i.Low), exact.Exp(i.High)}
}
