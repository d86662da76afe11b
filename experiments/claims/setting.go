package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/plural"
	"modebench/metrics"
	"modebench/metrics/stats"
)

// A Setting is a claim at one setting: a metric, and a variant of A with one of B (record.Pairs).
type Setting struct {
	Metric string
	A, B   string // labels; B is empty for a claim about A alone
	Axes   []record.Axis
	ValueA stats.Interval // over A's seeds
	ValueB stats.Interval
	// Effect is the displayed effect: a less b over the seeds that both have; a over b if the
	// claim is about a multiple; the ratio of their deviations (stats.DeviationRatioInterval)
	// if it is about deviations; ValueA without a B.
	Effect stats.Interval
	// Contrast is the judged quantity, one number a seed: see record.Claim. Its mean is above 0
	// if an "above" claim is right.
	Contrast []float64
	Delta    float64 // the smallest effect that matters, in the unit of Contrast
	Finding  stats.Finding
	Answer   stats.Answer // after Holm's correction over the settings of the claim
	Small    bool         // the effect is surely within Delta of 0, after the same correction
	Reason   string       // why the setting cannot be tested, or has too few seeds; else ""
	Needs    int          // seeds that an undecided setting needs
	LeftOut  string       // why some seeds do not count, at equal values of a metric; "": all count

	a, b record.Variant
}

// settings lists the pairs of variants that a claim compares, or the variants of A if the claim
// is about A alone.
func settings(variants []record.Variant, c record.Claim) []Setting {
	var out []Setting
	for _, metric := range c.Metrics {
		if len(c.B) == 0 {
			for _, a := range record.Named(variants, c.A) {
				out = append(out, Setting{Metric: metric, A: a.Label, Axes: a.Axes, a: a})
			}
		}
		for _, p := range record.Pairs(variants, c.A, c.B...) {
			out = append(out, Setting{Metric: metric, A: p.A.Label, B: p.B.Label, Axes: p.Axes, a: p.A, b: p.B})
		}
	}
	return out
}

// sides are the values of a setting over the seeds that both of its variants have; b is nil
// for a claim about A alone.
type sides struct{ a, b []float64 }

// measure fills in the intervals, the effect and the contrast.
func (s *Setting) measure(ends analysis.Ends, c record.Claim) (sides, error) {
	alone, err := ends.Values(s.a, s.Metric)
	if err != nil {
		return sides{}, err
	}
	s.ValueA = stats.MeanInterval(alone)
	x := sides{a: defined(alone)}
	missing := len(alone) - len(x.a)
	if s.B != "" {
		values, err := ends.Values(s.b, s.Metric)
		if err != nil {
			return sides{}, err
		}
		s.ValueB = stats.MeanInterval(values)
		if c.Equal == "" {
			x.a, x.b, missing, err = ends.Paired(s.a, s.b, s.Metric)
		} else {
			x.a, x.b, missing, err = ends.AtEqual(s.a, s.b, s.Metric, c.Equal, deltaOf(c.Equal))
			s.ValueA, s.ValueB = stats.MeanInterval(x.a), stats.MeanInterval(x.b)
		}
		if err != nil {
			return sides{}, err
		}
	}
	s.Contrast, s.Effect, s.Delta = x.contrast(c), x.effect(c), delta(c, s.Metric)
	if c.Equal != "" && missing > 0 {
		s.LeftOut = fmt.Sprintf("both sides went through less than %g of %s on %s of %d", deltaOf(c.Equal), c.Equal, plural.Count(missing, "seed"), missing+len(x.a))
	}
	switch n := len(x.a); {
	case s.LeftOut != "" && missing > n:
		s.Reason = s.LeftOut
	case n == 0:
		s.Reason = fmt.Sprintf("%s is not defined", s.Metric)
		if missing == 0 {
			s.Reason = "no seed has both sides"
		}
	case len(s.Contrast) == 0:
		s.Reason = "the seeds of a side do not differ"
	case missing > n:
		s.Reason = fmt.Sprintf("%s is not defined for %d of %d seeds", s.Metric, missing, missing+n)
	}
	return x, nil
}

// defined are the values that are numbers.
func defined(xs []float64) []float64 { return slices.DeleteFunc(slices.Clone(xs), math.IsNaN) }

// contrast is the quantity that the claim asks about, one number a seed.
func (x sides) contrast(c record.Claim) []float64 {
	if c.Of == ofDeviation {
		return stats.DeviationContrast(x.a, x.b)
	}
	out := make([]float64, len(x.a))
	for i, a := range x.a {
		out[i] = a
		if x.b != nil {
			out[i] -= float64(times(c) * x.b[i])
		}
		if c.Says != string(stats.Same) {
			out[i] -= c.By
		}
	}
	return out
}

// effect is the claim's effect in the form that a reader knows.
func (x sides) effect(c record.Claim) stats.Interval {
	switch {
	case x.b == nil:
		return stats.MeanInterval(x.a)
	case c.Of == ofDeviation:
		return stats.DeviationRatioInterval(x.a, x.b)
	case times(c) != 1:
		return stats.RatioInterval(x.a, x.b)
	}
	differences := make([]float64, len(x.a))
	for i := range x.a {
		differences[i] = x.a[i] - x.b[i]
	}
	return stats.MeanInterval(differences)
}

const ofDeviation = "deviation"

func times(c record.Claim) float64 { return cmp.Or(c.Times, 1) }

// deviationDelta is the smallest change of a deviation that matters, as the logarithm of a
// factor: by a half. A deviation of twenty seeds is itself known to no better than a sixth.
var deviationDelta = math.Log(1.5)

// delta is the smallest effect that matters, in the unit of the contrast. Against a multiple
// of b it is that of b, as many times.
func delta(c record.Claim, metric string) float64 {
	size := c.Delta
	if size == 0 && c.Of == ofDeviation {
		return deviationDelta
	}
	if size == 0 {
		size = deltaOf(metric)
	}
	return size * max(1, times(c))
}

// deltaOf is a metric's own delta; 1 for one in records from elsewhere.
func deltaOf(metric string) float64 {
	if m, known := metrics.Lookup(metric); known {
		return m.Delta.Size
	}
	return 1
}

// unit is the unit of displayed effects: delta, or for a "same" claim the distance within which
// two values are the same.
func (s *Setting) unit(c record.Claim) float64 {
	if c.Says == string(stats.Same) {
		return c.By
	}
	return s.Delta
}

// InDeltas is the contrast in units of delta, with its interval: to the right of 0 if the claim
// is right. For a "same" claim the unit is the distance within which two values are the same,
// and the claim is right between -1 and 1. A missing mean is NaN.
func (s *Setting) InDeltas(c record.Claim) stats.Interval {
	i, unit := s.Finding.Effect, s.unit(c)
	if s.Finding.N == 0 {
		return stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	if c.Says == string(stats.Below) {
		i.Mean, i.Low, i.High = -i.Mean, -i.High, -i.Low
	}
	i.Mean, i.Low, i.High = i.Mean/unit, i.Low/unit, i.High/unit
	return i
}

const (
	// ceiling is how near to a metric's exact optimum two sides may both be before nothing
	// is left for a method to show.
	ceiling = 0.01
	// identical is the largest distance of two values of a seed that count as the same: the
	// difference between two roundings of one formula.
	identical = 1e-9
)

const (
	baseMethod    = "base"    // does not train
	optimumMethod = "optimum" // measures the exact optimum
)

// untestable explains why no outcome of the seeds could decide the claim at this setting: both
// sides are at the exact optimum of the metric, each seed has the same number on both, or the
// base policy solves no problem. It is "" if the seeds could decide.
func (s *Setting) untestable(ends analysis.Ends, variants []record.Variant, x sides) (string, error) {
	if x.b == nil {
		return "", nil
	}
	same := true
	for i := range x.a {
		same = same && math.Abs(x.a[i]-x.b[i]) <= identical
	}
	best, known, err := s.optimum(ends, variants)
	if err != nil {
		return "", err
	}
	if a, b := stats.Mean(x.a), stats.Mean(x.b); known && math.Abs(a-best) <= ceiling && math.Abs(b-best) <= ceiling {
		return fmt.Sprintf("both sides are at the optimum, %.3g", best), nil
	}
	if same {
		return "both sides are the same in every seed", nil
	}
	return s.unsolved(ends, variants)
}

// unsolved explains that no answer of the base policy is correct, in any seed, although the
// claim is about correct answers. Anything learned then is luck; a problem set that the base
// partly solves would be a better test.
func (s *Setting) unsolved(ends analysis.Ends, variants []record.Variant) (string, error) {
	if family, _ := record.Family(s.Metric); family != "pass" && family != "accuracy" {
		return "", nil
	}
	none := false
	for _, v := range variants {
		if _, agree := record.Agree(s.a, v); v.Method != baseMethod || !agree {
			continue
		}
		xs, err := ends.Values(v, s.Metric)
		if err != nil || slices.ContainsFunc(xs, func(x float64) bool { return x > 0 }) {
			return "", err
		}
		none = none || len(defined(xs)) > 0
	}
	if !none {
		return "", nil
	}
	return fmt.Sprintf("the base policy has %s 0 in every seed: want problems that it solves some of (docs/environments.md, splits)", s.Metric), nil
}

// optimum is the mean of the setting's metric for the best of all policies: of the variant that
// measures it, if the run has one, else 1 for a share of all there is to find.
func (s *Setting) optimum(ends analysis.Ends, variants []record.Variant) (best float64, known bool, err error) {
	for _, v := range variants {
		if _, agree := record.Agree(s.a, v); v.Method != optimumMethod || !agree {
			continue
		}
		xs, err := ends.Values(v, s.Metric)
		if xs = defined(xs); err != nil || len(xs) > 0 {
			return stats.Mean(xs), len(xs) > 0, err
		}
	}
	family, _ := record.Family(s.Metric)
	best, known = optima[family]
	return best, known, nil
}

// optima are the best values that a policy can reach on any solvable problem, which all
// problems of the suite are: metrics.Table.AddOptimum.
var optima = map[string]float64{
	"pass": 1, "maj": 1, "accuracy": 1, "final_accuracy": 1, "strategy_accuracy": 1, "search_pass": 1,
	"coverage": 1, "front_coverage": 1, "hypervolume": 1, "regret": 0,
}
