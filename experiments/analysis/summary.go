package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/table"
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
	units, over, unit := 0, "", "seeds"
	for i, v := range variants {
		row := []string{v.Label}
		for _, cell := range v.Cells {
			row = append(row, cell.Text)
		}
		rows = append(rows, row)
		units, over = run.Nested.Units(run.Variants[i].Cells)
	}
	if run.Nested != nil {
		unit = "draws"
	}
	head := run.Spec
	if run.Title != "" {
		head += ": " + run.Title
	}
	note := fmt.Sprintf("after training, mean over %s [%s]", over, stats.IntervalNote(unit))
	switch {
	case units == 1 && run.Nested == nil:
		note = "after training, one seed: no interval"
	case units == 1:
		note = "after training, mean over " + over + ": no interval"
	case units < stats.MinValues:
		note = fmt.Sprintf("after training, mean over %s: no interval of fewer than %d", over, stats.MinValues)
		fallthrough
	case units < stats.MinSeeds:
		note += fmt.Sprintf("\nunderpowered: %d %s are a first look; verdicts need %d", units, unit, stats.MinSeeds)
	}
	coverages := slices.DeleteFunc(slices.Clone(run.Columns), func(metric string) bool {
		family, _, _ := strings.Cut(metric, "@")
		return family != "coverage"
	})
	if len(coverages) > 1 {
		note += "\ncoverage@k: share of the min(k, existing) modes that k answers could find, so it may fall while k grows"
	}
	more, err := sharesTable(run, variants)
	if more != "" {
		more = "\n" + more
	}
	return head + "\n" + note + "\n\n" + table.Grid(rows).Text() + more, err
}

// Rough is a line about how far to trust the intervals of a run with few seeds; "" if they are
// many, or too few for an interval. Summary does not have it: a table of few seeds that was
// kept stays as it is.
func Rough(run *record.Run) string {
	units, unit := 0, "seeds"
	for _, v := range run.Variants {
		n, _ := run.Nested.Units(v.Cells)
		units = max(units, n)
	}
	if run.Nested != nil {
		unit = "draws of problems"
	}
	if units < stats.MinValues || units >= stats.MinSeeds {
		return ""
	}
	return fmt.Sprintf("%d %s: intervals are rough", units, unit)
}
