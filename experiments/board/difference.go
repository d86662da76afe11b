package board

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// Difference is how far a method lies above another, or above the base policy, in a metric after training, in
// the mean over the tasks that both fit. The metrics are accuracy, diversity, "diversity at equal accuracy",
// entropy, tokens90 and solved@K. If results keep the metric by seed, the interval is of paired differences,
// 95% for this pair alone. Else it has no bounds. The answer is false if results lack the metric, or if both
// have the same records.
func (t *Table) Difference(method, against, metric string) (stats.Interval, bool) {
	if against != Base && Evaluations(t.Results, method) == Evaluations(t.Results, against) {
		return noInterval, false
	}
	column := metric
	if metric == "diversity at equal accuracy" {
		column = "gain"
	}
	if against == Base {
		return t.aboveBase(method, metric)
	}
	if slices.Contains(bySeed, column) {
		tables := t.values([]string{method, against}, column, Tuned)
		compared, err := stats.CompareWithReference(tables[:1], tables[1], familyError, 0)
		if err != nil || math.IsNaN(compared.Methods[0].Difference.Mean) {
			return noInterval, false
		}
		return compared.Methods[0].Difference, true
	}
	return t.meanDifference(func(r *Result) (float64, bool) {
		a, b := r.Tuned(method), r.Tuned(against)
		if a == nil || b == nil {
			return 0, false
		}
		return r.number(a, metric) - r.number(b, metric), true
	})
}

// aboveBase is the difference from the base policy, whose accuracy is 0 by definition.
func (t *Table) aboveBase(method, metric string) (stats.Interval, bool) {
	if metric == "accuracy" {
		tables := t.values([]string{method}, metric, Tuned)
		compared, err := stats.CompareWithReference(tables, zeros(tables[0]), familyError, 0)
		if err != nil || math.IsNaN(compared.Methods[0].Difference.Mean) {
			return noInterval, false
		}
		return compared.Methods[0].Difference, true
	}
	return t.meanDifference(func(r *Result) (float64, bool) {
		row := r.Tuned(method)
		if row == nil {
			return 0, false
		}
		switch metric {
		case "diversity":
			return row.Mean(metric) - float64(r.Base.Diversity), true
		case "entropy":
			return row.Mean(metric) - float64(r.Base.Entropy), true
		}
		return r.number(row, metric) - atK(r, r.Base.Solved, metric), strings.HasPrefix(metric, "solved@")
	})
}

// number is a metric of a row, or a curve at k, in the mean over seeds; NaN if the row lacks it.
func (r *Result) number(row *Evaluated, metric string) float64 {
	if strings.HasPrefix(metric, "solved@") {
		return atK(r, row.Solved, metric)
	}
	return row.Mean(metric)
}

// atK is the number of a curve over K at the k that a metric ends in, as solved@16; NaN if K lacks it.
func atK(r *Result, curve []lined.Number, metric string) float64 {
	_, digits, _ := strings.Cut(metric, "@")
	k, err := strconv.Atoi(digits)
	if i := slices.Index(r.K, k); err == nil && i >= 0 && i < len(curve) {
		return float64(curve[i])
	}
	return math.NaN()
}

// meanDifference is the mean over the tasks that have a difference, without bounds.
func (t *Table) meanDifference(difference func(r *Result) (float64, bool)) (stats.Interval, bool) {
	var all []float64
	for _, r := range t.Results {
		if d, ok := difference(r); ok && !math.IsNaN(d) {
			all = append(all, d)
		}
	}
	return stats.Interval{N: len(all), Mean: Mean(all), Low: math.NaN(), High: math.NaN()}, len(all) > 0
}
