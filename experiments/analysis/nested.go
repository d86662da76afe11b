package analysis

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// This file is about runs whose seeds are nested (record.Nested). The replicated unit is then
// the draw of problems: the values of the seeds that share a draw are averaged before anything
// is estimated or tested.

// perDraw are the finals of each draw: a metric is the mean over those of the draw's seeds that
// have it. The seed of a final is the number of its draw. Seeds that are not nested keep their
// finals.
func perDraw(n record.Nested, finals []final) []final {
	if n == nil {
		return finals
	}
	var seeds []int
	names := map[string]bool{}
	for _, one := range finals {
		seeds = append(seeds, one.seed)
		for metric := range one.value {
			names[metric] = true
		}
	}
	var out []final
	draws, _ := n.Draws(seeds, make([]float64, len(seeds)))
	for _, draw := range draws {
		out = append(out, final{draw, map[string]float64{}})
	}
	for metric := range names {
		values := make([]float64, len(finals))
		for i, one := range finals {
			values[i] = one.metric(metric)
		}
		_, groups := n.Draws(seeds, values)
		for i, group := range groups {
			if xs := definedOf(group); len(xs) > 0 {
				out[i].value[metric] = stats.Mean(xs)
			}
		}
	}
	return out
}

// definedOf are the finite values.
func definedOf(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return !finite(x) })
}

// intervalOver is a metric over the replicated units, with its 95% interval. refs are the cells
// of the values.
func intervalOver(n record.Nested, refs []record.Ref, values []float64) stats.Interval {
	if n == nil {
		return stats.MeanInterval(values)
	}
	_, groups := n.Draws(record.SeedsOf(refs), values)
	for i, group := range groups {
		if xs := definedOf(group); len(xs) > 0 {
			groups[i] = xs
		}
	}
	return stats.HierarchicalInterval(groups)
}

// shares are the variance components of a metric of a variant, over the seeds that have it. If
// no variant has base policies of several seeds, these are left out of the model.
func shares(n record.Nested, refs []record.Ref, values []float64, bases bool) stats.VarianceComponents {
	seeds, groups := map[int][]int{}, map[int][]float64{} // by draw
	for i, x := range values {
		if seed := refs[i].Seed; finite(x) {
			draw := n.Draw(seed)
			seeds[draw], groups[draw] = append(seeds[draw], seed), append(groups[draw], x)
		}
	}
	var draws [][][]float64
	for _, draw := range slices.Sorted(maps.Keys(seeds)) {
		if bases {
			draws = append(draws, n.Bases(seeds[draw], groups[draw]))
		} else {
			draws = append(draws, [][]float64{groups[draw]})
		}
	}
	return stats.Components(draws)
}

// tellsShares reports whether the seeds of a variant can tell variances apart: at least two
// draws have at least two seeds.
func tellsShares(n record.Nested, refs []record.Ref) bool {
	if n == nil {
		return false
	}
	seeds := record.SeedsOf(refs)
	_, groups := n.Draws(seeds, make([]float64, len(seeds)))
	several := 0
	for _, g := range groups {
		if len(g) > 1 {
			several++
		}
	}
	return several > 1
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
