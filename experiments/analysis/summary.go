package analysis

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
	variants, err := SummaryRows(run)
	if err != nil {
		return "", err
	}
	rows := [][]string{append([]string{"method"}, run.Columns...)}
	seeds := 0
	for _, v := range variants {
		row := []string{v.Label}
		for _, cell := range v.Cells {
			row = append(row, cell.Text)
		}
		rows = append(rows, row)
		seeds = v.Seeds
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
	if ofCoverage(run.Columns) > 1 {
		note += "\ncoverage@k: share of the min(k, existing) modes that k answers could find, so it may fall while k grows"
	}
	return head + "\n" + note + "\n\n" + alignColumns(rows), nil
}

// ofCoverage counts the columns that are coverage of all modes at some k.
func ofCoverage(columns []string) int {
	n := 0
	for _, metric := range columns {
		if family, _ := splitMetric(metric); family == "coverage" {
			n++
		}
	}
	return n
}

// evaluations reads the evaluations of a cell, of which there is one at least.
func evaluations(run *record.Run, ref record.Ref) ([]record.Eval, error) {
	evals, err := run.Evals(ref)
	if err == nil && len(evals) == 0 {
		err = fmt.Errorf("%s holds no evaluation", run.Folder(ref))
	}
	return evals, err
}

func finalValue(evals []record.Eval, metric string) float64 {
	if metric == metrics.CollapseMetric {
		return collapseStep(evals)
	}
	if x, ok := evals[len(evals)-1].Metrics[metric]; ok {
		return x
	}
	return math.NaN()
}

// collapseStep is the step of entropyCollapse; NaN for what is evaluated once alone, or
// has no entropy.
func collapseStep(evals []record.Eval) float64 {
	if len(evals) < 2 || evals[0].Metrics["entropy_token"] == 0 {
		return math.NaN()
	}
	step, _ := entropyCollapse(evals)
	return float64(step)
}

// entropyCollapse is metrics.CollapseStep of the entropy per token, of evaluations that
// all have one.
func entropyCollapse(evals []record.Eval) (step int, collapsed bool) {
	var steps []int
	var entropies []float64
	for _, e := range evals {
		steps, entropies = append(steps, e.Step), append(entropies, e.Metrics["entropy_token"])
	}
	return metrics.CollapseStep(steps, entropies)
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
