package export

import (
	"context"
	"math"
	"path/filepath"
	"strings"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	layout "modebench/internal/table"
)

// summaryTable is a row for every variant and column of the manifest.
func summaryTable(runs []*record.Run) table {
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
			list, err := analysis.SummaryRows(ctx, run)
			if err != nil {
				return err
			}
			for i, s := range list {
				v := &run.Variants[i]
				copy(row, []value{run.Spec, v.Label, v.Name, v.Method})
				axes.fill(row, v)
				for j, metric := range run.Columns {
					cell := s.Cells[j].Interval
					copy(row[first:], []value{
						s.Seeds, s.Exact, s.Step, metric,
						cell.N, finiteOf(cell.Mean), finiteOf(cell.Low), finiteOf(cell.High),
					})
					if err := emit(row); err != nil {
						return err
					}
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
func LaTeX(ctx context.Context, out string, runs []*record.Run) (string, error) {
	var b strings.Builder
	for _, run := range runs {
		list, err := analysis.SummaryRows(ctx, run)
		if err != nil {
			return "", err
		}
		rows := layout.Grid{append([]string{""}, run.Columns...)}
		for _, v := range list {
			row := []string{v.Label}
			for _, cell := range v.Cells {
				row = append(row, layout.Three.Interval(cell.Interval.Mean, cell.Interval.Low, cell.Interval.High))
			}
			rows = append(rows, row)
		}
		b.WriteString(rows.LaTeX(run.Spec + ": means after training over seeds, with 95% intervals"))
	}
	file := filepath.Join(out, "summary.tex")
	return file, atomicfile.Write(file, []byte(b.String()))
}
