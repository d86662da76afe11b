// Package numbers holds the numbers of figures: the variants with their intervals, the masses
// of their modes, the scores of their seeds or their answers to a problem. They come from
// records, or from the file of a figure's data.
package numbers

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/metrics/stats"
)

// A Variant is one variant in a figure: its names in the manifest, and its numbers in the
// figure. Its fields are those of the file of a figure's data. The kind of the figure decides
// which of the last four it has.
type Variant struct {
	Label  string        `json:"label"`
	Name   string        `json:"name"`
	Method string        `json:"method"`
	Trains bool          `json:"trains"`
	Tokens int           `json:"tokens,omitempty"` // the budget that ends its training; 0: none
	Axes   []record.Axis `json:"axes,omitempty"`
	Seeds  []int         `json:"seeds"`           // their numbers, in the order of the manifest
	Draws  []int         `json:"draws,omitempty"` // of nested seeds, the number of each seed's draw of problems
	Steps  []int         `json:"steps"`           // the evaluations shown, ascending; all seeds have them
	Short  bool          `json:"short,omitempty"` // some seed has evaluations that another lacks

	Series []Series `json:"series,omitempty"` // by metric, in alphabetical order
	Rivers *Rivers  `json:"rivers,omitempty"` // modes
	Scores []Scores `json:"scores,omitempty"` // profiles, by metric in alphabetical order
	Pools  *Pools   `json:"pools,omitempty"`  // answers, front, map, tree

	Called string   `json:"-"` // its name in the figure: Label, or a shorter one if it is unique
	known  []string // metrics of the records, for errors
}

// Series is a metric of a variant at each of its steps, over its seeds.
type Series struct {
	Metric string `json:"metric"`
	Intervals
}

// Scores are a metric of each seed of a variant at the last step, in the order of the seeds. A
// metric that some seed lacks has no scores.
type Scores struct {
	Metric string    `json:"metric"`
	Values []float64 `json:"values"`
}

// Intervals are means with their 95% intervals, in columns. A mean is nil if nothing was
// measured, a bound if it is infinite. N is left out if all are over the usual number of seeds,
// Low and High if no interval has a bound.
type Intervals struct {
	N    []int      `json:"n,omitempty"`
	Mean []*float64 `json:"mean"`
	Low  []*float64 `json:"low,omitempty"`
	High []*float64 `json:"high,omitempty"`
}

// NewIntervals are the columns of some intervals, most of which are over seeds seeds. An
// interval of N = 0 is not measured.
func NewIntervals(list []stats.Interval, seeds int) Intervals {
	c := Intervals{Mean: []*float64{}}
	usual, bounded := true, false
	for _, at := range list {
		usual = usual && (at.N == seeds || at.N == 0)
		mean, low, high := finite(at.Mean), finite(at.Low), finite(at.High)
		if at.N == 0 {
			mean, low, high = nil, nil, nil
		}
		bounded = bounded || low != nil || high != nil
		c.N, c.Mean, c.Low, c.High = append(c.N, at.N), append(c.Mean, mean), append(c.Low, low), append(c.High, high)
	}
	if usual {
		c.N = nil
	}
	if !bounded {
		c.Low, c.High = nil, nil
	}
	return c
}

// finite points to x; it is nil for NaN and infinities.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// At is the i-th interval. Without an N it is over seeds seeds, without a mean of N = 0, and
// without bounds infinite.
func (c Intervals) At(i, seeds int) stats.Interval {
	if c.Mean[i] == nil {
		return stats.Interval{}
	}
	out := stats.Interval{N: seeds, Mean: *c.Mean[i], Low: math.Inf(-1), High: math.Inf(1)}
	if c.N != nil {
		out.N = c.N[i]
	}
	if c.Low != nil && c.Low[i] != nil {
		out.Low = *c.Low[i]
	}
	if c.High != nil && c.High[i] != nil {
		out.High = *c.High[i]
	}
	return out
}

// newVariant is a variant of the manifest without numbers.
func newVariant(v record.Variant) Variant {
	out := Variant{Label: v.Label, Name: v.Name, Method: v.Method, Trains: v.Trains, Tokens: v.Tokens, Axes: v.Axes, Called: v.Label}
	for _, ref := range v.Cells {
		out.Seeds = append(out.Seeds, ref.Seed)
	}
	return out
}

// Value is the variant's value of a field by which variants differ; ok is false if it has no
// such field.
func (v Variant) Value(field string) (value string, ok bool) {
	return record.Variant{Name: v.Name, Axes: v.Axes}.Value(field)
}

// SeedCount is how many seeds the variant has.
func (v Variant) SeedCount() int { return len(v.Seeds) }

// Units is the number of replicated values, and their kind: seeds, or the draws of problems
// that nested seeds share.
func (v Variant) Units() (count int, name string) {
	if v.Draws == nil {
		return len(v.Seeds), "seeds"
	}
	return len(slices.Compact(slices.Sorted(slices.Values(v.Draws)))), "draws of problems"
}

// Unit is the number of the i-th seed's replicated value: the seed, or its draw of problems.
func (v Variant) Unit(i int) int {
	if v.Draws == nil {
		return v.Seeds[i]
	}
	return v.Draws[i]
}

// Last is the last step that is shown.
func (v Variant) Last() int { return v.Steps[len(v.Steps)-1] }

// Ceiling reports whether the variant is an exact optimum.
func (v Variant) Ceiling() bool { return v.Method == OptimumMethod }

// The methods that do not train: the policy before training, and the best that any policy
// could do.
const (
	BaseMethod    = "base"
	OptimumMethod = "optimum"
)

// CeilingsLast moves the exact optima to the end, where readers of a table look for a
// ceiling.
func CeilingsLast[V interface{ Ceiling() bool }](shown []V) []V {
	var out, last []V
	for _, v := range shown {
		if v.Ceiling() {
			last = append(last, v)
		} else {
			out = append(out, v)
		}
	}
	return append(out, last...)
}

// Interval is the mean of a metric over seeds at one of the steps, with its 95% interval; N is
// 0 if no seed has the metric.
func (v Variant) Interval(metric string, step int) stats.Interval {
	index, ok := slices.BinarySearch(v.Steps, step)
	if !ok {
		return stats.Interval{}
	}
	for _, s := range v.Series {
		if s.Metric == metric {
			return s.At(index, v.SeedCount())
		}
	}
	return stats.Interval{}
}

// AtLast is Interval at the last step that is shown.
func (v Variant) AtLast(metric string) stats.Interval { return v.Interval(metric, v.Last()) }

// ScoresOf are a metric of each seed; nil if the variant lacks it.
func (v Variant) ScoresOf(metric string) []float64 {
	for _, s := range v.Scores {
		if s.Metric == metric {
			return s.Values
		}
	}
	return nil
}

// Picked picks the variants that the figure lists, in its order.
func Picked(labels []string, shown []Variant) ([]Variant, error) {
	if len(labels) == 0 {
		return shown, nil
	}
	known := each.Map(shown, func(v Variant) string { return v.Label })
	var out []Variant
	for _, label := range labels {
		found := false
		for _, v := range shown {
			if v.Label == label {
				out = append(out, v)
				found = true
			}
		}
		if !found {
			return nil, fmt.Errorf("panel names the variant %q, which the figure does not keep; it keeps %s", label, strings.Join(known, ", "))
		}
	}
	return out, nil
}

// UnknownMetric is the error for a metric, or a family of them, that no evaluation of
// any variant has.
func UnknownMetric(noun, name string, shown []Variant) error {
	return fmt.Errorf("no variant shown has a %s %q; known names: %s", noun, name, strings.Join(metricNames(shown), ", "))
}

func metricNames(shown []Variant) []string {
	names := map[string]bool{}
	for _, v := range shown {
		for _, name := range v.known {
			names[name] = true
		}
		for _, s := range v.Series {
			names[s.Metric] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// MeasuredKs lists the k at which some variant has a metric of the family, such as
// pass@16, at its last step; ascending.
func MeasuredKs(family string, shown []Variant) []int {
	present := map[int]bool{}
	for _, v := range shown {
		for _, s := range v.Series {
			if base, k, ok := record.SplitK(s.Metric); ok && base == family && v.AtLast(s.Metric).N > 0 {
				present[k] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(present))
}
