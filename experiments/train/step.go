package train

import (
	"math"
	"slices"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/exact"
	"modebench/policies"
)

// step makes one training step. The record is filled only when asked for.
func (t *trainer) step(step int, rec *record.Train) error {
	t.clock.begin(step)
	t.batch.Step = step
	if err := t.collect(step, rec); err != nil {
		return err
	}
	t.clock.lap(phaseJudge)
	before := t.history.freeze(t.policy)
	if len(t.batch.Groups) > 0 { // else every group was dropped
		if err := t.estimate(); err != nil {
			return err
		}
		t.clock.lap(phaseEstimate)
		if err := t.learn(step, rec); err != nil {
			return err
		}
		t.clock.lap(phaseUpdate)
		t.Method.Loss.EndStep()
		// The policy is updated by now, so an interrupted step leaves the state as it was when the step began.
		if err := t.Method.Remember(&t.batch); err != nil {
			return err
		}
		t.clock.lap(phaseEstimate)
	}
	t.history.add(before)
	t.clock.end(phaseUpdate)
	return nil
}

// learn makes the updates of a step. The record describes the first of them.
func (t *trainer) learn(step int, rec *record.Train) error {
	t.take(&t.update)
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
			if t.Method.Loss.ClipCov > 0 { // the one objective that draws random numbers
				t.update.Key = t.key.Str("objective").Int(uint64(step)).Int(uint64(epoch)).Int(uint64(i))
			}
			stats, err := t.policy.Update(t.update)
			if err != nil {
				return err
			}
			t.learned = true
			if rec != nil && epoch == 0 && i == 0 {
				describeUpdate(rec, stats, whole.Advantages)
			}
		}
	}
	t.update = whole
	return nil
}

// take fills an update with the rollouts of the step that are trained on: the first of each
// group, or the stored sample of a task that is solved. Correct answers are correct by the
// verdicts that the estimator read.
func (t *trainer) take(b *policies.Batch) {
	if len(t.stored) == 0 && !b.Want.Correct && len(t.groups[0].Rollouts) == t.Train.Group { // all of them, without a copy
		b.Groups, b.Advantages, b.TokenAdvantages = t.groups, t.advantages, t.tokenAdvantages
		return
	}
	b.Groups, b.Advantages, b.TokenAdvantages, b.Correct = b.Groups[:0], b.Advantages[:0], b.TokenAdvantages[:0], b.Correct[:0]
	for g, group := range t.groups {
		if t.solved(group.Task) {
			t.takeStored(b, group.Task)
			continue
		}
		n := t.Train.Group
		group.Rollouts = group.Rollouts[:n]
		b.Groups, b.Advantages = append(b.Groups, group), append(b.Advantages, t.advantages[g][:n])
		if t.tokenAdvantages != nil {
			b.TokenAdvantages = append(b.TokenAdvantages, t.tokenAdvantages[g][:n])
		}
		if b.Want.Correct {
			correct := make([]bool, n)
			for i := range correct {
				correct[i] = anyCorrect(t.batch.Groups[g].Rollouts[i].Candidates)
			}
			b.Correct = append(b.Correct, correct)
		}
	}
}

// rate is the factor of the learning rate at a step: a linear warm-up, then the schedule.
// A 0 means 1, which costs nothing.
func rate(t *spec.Train, step int) float64 {
	switch {
	case step < t.Warmup:
		return float64(step+1) / float64(t.Warmup)
	case t.Schedule == "cosine":
		half := exact.CosPi(float64(step-t.Warmup) / float64(2*(t.Steps-t.Warmup)))
		return float64(half * half) // (1 + cos(pi x)) / 2, which would round to 0, and 0 means 1
	}
	return 0
}

// anyCorrect reports whether a rollout has a correct answer.
func anyCorrect(candidates []*envs.Verdict) bool {
	return slices.ContainsFunc(candidates, func(v *envs.Verdict) bool { return v.Correct })
}

// describeUpdate adds the advantages and the first update to the record.
func describeUpdate(rec *record.Train, stats policies.UpdateStats, advantages [][]float64) {
	rec.Loss, rec.GradNorm, rec.KL, rec.Clipped = stats.Loss, stats.GradNorm, stats.KL, stats.Clipped
	n := 0
	for _, trained := range advantages {
		for _, a := range trained {
			rec.Advantage += math.Abs(a)
		}
		n += len(trained)
	}
	if n > 0 { // else every task of the step is solved, with nothing stored
		rec.Advantage /= float64(n)
	}
}
