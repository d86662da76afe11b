package plots

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// An evaluated variant has the records of its seeds, from which its numbers are made.
// Its steps are those that all seeds were evaluated at, until a kind of figure picks some.
type evaluated struct {
	Variant
	cells []record.Ref          // in the order of the manifest
	seeds []map[int]record.Eval // one a cell; by step
}

// chosen returns the variants that pass the figure's filter.
func chosen(all []record.Variant, fig record.Figure) ([]record.Variant, error) {
	var out []record.Variant
	for _, v := range all {
		if fig.Keeps(v) {
			out = append(out, v)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the experiment has no variants")
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no variant has %s; the experiment has %s", filters(fig.Where), offered(all))
	}
	return out, nil
}

// filters writes what was asked for: "method a or b, train.lr 0.1".
func filters(where []record.Filter) string {
	parts := make([]string, len(where))
	for i, w := range where {
		parts[i] = w.Field + " " + strings.Join(w.Values, " or ")
	}
	return strings.Join(parts, " and ")
}

// offered lists the axes of the variants with their values, in the order in
// which they come.
func offered(all []record.Variant) string {
	shown := make([]Variant, len(all))
	for i, v := range all {
		shown[i] = newVariant(v)
	}
	var parts []string
	for _, field := range fieldsOf(shown) {
		var values []string
		for _, v := range shown {
			if value, ok := v.Value(field); ok && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		parts = append(parts, field+": "+strings.Join(values, ", "))
	}
	return strings.Join(parts, "; ")
}

// load reads the evaluations of the variants that the figure shows, exact optima last.
func load(run *record.Run, fig record.Figure) ([]evaluated, error) {
	variants, err := chosen(run.Variants, fig)
	if err != nil {
		return nil, err
	}
	out := make([]evaluated, len(variants))
	for i, v := range variants {
		if out[i], err = loadVariant(run, v); err != nil {
			return nil, err
		}
	}
	return ceilingsLast(out), nil
}

func loadVariant(run *record.Run, v record.Variant) (evaluated, error) {
	e := evaluated{Variant: newVariant(v), cells: v.Cells}
	if len(v.Cells) == 0 {
		return e, fmt.Errorf("variant %s has no cells in the manifest", v.Label)
	}
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if errors.Is(err, fs.ErrNotExist) {
			return e, fmt.Errorf("variant %s, seed %d has no records yet: run the experiment to its end first (%w)", v.Label, ref.Seed, err)
		}
		if err != nil {
			return e, fmt.Errorf("variant %s, seed %d: %w", v.Label, ref.Seed, err)
		}
		if len(evals) == 0 {
			return e, fmt.Errorf("variant %s, seed %d: no evaluation records in %s", v.Label, ref.Seed, run.Folder(ref))
		}
		byStep := make(map[int]record.Eval, len(evals))
		for _, eval := range evals {
			byStep[eval.Step] = eval
		}
		e.seeds = append(e.seeds, byStep)
	}
	e.join()
	if len(e.Steps) == 0 {
		return e, fmt.Errorf("variant %s: its seeds have no evaluated step in common", v.Label)
	}
	e.known = e.metricsOf()
	return e, nil
}

// join finds the steps that every seed was evaluated at. A mean over fewer
// seeds than its neighbours would bend a curve for no reason of the method's.
func (e *evaluated) join() {
	seen := map[int]int{}
	for _, seed := range e.seeds {
		for step := range seed {
			seen[step]++
		}
	}
	for step, n := range seen {
		if n == len(e.seeds) {
			e.Steps = append(e.Steps, step)
		} else {
			e.Short = true
		}
	}
	slices.Sort(e.Steps)
}

// policyOf is the kind of policy of what is trained, or of the first variant; "" where no
// cell says.
func policyOf(run *record.Run, shown []evaluated) (string, error) {
	e := shown[max(0, slices.IndexFunc(shown, func(e evaluated) bool { return e.Trains }))]
	cell, err := run.Cell(e.cells[0])
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return cell.Policy.Name, err
}

// metricsOf lists the names of the metrics that some evaluation of some seed has.
func (e evaluated) metricsOf() []string {
	seen := map[string]bool{}
	for _, seed := range e.seeds {
		for _, eval := range seed {
			for name := range eval.Metrics {
				seen[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// measured is the mean of a metric over seeds at a step, with its 95% interval; N is 0
// where no seed has the metric (a metric may be undefined at times).
func (e evaluated) measured(metric string, step int) stats.Interval {
	var xs []float64
	for _, seed := range e.seeds {
		if x, ok := seed[step].Metrics[metric]; ok {
			xs = append(xs, x)
		}
	}
	if len(xs) == 0 {
		return stats.Interval{}
	}
	return stats.MeanInterval(xs)
}

// measure works out the metrics at the steps. One that no seed has is left out.
func (e *evaluated) measure(metrics []string) {
	for _, metric := range slices.Compact(slices.Sorted(slices.Values(metrics))) {
		list := make([]stats.Interval, len(e.Steps))
		found := false
		for i, step := range e.Steps {
			list[i] = e.measured(metric, step)
			found = found || list[i].N > 0
		}
		if found {
			e.Series = append(e.Series, Series{metric, newIntervals(list, e.seedCount())})
		}
	}
}

// atLast leaves the last step alone.
func (e *evaluated) atLast() { e.Steps = []int{e.last()} }

// measureLast works out the figure's metrics at the last step.
func measureLast(fig record.Figure, e *evaluated) {
	e.atLast()
	e.measure(fig.Metrics)
}

// measureFamilies works out the metrics of the families at the last step.
func measureFamilies(families []string, e *evaluated) {
	e.atLast()
	e.measure(slices.DeleteFunc(slices.Clone(e.known), func(metric string) bool {
		family, _, ok := splitK(metric)
		return !ok || !slices.Contains(families, family)
	}))
}

// maxPoints is more than a panel has room for; a curve with more evaluations is
// thinned, so that the size of a figure does not follow the length of the run.
const maxPoints = 400

// thin leaves the steps that a panel has room for.
func (e *evaluated) thin() {
	var steps []int
	for _, i := range thinned(len(e.Steps)) {
		steps = append(steps, e.Steps[i])
	}
	e.Steps = steps
}

// thinned picks at most about maxPoints of n positions, evenly, with both ends.
func thinned(n int) []int {
	stride := (n + maxPoints - 1) / maxPoints
	var out []int
	for i := 0; i < n-1; i += stride {
		out = append(out, i)
	}
	return append(out, n-1)
}
