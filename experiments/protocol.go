package experiments

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/rng"
)

// A protocol is how a cell puts problems to its policy: how many answers a
// rollout holds, and whether the prompt states a goal.
type protocol struct {
	candidates int
	stops      bool // a chain may end before its last answer
	vocabulary int  // of the environment
	word       string
	byModes    bool
	policy     policyConfig
	goals      [][]float64 // the weights that a goal can state; nil: prompts state none
}

// setProtocol reads the rollout protocol off the built parts. A train.candidates of
// 0 is resolved to what the method's paper has, so that the cell says it.
func (p *parts) setProtocol(method estimators.Method) {
	if p.train.Candidates == 0 {
		p.train.Candidates = method.Candidates
	}
	p.train.Stops = p.train.Stops || method.Stops
	info := p.env.Info()
	p.protocol = protocol{
		candidates: p.train.Candidates, stops: p.train.Stops, vocabulary: len(info.Vocabulary), word: info.Word,
		byModes: p.policy.byModes(), policy: p.policy,
	}
	if method.Goals {
		p.protocol.goals = envs.GoalWeights(len(info.Components))
	}
}

// A question is a problem as a protocol puts it to the policy.
type question struct {
	problem envs.Problem
	chain   *envs.Chain // nil where a rollout is one answer
	tasks   []envs.Task // one per goal; without goals one alone
}

// questions lists the first n problems of a split as the protocol puts them.
func (c *protocol) questions(env envs.Env, split envs.Split, n int) ([]question, error) {
	out := make([]question, n)
	for i := range out {
		p, err := env.Problem(split, i)
		if err != nil {
			return nil, err
		}
		if out[i], err = c.question(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *protocol) question(p envs.Problem) (question, error) {
	p, err := c.policy.question(p)
	if err != nil {
		return question{}, err
	}
	q := question{problem: p}
	var task envs.Task = p
	if c.candidates > 1 || c.stops {
		if q.chain, err = envs.NewChain(p, c.candidates, envs.ChainOptions{Word: c.word, ByModes: c.byModes, Stops: c.stops, Vocabulary: c.vocabulary}); err != nil {
			return q, err
		}
		task = q.chain
	}
	if c.goals == nil {
		q.tasks = []envs.Task{task}
		return q, nil
	}
	for i := range c.goals {
		q.tasks = append(q.tasks, envs.NewGoal(task, c.goals, i))
	}
	return q, nil
}

// facts says what is known of every rollout beside its verdicts.
func (c *protocol) facts() estimators.RolloutFields {
	known := estimators.RolloutTokens | estimators.RolloutLogprob | estimators.RolloutEntropy | estimators.GroupGreedy
	if c.stops {
		known |= estimators.RolloutFinal
	}
	return known
}

// judge appends the verdicts of a rollout as metrics take them, as many of every
// one: an answer that a chain stopped before is judged as an empty one.
func (q *question) judge(dst []*envs.Verdict, rollout []envs.Token) []*envs.Verdict {
	if q.chain != nil {
		return q.chain.JudgeAll(dst, rollout)
	}
	return append(dst, q.problem.Judge(rollout))
}

// named is which of its answers a rollout names as the final one, from 1; 0: none.
func (q *question) named(rollout []envs.Token) int {
	if q.chain == nil {
		return 0
	}
	return q.chain.Named(rollout)
}

// drawGoal draws w ~ Dir(1) and returns the number of the goal nearest to it: a
// table knows no near and far weights, so its prompts state one of a few.
func (c *protocol) drawGoal(key rng.Key) int {
	w := make([]float64, len(c.goals[0]))
	rng.Dirichlet(key.Rand(), 1, w)
	return envs.NearestGoal(c.goals, w)
}
