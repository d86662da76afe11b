package export

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	layout "modebench/internal/table"
)

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
