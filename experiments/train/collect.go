package train

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/experiments/record"
	"modebench/policies"
)

// collect fills the batch of a step: the sampled groups that it learns from, and their
// verdicts. A method that filters groups, or a limit on their age, draws the next
// problems in the place of those left out, until the batch is full or the method's limit of
// batches is reached. The step then continues with fewer groups, or with no group at all.
// The record describes the answers of the first batch drawn, before any group is dropped.
func (t *trainer) collect(step int, rec *record.Train) error {
	if !t.filters() {
		return t.draw(step, rec)
	}
	var groups []policies.Group
	var judged []estimators.Group
	for attempt := 0; attempt < max(1, t.Method.Protocol.Generations) && len(judged) < t.Train.Batch; attempt++ {
		if err := t.draw(step, rec); err != nil {
			return err
		}
		rec = nil
		for g := range t.groups {
			if len(judged) == t.Train.Batch {
				break
			}
			keep, err := t.keeps(g)
			if err != nil {
				return err
			}
			if keep {
				groups, judged = append(groups, t.groups[g]), append(judged, t.batch.Groups[g])
			}
		}
		t.clock.lap(phaseJudge)
	}
	t.groups, t.batch.Groups = groups, judged
	t.advantages = estimators.NewAdvantages(&t.batch)
	return nil
}

// filters reports whether a step may leave out groups that it has drawn.
func (t *trainer) filters() bool { return t.Method.Protocol.Generations > 0 || t.Train.MaxLag > 0 }

// keeps reports whether the step learns from a group: its policy is not too old, and under
// dynamic sampling (DAPO) it teaches something. A task solved before training need not, since
// it has a stored sample in the place of its rollouts.
func (t *trainer) keeps(g int) (bool, error) {
	if t.stale(g) {
		return false, nil
	}
	if t.Method.Protocol.Generations == 0 || t.solved(t.groups[g].Task) {
		return true, nil
	}
	return Teaches(t.Method, &t.batch, g, t.Train.Group)
}

// draw draws and judges the next batch.
func (t *trainer) draw(step int, rec *record.Train) error {
	t.choose(t.generation)
	t.drawLags()
	greedy, err := t.greedy()
	if err != nil {
		return err
	}
	opt := t.sampler()
	// Groups that are copied before the policy learns from them are not recognised.
	opt.Learn = t.Train.LagSpread == 0 && !t.filters() && !t.relearnsOld()
	opt.Key = t.rollouts.Int(uint64(t.generation))
	if t.groups, err = t.sample(t.Drawn(), opt); err != nil {
		return err
	}
	t.clock.lap(phaseSample)
	t.count(t.groups)
	tokens, err := t.describeTokens()
	if err != nil {
		return err
	}
	t.judge(tokens, greedy)
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

// judge fills the batch with the sampled groups' verdicts. tokens are their tokens as the
// policy describes them, or nil; greedy are the scalar rewards of greedy answers, or nil.
func (t *trainer) judge(tokens *loss.Tokens, greedy []float64) {
	if len(t.batch.Groups) != len(t.groups) || t.filters() {
		t.shape(len(t.groups))
	}
	s, describes := 0, tokens != nil || t.batch.RolloutFields&estimators.AllTokenFields != 0
	for g := range t.groups {
		group, q := &t.batch.Groups[g], &t.prompts[t.chosen[g]]
		group.Problem = q.problem.ID()
		if goal, ok := t.tasks[g].(*envs.Goal); ok {
			group.Weights = goal.Weights()
		}
		if greedy != nil {
			group.Greedy = greedy[g]
		}
		for i := range group.Rollouts {
			from, to := &t.groups[g].Rollouts[i], &group.Rollouts[i]
			t.judgeRollout(q, from, to)
			if describes {
				t.addTokens(from, to, tokens, s)
				s++
			}
		}
	}
}

func (t *trainer) judgeRollout(q *prompt, from *policies.Rollout, to *estimators.Rollout) {
	to.Tokens = len(from.Tokens)
	to.Logprob, to.Entropy = 0, 0
	for k, logp := range from.Logp {
		to.Logprob += logp
		to.Entropy += from.Entropy[k]
	}
	if q.chain == nil { // as prompt.judge does, without its cost on the hottest path
		to.Candidates[0] = q.problem.Judge(from.Tokens)
		return
	}
	to.Candidates = q.chain.Judge(to.Candidates[:0], from.Tokens)
	to.Final = ""
	if v := envs.FinalVerdict(to.Candidates, q.chain.Named(from.Tokens)); v != nil && t.Train.Stops {
		to.Final = v.Answer
	}
}

// shape makes room for the verdicts on groups. The first rollouts of a group are trained on,
// the others vote.
func (t *trainer) shape(groups int) {
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

// addNoise adds noise to the verdicts that the estimator is about to read.
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
