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
		if err := t.remember(); err != nil {
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
	if err := t.anew(); err != nil {
		return err
	}
	t.update.Groups, t.update.Advantages, t.update.Correct = t.groups, t.trainedOn(), t.correct()
	t.update.TokenAdvantages = t.tokens.firsts
	t.update.Rate = rate(&t.Train, step)
	t.replace(&t.update)
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

// rate is the factor of the learning rate at a step: a linear warm-up, then the schedule.
// A 0 stands for 1, which costs nothing.
func rate(t *spec.Train, step int) float64 {
	switch {
	case step < t.Warmup:
		return float64(step+1) / float64(t.Warmup)
	case t.Schedule == "cosine":
		half := exact.CosPi(float64(step-t.Warmup) / float64(2*(t.Steps-t.Warmup)))
		return float64(half * half) // (1 + cos(pi x)) / 2, which would round to 0, and that stands for 1
	}
	return 0
}

// correct says whether each rollout has a correct answer, by the verdicts that the
// estimator read, where the objective asks for it.
func (t *trainer) correct() [][]bool {
	if !t.update.Want.Correct {
		return nil
	}
	out := make([][]bool, len(t.batch.Groups))
	for g := range out {
		for i := range t.groups[g].Rollouts {
			out[g] = append(out[g], anyCorrect(t.batch.Groups[g].Rollouts[i].Candidates))
		}
	}
	return out
}

// anyCorrect says whether a rollout has a correct answer.
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
