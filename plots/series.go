package plots

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// A sample is a variant with the numbers that a figure shows of it.
type sample struct {
	variant record.Variant
	label   string   // what figures call the variant
	steps   []int    // the evaluations shown, of those that all seeds have; ascending
	short   bool     // some seed has steps that another lacks
	known   []string // names of the metrics of its records, sorted, where they were read

	metrics map[string][]stats.Interval // by metric: at each of steps; N is 0 where no seed has it
	rivers  *Rivers                     // of a figure of modes
	scores  map[string][]float64        // of profiles, by metric: each seed's value at the last step
}

// seedCount is how many seeds the variant has.
func (s sample) seedCount() int { return len(s.variant.Cells) }

// A seeded variant is a sample with the evaluations of its seeds, from which its numbers
// are made.
type seeded struct {
	sample
	seeds []map[int]record.Eval // one a cell, in the manifest's order; by step
}

// chosen returns the variants that the figure's filter keeps.
func chosen(all []record.Variant, fig record.Figure) ([]record.Variant, error) {
	var kept []record.Variant
	for _, v := range all {
		if fig.Keeps(v) {
			kept = append(kept, v)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the experiment has no variants")
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no variant has %s; the experiment has %s", filters(fig.Where), offered(all))
	}
	return kept, nil
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
	var parts []string
	for _, field := range fieldsOf(all) {
		var values []string
		for _, v := range all {
			if value, ok := v.Value(field); ok && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		parts = append(parts, field+": "+strings.Join(values, ", "))
	}
	return strings.Join(parts, "; ")
}

// load reads the evaluations of every variant.
func load(run *record.Run, variants []record.Variant) ([]seeded, error) {
	out := make([]seeded, len(variants))
	for i, v := range variants {
		s, err := loadVariant(run, v)
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

func loadVariant(run *record.Run, v record.Variant) (seeded, error) {
	s := seeded{sample: sample{variant: v, label: v.Label}}
	if len(v.Cells) == 0 {
		return s, fmt.Errorf("variant %s has no cells in the manifest", v.Label)
	}
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if errors.Is(err, fs.ErrNotExist) {
			return s, fmt.Errorf("variant %s, seed %d has no records yet: run the experiment to its end first (%w)", v.Label, ref.Seed, err)
		}
		if err != nil {
			return s, fmt.Errorf("variant %s, seed %d: %w", v.Label, ref.Seed, err)
		}
		if len(evals) == 0 {
			return s, fmt.Errorf("variant %s, seed %d: no evaluation records in %s", v.Label, ref.Seed, run.Folder(ref))
		}
		byStep := make(map[int]record.Eval, len(evals))
		for _, e := range evals {
			byStep[e.Step] = e
		}
		s.seeds = append(s.seeds, byStep)
	}
	s.join()
	if len(s.steps) == 0 {
		return s, fmt.Errorf("variant %s: its seeds have no evaluated step in common", v.Label)
	}
	return s, nil
}

// join finds the steps that every seed was evaluated at. A mean over fewer
// seeds than its neighbours would bend a curve for no reason of the method's.
func (s *seeded) join() {
	seen := map[int]int{}
	for _, seed := range s.seeds {
		for step := range seed {
			seen[step]++
		}
	}
	for step, n := range seen {
		if n == len(s.seeds) {
			s.steps = append(s.steps, step)
		} else {
			s.short = true
		}
	}
	sort.Ints(s.steps)
}

// last is the last step that all seeds were evaluated at.
func (s sample) last() int { return s.steps[len(s.steps)-1] }

// measured is the mean of a metric over seeds at a step, with its 95% interval; N is 0
// where no seed has the metric (a metric may be undefined at times).
func (s seeded) measured(metric string, step int) stats.Interval {
	var xs []float64
	for _, seed := range s.seeds {
		if x, ok := seed[step].Metrics[metric]; ok {
			xs = append(xs, x)
		}
	}
	if len(xs) == 0 {
		return stats.Interval{}
	}
	return stats.MeanInterval(xs)
}

// interval is the mean of a metric over seeds at one of the steps, with its 95%
// interval; N is 0 where no seed has the metric.
func (s sample) interval(metric string, step int) stats.Interval {
	at, ok := slices.BinarySearch(s.steps, step)
	if list := s.metrics[metric]; ok && at < len(list) {
		return list[at]
	}
	return stats.Interval{}
}

// A point of a line: where, and the interval there.
type point struct {
	x  float64
	at stats.Interval
}

// history is a metric by training step; no points where no evaluation has it.
func (s sample) history(metric string) []point {
	var line []point
	for _, step := range s.steps {
		if at := s.interval(metric, step); at.N > 0 {
			line = append(line, point{x: float64(step), at: at})
		}
	}
	return line
}

// unknown is the error for a metric, or a family of them, that no evaluation of
// any variant has.
func unknown(what, name string, shown []sample) error {
	return fmt.Errorf("none of the variants shown has a %s %q; known names: %s", what, name, strings.Join(metricNames(shown), ", "))
}

// metricNames lists the names of the metrics of all samples.
func metricNames(shown []sample) []string {
	seen := map[string]bool{}
	for _, s := range shown {
		for _, name := range s.known {
			seen[name] = true
		}
		for name := range s.metrics {
			seen[name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// metricsOf lists the names of the metrics that some evaluation of some seed has.
func (s seeded) metricsOf() []string {
	seen := map[string]bool{}
	for _, seed := range s.seeds {
		for _, e := range seed {
			for name := range e.Metrics {
				seen[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// maxPoints is more than a panel has room for; a curve with more evaluations is
// thinned, so that the size of a figure does not follow the length of the run.
const maxPoints = 400

// thinned picks at most about maxPoints of n positions, evenly, with both ends.
func thinned(n int) []int {
	stride := (n + maxPoints - 1) / maxPoints
	var out []int
	for i := 0; i < n-1; i += stride {
		out = append(out, i)
	}
	return append(out, n-1)
}

// seedNote says what the lines and bands of a figure are. A ceiling's seeds are
// not counted beside others: it is exact and has no band.
func seedNote(shown []sample, bands bool) string {
	if i := slices.IndexFunc(shown, func(s sample) bool { return isCeiling(s.variant) }); i > 0 {
		shown = shown[:i] // the ceilings come last
	}
	low, high := shown[0].seedCount(), shown[0].seedCount()
	var short []string
	for _, s := range shown {
		low, high = min(low, s.seedCount()), max(high, s.seedCount())
		if s.short {
			short = append(short, s.label)
		}
	}
	note := fmt.Sprintf("Mean over %d seeds", high)
	switch {
	case high == 1:
		note = "One seed"
	case low != high:
		note = fmt.Sprintf("Mean over %d to %d seeds", low, high)
	}
	if bands && high > 1 {
		note += "; bands: 95% confidence intervals over seeds"
	}
	if len(short) > 0 {
		note += ". Only the steps that all seeds have: " + strings.Join(short, ", ")
	}
	return note + "."
}

// stepRange is the range of evaluated steps over all variants.
func stepRange(shown []sample) (first, last int) {
	first, last = shown[0].steps[0], shown[0].last()
	for _, s := range shown {
		first, last = min(first, s.steps[0]), max(last, s.last())
	}
	return first, last
}
