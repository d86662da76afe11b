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
	for i := range e.prompts {
		if err := e.ctx.Err(); err != nil {
			return rec, err
		}
		modes, exact, err := e.problem(table, i)
		if err != nil {
			return rec, fmt.Errorf("evaluating problem %s: %w", e.prompts[i].problem.ID(), err)
		}
		for _, s := range modes {
			shares[metrics.Share{Mode: s.Mode, Correct: s.Correct}] += s.Mass
		}
		rec.Exact = rec.Exact && exact
	}
	for _, v := range table.Values() {
		rec.Metrics[v.Name] = v.Mean
	}
	if !e.optimum { // a difference of two ceilings is none
		e.headroom(rec.Metrics)
	}
	if e.eval.Modes {
		rec.Modes = averageShares(shares, len(e.prompts))
	}
	return rec, nil
}

// headroom is what a search over the largest pool gains over a single answer.
func (e *evaluator) headroom(values map[string]float64) {
	best := func(k int) (float64, bool) {
		value, ok := values[fmt.Sprintf("best@%d", k)]
		return value, ok
	}
	one, ok := best(1)
	most, has := best(slices.Max(e.eval.K))
	if ok && has {
		values["headroom"] = most - one
	}
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
		e.keep(i, e.collect(i, 0))
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
				err = e.keepDrawn(i, opt)
			}
			return modes, true, err
		}
		e.endless[i] = true
	}
	modes, err := e.sampled(table, i, truth, opt)
	return modes, false, err
}

// exactly gives exact metrics from the distribution of whole rollouts. By the
// chain rule a rollout's entropy is the expected sum of its tokens' entropies, so
// the entropy per token is its share of the expected length.
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
	}
	if err := table.AddExact(d); err != nil {
		return nil, err
	}
	table.Put("entropy_token", d.Entropy()/length)
	e.spread.reset()
	if e.measures(metrics.MeasureBranches) {
		e.spread.list(answers)
	}
	if err := e.beyond(table, number, length); err != nil {
		return nil, err
	}
	return d.Shares(), nil
}

// sampled estimates the metrics from a pool. The entropies of tokens and
// rollouts come from what the policy said of the distributions it drew from; a
// mode is alive when it holds more than metrics.AliveMass of the pool.
func (e *evaluator) sampled(table *metrics.Table, number int, truth envs.Truth, opt policies.SampleOptions) ([]metrics.Share, error) {
	q := &e.prompts[number]
	n := e.pool()
	pool := metrics.Pool{Modes: len(truth.Modes), Front: truth.Front, Chains: make([][]*envs.Verdict, n)}
	if e.setup.Train.Stops {
		pool.Named = make([]int, n)
	}
	e.spread.reset()
	kept := e.collect(number, n)
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
				e.spread.draw(r.Tokens)
			}
			kept.take(slots[i], r.Tokens)
			tokens += len(r.Tokens)
			for _, h := range r.Entropy {
				entropy += h
			}
		}
	}
	e.keep(number, kept)
	if err := table.Add(pool); err != nil {
		return nil, err
	}
	if err := e.beyond(table, number, float64(tokens)/float64(n)); err != nil {
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
	table.Put("entropy_token", entropy/float64(tokens))
	table.Put("entropy_sequence", entropy/float64(n))
	table.Put("modes_alive", float64(alive))
	table.Put("correct_modes_alive", float64(correct))
	return shares, nil
}

// asked gives ew_best@k of a policy that can be asked: for every scalarisation,
// of a pool that was asked for the goal nearest to it.
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
		table.Put(name, sum[name]/float64(count))
	}
	return nil
}

// record evaluates the policy after so many steps and passes on what is recorded of it.
func (e *evaluator) record(step int, to sink) error {
	rec, err := e.evaluate(step)
	if err == nil {
		err = to.eval(rec)
	}
	for _, pool := range e.keptAt(step) {
		if err == nil {
			err = to.pool(pool)
		}
	}
	return err
}

// keptAt is what the evaluation at a step kept; the exact fronts stand in the first,
// before training.
func (e *evaluator) keptAt(step int) []record.Pool {
	for i := range e.pools {
		p := &e.pools[i]
		p.Step = step
		if step == 0 {
			p.Front = e.prompts[p.Problem].problem.Truth().Front
		}
	}
	return e.pools
}
