package train

import (
	"context"
	"fmt"
	"math"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/exact"
	"modebench/internal/rng"
	"modebench/policies"
)

// A trainer runs one cell: it samples, judges, estimates and updates. Its
// buffers live from step to step.
type trainer struct {
	spec.Setup
	policy   policies.Policy
	prompts  []prompt
	key      rng.Key
	rollouts rng.Key
	order    []int // of the prompts in the current pass
	pass     int
	chosen   []int       // numbers of the step's prompts
	tasks    []envs.Task // that they put to the policy

	// Batches drawn so far: the number of the step, unless groups that teach
	// nothing are replaced.
	generation int
	kept       keptGroups

	batch      estimators.Batch
	groups     []policies.Group // of the batch, without the rollouts that only vote
	trimmed    []policies.Group // room for them
	advantages [][]float64
	firsts     [][]float64 // of those, without the rollouts that only vote
	update     policies.Batch
	split      minibatches

	noise    envs.Noise
	verdicts [][]*envs.Verdict // of a group, by rollout: what the noise disturbs

	clock  clock
	keeper *keeper // of where the cell stands; nil: nothing is kept
}

// newTrainer returns a trainer of the policy, which it alone uses from then on.
func newTrainer(p *spec.Setup, policy policies.Policy, seed int) (*trainer, error) {
	t := &trainer{
		Setup: *p, policy: policy,
		key: rng.New(uint64(seed)), pass: -1,
	}
	t.rollouts = t.key.Str("rollout")
	var err error
	if t.prompts, err = prompts(p, envs.Train, p.Train.Problems); err != nil {
		return nil, err
	}
	info := p.Env.Info()
	t.noise = envs.Noise{Judge: p.Train.JudgeNoise, Reward: p.Train.RewardNoise, Formal: info.Formal}
	t.batch = estimators.Batch{Seed: uint64(seed), Weights: info.Weights, Has: info.Provides(), Knows: p.Facts()}
	t.update = policies.Batch{
		Want: p.Method.Objective.Want(), Loss: p.Method.Objective.Loss,
		Temperature: p.Train.Temperature,
	}
	if _, penalises := p.Method.Objective.Penalises(); penalises || t.update.Want.Ref || t.update.Want.KL {
		t.update.Reference = t.policy.Freeze()
	}
	t.clock = newClock(p.Train.Steps)
	return t, nil
}

// step makes one training step. The record is filled only when asked for.
func (t *trainer) step(step int, rec *record.Train) error {
	t.clock.begin(step)
	t.batch.Step = step
	if err := t.collect(step, rec); err != nil {
		return err
	}
	t.clock.lap(phaseJudge)
	if len(t.batch.Groups) > 0 { // else every group was dropped
		if err := t.Method.Advantages(t.advantages, &t.batch); err != nil {
			return err
		}
		t.clock.lap(phaseEstimate)
		if err := t.learn(step, rec); err != nil {
			return err
		}
	}
	t.clock.end(phaseUpdate)
	return nil
}

// learn makes the updates of a step. The record describes the first of them.
func (t *trainer) learn(step int, rec *record.Train) error {
	t.update.Groups, t.update.Advantages, t.update.Correct = t.groups, t.trainedOn(), t.correct()
	t.update.Rate = rate(&t.Train, step)
	whole, parts := t.update, 1
	for epoch := range t.Train.Epochs {
		if t.Train.Minibatches > 1 {
			t.split.deal(&whole, t.Train.Minibatches, t.key.Str("minibatch").Int(uint64(step)).Int(uint64(epoch)))
			parts = len(t.split.parts)
		}
		for i := range parts {
			if t.Train.Minibatches > 1 {
				t.split.take(&t.update, &whole, i)
			}
			if t.Method.Objective.ClipCov > 0 { // the one objective that draws
				t.update.Key = t.key.Str("objective").Int(uint64(step)).Int(uint64(epoch)).Int(uint64(i))
			}
			stats, err := t.policy.Update(t.update)
			if err != nil {
				return err
			}
			if rec != nil && epoch == 0 && i == 0 {
				t.describeUpdate(rec, stats)
			}
		}
	}
	return nil
}

// trainedOn gives the advantages of the rollouts that are trained on.
func (t *trainer) trainedOn() [][]float64 {
	if t.Drawn() == t.Train.Group {
		return t.advantages
	}
	t.firsts = t.firsts[:0]
	for _, own := range t.advantages {
		t.firsts = append(t.firsts, own[:t.Train.Group])
	}
	return t.firsts
}

// rate is the factor of the learning rate at a step: a linear warm-up, and over
// the steps after it the schedule. 1 throughout is 0, which costs nothing.
func rate(t *spec.Train, step int) float64 {
	switch {
	case step < t.Warmup:
		return float64(step+1) / float64(t.Warmup)
	case t.Schedule == "cosine":
		half := exact.CosPi(float64(step-t.Warmup) / float64(2*(t.Steps-t.Warmup)))
		return float64(half * half) // (1 + cos(pi x)) / 2, which would round to the 0 that is 1
	}
	return 0
}

// correct says of every rollout whether an answer of it is, as the estimator was
// told, where the objective asks for it.
func (t *trainer) correct() [][]bool {
	if !t.update.Want.Correct {
		return nil
	}
	out := make([][]bool, len(t.batch.Groups))
	for g := range out {
		for i := range t.groups[g].Rollouts {
			correct := false
			for _, v := range t.batch.Groups[g].Rollouts[i].Candidates {
				correct = correct || v.Correct
			}
			out[g] = append(out[g], correct)
		}
	}
	return out
}

// describeAnswers fills the record of a step with what the true verdicts say.
func (t *trainer) describeAnswers(rec *record.Train, step int) {
	*rec = record.Train{Step: step}
	rollouts, answers, tokens := 0, 0, 0
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
			answers += len(r.Candidates)
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
	rec.Reward /= float64(answers)
	rec.Correct /= float64(answers)
	rec.Entropy /= float64(tokens)
	rec.Solved /= float64(len(t.batch.Groups))
	rec.Clusters /= float64(len(t.batch.Groups))
}

// describeUpdate adds what the estimator and the first update say.
func (t *trainer) describeUpdate(rec *record.Train, stats policies.UpdateStats) {
	rec.Loss, rec.GradNorm, rec.KL, rec.Clipped = stats.Loss, stats.GradNorm, stats.KL, stats.Clipped
	n := 0
	for _, trained := range t.trainedOn() {
		for _, a := range trained {
			rec.Advantage += math.Abs(a)
		}
		n += len(trained)
	}
	rec.Advantage /= float64(n)
}

// A sink takes the records of a cell as they are made.
type sink interface {
	train(record.Train) error
	eval(record.Eval) error
	pool(record.Pool) error
}

// stopAfter is how many answers may be drawn before a cancelled run notices.
var StopAfter = 2048 // tests want every step

// run trains from beginning to end, evaluating before, on the way and after; a
// method that does not train is evaluated once. The observer hears now and then
// how many steps are done. A keeper may say that it goes on from a later step.
func (t *trainer) run(ctx context.Context, seed int, to sink, observer Observer) error {
	e, err := newEvaluator(&t.Setup, t.policy, seed)
	if err != nil {
		return err
	}
	stopEvery := max(1, StopAfter/(t.Train.Batch*t.Drawn()*t.Train.Candidates))
	first, err := t.keeper.resume(t, e)
	if err != nil {
		return err
	}
	observer.GoesOn(first)
	for step := first; ; step++ {
		last := step == t.Steps()
		if step%stopEvery == 0 {
			observer.Reached(step)
			if ctx.Err() != nil {
				t.keeper.keep(t, e, step)
				return ctx.Err()
			}
			t.keeper.keepIfDue(t, e, step)
		}
		if last || step%t.Eval.Every == 0 {
			if err := e.record(step, to); err != nil {
				return fmt.Errorf("step %d: %w", step, err)
			}
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
	if step%t.Train.RecordEvery != 0 {
		return t.step(step, nil)
	}
	var rec record.Train
	if err := t.step(step, &rec); err != nil {
		return err
	}
	return to.train(rec)
}
