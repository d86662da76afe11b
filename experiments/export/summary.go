package export

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	layout "modebench/internal/table"
	"modebench/metrics/stats"
)

// A Summary holds the results of a variant after training, over its seeds.
type Summary struct {
	Seeds int
	Exact int              // seeds whose last evaluation is exact, and not estimated from samples
	Step  int              // of the last evaluation of any seed
	Cells []stats.Interval // a metric each, of the columns of the run's manifest
}

// summaryTable is a row for every variant and column of the manifest; summaries computes those of
// the variants of a run, in their order.
func summaryTable(runs []*record.Run, summaries func(*record.Run) ([]Summary, error)) table {
	c := columns{taken: map[string]bool{}}
	for _, name := range []string{"spec", "label", "name", "method"} {
		c.add(name, text, true)
	}
	for _, name := range []string{"seeds", "exact", "step", "metric", "n", "mean", "low", "high"} {
		c.taken[name] = true
	}
	axes := c.addAxes(runs)
	first := c.add("seeds", integer, true)
	c.add("exact", integer, true)
	c.add("step", integer, true)
	c.add("metric", text, true)
	c.add("n", integer, true)
	for _, name := range []string{"mean", "low", "high"} {
		c.add(name, number, false)
	}
	return table{"summary", c.list, func(ctx context.Context, emit func([]value) error) error {
		row := make([]value, len(c.list))
		for _, run := range runs {
			list, err := summaries(run)
			if err != nil {
				return err
			}
			if len(list) != len(run.Variants) {
				return fmt.Errorf("%s: a summary of %d variants for %d", run.Dir, len(list), len(run.Variants))
			}
			for i := range run.Variants {
				v, s := &run.Variants[i], list[i]
				if len(s.Cells) != len(run.Columns) {
					return fmt.Errorf("%s: a summary of %d metrics of %s for %d columns", run.Dir, len(s.Cells), v.Label, len(run.Columns))
				}
				copy(row, []value{run.Spec, v.Label, v.Name, v.Method})
				axes.fill(row, v)
				for j, metric := range run.Columns {
					cell := s.Cells[j]
					copy(row[first:], []value{
						s.Seeds, s.Exact, s.Step, metric,
						cell.N, finiteOf(cell.Mean), finiteOf(cell.Low), finiteOf(cell.High),
					})
					if err := emit(row); err != nil {
						return err
					}
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// finiteOf is a number, or a missing value for the infinite bound of fewer than three seeds.
func finiteOf(x float64) value {
	if math.IsInf(x, 0) {
		return nil
	}
	return numberOf(x)
}

// LaTeX writes the table of each run after training as summary.tex, for \input: a row a variant,
// a column a metric, with 95% intervals, with the rules of booktabs. It returns the file.
func LaTeX(ctx context.Context, out string, runs []*record.Run, summaries func(*record.Run) ([]Summary, error)) (string, error) {
	var b strings.Builder
	for _, run := range runs {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		list, err := summaries(run)
		if err != nil {
			return "", err
		}
		if len(list) != len(run.Variants) {
			return "", fmt.Errorf("%s: a summary of %d variants for %d", run.Dir, len(list), len(run.Variants))
		}
		rows := layout.Grid{append([]string{""}, run.Columns...)}
		for i := range run.Variants {
			row := []string{run.Variants[i].Label}
			for _, cell := range list[i].Cells {
				row = append(row, layout.Three.Interval(cell.Mean, cell.Low, cell.High))
			}
			rows = append(rows, row)
		}
		b.WriteString(rows.LaTeX(run.Spec + ": means after training over seeds, with 95% intervals"))
	}
	file := filepath.Join(out, "summary.tex")
	return file, atomicfile.Write(file, []byte(b.String()))
}
