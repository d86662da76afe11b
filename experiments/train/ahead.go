package train

import (
	"slices"

	"modebench/envs"
	"modebench/policies"
)

// mostAhead is about how many tokens are drawn in one call.
const mostAhead = 1 << 18

// drawAhead draws the pools of problem number and of those behind it, unless they are there. A policy whose rollouts
// are enumerated shares nothing.
func (e *evaluator) drawAhead(number, n int, opt policies.SampleOptions) error {
	a := &e.ahead
	_, enumerates := e.policy.(policies.Enumerator)
	if enumerates || e.manyGoals() || n == 0 || number >= a.first && number < a.first+len(a.pools) {
		return nil
	}
	longest := e.setup.Env.Info().MaxAnswer * e.setup.Train.Candidates
	block := e.prompts[number:min(number+max(1, mostAhead/(n*longest)), len(e.prompts))]
	var tasks []envs.Task
	for i := range block {
		tasks = append(tasks, block[i].tasks[e.goal()])
	}
	groups, err := e.policy.Sample(tasks, n, opt)
	if err != nil {
		return err
	}
	// The policy's next call, to measure the first of the problems, writes over its rollouts.
	total := tokensOf(groups)
	a.key, a.first, a.pools = opt.Key, number, make([][]policies.Rollout, len(block))
	a.tokens, a.values = slices.Grow(a.tokens[:0], total), slices.Grow(a.values[:0], total)
	for g := range groups {
		a.pools[g] = make([]policies.Rollout, n)
		for i := range groups[g].Rollouts {
			r := &groups[g].Rollouts[i]
			from := len(a.tokens)
			a.tokens, a.values = append(a.tokens, r.Tokens...), append(a.values, r.Entropy...)
			to := len(a.tokens)
			a.pools[g][i] = policies.Rollout{Number: r.Number, Tokens: a.tokens[from:to:to], Entropy: a.values[from:to:to]}
		}
	}
	return nil
}
