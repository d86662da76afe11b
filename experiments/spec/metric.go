package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/nearest"
	"modebench/metrics"
)

// metricNames lists the metrics that do not depend on k, and the families of those that do.
func metricNames() (plain, families []string) {
	for _, m := range metrics.All() {
		if family, ok := strings.CutSuffix(m.Name, "@k"); ok {
			families = append(families, family)
		} else if !strings.Contains(m.Name, "@") {
			plain = append(plain, m.Name)
		}
	}
	return plain, families
}

func checkMetric(name string, eval measured) error {
	m, err := listedAs(name, eval)
	if err != nil {
		return err
	}
	for _, lack := range []struct {
		holds bool
		text  string
	}{
		{m.Measure != "" && !slices.Contains(eval.Measure, m.Measure), fmt.Sprintf("is not measured unless asked for; add %q to measure in [eval]", m.Measure)},
		{m.Measure == metrics.MeasureVotes && !eval.votes, "is of votes, and answers of this environment do not vote"},
		{m.Vectors && eval.components < 2, "is of reward vectors, and this environment's reward is one number"},
		{m.Variants && !eval.variants, "is of variants, and a strategy of this environment has one alone"},
		{m.Pools && eval.Enumerate > 0, "is of sampled pools alone, and answers that can be listed are not sampled; set enumerate = 0 in [eval]"},
		{m.Name == "ew_best@k" && eval.Draws == 0, "averages over scalarisations, and draws = 0 in [eval]"},
		{m.Name == metrics.HeadroomMetric && !slices.Contains(eval.K, 1), "is the gain over one answer, and k of [eval] does not list 1"},
	} {
		if lack.holds {
			return fmt.Errorf("metric %q %s", name, lack.text)
		}
	}
	return nil
}

// listedAs returns the metric of a name: best@4 is of the family best@k.
func listedAs(name string, eval measured) (metrics.Metric, error) {
	m, known := metrics.Lookup(name)
	_, _, numbered := strings.Cut(name, "@")
	family := m.Family()
	key, sizes := "k", eval.K
	switch {
	case known && name == family && m.Name == family:
		return m, nil
	case known && numbered && family == metrics.BranchFamily:
		key, sizes = "positions", eval.Positions
	case !known || !numbered || m.Name == family:
		plain, families := metricNames()
		return m, fmt.Errorf("unknown metric %q; %sknown metrics: %s, %s@k, %s@h", name, metricHint(name), strings.Join(plain, ", "), strings.Join(families, "@k, "), metrics.BranchFamily)
	}
	if stem, n, ok := record.SplitK(name); !ok || stem != family || !slices.Contains(sizes, n) {
		if len(sizes) == 0 {
			return m, fmt.Errorf("metric %q: the spec evaluates no %s; list them in [eval]", name, key)
		}
		return m, fmt.Errorf("metric %q: the spec evaluates %s = %s", name, key, strings.Trim(fmt.Sprint(sizes), "[]"))
	}
	return m, nil
}

func metricHint(name string) string {
	_, size, numbered := strings.Cut(name, "@")
	var names []string
	for _, m := range metrics.All() {
		family, _, ofFamily := strings.Cut(m.Name, "@")
		if name == family && ofFamily {
			return "did you mean " + m.Name + "? "
		}
		if ofFamily && numbered {
			names = append(names, family+"@"+size)
		} else {
			names = append(names, m.Name)
		}
	}
	return nearest.Hint(name, names)
}

// measured describes the evaluations of some variants, which are alike.
type measured struct {
	Eval
	components int  // most that the reward of a variant shown has
	variants   bool // the verdicts of some variant shown carry variants
	votes      bool // the verdicts of some variant shown carry answers to vote with
	tradeoff   bool // rewards compete: the Pareto front of a problem has several vectors
}

func (s *Spec) measured() (measured, error) {
	p, mistake := s.Variants[0].build()
	if mistake != nil {
		return measured{}, mistake.err
	}
	return s.measuredOf(measured{Eval: p.Eval}, func(record.Variant) bool { return true }), nil
}

// tradeoff reports whether the first problem of some environment has several best answers.
func (s *Spec) tradeoff() (bool, error) {
	known := map[string]bool{}
	for _, v := range s.Variants {
		if known[v.Env] {
			continue
		}
		known[v.Env] = true
		p, mistake := v.build()
		if mistake != nil {
			return false, mistake.err
		}
		problem, err := p.Env.Problem(envs.Train, 0)
		if err != nil {
			return false, err
		}
		if len(problem.Truth().Front) > 1 {
			return true, nil
		}
	}
	return false, nil
}

func (s *Spec) measuredOf(m measured, shown func(record.Variant) bool) measured {
	m.components, m.variants, m.votes = 0, false, false
	for _, v := range s.Variants {
		if shown(v.Record()) {
			m.components = max(m.components, v.components)
			m.variants = m.variants || v.variants
			m.votes = m.votes || v.votes
		}
	}
	return m
}

func defaultColumns(eval measured) []string {
	last := eval.K[len(eval.K)-1]
	if eval.tradeoff && eval.Draws > 0 {
		return []string{"reward", fmt.Sprintf("best@%d", last), fmt.Sprintf("ew_best@%d", last), "reward_l1", "entropy_mode"}
	}
	return []string{"reward", fmt.Sprintf("pass@%d", last), fmt.Sprintf("coverage@%d", last), "entropy_mode", "distinct_correct"}
}
