package train

import (
	"fmt"

	"modebench/internal/exact"
	"modebench/metrics"
	"modebench/policies"
)

// This file measures rollouts beyond their verdicts: their tokens, and how probable these were
// before training.

// addRolloutMetrics adds tokens, branches and divergence of one problem. The branches are
// those of e.branchSet; tokens is the mean length of the problem's rollouts.
func (e *evaluator) addRolloutMetrics(table *metrics.Table, number int, tokens float64) error {
	if e.measures(metrics.MeasureRollouts) {
		table.AddValue("tokens", tokens)
	}
	if e.measures(metrics.MeasureBranches) {
		k := metrics.BranchRollouts
		if e.branchSet.mass == nil {
			k = min(k, len(e.branchSet.rollouts))
		}
		branches, err := metrics.Branches(e.branchSet.rollouts, e.branchSet.mass, e.eval.Positions, k)
		if err != nil {
			return err
		}
		for i, h := range e.eval.Positions {
			table.AddValue(fmt.Sprintf("%s@%d", metrics.BranchFamily, h), branches[i])
		}
	}
	if !e.measures(metrics.MeasureKL) {
		return nil
	}
	kl, err := e.divergence(number)
	if err == nil {
		table.AddValue("kl", kl)
	}
	return err
}

// divergence is KL(policy || policy before training) of a rollout at temperature 1: by the chain
// rule the expected sum of the divergences of its tokens' distributions. It is exact where all
// rollouts can be enumerated, else the mean over as many as are judged, from a stream of their own.
// Prompts state w*, whatever goals the evaluation draws.
func (e *evaluator) divergence(number int) (float64, error) {
	group, mass, err := e.untempered(number)
	if err != nil {
		return 0, err
	}
	tokens, err := e.policy.Flatten(policies.Batch{
		Groups: []policies.Group{group}, Temperature: 1, Context: e.ctx,
		Want: policies.Want{KL: true}, Reference: e.before,
	})
	if err != nil {
		return 0, err
	}
	terms := make([]float64, len(mass))
	for i, p := range mass {
		terms[i] = float64(p * exact.Sum(tokens.KL[tokens.Start[i]:tokens.Start[i+1]]))
	}
	return exact.Sum(terms), nil
}

// untempered gives the policy's rollouts to a prompt at temperature 1: all of them with
// their probabilities or, if they are too many, a sample of equal weights.
func (e *evaluator) untempered(number int) (group policies.Group, mass []float64, err error) {
	q := &e.prompts[number]
	tasks := q.tasks[e.goal() : e.goal()+1]
	opt := policies.SampleOptions{Temperature: 1, TopP: 1, Key: e.key.Str("kl"), Context: e.ctx}
	if enumerator, ok := e.policy.(policies.Enumerator); ok && e.eval.Enumerate > 0 && !e.endlessKL[number] {
		answers, complete, err := enumerator.Enumerate(tasks[0], opt, e.eval.Enumerate)
		if err != nil {
			return group, nil, err
		}
		if complete {
			group.Task = tasks[0]
			for i, a := range answers {
				// A divergence does not read the log-probabilities of sampling.
				none := make([]float64, len(a.Tokens))
				group.Rollouts = append(group.Rollouts, policies.Rollout{Number: i, Tokens: a.Tokens, Logp: none, Entropy: none})
				mass = append(mass, a.P)
			}
			return group, mass, nil
		}
		e.endlessKL[number] = true
	}
	n := e.pool()
	groups, err := e.policy.Sample(tasks, n, opt)
	if err != nil {
		return group, nil, err
	}
	for range n {
		mass = append(mass, 1/float64(n))
	}
	return groups[0], mass, nil
}
