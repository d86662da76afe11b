package train

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/record"
	"modebench/policies"
)

// collect fills the batch of a step: the judged groups and, in groups, the part of
// them that the policy learns from. Dynamic sampling (DAPO) drops groups whose rewards
// are all equal (Teaches), but for tasks solved before training, which learn from something else. It draws the next problems in their place until the batch is full or the
// method's limit of batches is reached; then the step goes on with fewer groups, or none.
// Groups of a policy too many steps old are left out likewise, by any method.
// The record describes the answers of the first batch drawn, before any group is dropped.
func (t *trainer) collect(step int, rec *record.Train) error {
	limit := t.Method.Protocol.Generations
	if limit == 0 && t.Train.MaxLag == 0 {
		return t.draw(step, rec)
	}
	t.buffer.clear()
	for attempt := 0; attempt < max(1, limit) && len(t.buffer.groups) < t.Train.Batch; attempt++ {
		if err := t.draw(step, rec); err != nil {
			return err
		}
		rec = nil
		for g := range t.batch.Groups {
			keep := len(t.buffer.groups) < t.Train.Batch && !t.stale(g)
			if keep && limit > 0 && !t.solved(t.groups[g].Task) {
				var err error
				if keep, err = Teaches(t.Method, &t.batch, g, t.Train.Group); err != nil {
					return err
				}
			}
			if keep {
				t.buffer.add(&t.batch.Groups[g], &t.groups[g])
			}
		}
		t.clock.lap(phaseJudge)
	}
	t.groups = t.buffer.groups
	t.batch.Groups = t.buffer.judged
	t.advantages = t.buffer.advantages()
	return nil
}

// draw draws and judges the next batch.
func (t *trainer) draw(step int, rec *record.Train) error {
	t.choose(t.generation)
	t.drawLags()
	if t.buffer.used {
		t.shape(len(t.tasks)) // the batch of the step before was the buffer's
	}
	greedy, err := t.greedy()
	if err != nil {
		return err
	}
	opt := t.sampler()
	opt.Key = t.rollouts.Int(uint64(t.generation))
	groups, err := t.sample(t.Drawn(), opt)
	if err != nil {
		return err
	}
	t.clock.lap(phaseSample)
	t.count(groups)
	t.judge(groups, greedy)
	t.groups = t.trim(groups)
	if err := t.penalise(); err != nil {
		return err
	}
	if err := t.tellTokens(groups); err != nil {
		return err
	}
	if rec != nil {
		t.describeAnswers(rec, step)
	}
	t.addNoise(t.generation)
	t.generation++
	return nil
}

// choose picks the prompts of a batch. It goes through the pool in passes, each in an
// order drawn from (seed, pass). A batch lies within one pass, so it holds no problem
// twice; the rest at the end of a pass is skipped. (A batch that dynamic sampling fills
// from several may hold a problem twice.) Where prompts state a goal, each prompt gets one
// of its own.
func (t *trainer) choose(generation int) {
	t.chosen, t.tasks = t.chosen[:0], t.tasks[:0]
	if len(t.prompts) == 1 {
		t.chosen = append(t.chosen, 0)
	} else {
		perPass := len(t.prompts) / t.Train.Batch
		if pass := generation / perPass; pass != t.pass {
			t.pass = pass
			t.order = t.key.Str("order").Int(uint64(pass)).Rand().Perm(len(t.prompts))
		}
		first := generation % perPass * t.Train.Batch
		t.chosen = append(t.chosen, t.order[first:first+t.Train.Batch]...)
	}
	for _, i := range t.chosen {
		q, goal := &t.prompts[i], 0
		if t.Goals != nil {
			goal = drawGoal(t.Goals, t.key.Str("goal").Int(uint64(generation)).Str(q.problem.ID()))
		}
		t.tasks = append(t.tasks, q.tasks[goal])
	}
}

// greedy gives the scalar reward of each task's greedy answer, where the estimator asks
// for it: the baseline of ReMax. The same verifier judges it as judges the others, noise
// included.
func (t *trainer) greedy() ([]float64, error) {
	if t.Method.Requirements().RolloutFields&estimators.GroupGreedy == 0 {
		return nil, nil
	}
	opt := t.sampler()
	opt.Greedy = true
	groups, err := t.sample(1, opt)
	if err != nil {
		return nil, err
	}
	t.count(groups)
	out := make([]float64, len(groups))
	for g := range groups {
		q := &t.prompts[t.chosen[g]]
		verdicts := [][]*envs.Verdict{{q.problem.Judge(groups[g].Rollouts[0].Tokens)}}
		t.noise.Disturb(verdicts, t.key.Str("greedy").Int(uint64(t.generation)).Str(q.problem.ID()))
		out[g] = verdicts[0][0].Scalar(t.weightsOf(g))
	}
	return out, nil
}

// weightsOf gives the weights that the answers to a task are scored under.
func (t *trainer) weightsOf(g int) []float64 {
	if goal, ok := t.tasks[g].(*envs.Goal); ok {
		return goal.Weights()
	}
	return t.batch.Weights
}

// judge fills the batch in place.
func (t *trainer) judge(groups []policies.Group, greedy []float64) {
	if len(t.batch.Groups) != len(groups) {
		t.shape(len(groups))
	}
	for g := range groups {
		group, q := &t.batch.Groups[g], &t.prompts[t.chosen[g]]
		group.Problem = q.problem.ID()
		if goal, ok := t.tasks[g].(*envs.Goal); ok {
			group.Weights = goal.Weights()
		}
		if greedy != nil {
			group.Greedy = greedy[g]
		}
		for i := range groups[g].Rollouts {
			from, to := &groups[g].Rollouts[i], &group.Rollouts[i]
			to.Tokens = len(from.Tokens)
			to.Logprob, to.Entropy = 0, 0
			for k, logp := range from.Logp {
				to.Logprob += logp
				to.Entropy += from.Entropy[k]
			}
			if q.chain == nil { // as prompt.judge does, without its cost on the hottest path
				to.Candidates[0] = q.problem.Judge(from.Tokens)
			} else {
				to.Candidates = q.chain.Judge(to.Candidates[:0], from.Tokens)
				to.Final = ""
				if v := envs.FinalVerdict(to.Candidates, q.chain.Named(from.Tokens)); v != nil && t.Train.Stops {
					to.Final = v.Answer
				}
			}
		}
	}
}

// shape makes room for the judged rollouts of so many groups. The first ones of a
// group are trained on, the others vote.
func (t *trainer) shape(groups int) {
	t.buffer.used = false
	t.batch.Groups = make([]estimators.Group, groups)
	for g := range t.batch.Groups {
		rollouts := make([]estimators.Rollout, t.Drawn())
		for i := range rollouts {
			rollouts[i] = estimators.Rollout{Train: i < t.Train.Group, Candidates: make([]*envs.Verdict, t.Train.Candidates)}
		}
		t.batch.Groups[g].Rollouts = rollouts
	}
	t.advantages = estimators.NewAdvantages(&t.batch)
}

// trim leaves the rollouts that only vote out of what the policy learns from.
func (t *trainer) trim(groups []policies.Group) []policies.Group {
	if t.Drawn() == t.Train.Group {
		return groups
	}
	t.trimmed = append(t.trimmed[:0], groups...)
	for g := range t.trimmed {
		t.trimmed[g].Rollouts = t.trimmed[g].Rollouts[:t.Train.Group]
	}
	return t.trimmed
}

// penalise sets the penalty of each rollout that is trained on, where the objective
// subtracts the divergence from the reference from rewards.
func (t *trainer) penalise() error {
	want, ok := t.Method.Loss.Penalises()
	if !ok {
		return nil
	}
	tokens, err := t.policy.Flatten(policies.Batch{
		Groups: t.groups, Want: want, Reference: t.update.Reference, Temperature: t.Train.Temperature,
		Context: t.update.Context,
	})
	if err != nil {
		return err
	}
	s := 0
	for g := range t.groups {
		for i := range t.groups[g].Rollouts {
			t.batch.Groups[g].Rollouts[i].Penalty = t.Method.Loss.Penalty(tokens, s)
			s++
		}
	}
	return nil
}

// disturb adds noise to the verdicts that the estimator is about to read.
func (t *trainer) addNoise(generation int) {
	if t.noise.None() {
		return
	}
	key := t.key.Str("noise").Int(uint64(generation))
	for g := range t.batch.Groups {
		group := &t.batch.Groups[g]
		t.verdicts = t.verdicts[:0]
		for i := range group.Rollouts {
			t.verdicts = append(t.verdicts, group.Rollouts[i].Candidates)
		}
		t.noise.Disturb(t.verdicts, key.Str(group.Problem))
	}
}
