package train

import (
	"bytes"
	"encoding/json"

	"modebench/experiments/record"
	"modebench/metrics"
)

// This file fits the entropy law R = -a e^H + b (metrics.Law) to the evaluations of a cell.

// earlyShare is the part of training whose evaluations foretell the end, as in Cui et al.
const earlyShare = 0.15

type lawFit struct {
	steps                 []int
	entropies, accuracies []float64
}

// add takes up an evaluation, and puts the law of all so far into its record. early is the
// last step whose evaluations may foretell later ones.
func (l *lawFit) add(rec *record.Eval, early float64) {
	if l == nil {
		return
	}
	l.take(rec)
	if law, ok := metrics.FitLaw(l.entropies, l.accuracies); ok {
		rec.Metrics[metrics.LawAMetric], rec.Metrics[metrics.LawBMetric], rec.Metrics[metrics.LawR2Metric] = law.A, law.B, law.R2
	}
	n := 0
	for n < len(l.steps) && float64(l.steps[n]) <= early {
		n++
	}
	last := len(l.steps) - 1
	if law, ok := metrics.FitLaw(l.entropies[:n], l.accuracies[:n]); ok && n <= last {
		rec.Metrics[metrics.LawErrorMetric] = l.accuracies[last] - law.Accuracy(l.entropies[last])
	}
}

func (l *lawFit) take(rec *record.Eval) {
	l.steps = append(l.steps, rec.Step)
	l.entropies, l.accuracies = append(l.entropies, rec.Metrics["entropy_token"]), append(l.accuracies, rec.Metrics["accuracy"])
}

func (l *lawFit) restore(lines []byte) error {
	if l == nil {
		return nil
	}
	for line := range bytes.Lines(lines) {
		var rec record.Eval
		if err := json.Unmarshal(line, &rec); err != nil {
			return err
		}
		l.take(&rec)
	}
	return nil
}
