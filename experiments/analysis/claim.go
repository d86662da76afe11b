package analysis

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/gate"
	"modebench/metrics/stats"
)

// A Setting is a claim at one setting: a metric, and a variant of A with one of B
// that agree on every axis they share.
type Setting struct {
	Metric string
	A, B   string // labels; B is empty for a claim about A alone
	Axes   []record.Axis
	ValueA stats.Interval
	ValueB stats.Interval
	// Effect is A less B, over the seeds that both have, or ValueA where there is no B.
	// Of a gate over deviations it is their difference, without bounds.
	Effect stats.Interval
	Holds  bool
	Reason string // why there is no verdict; "" when there is one

	a, b record.Variant
}

// judge evaluates a claim at every setting of a run.
func (f ends) judge(c record.Claim) ([]Setting, error) {
	condition, err := gate.Compile(c.Gate, len(c.B) == 0)
	if err != nil {
		return nil, err
	}
	var out []Setting
	for _, metric := range c.Metrics {
		for _, s := range settings(f.run.Variants, c) {
			s.Metric = metric
			if err := s.judge(f, condition, ofDeviations(c)); err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// settings lists the pairs of variants that a claim compares, or, where it is
// about A alone, the variants of A.
func settings(variants []record.Variant, c record.Claim) []Setting {
	var out []Setting
	for _, a := range record.Named(variants, c.A) {
		if len(c.B) == 0 {
			out = append(out, Setting{A: a.Label, Axes: a.Axes, a: a})
		}
		for _, name := range c.B {
			for _, b := range record.Named(variants, name) {
				if axes, agree := record.Agree(a, b); agree {
					out = append(out, Setting{A: a.Label, B: b.Label, Axes: axes, a: a, b: b})
				}
			}
		}
	}
	return out
}

// underpowered begins the reason of a setting that has too few seeds for a verdict.
const underpowered = "underpowered"

// few says that the setting has too few seeds for a verdict.
func (s *Setting) few() bool { return strings.HasPrefix(s.Reason, underpowered) }

// seeds is the number of seeds of the side that has fewer.
func (s *Setting) seeds() int {
	if s.B == "" {
		return s.ValueA.N
	}
	return min(s.ValueA.N, s.ValueB.N)
}

// judge fills in the intervals and the verdict.
func (s *Setting) judge(f ends, condition *gate.Gate, deviations bool) error {
	var err error
	if s.ValueA, err = f.interval(s.a, s.Metric); err != nil {
		return err
	}
	s.Effect = s.ValueA
	a, err := f.gateOf(s.a, s.Metric, s.ValueA)
	if err != nil {
		return err
	}
	var b gate.Side
	if s.B != "" {
		if s.ValueB, err = f.interval(s.b, s.Metric); err != nil {
			return err
		}
		if s.Effect, err = f.difference(s.a, s.b, s.Metric); err != nil {
			return err
		}
		b, err = f.gateOf(s.b, s.Metric, s.ValueB)
		if err != nil {
			return err
		}
		if deviations {
			s.Effect = stats.Interval{N: s.seeds(), Mean: a.SD - b.SD, Low: math.NaN(), High: math.NaN()}
		}
	}
	for _, side := range []struct {
		label string
		value stats.Interval
	}{{s.A, s.ValueA}, {s.B, s.ValueB}} {
		if math.IsNaN(side.value.Mean) {
			s.Reason = fmt.Sprintf("undefined: no %s of %s", s.Metric, side.label)
			return nil
		}
	}
	if n := s.seeds(); n < stats.MinSeeds {
		s.Reason = fmt.Sprintf(underpowered+": %d seeds, need %d", n, stats.MinSeeds)
		if n == 1 {
			s.Reason = fmt.Sprintf(underpowered+": 1 seed, need %d", stats.MinSeeds)
		}
		return nil
	}
	s.Holds, err = condition.Holds(a, b)
	return err
}

// difference is a less b in a metric after training, seed by seed where they share
// seeds.
func (f ends) difference(a, b record.Variant, metric string) (stats.Interval, error) {
	old, err := f.finals(b)
	if err != nil {
		return stats.Interval{}, err
	}
	new, err := f.finals(a)
	if err != nil {
		return stats.Interval{}, err
	}
	values := seedValues{metric, valuesBySeed(old, metric), valuesBySeed(new, metric)}
	return compareOne(values, StatisticMean).Delta, nil
}

// ofDeviations says whether a claim is about how much the seeds of two sides scatter,
// and about nothing else.
func ofDeviations(c record.Claim) bool {
	return len(c.B) > 0 && strings.Contains(c.Gate, ".sd") &&
		!strings.Contains(c.Gate, ".mean") && !strings.Contains(c.Gate, ".low") && !strings.Contains(c.Gate, ".high")
}

// gateOf is what a gate sees of a variant.
func (f ends) gateOf(v record.Variant, metric string, i stats.Interval) (gate.Side, error) {
	xs, err := f.values(v, metric)
	return gate.Side{Mean: i.Mean, Low: i.Low, High: i.High, SD: stats.Deviation(xs), N: i.N}, err
}

// multiple is what a gate about a multiple of b has: "5 * b.high", "b.low / 10".
var multiple = regexp.MustCompile(`[0-9.]+ *\* *b\.|\bb\.[a-z]+ */ *[0-9]`)

// OfMultiple says whether the claim is about a multiple of b, as in "more than five times".
func (v *ClaimVerdict) OfMultiple() bool { return multiple.MatchString(v.Claim.Gate) }

// Ratio is A over B, between the least and the most that their intervals allow, without bounds
// where one has none or B's reaches 0. It is NaN where B is not above 0.
func (s *Setting) Ratio() stats.Interval {
	a, b := s.ValueA, s.ValueB
	out := stats.Interval{N: s.seeds(), Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if !(b.Mean > 0) {
		return out
	}
	out.Mean = a.Mean / b.Mean
	if b.Low > 0 && a.Low >= 0 && !math.IsInf(a.High, 0) && !math.IsInf(b.High, 0) {
		out.Low, out.High = a.Low/b.High, a.High/b.Low
	}
	return out
}
