package analysis

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/table"
	"modebench/metrics"
	"modebench/metrics/stats"
)

// A SummaryRow is a variant in the table of an experiment, with a cell for each of
// the manifest's columns.
type SummaryRow struct {
	Label string
	Seeds int
	Exact int // seeds whose last evaluation is exact, and not estimated from samples
	Step  int // of the last evaluation of any seed
	Cells []SummaryCell

	values [][]float64 // [column][seed], NaN where undefined
}

// A SummaryCell is a metric after training over seeds, and the text that Summary has for it.
type SummaryCell struct {
	Interval stats.Interval
	Text     string
}

// SummaryRows is the table of Summary as data. It reads the evaluations of every cell
// once, and ends with the context.
func SummaryRows(ctx context.Context, run *record.Run) ([]SummaryRow, error) {
	var out []SummaryRow
	for _, v := range run.Variants {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, err := summaryRow(run, v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Label, err)
		}
		out = append(out, row)
	}
	return out, nil
}

func summaryRow(run *record.Run, v record.Variant) (SummaryRow, error) {
	row := SummaryRow{Label: v.Label, Seeds: len(v.Cells), values: make([][]float64, len(run.Columns))}
	collapsed := 0
	for _, ref := range v.Cells {
		evals, err := evaluations(run, ref)
		if err != nil {
			return row, err
		}
		last := evals[len(evals)-1]
		if last.Exact {
			row.Exact++
		}
		row.Step = max(row.Step, last.Step)
		if _, did := entropyCollapse(evals); did {
			collapsed++
		}
		for i, metric := range run.Columns {
			row.values[i] = append(row.values[i], finalValue(evals, metric))
		}
	}
	for i, metric := range run.Columns {
		cell := SummaryCell{Interval: intervalOver(run.Nested, v.Cells, row.values[i])}
		cell.Text = IntervalText(cell.Interval)
		if metric == metrics.CollapseMetric && !math.IsNaN(cell.Interval.Mean) {
			cell.Text = collapseText(cell.Text, collapsed, len(v.Cells))
		}
		row.Cells = append(row.Cells, cell)
	}
	return row, nil
}

// IntervalText writes a mean with its interval, "n/a" if it is not defined.
func IntervalText(i stats.Interval) string {
	return table.Digits{Decimals: 3, Missing: "n/a"}.Interval(i.Mean, i.Low, i.High)
}

// Indent indents each line by two spaces.
func Indent(text string) string {
	return "  " + strings.Join(slices.Collect(strings.Lines(text)), "  ")
}

// collapseText adds to the text of the interval the number of seeds that collapsed: for the
// others the step is the end of training.
func collapseText(text string, collapsed, seeds int) string {
	if collapsed == 0 {
		return "never"
	}
	return fmt.Sprintf("%s (%d of %d seeds)", text, collapsed, seeds)
}
