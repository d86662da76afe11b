package train

import (
	"context"

	"modebench/envs"
	"modebench/experiments/spec"
	"modebench/internal/rng"
)

// A prompt is a problem in the form in which the policy gets it.
type prompt struct {
	problem envs.Problem
	chain   *envs.Chain // nil where a rollout is one answer
	tasks   []envs.Task // one per goal; without goals one alone
}

// prompts makes prompts of the first n problems of a split, unless the context ends.
func prompts(ctx context.Context, p *spec.Setup, split envs.Split, n int) ([]prompt, error) {
	out := make([]prompt, n)
	for i := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		problem, err := p.Problem(split, i)
		if err != nil {
			return nil, err
		}
		if out[i], err = newPrompt(p, problem); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func newPrompt(p *spec.Setup, problem envs.Problem) (prompt, error) {
	problem, err := p.Policy.Problem(problem)
	if err != nil {
		return prompt{}, err
	}
	q := prompt{problem: problem}
	var task envs.Task = problem
	if p.Train.Candidates > 1 || p.Train.Stops {
		info := p.Env.Info()
		opt := envs.ChainOptions{Word: info.Word, ByModes: p.Policy.ByModes(), Stops: p.Train.Stops, Vocabulary: len(info.Vocabulary)}
		if q.chain, err = envs.NewChain(problem, p.Train.Candidates, opt); err != nil {
			return q, err
		}
		task = q.chain
	}
	if p.Goals == nil {
		q.tasks = []envs.Task{task}
		return q, nil
	}
	for i := range p.Goals {
		q.tasks = append(q.tasks, envs.NewGoal(task, p.Goals, i))
	}
	return q, nil
}

// judge appends the verdicts of a rollout for metrics, the same number for every rollout:
// an answer that a chain did not give is judged as an empty one.
func (q *prompt) judge(dst []*envs.Verdict, rollout []envs.Token) []*envs.Verdict {
	if q.chain != nil {
		return q.chain.JudgeAll(dst, rollout)
	}
	return append(dst, q.problem.Judge(rollout))
}

// named is which of its answers a rollout names as the final one, from 1; 0: none.
func (q *prompt) named(rollout []envs.Token) int {
	if q.chain == nil {
		return 0
	}
	return q.chain.Named(rollout)
}

// drawGoal draws w ~ Dir(1) and returns the number of the goal nearest to it. A tabular
// policy cannot generalise from one w to another near it, so prompts state one of a few.
func drawGoal(goals [][]float64, key rng.Key) int {
	w := make([]float64, len(goals[0]))
	rng.Dirichlet(key.Rand(), 1, w)
	return envs.NearestGoal(goals, w)
}
