package experiments

import (
	"fmt"
	"strings"

	"modebench/experiments/record"
)

// TimingText is a table of what the parts of a training step take in each variant,
// as means over its seeds of the medians over steps, and the estimator's share of
// the step: the overhead that SetPO fig. 9 and Evol-RL fig. 7 measure. It is ""
// where no cell says. Unlike every other table it is about the machine that ran the
// cells.
func TimingText(run *record.Run) (string, error) {
	rows := [][]string{{"method", "step µs", "sample", "judge", "estimate", "update", "estimate µs"}}
	for _, v := range run.Variants {
		t, ok, err := meanTimings(run, v)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		total := t.Total()
		row := []string{v.Label, fmt.Sprintf("%.1f", 1e6*total)}
		for _, part := range []float64{t.Sample, t.Judge, t.Estimate, t.Update} {
			row = append(row, fmt.Sprintf("%.1f%%", 100*part/total))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.2f", 1e6*t.Estimate)))
	}
	if len(rows) == 1 {
		return "", nil
	}
	return strings.Join([]string{
		"What the parts of a training step took, median over timed steps, mean over seeds", "",
		alignColumns(rows),
	}, "\n"), nil
}

// meanTimings averages over the seeds of a variant that were timed.
func meanTimings(run *record.Run, v record.Variant) (sum record.Timings, ok bool, err error) {
	n := 0
	for _, ref := range v.Cells {
		t, known, err := run.Timings(ref)
		if err != nil {
			return sum, false, err
		}
		if !known || t.Total() == 0 {
			continue
		}
		n++
		sum.Steps += t.Steps
		sum.Sample += t.Sample
		sum.Judge += t.Judge
		sum.Estimate += t.Estimate
		sum.Update += t.Update
	}
	if n == 0 {
		return sum, false, nil
	}
	for _, x := range []*float64{&sum.Sample, &sum.Judge, &sum.Estimate, &sum.Update} {
		*x /= float64(n)
	}
	return sum, true, nil
}
