package numbers

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/metrics/stats"
)

// An Evaluated variant has the records of its seeds, from which its numbers are made.
// Its steps are those that all seeds were evaluated at, until a kind of figure picks some.
type Evaluated struct {
	Variant
	Cells []record.Ref          // in the order of the manifest
	Evals []map[int]record.Eval // one a cell; by step

	nested record.Nested // of the run
}

func chosen(all []record.Variant, fig record.Figure) ([]record.Variant, error) {
	out := each.Where(all, fig.Shows)
	if len(all) == 0 {
		return nil, errors.New("the experiment has no variants")
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no variant has %s; the experiment has %s", filters(fig.Where), offered(all))
	}
	return out, nil
}

// filters writes the filters as words: "method a or b, train.lr 0.1".
func filters(where []record.Filter) string {
	return strings.Join(each.Map(where, func(w record.Filter) string { return w.Field + " " + strings.Join(w.Values, " or ") }), " and ")
}

// offered lists the axes of the variants with their values, in the order in
// which they come.
func offered(all []record.Variant) string {
	shown := each.Map(all, newVariant)
	parts := each.Map(FieldsOf(shown), func(field string) string { return field + ": " + strings.Join(ValuesOf(field, shown), ", ") })
	return strings.Join(parts, "; ")
}

// Load reads the evaluations of the variants that the figure shows, exact optima last.
func Load(run *record.Run, fig record.Figure) ([]Evaluated, error) {
	variants, err := chosen(run.Variants, fig)
	if err != nil {
		return nil, err
	}
	out := make([]Evaluated, len(variants))
	for i, v := range variants {
		if out[i], err = loadVariant(run, v); err != nil {
			return nil, err
		}
	}
	return CeilingsLast(out), nil
}

func loadVariant(run *record.Run, v record.Variant) (Evaluated, error) {
	e := Evaluated{Variant: newVariant(v), Cells: v.Cells, nested: run.Nested}
	if run.Nested != nil {
		for _, seed := range e.Seeds {
			e.Draws = append(e.Draws, run.Nested.Draw(seed))
		}
	}
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
		e.Evals = append(e.Evals, byStep)
	}
	e.join()
	if len(e.Steps) == 0 {
		return e, fmt.Errorf("variant %s: its seeds have no evaluated step in common", v.Label)
	}
	e.known = e.metricsOf()
	return e, nil
}

// join finds the steps that every seed was evaluated at. A mean over fewer
// seeds than its neighbours would bend a curve although the method did nothing.
func (e *Evaluated) join() {
	seedCount := map[int]int{}
	for _, seed := range e.Evals {
		for step := range seed {
			seedCount[step]++
		}
	}
	for step, n := range seedCount {
		if n == len(e.Evals) {
			e.Steps = append(e.Steps, step)
		} else {
			e.Short = true
		}
	}
	slices.Sort(e.Steps)
}

// PolicyOf is the kind of policy of the trained variants, or of the first variant; "" if no
// cell names it.
func PolicyOf(run *record.Run, shown []Evaluated) (string, error) {
	e := shown[max(0, slices.IndexFunc(shown, func(e Evaluated) bool { return e.Trains }))]
	cell, err := run.Cell(e.Cells[0])
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return cell.Policy.Name, err
}

// MetricNames lists the names of the metrics that some evaluation of some variant has.
func MetricNames(all []Evaluated) []string {
	var out []string
	for _, e := range all {
		out = append(out, e.known...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// metricsOf lists the names of the metrics that some evaluation of some seed has.
func (e Evaluated) metricsOf() []string {
	names := map[string]bool{}
	for _, seed := range e.Evals {
		for _, eval := range seed {
			for name := range eval.Metrics {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Measured is the mean of a metric over seeds at a step, with its 95% interval, over draws of
// problems if seeds are nested; N is 0 if no seed has the metric (a metric may be undefined at
// times).
func (e Evaluated) Measured(metric string, step int) stats.Interval {
	var xs []float64
	var seeds []int
	for i, seed := range e.Evals {
		if x, ok := seed[step].Metrics[metric]; ok {
			xs = append(xs, x)
			if e.nested != nil {
				seeds = append(seeds, e.Seeds[i])
			}
		}
	}
	if len(xs) == 0 {
		return stats.Interval{}
	}
	if e.nested == nil {
		return stats.MeanInterval(xs)
	}
	_, groups := e.nested.Draws(seeds, xs)
	return stats.HierarchicalInterval(groups)
}

// Measure works out the metrics at the steps. A metric that no seed has is left out.
func (e *Evaluated) Measure(metrics []string) {
	for _, metric := range slices.Compact(slices.Sorted(slices.Values(metrics))) {
		list := make([]stats.Interval, len(e.Steps))
		found := false
		for i, step := range e.Steps {
			list[i] = e.Measured(metric, step)
			found = found || list[i].N > 0
		}
		if found {
			e.Series = append(e.Series, Series{metric, NewIntervals(list, e.SeedCount())})
		}
	}
}

// KeepLast drops all steps but the last.
func (e *Evaluated) KeepLast() { e.Steps = []int{e.Last()} }

// MeasureLast works out the figure's metrics at the last step.
func MeasureLast(fig record.Figure, e *Evaluated) {
	e.KeepLast()
	e.Measure(fig.Metrics)
}

// MeasureFamilies works out the metrics of the families at the last step.
func MeasureFamilies(families []string, e *Evaluated) {
	e.KeepLast()
	e.Measure(slices.DeleteFunc(slices.Clone(e.known), func(metric string) bool {
		family, _, ok := record.SplitK(metric)
		return !ok || !slices.Contains(families, family)
	}))
}

// maxPoints is more than a panel has room for; a curve with more evaluations is
// thinned, so that the size of a figure does not follow the length of the run.
const maxPoints = 400

// Thin drops steps until a panel has room for the rest.
func (e *Evaluated) Thin() { e.Steps = Thinned(e.Steps, maxPoints) }

// Thinned picks at most about limit elements of a list, evenly, with both ends.
func Thinned(list []int, limit int) (out []int) {
	stride := (len(list) + limit - 1) / limit
	for i := 0; i < len(list)-1; i += stride {
		out = append(out, list[i])
	}
	return append(out, list[len(list)-1])
}
