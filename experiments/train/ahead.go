package train

import (
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
)

// ahead has the pools of an evaluation's next problems, which one call has drawn: the policy shares the work
// of what they have in common. A rollout depends on its own key alone, so it is the same in any call.
type ahead struct {
	key    rng.Key
	pools  map[*prompt][]policies.Rollout // with their tokens and entropies
	tokens []envs.Token
	values []float64
}

// mostAhead is about how many rollouts are drawn in one call.
const mostAhead = 8192

// drawAhead draws the pools of problem number and of those behind it, unless they are there. A policy whose rollouts
// are enumerated shares nothing.
func (e *evaluator) drawAhead(number, n int, opt policies.SampleOptions) error {
	a := &e.ahead
	_, enumerates := e.policy.(policies.Enumerator)
	if enumerates || e.manyGoals() || n == 0 || a.pools[&e.prompts[number]] != nil {
		return nil
	}
	block := e.prompts[number:min(number+max(1, mostAhead/n), len(e.prompts))]
	var tasks []envs.Task
	for i := range block {
		tasks = append(tasks, block[i].tasks[e.goal()])
	}
	groups, err := e.policy.Sample(tasks, n, opt)
	if err != nil {
		return err
	}
	total := 0
	for g := range groups {
		for i := range groups[g].Rollouts {
			total += len(groups[g].Rollouts[i].Tokens)
		}
	}
	// The policy's next call, to measure the first of the problems, writes over its rollouts.
	a.key, a.pools = opt.Key, map[*prompt][]policies.Rollout{}
	a.tokens, a.values = slices.Grow(a.tokens[:0], total), slices.Grow(a.values[:0], total)
	for g := range groups {
		pool := make([]policies.Rollout, n)
		for i := range groups[g].Rollouts {
			r := &groups[g].Rollouts[i]
			from := len(a.tokens)
			a.tokens, a.values = append(a.tokens, r.Tokens...), append(a.values, r.Entropy...)
			to := len(a.tokens)
			pool[i] = policies.Rollout{Number: r.Number, Tokens: a.tokens[from:to:to], Entropy: a.values[from:to:to]}
		}
		a.pools[&block[g]] = pool
	}
	return nil
}

// take gives the pool of a prompt under a key, once; nil if there is none.
func (a *ahead) take(q *prompt, key rng.Key) []policies.Rollout {
	if a.key != key {
		return nil
	}
	pool := a.pools[q]
	delete(a.pools, q)
	return pool
}
