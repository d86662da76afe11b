package train

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/metrics"
	"modebench/policies"
)

// evaluate measures the policy after so many steps.
func (e *evaluator) evaluate(step int) (record.Eval, error) {
	rec := record.Eval{Step: step, Exact: true, Metrics: map[string]float64{}}
	table, err := metrics.NewTable(e.options)
	if err != nil {
		return rec, err
	}
	shares := map[metrics.Share]float64{}
	e.pools = nil
	if err := e.boundary.begin(e.options); err != nil {
		return rec, err
	}
	for i := range e.prompts {
		if err := e.ctx.Err(); err != nil {
			return rec, err
		}
		modes, exact, err := e.problem(table, i)
		if err != nil {
			return rec, fmt.Errorf("evaluating problem %s: %w", e.prompts[i].problem.ID(), err)
		}
		e.boundary.add(table, e.eval.K)
		for _, s := range modes {
			shares[metrics.Share{Mode: s.Mode, Correct: s.Correct}] += s.Mass
		}
		rec.Exact = rec.Exact && exact
	}
	for _, v := range table.Values() {
		rec.Metrics[v.Name] = v.Mean
	}
	if !e.optimum { // it has one best reward, whatever the k
		if headroom, ok := metrics.Headroom(e.eval.K, rec.Metrics); ok {
			rec.Metrics[metrics.HeadroomMetric] = headroom
		}
	}
	e.addUpdates(rec.Metrics)
	e.addDrawn(rec.Metrics)
	if e.eval.Modes {
		rec.Modes = averageShares(shares, len(e.prompts))
	}
	e.boundary.finish(&rec, e.eval.K)
	e.lengths.finish(&rec)
	e.law.add(&rec, float64(earlyShare*float64(e.setup.Steps())))
	return rec, nil
}

// averageShares lists the mass by mode: correct modes first, then by name.
func averageShares(shares map[metrics.Share]float64, problems int) []record.Share {
	out := make([]record.Share, 0, len(shares))
	for s, mass := range shares {
		out = append(out, record.Share{Mode: string(s.Mode), Correct: s.Correct, Mass: mass / float64(problems)})
	}
	slices.SortFunc(out, func(a, b record.Share) int {
		if a.Correct != b.Correct {
			if a.Correct {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Mode, b.Mode)
	})
	return out
}

// problem measures one problem: exactly where its rollouts can be enumerated,
// else from a pool of sampled ones. It returns the mass of each mode, and whether
// all of it is exact.
func (e *evaluator) problem(table *metrics.Table, i int) ([]metrics.Share, bool, error) {
	q := &e.prompts[i]
	truth := q.problem.Truth()
	if e.optimum {
		e.addPool(i, e.newPool(i, 0))
		return nil, true, table.AddOptimum(len(truth.Modes), truth.Front)
	}
	opt := policies.SampleOptions{Temperature: e.eval.Temperature, TopP: e.eval.TopP, Key: e.key, Context: e.ctx}
	if enumerator, ok := e.policy.(policies.Enumerator); ok && e.eval.Enumerate > 0 && !e.endless[i] && !e.manyGoals() {
		answers, complete, err := enumerator.Enumerate(q.tasks[e.goal()], opt, e.eval.Enumerate)
		if err != nil {
			return nil, false, err
		}
		if complete {
			modes, err := e.exactly(table, i, truth, answers)
			if err == nil {
				err = e.samplePool(i, opt)
			}
			return modes, true, err
		}
		e.endless[i] = true
	}
	modes, err := e.sampled(table, i, truth, opt)
	return modes, false, err
}

// exactly gives exact metrics from the distribution of whole rollouts. By the chain rule
// a rollout's entropy is the expected sum of its tokens' entropies, so the entropy per
// token is the rollout's entropy divided by the expected length.
func (e *evaluator) exactly(table *metrics.Table, number int, truth envs.Truth, answers []policies.Answer) ([]metrics.Share, error) {
	q := &e.prompts[number]
	d := metrics.Distribution{Modes: len(truth.Modes), Front: truth.Front, Outcomes: make([]metrics.Outcome, len(answers))}
	length := 0.0
	for i, a := range answers {
		if err := e.ctx.Err(); err != nil {
			return nil, err
		}
		d.Outcomes[i] = metrics.Outcome{P: a.P, Chain: q.judge(nil, a.Tokens), Named: q.named(a.Tokens)}
		length += float64(a.P * float64(len(a.Tokens)))
		e.lengths.add(d.Outcomes[i].Chain, len(a.Tokens), a.P)
	}
	if err := table.AddExact(d); err != nil {
		return nil, err
	}
	if second := e.boundary.nullTable(); second != nil { // the same distribution: it has no draws
		if err := second.AddExact(d); err != nil {
			return nil, err
		}
	}
	table.AddValue("entropy_token", d.Entropy()/length)
	e.branchSet.reset()
	if e.measures(metrics.MeasureBranches) {
		e.branchSet.addAll(answers)
	}
	if err := e.addRolloutMetrics(table, number, length); err != nil {
		return nil, err
	}
	return d.Shares(), nil
}

// sampled estimates the metrics from a pool. The entropies of tokens and rollouts come
// from the distributions that the policy sampled from. A mode is alive when it holds more
// than metrics.AliveMass of the pool.
func (e *evaluator) sampled(table *metrics.Table, number int, truth envs.Truth, opt policies.SampleOptions) ([]metrics.Share, error) {
	q := &e.prompts[number]
	n := e.pool()
	pool := metrics.Pool{Modes: len(truth.Modes), Front: truth.Front, Chains: make([][]*envs.Verdict, n)}
	if e.setup.Train.Stops {
		pool.Named = make([]int, n)
	}
	e.branchSet.reset()
	recorded := e.newPool(number, n)
	tokens, entropy := 0, 0.0
	for goal, slots := range e.slots(q, n, opt.Key) {
		rollouts, err := e.rollouts(q, goal, len(slots), opt)
		if err != nil {
			return nil, err
		}
		for i, r := range rollouts {
			if err := e.ctx.Err(); err != nil {
				return nil, err
			}
			pool.Chains[slots[i]] = q.judge(nil, r.Tokens)
			if pool.Named != nil {
				pool.Named[slots[i]] = q.named(r.Tokens)
			}
			if e.measures(metrics.MeasureBranches) {
				e.branchSet.add(r.Tokens)
			}
			recorded.add(slots[i], r.Tokens)
			e.lengths.add(pool.Chains[slots[i]], len(r.Tokens), 1/float64(n))
			tokens += len(r.Tokens)
			for _, h := range r.Entropy {
				entropy += h
			}
		}
	}
	e.addPool(number, recorded)
	if err := table.Add(pool); err != nil {
		return nil, err
	}
	if second := e.boundary.nullTable(); second != nil {
		if err := e.drawAgain(second, q, truth, n, opt); err != nil {
			return nil, err
		}
	}
	if err := e.addRolloutMetrics(table, number, float64(tokens)/float64(n)); err != nil {
		return nil, err
	}
	if err := e.asked(table, q, n, opt); err != nil {
		return nil, err
	}
	if e.measures(metrics.MeasureSearch) {
		if err := e.search(table, q, opt); err != nil {
			return nil, err
		}
	}
	d := metrics.Distribution{Outcomes: make([]metrics.Outcome, n)}
	for i, chain := range pool.Chains {
		d.Outcomes[i] = metrics.Outcome{P: 1 / float64(n), Chain: chain}
	}
	shares := d.Shares()
	alive, correct := metrics.Alive(shares)
	table.AddValue("entropy_token", entropy/float64(tokens))
	table.AddValue("entropy_sequence", entropy/float64(n))
	table.AddValue("modes_alive", float64(alive))
	table.AddValue("correct_modes_alive", float64(correct))
	return shares, nil
}

// drawAgain adds a second pool of as many rollouts as the first, from a stream of its own.
func (e *evaluator) drawAgain(table *metrics.Table, q *prompt, truth envs.Truth, n int, opt policies.SampleOptions) error {
	opt.Key = e.boundary.null.key
	pool := metrics.Pool{Modes: len(truth.Modes), Front: truth.Front, Chains: make([][]*envs.Verdict, n)}
	for goal, slots := range e.slots(q, n, opt.Key) {
		rollouts, err := e.rollouts(q, goal, len(slots), opt)
		if err != nil {
			return err
		}
		for i, r := range rollouts {
			if err := e.ctx.Err(); err != nil {
				return err
			}
			pool.Chains[slots[i]] = q.judge(nil, r.Tokens)
		}
	}
	return table.Add(pool)
}

// asked gives ew_best@k of a policy whose prompts state a goal: every scalarisation scores
// a pool that was drawn under the goal nearest to it.
func (e *evaluator) asked(table *metrics.Table, q *prompt, n int, opt policies.SampleOptions) error {
	sum, count := map[string]float64{}, 0
	for goal, draws := range e.draws {
		if len(draws) == 0 {
			continue
		}
		rollouts, err := e.rollouts(q, goal, n, opt)
		if err != nil {
			return err
		}
		pool := metrics.Pool{Modes: -1}
		for _, r := range rollouts {
			if err := e.ctx.Err(); err != nil {
				return err
			}
			pool.Chains = append(pool.Chains, q.judge(nil, r.Tokens))
		}
		options := e.options
		options.Draws, options.Groups = draws, 0
		part, err := metrics.NewTable(options)
		if err == nil {
			err = part.Add(pool)
		}
		if err != nil {
			return err
		}
		for _, v := range part.Values() {
			sum[v.Name] += float64(v.Mean * float64(len(draws)))
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

// record evaluates the policy after so many steps and writes the records to a sink.
func (e *evaluator) record(step int, to sink) error {
	rec, err := e.evaluate(step)
	if err == nil {
		err = to.eval(rec)
	}
	for _, pool := range e.poolsAt(step) {
		if err == nil {
			err = to.pool(pool)
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
