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
		t.put(finalAccuracy, min(1, right/rollouts))
	}
	if t.has(envs.HasCorrect) {
		t.put(strategyAccuracy, min(1, solved/rollouts))
	}
	if t.has(envs.HasMode) {
		t.put(strategies, min(float64(a.m), found/rollouts))
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
		if !slices.ContainsFunc(chain[:i], func(earlier *envs.Verdict) bool { return copies(earlier, v) }) {
			n++
		}
	}
	return n
}

// copies says whether two candidates say the same, as far as verdicts tell: SD-E2's
// parser (app. E) leaves such repetitions out.
func copies(a, b *envs.Verdict) bool {
	return a == b || a.Mode == b.Mode && a.Variant == b.Variant && a.Answer == b.Answer && a.Correct == b.Correct &&
		slices.Equal(a.Embedding, b.Embedding)
}
