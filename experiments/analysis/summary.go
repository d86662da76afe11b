package analysis

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/table"
	"modebench/metrics"
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
		row := append([]string{v.Label}, each.Map(v.Cells, func(cell SummaryCell) string { return cell.Text })...)
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

const timingHead = `What a training step took, in microseconds: the estimator, of the whole step, and its
share; medians over timed steps, means over seeds. A step draws, judges and learns, so
methods that vote, draw anew or ask for chains have longer ones; sample, judge, estimate
and update of every cell are in its provenance.json.
`

// TimingText is a table of the estimator's time in a training step, a row for each variant and a
// column for each environment: the overhead that SetPO fig. 9 and Evol-RL fig. 7 measure. It is ""
// if no cell has timings. Unlike every other table it is about the machine that ran the cells.
func TimingText(run *record.Run) (string, error) {
	head, names := []string{"method"}, []string{}
	cells := map[[2]string]string{} // by name and environment
	for _, v := range run.Variants {
		total, estimate, ok, err := meanTimings(run, v)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		name, env := timingPlace(v)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if !slices.Contains(head, env) {
			head = append(head, env)
		}
		cells[[2]string{name, env}] = fmt.Sprintf("%.2f of %.1f, %.1f%%", 1e6*estimate, 1e6*total, 100*estimate/total)
	}
	if len(names) == 0 {
		return "", nil
	}
	rows := [][]string{head}
	for _, name := range names {
		row := []string{name}
		for _, env := range head[1:] {
			cell, ok := cells[[2]string{name, env}]
			if !ok {
				cell = "-"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return timingHead + "\n" + table.Grid(rows).Text(), nil
}

// timingPlace is the row and the column of a variant: its label without the environment, and
// the environment if the spec has several.
func timingPlace(v record.Variant) (row, column string) {
	if env, ok := v.Value("env"); ok {
		return strings.Replace(v.Label, " env="+env, "", 1), env
	}
	return v.Label, "step"
}

// meanTimings are the seconds of a step and of its estimator, in the mean over the seeds of a variant
// that were timed; not ok without timed seeds.
func meanTimings(run *record.Run, v record.Variant) (total, estimate float64, ok bool, err error) {
	n := 0.0
	for _, ref := range v.Cells {
		t, known, err := run.Timings(ref)
		if err != nil {
			return 0, 0, false, err
		}
		if known && t.Total() > 0 {
			n++
			total += t.Total()
			estimate += t.Estimate
		}
	}
	return total / n, estimate / n, n > 0, nil
}

// sharesTable is the table of variance shares of a run with nested seeds; "" if its seeds
// cannot separate them.
func sharesTable(run *record.Run, rows []SummaryRow) (string, error) {
	if len(rows) == 0 || !tellsShares(run.Nested, run.Variants[0].Cells) {
		return "", nil
	}
	bases := false
	for _, v := range run.Variants {
		cell, err := run.Cell(v.Cells[0])
		if err != nil {
			return "", err
		}
		_, has := cell.Policy.Params["pretrain_seed"]
		bases = bases || has
	}
	g := table.Grid{append([]string{"method"}, run.Columns...)}
	cut := false
	var design stats.VarianceComponents
	for i, v := range run.Variants {
		row := []string{v.Label}
		for j := range run.Columns {
			c := shares(run.Nested, v.Cells, rows[i].values[j], bases)
			text, truncated := shareText(&c)
			row, cut = append(row, text), cut || truncated
			if c.Seeds > design.Seeds {
				design = c
			}
		}
		g = append(g, row)
	}
	note := "how much of the variance between seeds is of " + sourcesText(&design, bases) + ", in percent; sd: of one seed on a draw of its own"
	if cut {
		note += "\n0*: the estimate is below 0, and given as 0"
	}
	if design.Draws < stats.MinSeeds {
		note += fmt.Sprintf("\nof %d draws these shares are a first guess", design.Draws)
	}
	return note + "\n\n" + g.Text(), nil
}

// sourcesText names the sources of variance that a design tells apart, in the order of shareText.
func sourcesText(c *stats.VarianceComponents, bases bool) string {
	switch {
	case !bases:
		return "the draw of problems / the seed itself"
	case c.BaseInProblems:
		return "the draw of problems and its base policy / the seed itself"
	case c.BaseInTraining:
		return "the draw of problems / the base policy and the seed itself"
	}
	return "the draw of problems / the base policy / the seed itself"
}

// shareText writes the shares of a metric: "62/0*/38, sd 0.031". truncated reports that a share
// is cut off at 0.
func shareText(c *stats.VarianceComponents) (text string, truncated bool) {
	deviation := c.Deviation()
	switch {
	case math.IsNaN(deviation):
		return "n/a", false
	case deviation == 0:
		return "no variance", false
	}
	var words []string
	for _, one := range []stats.Component{c.Problems, c.Base, c.Training} {
		if math.IsNaN(one.Variance) {
			continue
		}
		word := fmt.Sprintf("%.0f", 100*c.Share(one))
		if one.Truncated() {
			word, truncated = word+"*", true
		}
		words = append(words, word)
	}
	return fmt.Sprintf("%s, sd %.2g", strings.Join(words, "/"), deviation), truncated
}
