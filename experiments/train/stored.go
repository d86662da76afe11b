package train

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/policies"
)

// This file is about DPH-RL: the tasks that the policy solves before training, and the stored
// rollouts of these tasks.
//
// Before training, dph_rollouts rollouts and one more are drawn to every task. Where the
// former are all correct the task is solved, and if the latter is correct too it is stored.
// In a step, a solved task has its stored sample in the place of its rollouts. A solved task
// whose further rollout is wrong has nothing to learn. All other tasks, those that are never
// solved too, learn as ever.
//
// The authors go through solved problems beside the others, a fixed number of stored samples
// in every step. Here a step chooses its problems as it does for any method. Rollouts of
// solved tasks are drawn too, for the record alone.

// store draws from the policy before training. The draws come from a stream of their own, and
// a run that is resumed makes them again.
func (t *trainer) store() error {
	n := t.Method.Loss.DPHRollouts
	t.stored = map[string][]policies.Rollout{}
	opt := policies.SampleOptions{Temperature: t.Train.Temperature, TopP: 1, Key: t.key.Str("stored"), Context: t.update.Context}
	for some := range slices.Chunk(t.prompts, t.Train.Batch) {
		var tasks []envs.Task
		var prompts []*prompt
		for i := range some {
			for _, task := range some[i].tasks {
				tasks, prompts = append(tasks, task), append(prompts, &some[i])
			}
		}
		groups, err := t.policy.Sample(tasks, n+1, opt)
		if err != nil {
			return fmt.Errorf("samples to store: %w", err)
		}
		t.drawn += tokensOf(groups)
		for g := range groups {
			right := t.judgeStored(prompts[g], &groups[g])
			if slices.Contains(right[:n], false) {
				continue
			}
			var kept []policies.Rollout
			if right[n] {
				kept = cloneGroup(&policies.Group{Rollouts: groups[g].Rollouts[n:]}).Rollouts
				kept[0].Stored = true
			}
			t.stored[tasks[g].ID()] = kept
		}
	}
	return nil
}

// judgeStored reports which rollouts are correct, by the verifier that judges in training, noise
// included.
func (t *trainer) judgeStored(q *prompt, group *policies.Group) []bool {
	verdicts := make([][]*envs.Verdict, len(group.Rollouts))
	for i, r := range group.Rollouts {
		if q.chain != nil {
			verdicts[i] = q.chain.Judge(nil, r.Tokens)
		} else {
			verdicts[i] = []*envs.Verdict{q.problem.Judge(r.Tokens)}
		}
	}
	t.noise.Disturb(verdicts, t.key.Str("stored noise").Str(group.Task.ID()))
	right := make([]bool, len(verdicts))
	for i := range right {
		right[i] = anyCorrect(verdicts[i])
	}
	return right
}

// solved reports whether a task is solved before training.
func (t *trainer) solved(task envs.Task) bool {
	if len(t.stored) == 0 {
		return false
	}
	_, ok := t.stored[task.ID()]
	return ok
}

// count counts the tokens of rollouts that were drawn, but for those that are drawn for the
// record alone.
func (t *trainer) count(groups []policies.Group) {
	for g := range groups {
		if !t.solved(groups[g].Task) {
			t.drawn += tokensOf(groups[g : g+1])
		}
	}
}

// takeStored adds a solved task to an update, with its stored sample, if it has one, and
// advantages of 0.
func (t *trainer) takeStored(b *policies.Batch, task envs.Task) {
	kept := t.stored[task.ID()]
	b.Groups, b.Advantages = append(b.Groups, policies.Group{Task: task, Rollouts: kept}), append(b.Advantages, make([]float64, len(kept)))
	if b.Want.Correct {
		b.Correct = append(b.Correct, slices.Repeat([]bool{true}, len(kept)))
	}
	if t.tokenAdvantages != nil {
		lists := make([][]float64, len(kept))
		for i := range lists {
			lists[i] = make([]float64, len(kept[i].Tokens))
		}
		b.TokenAdvantages = append(b.TokenAdvantages, lists)
	}
}
