package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/plural"
	"modebench/internal/table"
	"modebench/metrics/stats"
	"modebench/plots"
)

// How the numbers of a variant were measured.
const (
	byEnumeration = "exact"
	bySampling    = "sampled"
	byBoth        = "some exact"
)

func measuredHow(r Row) string {
	switch r.Exact {
	case r.Seeds:
		return byEnumeration
	case 0:
		return bySampling
	}
	return byBoth
}

type summary struct {
	Note  string
	Table template.HTML
}

func cellValue(c Cell) table.Value {
	return table.Value{Text: c.Text, Numbers: []float64{c.Interval.Mean, c.Interval.Low, c.Interval.High}}
}

// table is the table of the summary. mixed: variants differ in their seeds or how they are measured,
// and columns show it.
func (e Experiment) table(mixed bool) template.HTML {
	columns := []table.Column[Row]{{Title: "method", Class: "name", Cell: func(r Row) table.Value { return table.Text(r.Label) }}}
	for i, metric := range e.Run.Columns {
		columns = append(columns, table.Column[Row]{Title: metric, Meaning: plots.MetricTitle(metric), Ends: "interval", Cell: func(r Row) table.Value { return cellValue(r.Cells[i]) }})
	}
	if mixed {
		columns = append(columns, table.Column[Row]{Title: "seeds", Cell: func(r Row) table.Value {
			return table.Value{Text: strconv.Itoa(r.Seeds), Numbers: []float64{float64(r.Seeds)}}
		}}, table.Column[Row]{Title: "values", Class: "name", Cell: func(r Row) table.Value { return table.Text(measuredHow(r)) }})
	}
	return table.HTML(columns, e.Summary, true)
}

func newSummary(e Experiment) (summary, error) {
	var out summary
	if len(e.Summary) != len(e.Run.Variants) || len(e.Summary) == 0 {
		return out, fmt.Errorf("a summary of %d rows for %d variants", len(e.Summary), len(e.Run.Variants))
	}
	seeds, mixed, how := 0, false, measuredHow(e.Summary[0])
	for _, row := range e.Summary {
		if len(row.Cells) != len(e.Run.Columns) {
			return out, fmt.Errorf("the summary of %s has %d cells for %d columns", row.Label, len(row.Cells), len(e.Run.Columns))
		}
		mixed = mixed || row.Seeds != e.Summary[0].Seeds || measuredHow(row) != how
		seeds = max(seeds, row.Seeds)
	}
	out.Table = e.table(mixed)
	units, unit := seeds, "seeds"
	out.Note = seedNote(seeds, how)
	if mixed {
		out.Note = fmt.Sprintf("After training, mean over the seeds [%s].", stats.IntervalNote(unit))
	}
	if e.Run.Nested != nil {
		var text string
		units, text = e.Run.Nested.Units(e.Run.Variants[0].Cells)
		unit = "draws"
		out.Note = fmt.Sprintf("After training, mean over %s, the values of a draw averaged first [%s].", text, stats.IntervalNote(unit))
	}
	if slices.ContainsFunc(e.Run.Columns, isCoverage) {
		out.Note += " " + coverageNote
	}
	if units >= stats.MinValues && units < stats.MinSeeds {
		out.Note += fmt.Sprintf(" %d %s: intervals are rough.", units, unit)
	}
	if units > 1 && units < stats.MinSeeds {
		out.Note += fmt.Sprintf(" Underpowered: %d %s are a first look; verdicts need %d.", units, unit, stats.MinSeeds)
	}
	return out, nil
}

// seedNote explains numbers over the same seeds that are all measured alike.
func seedNote(seeds int, how string) string {
	switch {
	case seeds == 1:
		return fmt.Sprintf("After training, one seed: no interval; %s.", inWords(how))
	case seeds < stats.MinValues:
		return fmt.Sprintf("After training, mean over %d seeds: no interval of fewer than %d; %s.", seeds, stats.MinValues, inWords(how))
	}
	return fmt.Sprintf("After training, mean over %d seeds [%s], %s.", seeds, stats.IntervalNote("seeds"), inWords(how))
}

// coverageNote explains why coverage need not grow with k.
const coverageNote = "coverage@k is a share of the min(k, existing) modes that k answers could find, so it may fall while k grows and more are found."

// isCoverage reports whether a metric, or a family of metrics, is coverage against all modes.
func isCoverage(metric string) bool {
	return metric == "coverage" || strings.HasPrefix(metric, "coverage@")
}

func inWords(how string) string {
	switch how {
	case byEnumeration:
		return "exact by enumeration in each"
	case bySampling:
		return "estimated from sampled answers in each"
	}
	return "exact by enumeration in some seeds, estimated from sampled answers in others"
}

func facts(e Experiment, cells []record.Cell) []string {
	seeds, steps := 0, 0
	for _, row := range e.Summary {
		seeds, steps = max(seeds, row.Seeds), max(steps, row.Step)
	}
	var environments, policies []string
	for _, c := range cells {
		environments, policies = append(environments, c.Env.Name), append(policies, c.Policy.Name)
	}
	return []string{
		plural.Count(len(e.Run.Variants), "variant"), plural.Count(seeds, "seed"), plural.Count(steps, "training step"),
		"on " + strings.Join(each.Distinct(environments), ", "), "policy: " + strings.Join(each.Distinct(policies), ", "),
	}
}
