package analysis

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/table"
)

const timingHead = `What a training step took, in microseconds: the estimator, of the whole step, and its
share; medians over timed steps, means over seeds. A step draws, judges and learns, so
methods that vote, draw anew or ask for chains have longer ones; sample, judge, estimate
and update of every cell are in its provenance.json.
`

// TimingText is a table of the estimator's time in a training step, a row for each variant and a
// column for each environment: the overhead that SetPO fig. 9 and Evol-RL fig. 7 measure. It is ""
// if no cell has timings. Unlike every other table it is about the machine that ran the cells.
func TimingText(run *record.Run) (string, error) {
	head, names := []string{"method"}, []string{}
	cells := map[[2]string]string{} // by name and environment
	for _, v := range run.Variants {
		t, ok, err := meanTimings(run, v)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		name, env := timingPlace(v)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if !slices.Contains(head, env) {
			head = append(head, env)
		}
		cells[[2]string{name, env}] = fmt.Sprintf("%.2f of %.1f, %.1f%%", 1e6*t.Estimate, 1e6*t.Total(), 100*t.Estimate/t.Total())
	}
	if len(names) == 0 {
		return "", nil
	}
	rows := [][]string{head}
	for _, name := range names {
		row := []string{name}
		for _, env := range head[1:] {
			cell, ok := cells[[2]string{name, env}]
			if !ok {
				cell = "-"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return timingHead + "\n" + table.Grid(rows).Text(), nil
}

// timingPlace is the row and the column of a variant: its label without the environment, and
// the environment if the spec has several.
func timingPlace(v record.Variant) (row, column string) {
	if env, ok := v.Value("env"); ok {
		return strings.Replace(v.Label, " env="+env, "", 1), env
	}
	return v.Label, "step"
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
