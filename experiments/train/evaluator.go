package train

import (
	"context"
	"slices"

	"modebench/envs"
	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/rng"
	"modebench/metrics"
	"modebench/policies"
)

type evaluator struct {
	ctx     context.Context
	policy  policies.Policy
	prompts []prompt
	setup   *spec.Setup
	eval    spec.Eval
	options metrics.Options
	optimum bool // measure the exact optimum, not the policy
	// key is the same at every step and for every method, so that evaluations are
	// compared on common uniforms.
	key rng.Key
	// endless marks the prompts that are known to have too many rollouts to enumerate, and
	// endlessKL likewise for divergence. The two differ because divergence is measured at
	// temperature 1, whatever the evaluation samples at.
	endless   []bool
	endlessKL []bool
	// draws holds the scalarisations of ew_best@k by the goal nearest to each, for a policy
	// whose rollouts each get a goal of their own.
	draws [][][]float64
	// before is the policy before training, where divergence from it is measured or the measured
	// policy is interpolated from it.
	before policies.Reference
	// updates are those of the training of the policy; nil: no training.
	updates *cells.Updates
	// drawn is how many tokens that training has drawn; nil: no training.
	drawn *int
	// boundary has the problems solved before training and after; nil: not measured.
	boundary *boundary
	// law is accuracy against entropy so far; nil: not measured.
	law       *lawFit
	lengths   metrics.Lengths // of the evaluation under way
	branchSet rolloutSet
	words     []string // of the environment's vocabulary
	// pools are the answers of the last evaluation that are recorded.
	pools []record.Pool
	ahead ahead
}

// ahead has the pools of an evaluation's next problems, which one call has drawn, so that the policy does their
// common work once. A rollout depends on its own key alone, so it is the same in any call.
type ahead struct {
	key    rng.Key              // of their draws
	first  int                  // problem of the first pool
	pools  [][]policies.Rollout // with their tokens and entropies
	tokens []envs.Token
	values []float64
}

// newEvaluator returns an evaluator of the policy, until the context ends.
func newEvaluator(ctx context.Context, p *spec.Setup, policy policies.Policy, seed int) (*evaluator, error) {
	asked, err := prompts(ctx, p, envs.Split(p.Eval.Split), p.Eval.Problems)
	if err != nil {
		return nil, err
	}
	info := p.Env.Info()
	e := &evaluator{
		ctx: ctx, policy: policy, prompts: asked, setup: p, eval: p.Eval,
		options: metrics.Options{
			Weights: info.Weights, K: p.Eval.K, Samples: p.Eval.Samples, Variants: info.Variants, Answers: info.Votes,
			Delta: p.Eval.Delta, Measure: p.Eval.Measure,
		},
		optimum:   p.Method.Method.Optimum,
		key:       rng.New(uint64(seed)).Str("eval"),
		endless:   make([]bool, len(asked)),
		endlessKL: make([]bool, len(asked)),
		words:     info.Vocabulary,
	}
	if p.Eval.Draws > 0 && len(info.Components) > 1 {
		e.options.Draws = metrics.Scalarisations(len(info.Components), p.Eval.Draws)
	}
	if (e.measures(metrics.MeasureKL) || e.interpolates()) && !e.optimum {
		e.before = policy.Freeze()
	}
	if e.measures(metrics.MeasureBoundary) && !e.optimum {
		e.boundary = &boundary{}
		if e.measures(metrics.MeasureBoundaryNull) {
			e.boundary.null = &nullPools{key: rng.New(uint64(seed)).Str("eval, again")}
		}
	}
	if e.measures(metrics.MeasureLaw) && !e.optimum {
		e.law = &lawFit{}
	}
	if e.manyGoals() {
		e.draws = make([][][]float64, len(e.setup.Goals))
		for _, w := range e.options.Draws {
			goal := envs.NearestGoal(e.setup.Goals, w)
			e.draws[goal] = append(e.draws[goal], w)
		}
		e.options.Draws = nil
	}
	return e, nil
}

// interpolates reports whether evaluations measure another policy than the trained one.
func (e *evaluator) interpolates() bool { return e.eval.Interpolate < 1 && e.setup.Steps() > 0 }

func (e *evaluator) manyGoals() bool { return e.setup.Goals != nil && e.eval.Goals == "random" }

// goal is the number of the task of w*.
func (e *evaluator) goal() int {
	if e.setup.Goals == nil {
		return 0
	}
	return envs.NearestGoal(e.setup.Goals, e.options.Weights)
}

// pool is how many rollouts are drawn for a problem.
func (e *evaluator) pool() int {
	return (e.eval.Samples + e.setup.Train.Candidates - 1) / e.setup.Train.Candidates
}

func (e *evaluator) rollouts(q *prompt, goal, n int, opt policies.SampleOptions) ([]policies.Rollout, error) {
	if n == 0 {
		return nil, nil
	}
	if drawn := e.drawnAhead(q, n, opt.Key); drawn != nil {
		return drawn, nil
	}
	groups, err := e.policy.Sample(q.tasks[goal:goal+1], n, opt)
	if err != nil {
		return nil, err
	}
	return groups[0].Rollouts, nil
}

// drawnAhead gives the pool of n rollouts to a prompt under a key; nil if it is not there.
func (e *evaluator) drawnAhead(q *prompt, n int, key rng.Key) []policies.Rollout {
	a := &e.ahead
	for i, pool := range a.pools {
		if q == &e.prompts[a.first+i] && a.key == key && len(pool) == n {
			return pool
		}
	}
	return nil
}

// slots returns, by goal, the rollouts of a pool of n that state it.
func (e *evaluator) slots(q *prompt, n int, key rng.Key) [][]int {
	out := make([][]int, len(q.tasks))
	key = key.Str("goal").Str(q.problem.ID())
	for i := range n {
		goal := e.goal()
		if e.manyGoals() {
			goal = drawGoal(e.setup.Goals, key.Int(uint64(i)))
		}
		out[goal] = append(out[goal], i)
	}
	return out
}

func (e *evaluator) measures(group string) bool { return slices.Contains(e.eval.Measure, group) }

// A rolloutSet holds the rollouts to one prompt, of which branches are measured.
type rolloutSet struct {
	rollouts [][]envs.Token
	mass     []float64 // nil: a sample
}

// add copies a rollout into the set: the policy's next call overwrites it.
func (s *rolloutSet) add(tokens []envs.Token) { s.rollouts = append(s.rollouts, slices.Clone(tokens)) }

func (s *rolloutSet) addAll(answers []policies.Answer) {
	for _, a := range answers {
		s.add(a.Tokens)
		s.mass = append(s.mass, a.P)
	}
}
