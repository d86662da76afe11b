package plots

import (
	"fmt"
	"testing"

	"modebench/experiments/record"
)

// crowdRun has more modes than a river can show apart, degenerate answers, and
// long names.
func crowdRun(t testing.TB, seeds int) *record.Run {
	t.Helper()
	run := emptyRun(t)
	for _, method := range []string{"grpo", "poly-epo"} {
		v := record.Variant{Label: method, Method: method, Axes: []record.Axis{{Field: "sort of problem", Value: "polynomials of a high degree over " + method}}}
		addVariant(t, run, v, seeds, crowdEvals)
	}
	return run
}

func crowdEvals(seed int) []record.Eval {
	var evals []record.Eval
	for step := 0; step <= 100; step += 10 {
		e := record.Eval{Step: step, Metrics: map[string]float64{"reward": 0.5}}
		e.Modes = append(e.Modes, record.Share{Mode: "", Mass: 0.1})
		for i := range 30 {
			mass := (0.5 + 0.4*float64(step)/100) / 9
			if i%3 != 0 {
				mass = (0.4 - 0.4*float64(step)/100) / 21
			} else if i == 3*seed {
				mass = 0
			}
			e.Modes = append(e.Modes, record.Share{Mode: fmt.Sprintf("(a+b)*c-%d", i), Correct: i%3 == 0, Mass: mass})
		}
		evals = append(evals, e)
	}
	return evals
}

// manyRun has n variants with long labels.
func manyRun(t testing.TB, n int) *record.Run {
	t.Helper()
	run := emptyRun(t)
	for i := range n {
		method := []string{"grpo", "setpo+grpo", "poly-epo", "vpo", "evol-rl"}[i%5]
		lambda := fmt.Sprintf("%.2f", 0.05*float64(i/5+1))
		v := record.Variant{Label: method + " estimator.lambda=" + lambda, Method: method, Axes: []record.Axis{{Field: "estimator.lambda", Value: lambda}}}
		addVariant(t, run, v, 3, func(seed int) []record.Eval { return banditEvals(0.02*float64(i), true, seed, 500, 50) })
	}
	return run
}

// nestedRun has methods over optimisers and learning rates, two of them over
// lambdas too, in the manner of a spec's grid.
func nestedRun(t testing.TB, seeds, steps, every int) *record.Run {
	t.Helper()
	run := emptyRun(t)
	addVariant(t, run, record.Variant{Method: "base"}, seeds, func(seed int) []record.Eval {
		return banditEvals(0, false, seed, steps, every)
	})
	for _, optimizer := range []string{"adam", "sgd"} {
		for i, rate := range []string{"0.03", "0.1", "0.3", "1"} {
			for j, own := range []string{"", "0.05", "2"} {
				v := record.Variant{Label: "grpo", Method: "grpo", Axes: []record.Axis{{Field: "train.optimizer", Value: optimizer}, {Field: "train.lr", Value: rate}}}
				if own != "" {
					v.Method = "setpo+grpo"
					v.Label = "setpo+grpo lambda=" + own
					v.Axes = append(v.Axes, record.Axis{Field: "lambda", Value: own})
				}
				v.Label += " optimizer=" + optimizer + " lr=" + rate
				addVariant(t, run, v, seeds, func(seed int) []record.Eval {
					return banditEvals(0.1*float64(i*j), true, seed, steps, every)
				})
			}
		}
	}
	return run
}
