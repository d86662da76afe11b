package experiments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/rng"
	"modebench/metrics"
	"modebench/policies"
)

// A Metric is something an evaluation measures.
type Metric struct{ Name, Doc string }

// Metrics lists what an evaluation measures, by the names that columns, figures
// and claims use.
func Metrics() []Metric {
	return []Metric{
		{"pass@k", "probability of a correct answer among k"},
		{"best@k", "expected highest scalar reward w*.r among k answers"},
		{"coverage@k", "expected distinct correct modes among k answers, over the most there could be"},
		{"accuracy", "probability of a correct answer"},
		{"reward", "expected scalar reward w*.r"},
		{"distinct_correct", "expected distinct correct modes among [eval] samples answers"},
		{"distinct_incorrect", "expected distinct incorrect modes among them"},
		{"entropy_token", "entropy per token, nats"},
		{"entropy_sequence", "entropy over answers, nats"},
		{"entropy_mode", "entropy over modes, nats"},
		{"modes_alive", "modes with more than 2% of the probability"},
		{"correct_modes_alive", "modes whose correct answers have more than 2% of the probability"},
	}
}

// plainMetrics are the metrics of an evaluation that do not depend on k.
var plainMetrics = func() []string {
	var names []string
	for _, m := range Metrics() {
		if !strings.HasSuffix(m.Name, "@k") {
			names = append(names, m.Name)
		}
	}
	return names
}()

// kMetrics are the families of metrics that do.
var kMetrics = []string{"pass", "best", "coverage"}

// checkMetric says whether an evaluation gives a metric of that name.
func checkMetric(name string, eval Eval) error {
	family, size, isK := strings.Cut(name, "@")
	if isK && slices.Contains(kMetrics, family) {
		if k, err := strconv.Atoi(size); err == nil && slices.Contains(eval.K, k) {
			return nil
		}
		return fmt.Errorf("metric %q: the spec evaluates k = %s", name, strings.Trim(fmt.Sprint(eval.K), "[]"))
	}
	if slices.Contains(plainMetrics, name) {
		return nil
	}
	return fmt.Errorf("unknown metric %q; known metrics: %s, %s@k", name, strings.Join(plainMetrics, ", "), strings.Join(kMetrics, "@k, "))
}

// defaultColumns is the summary table of a spec that does not name columns.
func defaultColumns(eval Eval) []string {
	last := eval.K[len(eval.K)-1]
	return []string{"reward", fmt.Sprintf("pass@%d", last), fmt.Sprintf("coverage@%d", last), "entropy_mode", "distinct_correct"}
}

// An evaluator measures a policy.
type evaluator struct {
	policy   policies.Policy
	problems []envs.Problem
	weights  []float64
	eval     Eval
	key      rng.Key
}

// totals sums metrics over problems; a metric that some problems do not have
// (the coverage of one without a solution) is averaged over the others.
type totals struct {
	names []string
	sum   map[string]float64
	count map[string]int
}

func (t *totals) add(name string, value float64) {
	if t.count[name] == 0 {
		t.names = append(t.names, name)
	}
	t.sum[name] += value
	t.count[name]++
}

// evaluate measures the policy after so many steps.
func (e *evaluator) evaluate(step int) (record.Eval, error) {
	rec := record.Eval{Step: step, Exact: true, Metrics: map[string]float64{}}
	t := totals{sum: map[string]float64{}, count: map[string]int{}}
	shares := map[metrics.Share]float64{}
	for _, problem := range e.problems {
		values, modes, exact, err := e.problem(problem, step)
		if err != nil {
			return rec, fmt.Errorf("evaluating problem %s: %w", problem.ID(), err)
		}
		for _, v := range values {
			t.add(v.Name, v.Mean)
		}
		for _, s := range modes {
			shares[metrics.Share{Mode: s.Mode, Correct: s.Correct}] += s.Mass
		}
		rec.Exact = rec.Exact && exact
	}
	for _, name := range t.names {
		rec.Metrics[name] = t.sum[name] / float64(t.count[name])
	}
	if e.eval.Modes {
		rec.Modes = averageShares(shares, len(e.problems))
	}
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

// problem measures one problem: exactly where its answers can be enumerated,
// else from a pool of sampled answers.
func (e *evaluator) problem(problem envs.Problem, step int) ([]metrics.Value, []metrics.Share, bool, error) {
	opt := policies.SampleOptions{
		Temperature: e.eval.Temperature, TopP: e.eval.TopP,
		Key: e.key.Int(uint64(step)),
	}
	if enumerator, ok := e.policy.(policies.Enumerator); ok && e.eval.Enumerate > 0 {
		answers, complete, err := enumerator.Enumerate(problem, opt, e.eval.Enumerate)
		if err != nil {
			return nil, nil, false, err
		}
		if complete {
			values, modes, err := e.exactly(problem, answers)
			return values, modes, true, err
		}
	}
	groups, err := e.policy.Sample([]envs.Problem{problem}, e.eval.Samples, opt)
	if err != nil {
		return nil, nil, false, err
	}
	values, modes, err := e.sampled(problem, groups[0].Rollouts)
	return values, modes, false, err
}

// exactly gives exact metrics from the whole answer distribution. By the chain
// rule an answer's entropy is the expected sum of its tokens' entropies, so the
// entropy per token is its share of the expected length.
func (e *evaluator) exactly(problem envs.Problem, answers []policies.Answer) ([]metrics.Value, []metrics.Share, error) {
	d := metrics.Distribution{Modes: len(problem.Truth().Modes), Outcomes: make([]metrics.Outcome, len(answers))}
	length := 0.0
	for i, a := range answers {
		d.Outcomes[i] = metrics.Outcome{P: a.P, Verdict: *problem.Judge(a.Tokens)}
		length += float64(a.P * float64(len(a.Tokens)))
	}
	values, err := d.Metrics(e.weights, e.eval.K, e.eval.Samples)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range values {
		if v.Name == "entropy_sequence" {
			values = append(values, metrics.Value{Name: "entropy_token", Mean: v.Mean / length, Problems: 1})
		}
	}
	return values, d.Shares(), nil
}

// sampled estimates the metrics from a pool. The entropies of tokens and
// sequences come from what the policy said of the distributions it drew from;
// a mode is alive when it holds more than metrics.AliveMass of the pool.
func (e *evaluator) sampled(problem envs.Problem, rollouts []policies.Rollout) ([]metrics.Value, []metrics.Share, error) {
	pool := metrics.Pool{Modes: len(problem.Truth().Modes)}
	d := metrics.Distribution{Modes: pool.Modes}
	tokens, entropy := 0, 0.0
	for _, r := range rollouts {
		v := *problem.Judge(r.Tokens)
		pool.Verdicts = append(pool.Verdicts, v)
		d.Outcomes = append(d.Outcomes, metrics.Outcome{P: 1 / float64(len(rollouts)), Verdict: v})
		tokens += len(r.Tokens)
		for _, h := range r.Entropy {
			entropy += h
		}
	}
	values, err := metrics.Sampled(pool, e.weights, e.eval.K)
	if err != nil {
		return nil, nil, err
	}
	shares := d.Shares()
	alive, correct := metrics.Alive(shares)
	put := func(name string, value float64) {
		values = append(values, metrics.Value{Name: name, Mean: value, Problems: 1})
	}
	put("entropy_token", entropy/float64(tokens))
	put("entropy_sequence", entropy/float64(len(rollouts)))
	put("modes_alive", float64(alive))
	put("correct_modes_alive", float64(correct))
	return values, shares, nil
}
