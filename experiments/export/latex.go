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
// a column a metric, with 95% intervals, in booktabs. It returns the file.
func LaTeX(ctx context.Context, out string, runs []*record.Run, summaries func(*record.Run) ([]Summary, error)) (string, error) {
	var b strings.Builder
	b.WriteString("% \\usepackage{booktabs}\n")
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
		fmt.Fprintf(&b, "%% %s: means after training over seeds, with 95%% intervals\n", latex.Text(run.Spec))
		fmt.Fprintf(&b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("l", len(run.Columns)))
		row := []string{""}
		for _, metric := range run.Columns {
			row = append(row, latex.Text(metric))
		}
		fmt.Fprintf(&b, "%s \\\\\n\\midrule\n", strings.Join(row, " & "))
		for i := range run.Variants {
			row = append(row[:0], latex.Text(run.Variants[i].Label))
			for _, cell := range list[i].Cells {
				row = append(row, latex.Text(intervalText(cell)))
			}
			fmt.Fprintf(&b, "%s \\\\\n", strings.Join(row, " & "))
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
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
