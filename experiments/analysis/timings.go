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
		total, estimate, ok, err := meanTimings(run, v)
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
		cells[[2]string{name, env}] = fmt.Sprintf("%.2f of %.1f, %.1f%%", 1e6*estimate, 1e6*total, 100*estimate/total)
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

// meanTimings are the seconds of a step and of its estimator, in the mean over the seeds of a variant
// that were timed; not ok without timed seeds.
func meanTimings(run *record.Run, v record.Variant) (total, estimate float64, ok bool, err error) {
	n := 0.0
	for _, ref := range v.Cells {
		t, known, err := run.Timings(ref)
		if err != nil {
			return 0, 0, false, err
		}
		if known && t.Total() > 0 {
			n++
			total += t.Total()
			estimate += t.Estimate
		}
	}
	return total / n, estimate / n, n > 0, nil
}
