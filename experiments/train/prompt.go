package train

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/params"
	"modebench/internal/rng"
)

type prompt struct {
	problem envs.Problem
	chain   *envs.Chain // nil where a rollout is one answer
	tasks   []envs.Task // one per goal; without goals one alone
}

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

// Problems keeps the problems that cells of one sweep have in common, so that each is drawn and
// solved once. A problem is a function of its environment's parameters, its split and its number,
// and safe for concurrent use. So no record depends on who made it.
type Problems struct {
	mu   sync.Mutex
	kept []*drawnProblems // the most recently used comes last
}

// keptDraws is how many draws of problems are kept: enough for ten seeds with separate problems.
// The least recently used draw gives way. Sweeps go through the seeds of a method before the next
// method, so with more draws than that no draw would be used again.
const keptDraws = 12

type drawnProblems struct {
	name string // of the environment, with all of its parameters
	env  envs.Env

	mu   sync.Mutex
	made map[envs.Split][]envs.Problem // by number; nil: not made yet
}

func (s *Problems) share(p *spec.Setup) error {
	name, err := json.Marshal(record.Component{Name: p.EnvName, Params: params.Values(p.EnvConfig)})
	if err != nil {
		return err
	}
	p.Problems = s.drawn(string(name), p.Env).problem
	return nil
}

func (s *Problems) drawn(name string, env envs.Env) *drawnProblems {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &drawnProblems{name: name, env: env, made: map[envs.Split][]envs.Problem{}}
	if index := slices.IndexFunc(s.kept, func(d *drawnProblems) bool { return d.name == name }); index >= 0 {
		d = s.kept[index]
		s.kept = slices.Delete(s.kept, index, index+1)
	} else if len(s.kept) == keptDraws {
		s.kept = slices.Delete(s.kept, 0, 1)
	}
	s.kept = append(s.kept, d)
	return d
}

func (d *drawnProblems) problem(split envs.Split, index int) (envs.Problem, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	made := d.made[split]
	if 0 <= index && index < len(made) && made[index] != nil {
		return made[index], nil
	}
	problem, err := d.env.Problem(split, index)
	if err != nil {
		return nil, err
	}
	if short := index + 1 - len(made); short > 0 {
		made = append(made, make([]envs.Problem, short)...)
	}
	made[index] = problem
	d.made[split] = made
	return problem, nil
}
