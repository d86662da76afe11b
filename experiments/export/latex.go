package export

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/internal/latex"
	"modebench/metrics/stats"
)

// LaTeX writes the table of each run after training as summary.tex, for \input: a row a variant,
// a column a metric, with 95% intervals, as latex.Table has it. It returns the file.
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
		rows := [][]string{append([]string{""}, run.Columns...)}
		for i := range run.Variants {
			row := []string{run.Variants[i].Label}
			for _, cell := range list[i].Cells {
				row = append(row, intervalText(cell))
			}
			rows = append(rows, row)
		}
		b.WriteString(latex.Table(run.Spec+": means after training over seeds, with 95% intervals", rows))
	}
	file := filepath.Join(out, "summary.tex")
	return file, atomicfile.Write(file, []byte(b.String()))
}

// intervalText is a mean with its interval, where it has one.
func intervalText(i stats.Interval) string {
	switch {
	case !numberOf(i.Mean).known:
		return "-"
	case !finiteOf(i.Low).known || !finiteOf(i.High).known:
		return fmt.Sprintf("%.3f", i.Mean)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Mean, i.Low, i.High)
}
