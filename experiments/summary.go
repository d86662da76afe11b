package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/experiments/record"
	"modebench/metrics"
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
	switch {
	case seeds == 1:
		note = "after training, one seed: no interval"
	case seeds < stats.MinSeeds:
		note += fmt.Sprintf("\nunderpowered: %d seeds are a first look; verdicts need %d", seeds, stats.MinSeeds)
	}
	return head + "\n" + note + "\n\n" + alignColumns(rows), nil
}

// finalInterval is a metric after training, over the variant's seeds.
func finalInterval(run *record.Run, v record.Variant, metric string) (stats.Interval, error) {
	xs, err := finalValues(run, v, metric)
	return stats.MeanInterval(xs), err
}

// finalValues lists a metric after training, one value per cell of the variant: that
// of the last evaluation, or what collapseStep makes of them all. NaN is a cell where
// the metric is not defined (the coverage of problems without a solution).
func finalValues(run *record.Run, v record.Variant, metric string) ([]float64, error) {
	var xs []float64
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			return nil, err
		}
		if len(evals) == 0 {
			return nil, fmt.Errorf("%s holds no evaluation", run.Folder(ref))
		}
		xs = append(xs, finalValue(evals, metric))
	}
	return xs, nil
}

func finalValue(evals []record.Eval, metric string) float64 {
	if metric == collapseMetric {
		return collapseStep(evals)
	}
	if x, ok := evals[len(evals)-1].Metrics[metric]; ok {
		return x
	}
	return math.NaN()
}

// collapseMetric is the one metric of a whole run and not of an evaluation.
const collapseMetric = "collapse_step"

// collapseStep is metrics.CollapseStep of the entropy per token; NaN for what is
// evaluated once alone, or has no entropy.
func collapseStep(evals []record.Eval) float64 {
	var steps []int
	var entropies []float64
	for _, e := range evals {
		if h, ok := e.Metrics["entropy_token"]; ok {
			steps, entropies = append(steps, e.Step), append(entropies, h)
		}
	}
	if len(steps) < 2 {
		return math.NaN()
	}
	step, _ := metrics.CollapseStep(steps, entropies)
	return float64(step)
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
