package claims

import (
	"fmt"
	"math"
	"slices"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/metrics/stats"
)

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
