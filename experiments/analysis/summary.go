package analysis

import (
	"context"
	"fmt"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// Summary is the table of an experiment: for each variant the metrics after
// training, as means over seeds with 95% intervals. It ends with the context.
func Summary(ctx context.Context, run *record.Run) (string, error) {
	variants, err := SummaryRows(ctx, run)
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
	case seeds < stats.MinValues:
		note = fmt.Sprintf("after training, mean over %d seeds: no interval of fewer than %d", seeds, stats.MinValues)
		fallthrough
	case seeds < stats.MinSeeds:
		note += fmt.Sprintf("\nunderpowered: %d seeds are a first look; verdicts need %d", seeds, stats.MinSeeds)
	}
	if ofCoverage(run.Columns) > 1 {
		note += "\ncoverage@k: share of the min(k, existing) modes that k answers could find, so it may fall while k grows"
	}
	return head + "\n" + note + "\n\n" + AlignColumns(rows), nil
}

// Rough is a line that says how far to trust the intervals of a run with few seeds; "" where
// they are many, or so few that there is no interval. Summary does not have it: a table of
// few seeds that was kept stays as it is.
func Rough(run *record.Run) string {
	seeds := 0
	for _, v := range run.Variants {
		seeds = max(seeds, len(v.Cells))
	}
	if seeds < stats.MinValues || seeds >= stats.MinSeeds {
		return ""
	}
	return fmt.Sprintf("%d seeds: intervals are rough", seeds)
}

// ofCoverage counts the columns that are coverage of all modes at some k.
func ofCoverage(columns []string) int {
	n := 0
	for _, metric := range columns {
		if family, _, _ := strings.Cut(metric, "@"); family == "coverage" {
			n++
		}
	}
	return n
}
