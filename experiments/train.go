package experiments

import (
	"context"
	"fmt"
	"math"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/record"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/tabular"
)

// A trainer runs one cell: it samples, judges, estimates and updates. Its
// buffers live from step to step.
type trainer struct {
	parts
	policy     policies.Policy
	problems   []envs.Problem
	key        rng.Key
	rollouts   rng.Key
	order      []int // of the problems in the current pass
	pass       int
	chosen     []envs.Problem
	batch      estimators.Batch
	advantages [][]float64
	update     policies.Batch
}

func newTrainer(p *parts, seed int) (*trainer, error) {
	t := &trainer{
		parts: *p, policy: tabular.New(p.policy, p.train.Optimizer),
		key: rng.New(uint64(seed)), pass: -1,
	}
	t.rollouts = t.key.Str("rollout")
	var err error
	if t.problems, err = problems(p.env, envs.Train, p.train.Problems); err != nil {
		return nil, err
	}
	info := p.env.Info()
	t.batch = estimators.Batch{Seed: uint64(seed), Weights: info.Weights, Has: info.Provides()}
	t.update = policies.Batch{
		Want: p.method.Objective.Want(), Loss: p.method.Objective.Loss,
		Temperature: p.train.Temperature,
	}
	if t.update.Want.Ref || t.update.Want.KL {
		t.update.Reference = t.policy.Freeze()
	}
	return t, nil
}

func problems(env envs.Env, split envs.Split, n int) ([]envs.Problem, error) {
	out := make([]envs.Problem, n)
	for i := range out {
		p, err := env.Problem(split, i)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

// choose picks the step's problems: passes over the pool, each in an order of
// its own drawn from (seed, pass). A batch lies within one pass, so that it
// holds no problem twice: what is left at the end of a pass is passed over.
func (t *trainer) choose(step int) {
	t.chosen = t.chosen[:0]
	if len(t.problems) == 1 {
		t.chosen = append(t.chosen, t.problems[0])
		return
	}
	perPass := len(t.problems) / t.train.Batch
	if pass := step / perPass; pass != t.pass {
		t.pass = pass
		t.order = t.key.Str("order").Int(uint64(pass)).Rand().Perm(len(t.problems))
	}
	first := step % perPass * t.train.Batch
	for _, i := range t.order[first : first+t.train.Batch] {
		t.chosen = append(t.chosen, t.problems[i])
	}
}

// step makes one training step. The record is filled only when asked for.
func (t *trainer) step(step int, rec *record.Train) error {
	t.choose(step)
	groups, err := t.policy.Sample(t.chosen, t.train.Group, policies.SampleOptions{
		Temperature: t.train.Temperature, TopP: 1,
		Key: t.rollouts.Int(uint64(step)),
	})
	if err != nil {
		return err
	}
	t.judge(groups, step)
	if err := t.method.Estimator.Advantages(t.advantages, &t.batch); err != nil {
		return err
	}
	t.update.Groups, t.update.Advantages = groups, t.advantages
	for epoch := range t.train.Epochs {
		stats, err := t.policy.Update(t.update)
		if err != nil {
			return err
		}
		if rec != nil && epoch == 0 {
			t.describe(rec, step, stats)
		}
	}
	return nil
}

// judge fills the batch in place.
func (t *trainer) judge(groups []policies.Group, step int) {
	t.batch.Step = step
	if len(t.batch.Groups) != len(groups) {
		t.shape(len(groups))
	}
	for g := range groups {
		group := &t.batch.Groups[g]
		group.Problem = groups[g].Problem.ID()
		for i := range groups[g].Rollouts {
			from, to := &groups[g].Rollouts[i], &group.Rollouts[i]
			to.Tokens = len(from.Tokens)
			to.Logprob, to.Entropy = 0, 0
			for k, logp := range from.Logp {
				to.Logprob += logp
				to.Entropy += from.Entropy[k]
			}
			to.Candidates[0] = groups[g].Problem.Judge(from.Tokens)
		}
	}
}

func (t *trainer) shape(groups int) {
	t.batch.Groups = make([]estimators.Group, groups)
	for g := range t.batch.Groups {
		rollouts := make([]estimators.Rollout, t.train.Group)
		for i := range rollouts {
			rollouts[i] = estimators.Rollout{Train: true, Candidates: make([]*envs.Verdict, 1)}
		}
		t.batch.Groups[g].Rollouts = rollouts
	}
	t.advantages = estimators.NewAdvantages(&t.batch)
}

// describe fills the record of a step from the batch and the first update.
func (t *trainer) describe(rec *record.Train, step int, stats policies.UpdateStats) {
	*rec = record.Train{
		Step: step, Loss: stats.Loss, GradNorm: stats.GradNorm,
		KL: stats.KL, Clipped: stats.Clipped,
	}
	rollouts, tokens := 0, 0
	for g := range t.batch.Groups {
		group := &t.batch.Groups[g]
		correct := 0
		clusters := map[envs.Mode]bool{}
		for i := range group.Rollouts {
			r := &group.Rollouts[i]
			v := r.Candidates[0]
			rec.Reward += v.Scalar(t.batch.Weights)
			rec.Advantage += math.Abs(t.advantages[g][i])
			rec.Entropy += r.Entropy
			tokens += r.Tokens
			if v.Correct {
				correct++
				if v.Mode != envs.Degenerate {
					clusters[v.Mode] = true
				}
			}
		}
		rollouts += len(group.Rollouts)
		rec.Correct += float64(correct)
		rec.Clusters += float64(len(clusters))
		if correct > 0 {
			rec.Solved++
		}
	}
	rec.Reward /= float64(rollouts)
	rec.Advantage /= float64(rollouts)
	rec.Correct /= float64(rollouts)
	rec.Entropy /= float64(tokens)
	rec.Solved /= float64(len(t.batch.Groups))
	rec.Clusters /= float64(len(t.batch.Groups))
}

// A sink takes the records of a cell as they are made.
type sink interface {
	train(record.Train) error
	eval(record.Eval) error
}

// stopEvery is how many steps may pass before a cancelled run notices.
const stopEvery = 256

// steps is how many training steps a cell makes.
func (p *parts) steps() int {
	if !p.method.Method.Trains {
		return 0
	}
	return p.train.Steps
}

// run trains from beginning to end, evaluating before, on the way and after; a
// method that does not train is evaluated once. progress is called now and then
// with the number of steps done.
func (t *trainer) run(ctx context.Context, seed int, to sink, progress func(done int)) error {
	on, err := problems(t.env, envs.Split(t.eval.Split), t.eval.Problems)
	if err != nil {
		return err
	}
	e := evaluator{
		policy: t.policy, problems: on, weights: t.batch.Weights, eval: t.eval,
		key: rng.New(uint64(seed)).Str("eval"),
	}
	for step := 0; ; step++ {
		last := step == t.steps()
		if step%stopEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if last || step%t.eval.Every == 0 {
			rec, err := e.evaluate(step)
			if err == nil {
				err = to.eval(rec)
			}
			if err != nil {
				return fmt.Errorf("step %d: %w", step, err)
			}
			progress(step)
		}
		if last {
			return nil
		}
		if err := t.stepAndRecord(step, to); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
}

func (t *trainer) stepAndRecord(step int, to sink) error {
	if step%t.train.RecordEvery != 0 {
		return t.step(step, nil)
	}
	var rec record.Train
	if err := t.step(step, &rec); err != nil {
		return err
	}
	return to.train(rec)
}
