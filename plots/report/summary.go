package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// How the numbers of a variant were measured.
const (
	byEnumeration = "exact"
	bySampling    = "sampled"
	byBoth        = "some exact"
)

func (r Row) how() string {
	switch r.Exact {
	case r.Seeds:
		return byEnumeration
	case 0:
		return bySampling
	}
	return byBoth
}

// summary is the table of metrics after training.
type summary struct {
	Note    string
	Columns []string
	Mixed   bool // variants differ in their seeds or how they are measured: columns say so
	Rows    []summaryRow
}

type summaryRow struct {
	Label string
	Place int // in the manifest
	Seeds int
	How   string
	Cells []summaryCell
}

type summaryCell struct {
	Sort      string // number to sort by; "" sorts last
	Low, High string // ends of the interval; "" for none
	Mean      string
	Rest      string // the interval, and what else there is to say
}

func newSummary(e Experiment) (summary, error) {
	out := summary{Columns: e.Run.Columns}
	if len(e.Summary) != len(e.Run.Variants) || len(e.Summary) == 0 {
		return out, fmt.Errorf("a summary of %d rows for %d variants", len(e.Summary), len(e.Run.Variants))
	}
	most, unit := 0, "seeds"
	for i, row := range e.Summary {
		if len(row.Cells) != len(out.Columns) {
			return out, fmt.Errorf("the summary of %s has %d cells for %d columns", row.Label, len(row.Cells), len(out.Columns))
		}
		r := summaryRow{Label: row.Label, Place: i, Seeds: row.Seeds, How: row.how()}
		for _, c := range row.Cells {
			r.Cells = append(r.Cells, newSummaryCell(c))
		}
		out.Rows = append(out.Rows, r)
		out.Mixed = out.Mixed || row.Seeds != e.Summary[0].Seeds || r.How != out.Rows[0].How
		most = max(most, row.Seeds)
	}
	out.Note = fmt.Sprintf("After training, mean over the seeds [%s].", stats.IntervalNote("seeds"))
	if !out.Mixed {
		out.Note = fmt.Sprintf("After training, mean over %d seeds [%s], %s.", most, stats.IntervalNote("seeds"), inWords(out.Rows[0].How))
		switch {
		case most == 1:
			out.Note = fmt.Sprintf("After training, one seed: no interval; %s.", inWords(out.Rows[0].How))
		case most < stats.MinValues:
			out.Note = fmt.Sprintf("After training, mean over %d seeds: no interval of fewer than %d; %s.", most, stats.MinValues, inWords(out.Rows[0].How))
		}
	}
	if e.Run.Nested != nil {
		units, text := e.Run.Nested.Units(e.Run.Variants[0].Cells)
		most, unit = units, "draws"
		out.Note = fmt.Sprintf("After training, mean over %s, the values of a draw averaged first [%s].", text, stats.IntervalNote(unit))
	}
	if slices.ContainsFunc(out.Columns, isCoverage) {
		out.Note += " " + coverageNote
	}
	if most >= stats.MinValues && most < stats.MinSeeds {
		out.Note += fmt.Sprintf(" %d %s: intervals are rough.", most, unit)
	}
	if most > 1 && most < stats.MinSeeds {
		out.Note += fmt.Sprintf(" Underpowered: %d %s are a first look; verdicts need %d.", most, unit, stats.MinSeeds)
	}
	return out, nil
}

// coverageNote says why coverage need not grow with k.
const coverageNote = "coverage@k is a share of the min(k, existing) modes that k answers could find, so it may fall while k grows and more are found."

// isCoverage says whether a metric, or a family of metrics, is coverage against all modes.
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

// newSummaryCell separates the mean from the rest of a cell, so that the page can
// print them differently.
func newSummaryCell(c Cell) summaryCell {
	out := summaryCell{Mean: c.Text}
	if mean, rest, ok := strings.Cut(c.Text, " "); ok {
		out.Mean, out.Rest = mean, rest
	}
	if math.IsNaN(c.Interval.Mean) {
		out.Mean, out.Rest = absent, "" // as everywhere on the page
	} else {
		out.Sort = strconv.FormatFloat(c.Interval.Mean, 'g', -1, 64)
		out.Low, out.High = bound(c.Interval.Low, c.Interval), bound(c.Interval.High, c.Interval)
	}
	return out
}

// facts are the few words below the title.
func facts(e Experiment, cells []record.Cell) []string {
	most, steps := 0, 0
	for _, row := range e.Summary {
		most, steps = max(most, row.Seeds), max(steps, row.Step)
	}
	var environments, policies []string
	for _, c := range cells {
		environments, policies = append(environments, c.Env.Name), append(policies, c.Policy.Name)
	}
	return []string{
		draw.Counted(len(e.Run.Variants), "variant"), draw.Counted(most, "seed"), draw.Counted(steps, "training step"),
		"on " + strings.Join(once(environments), ", "), "policy: " + strings.Join(once(policies), ", "),
	}
}

// once drops what stands there already, and keeps the order.
func once(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// bound is an end of an interval with all its digits; "" where the interval has none.
func bound(end float64, of stats.Interval) string {
	if !draw.Bounded(of.Low, of.High) {
		return ""
	}
	return strconv.FormatFloat(end, 'g', -1, 64)
}
