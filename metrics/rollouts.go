package metrics

import (
	"slices"

	"modebench/envs"
)

// addRollouts adds the metrics of whole chains. With a single answer to a rollout,
// strategy_accuracy is accuracy, and strategies the share of valid answers.
func (t *Table) addRollouts(a *answers) {
	right, solved, found := 0.0, 0.0, 0.0
	for i, mass := range a.mass {
		chain := a.chain(i)
		if v := a.final(i); v != nil && v.Correct {
			right += mass
		}
		if slices.ContainsFunc(chain, func(v *envs.Verdict) bool { return v.Correct }) {
			solved += mass
		}
		found += float64(mass * float64(validStrategies(chain, t.has(envs.HasAnswer))))
	}
	rollouts := a.candidates() / float64(a.m)
	if t.has(envs.HasCorrect | envs.HasAnswer) {
		t.addPlain(finalAccuracy, min(1, right/rollouts))
	}
	if t.has(envs.HasCorrect) {
		t.addPlain(strategyAccuracy, min(1, solved/rollouts))
	}
	if t.has(envs.HasMode) {
		t.addPlain(strategies, min(float64(a.m), found/rollouts))
	}
}

// validStrategies is n_strat (SD-E2 eqs. 8-9) of a chain without its copies: the
// candidates that have a strategy and, where there are answers at all, one of those,
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
