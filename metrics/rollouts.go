package metrics

import (
	"slices"

	"modebench/envs"
)

func init() {
	register(Metric{rank: 250, Name: "final_accuracy", Doc: "probability that a rollout's final answer is correct (SD-E2's ACC)", Detail: "a rollout without a final answer is not; [0, 1]; SD-E2 eq. 25",
		Label: "accuracy of the final answer", Axis: AxisShare, Delta: shareDelta, Measure: MeasureRollouts, Reads: envs.HasCorrect | envs.HasAnswer, ceiling: solvable,
		add: func(t *Table, a *answers) {
			t.AddValue("final_accuracy", min(1, a.overRollouts(func(i int) float64 {
				v := a.final(i)
				return indicator(v != nil && v.Correct)
			})))
		}})
	// With a single answer to a rollout, strategy_accuracy is accuracy, and strategies the share of
	// valid answers.
	register(
		Metric{rank: 260, Name: "strategy_accuracy", Doc: "probability that some answer of a rollout is correct (SD-E2's S-ACC)", Detail: "[0, 1]; SD-E2 eq. 26",
			Label: "strategy accuracy", Axis: AxisShare, Delta: shareDelta, Measure: MeasureRollouts, Reads: envs.HasCorrect, ceiling: solvable,
			add: func(t *Table, a *answers) {
				t.AddValue("strategy_accuracy", min(1, a.overRollouts(func(i int) float64 {
					return indicator(slices.ContainsFunc(a.chain(i), func(v *envs.Verdict) bool { return v.Correct }))
				})))
			}},
		Metric{rank: 270, Name: "strategies", Doc: "expected valid strategies of a rollout, copies counted once (SD-E2's #STR)", Detail: "candidates with a mode and, in environments with answers, an answer; count, [0, m]; SD-E2 sec. 4.1 (eqs. 8-9)",
			Label: "strategies per rollout", Axis: AxisFromZero, Delta: Delta{0.1, "one strategy more in every tenth rollout; a base policy has 1.4"}, Measure: MeasureRollouts, Reads: envs.HasMode,
			add: func(t *Table, a *answers) {
				t.AddValue("strategies", min(float64(a.m), a.overRollouts(func(i int) float64 {
					return float64(validStrategies(a.chain(i), t.has(envs.HasAnswer)))
				})))
			}},
	)
}

// overRollouts is the mean of a value over the rollouts.
func (a *answers) overRollouts(value func(rollout int) float64) float64 {
	sum := 0.0
	for i, mass := range a.mass {
		sum += float64(mass * value(i))
	}
	return sum / (a.candidates() / float64(a.m))
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// validStrategies is n_strat (SD-E2 eqs. 8-9) of a chain without its copies: the
// candidates that have a strategy and, in environments with answers, an answer,
// as the estimators of SD-E2 count them.
func validStrategies(chain []*envs.Verdict, answers bool) int {
	n := 0
	for i, v := range chain {
		if v.Mode == envs.Degenerate || answers && v.Answer == "" {
			continue
		}
		if !slices.ContainsFunc(chain[:i], func(earlier *envs.Verdict) bool { return earlier.SaysSame(v) }) {
			n++
		}
	}
	return n
}
