package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"modebench/experiments/record"
	"modebench/metrics"
)

// This file measures what training made of each problem that its base policy solved, or did
// not: the first evaluation of a cell is of the base policy, on the same problems and draws.

// A boundary holds the evaluation before training, and the problems of the present one.
type boundary struct {
	before     *record.Eval // nil until it is made
	solved     []float64    // by problem: a correct answer among the largest k
	accuracies []float64    // by problem
	distinct   []float64    // distinct answers, by problem that no answer solves
}

// add takes up the problem that was added to the table last.
func (b *boundary) add(table *metrics.Table, k []int) {
	if b == nil {
		return
	}
	pass, _ := table.Latest(fmt.Sprintf("pass@%d", slices.Max(k)))
	accuracy, _ := table.Latest("accuracy")
	b.solved, b.accuracies = append(b.solved, pass), append(b.accuracies, accuracy)
	if accuracy == 0 {
		distinct, _ := table.Latest("distinct_incorrect")
		b.distinct = append(b.distinct, distinct)
	}
}

// finish puts the metrics of the evaluation into its record, and forgets its problems.
func (b *boundary) finish(rec *record.Eval, k []int) {
	if b == nil {
		return
	}
	ks := slices.Sorted(slices.Values(k))
	rec.Solved = b.solved
	if b.before == nil {
		b.before = rec
	}
	to := rec.Metrics
	put := func(name string, value float64, defined bool) {
		if defined {
			to[name] = value
		}
	}
	lost, had := metrics.Lost(b.before.Solved, rec.Solved)
	put(metrics.LostMetric, lost, had)
	gained, open := metrics.Gained(b.before.Solved, rec.Solved)
	put(metrics.GainedMetric, gained, open)
	curve := passCurve(ks, rec.Metrics)
	crossing, _ := metrics.Crossing(ks, passCurve(ks, b.before.Metrics), curve)
	put(metrics.CrossingMetric, crossing, true)
	put(metrics.PassAreaMetric, metrics.PassArea(ks, curve), true)
	for _, c := range metrics.Covers {
		put(c.Name, metrics.Cover(b.accuracies, c.Tau), true)
	}
	put(metrics.UnsolvedMetric, mean(b.distinct), len(b.distinct) > 0)
	b.solved, b.accuracies, b.distinct = nil, nil, nil
}

// restore takes the evaluation before training from the lines of an earlier run.
func (b *boundary) restore(lines []byte) error {
	first, _, found := bytes.Cut(lines, []byte("\n"))
	if b == nil || !found {
		return nil
	}
	b.before = &record.Eval{}
	return json.Unmarshal(first, b.before)
}

// passCurve is pass@k at each k.
func passCurve(ks []int, of map[string]float64) []float64 {
	var out []float64
	for _, k := range ks {
		out = append(out, of[fmt.Sprintf("pass@%d", k)])
	}
	return out
}

// mean is the average, summed in order.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
