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
	// identical is how far apart the values of a seed may be that count as the same: what
	// two ways to round one formula differ by.
	identical = 1e-9
)

// baseMethod is the method that does not train.
const baseMethod = "base"

// optimumMethod is the method that measures the exact optimum.
const optimumMethod = "optimum"

// untestable says why nothing that the seeds do could decide the claim at this setting: both
// sides are at the exact optimum of the metric, each seed has the same number on both, or the
// base policy solves none of the problems. It is "" where something could.
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

// unsolved says that no answer of the base policy is correct, in any seed, where the claim is
// about correct answers: what is learned then is luck, and a problem set that the base knows
// something of would say more.
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

// optimum is the mean of the setting's metric for the best of all policies: of the variant
// that measures it, where the run has one, else 1 for what is a share of all that there is.
func (s *Setting) optimum(ends analysis.Ends, variants []record.Variant) (best float64, known bool, err error) {
	for _, v := range variants {
		if v.Method != optimumMethod {
			continue
		}
		if _, agree := record.Agree(s.a, v); !agree {
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

// optima are what a policy could reach on any problem that has a solution, which all of the
// suite have: metrics.Table.AddOptimum.
var optima = map[string]float64{
	"pass": 1, "maj": 1, "accuracy": 1, "final_accuracy": 1, "strategy_accuracy": 1, "search_pass": 1,
	"coverage": 1, "front_coverage": 1, "hypervolume": 1, "regret": 0,
}
