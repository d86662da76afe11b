package train

import (
	"fmt"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/metrics"
	"modebench/policies"
)

func (e *evaluator) evaluate(step int) (record.Eval, error) {
	rec := record.Eval{Step: step, Exact: true}
	if e.interpolates() {
		undo, err := e.policy.Interpolate(e.before, e.eval.Interpolate)
		if err != nil {
			return rec, err
		}
		defer undo()
	}
	table, err := metrics.NewTable(e.options)
	if err != nil {
		return rec, err
	}
	e.pools, e.lengths, e.ahead.pools = nil, metrics.Lengths{}, nil
	if err := e.boundary.begin(e.options); err != nil {
		return rec, err
	}
	for i := range e.prompts {
		if err := e.ctx.Err(); err != nil {
			return rec, err
		}
		exact, err := e.problem(table, i)
		if err != nil {
			return rec, fmt.Errorf("evaluating problem %s: %w", e.prompts[i].problem.ID(), err)
		}
		e.boundary.add(table)
		rec.Exact = rec.Exact && exact
	}
	rec.Metrics = table.Means()
	e.addUpdates(rec.Metrics)
	e.addDrawn(rec.Metrics)
	if e.eval.Modes {
		for _, s := range table.Shares() {
			rec.Modes = append(rec.Modes, record.Share{Mode: string(s.Mode), Correct: s.Correct, Mass: s.Mass})
		}
	}
	e.boundary.finish(&rec, e.eval.K)
	if e.measures(metrics.MeasureLengths) {
		e.lengths.Put(rec.Metrics)
	}
	e.law.add(&rec, float64(earlyShare*float64(e.setup.Steps())))
	return rec, nil
}

// problem measures one problem: exactly where its rollouts can be enumerated,
// else from a pool of sampled rollouts. It reports whether the metrics are exact.
func (e *evaluator) problem(table *metrics.Table, i int) (exact bool, err error) {
	q := &e.prompts[i]
	truth := q.problem.Truth()
	if e.optimum {
		e.addPool(i, e.newPool(i, 0))
		return true, table.AddOptimum(len(truth.Modes), truth.Front)
	}
	opt := policies.SampleOptions{Temperature: e.eval.Temperature, TopP: e.eval.TopP, Key: e.key, Context: e.ctx}
	if enumerator, ok := e.policy.(policies.Enumerator); ok && e.eval.Enumerate > 0 && !e.endless[i] && !e.manyGoals() {
		answers, complete, err := enumerator.Enumerate(q.tasks[e.goal()], opt, e.eval.Enumerate)
		if err != nil {
			return false, err
		}
		if complete {
			err := e.exactly(table, i, truth, answers)
			if err == nil {
				err = e.samplePool(i, opt)
			}
			return true, err
		}
		e.endless[i] = true
	}
	return false, e.sampled(table, i, truth, opt)
}

// exactly gives exact metrics from the distribution of whole rollouts. By the chain rule
// a rollout's entropy is the expected sum of its tokens' entropies, so the entropy per
// token is the rollout's entropy divided by the expected length.
func (e *evaluator) exactly(table *metrics.Table, number int, truth envs.Truth, answers []policies.Answer) error {
	q := &e.prompts[number]
	d := metrics.Distribution{Modes: len(truth.Modes), Front: truth.Front, Outcomes: make([]metrics.Outcome, len(answers))}
	length := 0.0
	for i, a := range answers {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		d.Outcomes[i] = metrics.Outcome{P: a.P, Chain: q.judge(nil, a.Tokens), Named: q.named(a.Tokens)}
		length += float64(a.P * float64(len(a.Tokens)))
		e.lengths.Add(d.Outcomes[i].Chain, len(a.Tokens), a.P)
	}
	if err := table.AddExact(d); err != nil {
		return err
	}
	if second := e.boundary.nullTable(); second != nil { // the same distribution: it has no draws
		if err := second.AddExact(d); err != nil {
			return err
		}
	}
	table.AddValue("entropy_token", d.Entropy()/length)
	e.branchSet = rolloutSet{}
	if e.measures(metrics.MeasureBranches) {
		e.branchSet.addAll(answers)
	}
	return e.addRolloutMetrics(table, number, length)
}

// sampled estimates the metrics from a pool. The entropies of tokens and rollouts come
// from the distributions that the policy sampled from.
func (e *evaluator) sampled(table *metrics.Table, number int, truth envs.Truth, opt policies.SampleOptions) error {
	q, n := &e.prompts[number], e.pool()
	e.branchSet = rolloutSet{}
	recorded := e.newPool(number, n)
	tokens, entropy := 0, 0.0
	if err := e.drawAhead(number, n, opt); err != nil {
		return err
	}
	pool, err := e.draw(q, truth, n, opt, func(slot int, r *policies.Rollout, chain []*envs.Verdict) {
		if e.measures(metrics.MeasureBranches) {
			e.branchSet.add(r.Tokens)
		}
		recorded.add(slot, r.Tokens)
		e.lengths.Add(chain, len(r.Tokens), 1/float64(n))
		tokens += len(r.Tokens)
		for _, h := range r.Entropy {
			entropy += h
		}
	})
	if err != nil {
		return err
	}
	e.addPool(number, recorded)
	if err := table.AddSampled(pool); err != nil {
		return err
	}
	table.AddValue("entropy_token", entropy/float64(tokens))
	table.AddValue("entropy_sequence", entropy/float64(n))
	if err := e.addRolloutMetrics(table, number, float64(tokens)/float64(n)); err != nil {
		return err
	}
	return e.drawMore(table, q, truth, n, opt)
}

func (e *evaluator) drawMore(table *metrics.Table, q *prompt, truth envs.Truth, n int, opt policies.SampleOptions) error {
	if second := e.boundary.nullTable(); second != nil {
		again := opt
		again.Key = e.boundary.null.key
		pool, err := e.draw(q, truth, n, again, nil)
		if err == nil {
			err = second.Add(pool)
		}
		if err != nil {
			return err
		}
	}
	if err := e.asked(table, q, n, opt); err != nil || !e.measures(metrics.MeasureSearch) {
		return err
	}
	return e.search(table, q, opt)
}

// draw returns a pool of n rollouts. each, if it is not nil, is called with the slot in the pool,
// the rollout and its verdicts.
func (e *evaluator) draw(q *prompt, truth envs.Truth, n int, opt policies.SampleOptions, each func(int, *policies.Rollout, []*envs.Verdict)) (metrics.Pool, error) {
	pool := metrics.Pool{Modes: len(truth.Modes), Front: truth.Front, Chains: make([][]*envs.Verdict, n)}
	if e.setup.Train.Stops {
		pool.Named = make([]int, n)
	}
	for goal, slots := range e.slots(q, n, opt.Key) {
		err := e.judged(q, goal, len(slots), opt, func(i int, r *policies.Rollout, chain []*envs.Verdict) {
			slot := slots[i]
			pool.Chains[slot] = chain
			if pool.Named != nil {
				pool.Named[slot] = q.named(r.Tokens)
			}
			if each != nil {
				each(slot, r, chain)
			}
		})
		if err != nil {
			return pool, err
		}
	}
	return pool, nil
}

func (e *evaluator) judged(q *prompt, goal, n int, opt policies.SampleOptions, each func(int, *policies.Rollout, []*envs.Verdict)) error {
	rollouts, err := e.rollouts(q, goal, n, opt)
	if err != nil {
		return err
	}
	same := twins{numbers: map[string]int{}}
	chains := make([][]*envs.Verdict, len(rollouts))
	for i := range rollouts {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if first := same.first(i, rollouts[i].Tokens); first < i {
			chains[i] = chains[first]
		} else {
			chains[i] = q.judge(nil, rollouts[i].Tokens)
		}
		each(i, &rollouts[i], chains[i])
	}
	return nil
}

// asked gives ew_best@k of a policy whose prompts state a goal: every scalarisation scores
// a pool that was drawn under the goal nearest to it.
func (e *evaluator) asked(table *metrics.Table, q *prompt, n int, opt policies.SampleOptions) error {
	sum, count := map[string]float64{}, 0
	for goal, draws := range e.draws {
		if len(draws) == 0 {
			continue
		}
		pool := metrics.Pool{Modes: -1}
		err := e.judged(q, goal, n, opt, func(_ int, _ *policies.Rollout, chain []*envs.Verdict) {
			pool.Chains = append(pool.Chains, chain)
		})
		if err != nil {
			return err
		}
		options := e.options
		options.Draws, options.Measure = draws, nil
		part, err := metrics.NewTable(options)
		if err == nil {
			err = part.Add(pool)
		}
		if err != nil {
			return err
		}
		for name, mean := range part.Means() {
			sum[name] += float64(mean * float64(len(draws)))
		}
		count += len(draws)
	}
	if count == 0 {
		return nil
	}
	for _, k := range e.eval.K {
		name := fmt.Sprintf("ew_best@%d", k)
		table.AddValue(name, sum[name]/float64(count))
	}
	return nil
}

func (e *evaluator) record(step int, to *cellWriter) error {
	rec, err := e.evaluate(step)
	if err == nil {
		err = to.eval(rec)
	}
	for _, pool := range e.poolsAt(step) {
		if err == nil {
			err = to.pools.write(pool)
		}
	}
	return err
}

// poolsAt gives the pools of the evaluation at a step. Those before training carry the
// exact fronts.
func (e *evaluator) poolsAt(step int) []record.Pool {
	for i := range e.pools {
		p := &e.pools[i]
		p.Step = step
		if step == 0 {
			p.Front = e.prompts[p.Problem].problem.Truth().Front
		}
	}
	return e.pools
}
