package analysis

import (
	"maps"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/each"
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
		values := each.Map(finals, func(f final) float64 { return f.metric(metric) })
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
	several := each.Count(groups, func(g []float64) bool { return len(g) > 1 })
	return several > 1
}
