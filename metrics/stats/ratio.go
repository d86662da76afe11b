package stats

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"modebench/internal/exact"
	"modebench/internal/rng"
)

// RatioInterval returns mean(a)/mean(b) of paired values, in the field Mean, with a 95% interval
// for the ratio of the expectations: the studentised bootstrap of MeanInterval, which here draws
// pairs, with the standard error of a ratio r by the delta method (Cochran 1977, eq. 6.13)
//
//	se = sqrt(sum of (a_i - r*b_i)^2 / (n(n-1))) / mean(b)
//
// It is Student's, r -+ t(0.975, n-1)*se, where MeanInterval of the values a_i - r*b_i would be.
// The order of the pairs does not matter. docs/statistics.md has the measured coverage.
//
// The bounds are NaN where the denominator is not clearly above 0, which is where
// MeanInterval(b).Low is not: such a ratio measures nothing. All fields but N are NaN
// for sides of different lengths, or with a value that is not finite.
func RatioInterval(a, b []float64) Interval {
	n, nan := len(a), math.NaN()
	if len(b) != n || !finite(a...) || !finite(b...) {
		return Interval{n, nan, nan, nan}
	}
	ratio := Mean(a) / Mean(b)
	if !(MeanInterval(b).Low > 0) || !finite(ratio) {
		return Interval{n, ratio, nan, nan}
	}
	r := newRatio(a, b, ratio)
	if r.se == 0 {
		return Interval{n, ratio, ratio, ratio}
	}
	lo, hi, ok := r.bootstrapT()
	if !ok {
		hi = studentQuantile(n-1, 0.975)
		lo = -hi
	}
	low, high := ratio-float64(hi*r.se), ratio-float64(lo*r.se)
	return Interval{n, ratio, min(low, ratio), max(high, ratio)}
}

// A ratioSample has pairs as the bootstrap of their ratio r needs them: by the
// residuals a - r*b, which have mean 0.
type ratioSample struct {
	pairs []ratioPair // ascending
	se    float64     // of the ratio; 0 where all residuals are
}

// A ratioPair is a pair's residual, in units of the largest, and its denominator, in
// units of the largest.
type ratioPair struct{ residual, denominator float64 }

func newRatio(a, b []float64, ratio float64) ratioSample {
	r := ratioSample{pairs: make([]ratioPair, len(a))}
	unit, unitB, size := 0.0, 0.0, 0.0
	for i := range a {
		residual := a[i] - float64(ratio*b[i])
		r.pairs[i] = ratioPair{residual, b[i]}
		unit, unitB, size = max(unit, math.Abs(residual)), max(unitB, math.Abs(b[i])), max(size, math.Abs(a[i]))
	}
	// Residuals of the size of rounding errors count as 0.
	if unit <= tied*tied*size {
		return r
	}
	residuals := make([]float64, len(a))
	for i := range r.pairs {
		r.pairs[i].residual /= unit
		r.pairs[i].denominator /= unitB
		residuals[i] = r.pairs[i].residual
	}
	slices.SortFunc(r.pairs, func(p, q ratioPair) int {
		return cmp.Or(cmp.Compare(p.residual, q.residual), cmp.Compare(p.denominator, q.denominator))
	})
	r.se = float64(standardError(residuals)*unit) / Mean(b)
	return r
}

// bootstrapT returns the 2.5% and 97.5% quantiles of (r* - r)/se* of resampled pairs.
// ok is false where MeanInterval gives the bootstrap up, too.
func (r ratioSample) bootstrapT() (lo, hi float64, ok bool) {
	residuals := make([]float64, len(r.pairs))
	key := rng.New(uint64(len(r.pairs))).Str("ratio interval")
	for i, p := range r.pairs {
		residuals[i] = p.residual
		key = key.Int(math.Float64bits(p.residual)).Int(math.Float64bits(p.denominator))
	}
	if constantShare(residuals) > maxConstant {
		return 0, 0, false
	}
	return bounds(resampled(resamples, key, thin*exact.Dot(residuals, residuals), r.resampledT))
}

// resampledT draws as many pairs as there are and returns (r* - r)/se*, infinite where
// se* is 0, and the sum of squares of their own residuals. With d = a - r*b and q =
// r* - r = sum d / sum b, these are d - q*b.
func (r ratioSample) resampledT(source *rand.PCG) (t, scatter float64) {
	n := uint64(len(r.pairs))
	sum, below, squares, mixed, squaresBelow := 0.0, 0.0, 0.0, 0.0, 0.0
	for range r.pairs {
		hi, _ := bits.Mul64(source.Uint64(), n)
		p := r.pairs[hi]
		sum += p.residual
		below += p.denominator
		squares += float64(p.residual * p.residual)
		mixed += float64(p.residual * p.denominator)
		squaresBelow += float64(p.denominator * p.denominator)
	}
	if sum == 0 {
		return 0, squares
	}
	q := sum / below
	scatter = squares - float64(2*q*mixed) + float64(float64(q*q)*squaresBelow)
	if !(scatter > cancelled*squares) {
		return math.Copysign(math.Inf(1), q), 0
	}
	return math.Copysign(sum, q) * math.Sqrt(float64(n-1)/float64(float64(n)*scatter)), scatter
}

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
