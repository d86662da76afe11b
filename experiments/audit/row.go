package audit

import (
	"math"

	"modebench/experiments/record"
	"modebench/internal/exact"
	"modebench/metrics/stats"
)

// The quantities of a step, in the order of quantities; after them the cosines with pass@k.
const (
	atLength = iota
	atScale
	atBias
	atCosine
	atVariance
	atSNR
	atPass
)

// idleStep is the length of an expected step, in deviations of a single one, below which
// it is rounding and has no direction.
const idleStep = 1e-12

func quantities(s moments, t targets) []float64 {
	out := make([]float64, atPass+len(t.passes))
	for i := range out {
		out[i] = math.NaN()
	}
	square := exact.Dot(s.mean, s.mean)
	out[atLength], out[atVariance] = math.Sqrt(square), s.variance
	if s.variance > 0 {
		out[atSNR] = square / s.variance
	}
	if square <= float64(idleStep*idleStep*s.variance) {
		return out
	}
	if goal := exact.Dot(t.goal, t.goal); goal > 0 {
		scale := exact.Dot(s.mean, t.goal) / goal
		rest := make([]float64, len(s.mean))
		for i, x := range s.mean {
			rest[i] = x - float64(scale*t.goal[i])
		}
		out[atScale], out[atCosine] = scale, cosineOf(s.mean, t.goal)
		out[atBias] = min(math.Sqrt(exact.Dot(rest, rest)/square), 1)
	}
	for k, pass := range t.passes {
		out[atPass+k] = cosineOf(s.mean, pass)
	}
	return out
}

func exactNumbers(values []float64) []*record.AuditNumber {
	out := make([]*record.AuditNumber, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			out[i] = &record.AuditNumber{Value: v}
		}
	}
	return out
}

// sampledNumbers are the quantities with 95% intervals, by the jackknife: with all batches giving x
// and all but batch b giving x_b, the pseudo-values B x - (B-1) x_b have the quantity for a mean
// without the bias of order 1/n that cosines and ratios of noisy means have (Quenouille 1956; Tukey
// 1958), and scatter as independent estimates. The bias in direction is the sine that belongs to
// the cosine: by itself noise would never let it be 0.
func sampledNumbers(problems []*sampled, t targets) []*record.AuditNumber {
	values := func(batch int) []float64 {
		parts := make([]moments, len(problems))
		for i, p := range problems {
			parts[i] = p.without(batch)
		}
		return quantities(joined(parts), t)
	}
	all := values(-1)
	pseudo := make([][]float64, len(all))
	for b := range batches {
		for i, x := range values(b) {
			pseudo[i] = append(pseudo[i], float64(batches*all[i])-float64((batches-1)*x))
		}
	}
	out := make([]*record.AuditNumber, len(all))
	for i := range all {
		if interval := stats.MeanInterval(pseudo[i]); !math.IsNaN(interval.Low) {
			out[i] = bounded(interval.Mean, interval.Low, interval.High, i)
		}
	}
	if out[atCosine] != nil {
		out[atBias] = sine(out[atCosine])
	}
	return out
}

// bounded is a number within what its quantity can be.
func bounded(value, low, high float64, quantity int) *record.AuditNumber {
	least, highest := math.Inf(-1), math.Inf(1)
	switch {
	case quantity == atCosine || quantity >= atPass:
		least, highest = -1, 1
	case quantity == atLength || quantity == atVariance || quantity == atSNR:
		least = 0
	}
	within := func(x float64) float64 { return min(max(x, least), highest) }
	low, high = within(low), within(high)
	return &record.AuditNumber{Value: within(value), Low: &low, High: &high}
}

func sine(c *record.AuditNumber) *record.AuditNumber {
	sineOf := func(x float64) float64 { return math.Sqrt(max(1-float64(x*x), 0)) }
	low, high := min(sineOf(*c.Low), sineOf(*c.High)), max(sineOf(*c.Low), sineOf(*c.High))
	if *c.Low < 0 && *c.High > 0 {
		high = 1
	}
	return &record.AuditNumber{Value: sineOf(c.Value), Low: &low, High: &high}
}
