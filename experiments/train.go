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
	questions  []question
	key        rng.Key
	rollouts   rng.Key
	order      []int // of the questions in the current pass
	pass       int
	chosen     []int       // numbers of the step's questions
	tasks      []envs.Task // that they put to the policy
	batch      estimators.Batch
	advantages [][]float64
	update     policies.Batch

	noise    envs.Noise
	verdicts [][]*envs.Verdict // of a group, by rollout: what the noise disturbs
}

func newTrainer(p *parts, seed int) (*trainer, error) {
	t := &trainer{
		parts: *p, policy: tabular.New(p.policy, p.train.Optimizer),
		key: rng.New(uint64(seed)), pass: -1,
	}
	t.rollouts = t.key.Str("rollout")
	var err error
	if t.questions, err = p.protocol.questions(p.env, envs.Train, p.train.Problems); err != nil {
		return nil, err
	}
	info := p.env.Info()
	t.noise = envs.Noise{Judge: p.train.JudgeNoise, Reward: p.train.RewardNoise, Formal: info.Formal}
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

// choose picks the step's questions: passes over the pool, each in an order of
// its own drawn from (seed, pass). A batch lies within one pass, so that it
// holds no problem twice: what is left at the end of a pass is passed over.
// Where prompts state a goal, each question gets one of its own.
func (t *trainer) choose(step int) {
	t.chosen, t.tasks = t.chosen[:0], t.tasks[:0]
	if len(t.questions) == 1 {
		t.chosen = append(t.chosen, 0)
	} else {
		perPass := len(t.questions) / t.train.Batch
		if pass := step / perPass; pass != t.pass {
			t.pass = pass
			t.order = t.key.Str("order").Int(uint64(pass)).Rand().Perm(len(t.questions))
		}
		first := step % perPass * t.train.Batch
		t.chosen = append(t.chosen, t.order[first:first+t.train.Batch]...)
	}
	for _, i := range t.chosen {
		q, goal := &t.questions[i], 0
		if t.protocol.goals != nil {
			goal = t.protocol.drawGoal(t.key.Str("goal").Int(uint64(step)).Str(q.problem.ID()))
		}
		t.tasks = append(t.tasks, q.tasks[goal])
	}
}

// step makes one training step. The record is filled only when asked for.
func (t *trainer) step(step int, rec *record.Train) error {
	t.choose(step)
	groups, err := t.policy.Sample(t.tasks, t.train.Group, policies.SampleOptions{
		Temperature: t.train.Temperature, TopP: 1,
		Key: t.rollouts.Int(uint64(step)),
	})
	if err != nil {
		return err
	}
	t.judge(groups, step)
	if rec != nil {
		t.describeAnswers(rec, step)
	}
	t.disturb(step)
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
			t.describeUpdate(rec, stats)
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
		group, q := &t.batch.Groups[g], &t.questions[t.chosen[g]]
		group.Problem = q.problem.ID()
		if goal, ok := t.tasks[g].(*envs.Goal); ok {
			group.Weights = goal.Weights()
		}
		for i := range groups[g].Rollouts {
			from, to := &groups[g].Rollouts[i], &group.Rollouts[i]
			to.Tokens = len(from.Tokens)
			to.Logprob, to.Entropy = 0, 0
			for k, logp := range from.Logp {
				to.Logprob += logp
				to.Entropy += from.Entropy[k]
			}
			if q.chain == nil { // as question.judge does, without its cost on the hottest path
				to.Candidates[0] = q.problem.Judge(from.Tokens)
			} else {
				to.Candidates = q.chain.Judge(to.Candidates[:0], from.Tokens)
			}
		}
	}
}

func (t *trainer) shape(groups int) {
	t.batch.Groups = make([]estimators.Group, groups)
	for g := range t.batch.Groups {
		rollouts := make([]estimators.Rollout, t.train.Group)
		for i := range rollouts {
			rollouts[i] = estimators.Rollout{Train: true, Candidates: make([]*envs.Verdict, t.protocol.candidates)}
		}
		t.batch.Groups[g].Rollouts = rollouts
	}
	t.advantages = estimators.NewAdvantages(&t.batch)
}

// disturb puts noise on what the estimator is about to see.
func (t *trainer) disturb(step int) {
	if t.noise.None() {
		return
	}
	key := t.key.Str("noise").Int(uint64(step))
	for g := range t.batch.Groups {
		group := &t.batch.Groups[g]
		t.verdicts = t.verdicts[:0]
		for i := range group.Rollouts {
			t.verdicts = append(t.verdicts, group.Rollouts[i].Candidates)
		}
		t.noise.Disturb(t.verdicts, key.Str(group.Problem))
	}
}

// describeAnswers fills the record of a step with what the true verdicts say.
func (t *trainer) describeAnswers(rec *record.Train, step int) {
	*rec = record.Train{Step: step}
	rollouts, tokens := 0, 0
	for g := range t.batch.Groups {
		group := &t.batch.Groups[g]
		weights := t.batch.Weights
		if group.Weights != nil {
			weights = group.Weights
		}
		correct := 0
		clusters := map[envs.Mode]bool{}
		for i := range group.Rollouts {
			r := &group.Rollouts[i]
			rec.Entropy += r.Entropy
			tokens += r.Tokens
			for _, v := range r.Candidates {
				rec.Reward += v.Scalar(weights)
				if v.Correct {
					correct++
					if v.Mode != envs.Degenerate {
						clusters[v.Mode] = true
					}
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
	answers := float64(rollouts * t.protocol.candidates)
	rec.Reward /= answers
	rec.Correct /= answers
	rec.Entropy /= float64(tokens)
	rec.Solved /= float64(len(t.batch.Groups))
	rec.Clusters /= float64(len(t.batch.Groups))
}

// describeUpdate adds what the estimator and the first update say.
func (t *trainer) describeUpdate(rec *record.Train, stats policies.UpdateStats) {
	rec.Loss, rec.GradNorm, rec.KL, rec.Clipped = stats.Loss, stats.GradNorm, stats.KL, stats.Clipped
	n := 0
	for _, group := range t.advantages {
		for _, a := range group {
			rec.Advantage += math.Abs(a)
		}
		n += len(group)
	}
	rec.Advantage /= float64(n)
}

// A sink takes the records of a cell as they are made.
type sink interface {
	train(record.Train) error
	eval(record.Eval) error
}

// stopAfter is how many answers may be drawn before a cancelled run notices.
const stopAfter = 2048

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
	e, err := newEvaluator(&t.parts, t.policy, seed)
	if err != nil {
		return err
	}
	stopEvery := max(1, stopAfter/(t.train.Batch*t.train.Group*t.train.Candidates))
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
