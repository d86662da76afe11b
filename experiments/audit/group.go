package audit

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/train"
	"modebench/internal/rng"
)

// A group is the rollouts of one problem, of which a method makes a step. It is used again
// and again with other answers.
type group struct {
	ctx     context.Context
	method  *estimators.Instance
	problem *problem
	size    int // N, the rollouts that are trained on
	drawn   int // those and the rollouts that only vote

	batch      estimators.Batch
	arms       [][]int // of every rollout
	next       []int   // of a rollout that is drawn
	advantages [][]float64
	tokens     [][][]float64 // in their place, of a method that gives every token its own
	step       []float64     // g, by logit
}

func newGroup(ctx context.Context, method *estimators.Instance, problem *problem, weights []float64, size, candidates int, seed uint64) *group {
	g := &group{ctx: ctx, method: method, problem: problem, size: size, drawn: max(size, method.Protocol.Votes), next: make([]int, candidates)}
	group := estimators.Group{Problem: problem.id, Greedy: problem.greedy}
	for i := range g.drawn {
		group.Rollouts = append(group.Rollouts, estimators.Rollout{
			Tokens: candidates, Entropy: float64(float64(candidates) * problem.entropy),
			Train: i < size, Candidates: make([]*envs.Verdict, candidates), PerToken: problem.perToken(candidates),
		})
		g.arms = append(g.arms, make([]int, candidates))
	}
	g.batch = estimators.Batch{
		Context: ctx, Seed: seed, Weights: weights, CandidateFields: envs.HasAll, RolloutFields: estimators.AllRolloutFields | estimators.AllTokenFields, Groups: []estimators.Group{group},
	}
	g.advantages = estimators.NewAdvantages(&g.batch)
	g.tokens = estimators.NewTokenAdvantages(&g.batch)
	g.step = make([]float64, len(problem.p))
	return g
}

// setAnswers makes arms the answers of rollout i. A chain that may stop always gives all its
// answers here, without naming the final answer: it is the last one.
func (g *group) setAnswers(i int, arms []int) {
	r := &g.batch.Groups[0].Rollouts[i]
	if slices.Equal(arms, g.arms[i]) && r.Candidates[0] != nil {
		return
	}
	r.Logprob = 0
	for c, arm := range arms {
		g.arms[i][c] = arm
		r.Candidates[c] = g.problem.verdicts[arm]
		r.Logprob += g.problem.logp[arm]
		r.PerToken.Logprob[c], r.PerToken.Reference[c] = g.problem.logp[arm], g.problem.logp[arm]
	}
	if !g.method.Method.Stops {
		return
	}
	r.Final = ""
	if v := envs.FinalVerdict(r.Candidates, 0); v != nil {
		r.Final = v.Answer
	}
}

func (g *group) draw(stream *rand.PCG) {
	for i := range g.arms {
		for c := range g.next {
			g.next[c] = g.problem.draw(rng.Uniform(stream))
		}
		g.setAnswers(i, g.next)
	}
}

// teaches reports whether the group passes dynamic sampling's filter, if there is one.
func (g *group) teaches() (bool, error) {
	if g.method.Protocol.Generations == 0 {
		return true, nil
	}
	return train.Teaches(g.method, &g.batch, 0, g.size)
}

// estimate fills step with (1/N) sum_i A_i grad log pi(y_i) of the group, as step `number` of the
// training: a chain's log-probability is the sum of its answers', and that of arm a has the
// gradient e_a - p. A method with a state has seen nothing before. An answer is one token.
func (g *group) estimate(number int) error {
	g.batch.Step = number
	if s := g.method.State(); s != nil { // a plug-in has seen the last group
		if err := s.Load(strings.NewReader("")); err != nil {
			return err
		}
	}
	perToken := g.method.PerToken()
	var err error
	if perToken {
		err = g.method.TokenAdvantages(g.tokens, &g.batch)
	} else {
		err = g.method.Advantages(g.advantages, &g.batch)
	}
	if err != nil {
		return err
	}
	clear(g.step)
	total := 0.0
	for i, arms := range g.arms[:g.size] {
		for c, arm := range arms {
			a := g.advantages[0][i]
			if perToken {
				a = g.tokens[0][i][c]
			}
			a /= float64(g.size)
			g.step[arm] += a
			total += a
		}
	}
	for arm, p := range g.problem.p {
		g.step[arm] -= float64(total * p)
	}
	return nil
}
