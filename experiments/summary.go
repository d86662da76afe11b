package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// Summary is the table of an experiment: for each variant the metrics after
// training, as means over seeds with 95% intervals.
func Summary(run *record.Run) (string, error) {
	rows := [][]string{append([]string{"method"}, run.Columns...)}
	seeds := 0
	for _, v := range run.Variants {
		row := []string{v.Label}
		for _, metric := range run.Columns {
			interval, err := finalInterval(run, v, metric)
			if err != nil {
				return "", err
			}
			row = append(row, intervalText(interval))
		}
		rows = append(rows, row)
		seeds = len(v.Cells)
	}
	head := run.Spec
	if run.Title != "" {
		head += ": " + run.Title
	}
	note := fmt.Sprintf("after training, mean over %d seeds [95%% interval: bootstrap-t, or Student's where seeds tie; not clipped]", seeds)
	if seeds == 1 {
		note = "after training, one seed: no interval"
	}
	return head + "\n" + note + "\n\n" + alignColumns(rows), nil
}

// finalInterval is a metric at the last evaluation, over the variant's seeds.
func finalInterval(run *record.Run, v record.Variant, metric string) (stats.Interval, error) {
	var xs []float64
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			return stats.Interval{}, err
		}
		if len(evals) == 0 {
			return stats.Interval{}, fmt.Errorf("%s holds no evaluation", run.Folder(ref))
		}
		last := evals[len(evals)-1].Metrics
		x, ok := last[metric]
		if !ok { // undefined there: the coverage of problems without a solution
			x = math.NaN()
		}
		xs = append(xs, x)
	}
	return stats.MeanInterval(xs), nil
}

// intervalText writes an interval with as many decimals as its width warrants.
func intervalText(i stats.Interval) string {
	if math.IsNaN(i.Mean) {
		return "n/a"
	}
	width := i.High - i.Low
	if math.IsInf(width, 0) || math.IsNaN(width) {
		return fmt.Sprintf("%.3f", i.Mean)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Mean, i.Low, i.High)
}

// alignColumns pads cells to columns, two spaces apart.
func alignColumns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for j, cell := range row {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for j, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func indent(text string) string {
	lines := slices.Collect(strings.Lines(text))
	return "  " + strings.Join(lines, "  ")
}
