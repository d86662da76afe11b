package report

import (
	"html/template"
	"math"
	"path/filepath"
	"slices"

	"modebench/internal/table"
)

// beside are the metrics of several experiments side by side, as far as they have them
// in common.
type beside struct {
	Tables []besideTable
	Alone  []string // labels that one experiment alone has
}

// besideTable has a row for each label and a column for each experiment.
type besideTable struct {
	Metric string
	HTML   template.HTML
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
	heads := make([]string, len(experiments))
	count := map[string]int{}
	for i, e := range experiments {
		heads[i] = e.Run.Spec
		if slices.ContainsFunc(experiments, func(o Experiment) bool { return o.Run.Spec == e.Run.Spec && o.Run.Dir != e.Run.Dir }) {
			heads[i] = filepath.ToSlash(e.Run.Dir)
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
		columns := []table.Column[string]{{Title: "method", Class: "name", Cell: table.Text}}
		for i, e := range experiments {
			columns = append(columns, table.Column[string]{Title: heads[i], Cell: func(label string) table.Value { return e.cellOf(label, metric) }})
		}
		out.Tables = append(out.Tables, besideTable{metric, table.HTML(columns, common, false)})
	}
	if out.Tables == nil {
		return nil
	}
	return out
}

// cellOf is the cell of a label in a metric; a missing number if the experiment lacks the label.
func (e Experiment) cellOf(label, metric string) table.Value {
	i := slices.IndexFunc(e.Summary, func(r Row) bool { return r.Label == label })
	if i < 0 {
		return table.Three.Number(math.NaN())
	}
	return cellValue(e.Summary[i].Cells[slices.Index(e.Run.Columns, metric)])
}
