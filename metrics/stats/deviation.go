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
// It returns nil if there are no such values: fewer than three pairs, sides of different lengths, a
// value that is not finite, or a side without spread, also once a pair is left out.
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

// logDeviations returns log(sd(a)/sd(b)), infinite or NaN if a side has no spread.
func logDeviations(a, b []float64) float64 {
	return exact.Log(Deviation(a)) - exact.Log(Deviation(b))
}

// without copies all of xs but the i-th into rest.
func without(rest, xs []float64, i int) {
	copy(rest, xs[:i])
	copy(rest[i:], xs[i+1:])
}

// DeviationRatioInterval returns sd(a)/sd(b) of paired values with a 95% interval, by
// the jackknife and Student's t (Tukey 1958): with m the mean of DeviationContrast and
// se its standard error, in the field Mean exp(m), and
//
//	[exp(m - t(0.975, n-1)*se), exp(m + t(0.975, n-1)*se)]
//
// The studentised bootstrap of MeanInterval and the bias-corrected and accelerated one
// were measured too, and hold less; docs/statistics.md has the numbers.
//
// The fields but N are NaN where DeviationContrast has no values. If the pseudo-values
// are all equal, the bounds are too.
func DeviationRatioInterval(a, b []float64) Interval {
	contrast := DeviationContrast(a, b)
	n := len(a)
	if contrast == nil {
		return Interval{n, math.NaN(), math.NaN(), math.NaN()}
	}
	mean := Mean(contrast)
	half := float64(studentQuantile(n-1, 0.975) * Deviation(contrast) / math.Sqrt(float64(n)))
	return Interval{n, exact.Exp(mean), exact.Exp(mean - half), exact.Exp(mean + half)}
}
