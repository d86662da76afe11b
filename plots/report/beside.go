package report

import (
	"math"
	"path/filepath"
	"slices"
)

// beside are the metrics of several experiments side by side, as far as they have them
// in common.
type beside struct {
	Heads  []string // the experiments, in their order
	Tables []besideTable
	Alone  []string // labels that one experiment alone has
}

type besideTable struct {
	Metric string
	Rows   []besideRow
}

type besideRow struct {
	Label string
	Cells []valueCell // an experiment each
}

// newBeside compares the summaries of experiments: the metrics that all of them have as a
// column, and the labels that at least two of them have, both in the order of the first that
// has them. Of one experiment, and where nothing is in common, it is nil.
func newBeside(experiments []Experiment) *beside {
	if len(experiments) < 2 {
		return nil
	}
	out := &beside{}
	var labels []string
	count := map[string]int{}
	for _, e := range experiments {
		out.Heads = append(out.Heads, e.Run.Spec)
		if slices.ContainsFunc(experiments, func(o Experiment) bool { return o.Run.Spec == e.Run.Spec && o.Run.Dir != e.Run.Dir }) {
			out.Heads[len(out.Heads)-1] = filepath.ToSlash(e.Run.Dir)
		}
		for _, row := range e.Summary {
			if count[row.Label] == 0 {
				labels = append(labels, row.Label)
			}
			count[row.Label]++
		}
	}
	var common []string
	for _, label := range labels {
		if count[label] > 1 {
			common = append(common, label)
		} else {
			out.Alone = append(out.Alone, label)
		}
	}
	for _, metric := range experiments[0].Run.Columns {
		shared := !slices.ContainsFunc(experiments, func(e Experiment) bool { return !slices.Contains(e.Run.Columns, metric) })
		if !shared || len(common) == 0 {
			continue
		}
		table := besideTable{Metric: metric}
		for _, label := range common {
			row := besideRow{Label: label}
			for _, e := range experiments {
				row.Cells = append(row.Cells, e.cellOf(label, metric))
			}
			table.Rows = append(table.Rows, row)
		}
		out.Tables = append(out.Tables, table)
	}
	if out.Tables == nil {
		return nil
	}
	return out
}

// cellOf is what the summary has of a label in a metric; a dash where it has nothing.
func (e Experiment) cellOf(label, metric string) valueCell {
	for _, row := range e.Summary {
		if row.Label != label {
			continue
		}
		if cell := row.Cells[slices.Index(e.Run.Columns, metric)]; !math.IsNaN(cell.Interval.Mean) {
			shown := newSummaryCell(cell)
			return valueCell{shown.Mean, shown.Rest}
		}
	}
	return valueCell{Mean: "–"}
}
