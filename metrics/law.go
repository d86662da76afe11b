package metrics

import (
	"slices"

	"modebench/internal/exact"
)

// The metrics of the entropy law, by name.
const (
	LawAMetric     = "law_a"
	LawBMetric     = "law_b"
	LawR2Metric    = "law_r2"
	LawErrorMetric = "law_error"
)

func init() {
	law := func(rank int, name, doc, detail string, delta Delta) {
		register(Metric{rank: rank, Name: name, Doc: doc, Detail: detail, Delta: delta, Measure: MeasureLaw, Policy: true})
	}
	law(580, LawAMetric, "a of the entropy law R = -a e^H + b, accuracy against entropy_token, fitted to all evaluations so far", "any number; Cui et al. 2025, 2505.22617, eq. 2", Delta{0.01, "a tenth of the slope of GRPO on Countdown"})
	law(590, LawBMetric, "b of that law", "any number", shareDelta)
	law(600, LawR2Metric, "share of the accuracy's variance that the law explains", "[0, 1]", Delta{0.05, "a twentieth of the range from 0 to 1"})
	law(610, LawErrorMetric, "accuracy, less that of the law fitted to the evaluations in the first 15% of the steps; after these", "any number", shareDelta)
}

// A Law is R = -A e^H + B, accuracy against the entropy of a token in nats (Cui et al. 2025,
// 2505.22617, eq. 2): training gains accuracy by spending entropy.
type Law struct {
	A, B float64
	// R2 is the share of the variance of R that the law explains, at most 1.
	R2 float64
}

// FitLaw fits the law to evaluations by least squares, which is exact, since it is linear in
// e^H. It is not ok for fewer than three of them, or where either side does not vary.
func FitLaw(entropies, accuracies []float64) (law Law, ok bool) {
	if len(entropies) < 3 || !vary(entropies) || !vary(accuracies) {
		return Law{}, false
	}
	n := float64(len(entropies))
	xs := make([]float64, len(entropies))
	for i, h := range entropies {
		xs[i] = exact.Exp(h)
	}
	meanX, meanY := exact.Sum(xs)/n, exact.Sum(accuracies)/n
	xx, xy, yy := 0.0, 0.0, 0.0
	for i, x := range xs {
		dx, dy := x-meanX, accuracies[i]-meanY
		xx, xy, yy = xx+float64(dx*dx), xy+float64(dx*dy), yy+float64(dy*dy)
	}
	if xx == 0 || yy == 0 { // they differ by less than a float64 can tell
		return Law{}, false
	}
	slope := xy / xx
	return Law{A: -slope, B: meanY - float64(slope*meanX), R2: xy * xy / float64(xx*yy)}, true
}

// vary reports whether some differ.
func vary(xs []float64) bool {
	return slices.ContainsFunc(xs, func(x float64) bool { return x != xs[0] })
}

// Accuracy is the accuracy that the law gives at an entropy, in nats.
func (l Law) Accuracy(entropy float64) float64 { return l.B - float64(l.A*exact.Exp(entropy)) }
