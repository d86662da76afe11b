package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/internal/exact"
)

// A Gradient accumulates estimates of a gradient of which the exact value is known: what
// an estimator's advantages make of groups of rollouts, against the gradient of the
// objective that it is meant to climb. Estimates are either samples, all of them given to
// Add, or all that there can be with their probabilities, given to AddWeighted; then the
// statistics are the exact ones of the estimator.
//
// It keeps the running mean of the estimates' differences from the exact gradient and the
// sum of squares around it (Welford 1962; West 1979 with weights), so that no digits are
// lost where the bias is large against the noise, nor where both are small against the
// gradient. The order of the estimates may change the last bits.
type Gradient struct {
	exact  []float64
	length float64   // of exact
	mean   []float64 // of the differences
	square float64   // sum of their squared distances from the mean
	cosine float64   // sum of the cosines of the estimates and exact
	total  float64   // sum of the weights
	n      int
	kind   int // of the estimates: ofSamples or ofOutcomes
}

// The kinds of estimates of a Gradient.
const (
	ofSamples = iota + 1
	ofOutcomes
)

// GradientStatistics say how good an estimator of a gradient is. g is an estimate, mean
// the mean over the estimates (their expectation, where outcomes are weighted), n the
// number of samples, |.| the Euclidean length.
type GradientStatistics struct {
	// Bias is |mean - exact|; in units of the gradient, >= 0. Of samples it holds noise:
	// without any bias its square is Variance/n on the average.
	Bias float64
	// SquaredBias is Bias^2 - Variance/n for samples, which is unbiased for the square
	// of the estimator's bias, and so often below 0 where there is none; Bias^2 for
	// outcomes.
	SquaredBias float64
	// Variance of one estimate is the trace of the covariance matrix: the sum over
	// samples of |g - mean|^2 over n-1, or the expectation of that for outcomes; >= 0.
	Variance float64
	// SNR is the signal-to-noise ratio of one estimate, |mean|^2 / Variance: a ratio of
	// powers, of which some papers give the root; >= 0. Of samples it is too high, by
	// 1/n about. An average of N independent estimates has N times as much. NaN without
	// variance.
	SNR float64
	// Cosine is the cosine of mean and exact; [-1, 1]. Of samples it is too near to 0,
	// the less so the larger n is, for noise lengthens mean. NaN where one of the two
	// is 0.
	Cosine float64
	// MeanCosine is the mean cosine of one estimate and exact; [-1, 1]. An estimate of
	// length 0 counts with 0: it goes nowhere. NaN where exact is 0.
	MeanCosine float64
}

// NewGradient returns an accumulator for estimates of the exact gradient, a copy of which
// it keeps. The gradient has one entry per parameter, each within 1e150 of 0; lengths
// below 1e-150 are beyond the cosines.
//
// Errors: no entries, one out of range.
func NewGradient(exact []float64) (*Gradient, error) {
	if len(exact) == 0 {
		return nil, errors.New("exact gradient: no entries, want one per parameter")
	}
	if err := checkGradient(exact); err != nil {
		return nil, fmt.Errorf("exact gradient%w", err)
	}
	return &Gradient{exact: slices.Clone(exact), length: length(exact), mean: make([]float64, len(exact))}, nil
}

// checkGradient reports an entry whose square is no number; the error continues the name
// of the vector.
func checkGradient(g []float64) error {
	for i, x := range g {
		if !(math.Abs(x) <= maxComponent) {
			return fmt.Errorf("[%d]: got %v, want a number within %v of 0", i, x, maxComponent)
		}
	}
	return nil
}

// length returns the Euclidean length of a vector.
func length(v []float64) float64 { return math.Sqrt(exact.Dot(v, v)) }

// Add adds one sampled estimate, which has an entry for each of the exact gradient's.
//
// Errors, after which nothing is added: another number of entries, one out of range (as
// in NewGradient), outcomes added before.
func (g *Gradient) Add(estimate []float64) error { return g.add(ofSamples, estimate, 1) }

// AddWeighted adds one of the possible estimates, which has probability p. Once all are
// added, probabilities sum to 1.
//
// Errors, after which nothing is added: those of Add, a probability outside [0, 1],
// samples added before.
func (g *Gradient) AddWeighted(estimate []float64, p float64) error {
	if !(p >= 0 && p <= 1+massTolerance) {
		return fmt.Errorf("probability %v, want a number in [0, 1]", p)
	}
	return g.add(ofOutcomes, estimate, p)
}

func (g *Gradient) add(kind int, estimate []float64, weight float64) error {
	switch {
	case g.kind != 0 && g.kind != kind:
		return errors.New("estimates with and without a probability do not mix; want all of one kind")
	case len(estimate) != len(g.exact):
		return fmt.Errorf("estimate: %d entries, want %d as in the exact gradient", len(estimate), len(g.exact))
	}
	if err := checkGradient(estimate); err != nil {
		return fmt.Errorf("estimate%w", err)
	}
	g.kind = kind
	g.n++
	if weight == 0 {
		return nil
	}
	g.total += weight
	step, along, length, square := weight/g.total, 0.0, 0.0, 0.0
	for i, x := range estimate {
		along += float64(x * g.exact[i])
		length += float64(x * x)
		x -= g.exact[i]
		before := x - g.mean[i]
		g.mean[i] += float64(before * step)
		square += float64(before * (x - g.mean[i]))
	}
	g.square += float64(weight * square)
	if scale := float64(math.Sqrt(length) * g.length); scale > 0 {
		g.cosine += float64(weight * clampCosine(along/scale))
	}
	return nil
}

// Statistics returns the statistics of the estimates so far.
//
// Errors: fewer than 2 samples, probabilities of outcomes that do not sum to 1 (within
// 1e-9).
func (g *Gradient) Statistics() (GradientStatistics, error) {
	switch {
	case g.kind == ofOutcomes && !(math.Abs(g.total-1) <= massTolerance):
		return GradientStatistics{}, fmt.Errorf("the probabilities of %d estimates add up to %v, want 1 within %v", g.n, g.total, massTolerance)
	case g.kind != ofOutcomes && g.n < 2:
		return GradientStatistics{}, fmt.Errorf("%d estimates, want at least 2 to tell bias from noise", g.n)
	}
	mean := make([]float64, len(g.mean))
	for i, x := range g.mean {
		mean[i] = g.exact[i] + x
	}
	var s GradientStatistics
	s.SquaredBias = exact.Dot(g.mean, g.mean)
	s.Bias = math.Sqrt(s.SquaredBias)
	if g.kind == ofSamples {
		s.Variance = g.square / (g.total - 1)
		s.SquaredBias -= s.Variance / g.total
	} else {
		s.Variance = g.square / g.total
	}
	signal := exact.Dot(mean, mean)
	s.SNR, s.Cosine, s.MeanCosine = math.NaN(), math.NaN(), math.NaN()
	if s.Variance > 0 {
		s.SNR = signal / s.Variance
	}
	if g.length > 0 {
		s.MeanCosine = clampCosine(g.cosine / g.total)
		if signal > 0 {
			s.Cosine = clampCosine(exact.Dot(mean, g.exact) / float64(math.Sqrt(signal)*g.length))
		}
	}
	return s, nil
}
