package spec

import (
	"fmt"

	"modebench/envs"
	"modebench/experiments/record"
)

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

// tradeoff reports whether no answer is best in all components of the reward, on the
// first problem of some environment.
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

// measuredOf describes the evaluations of the variants shown.
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

// defaultColumns is the summary table of a spec that does not name columns.
func defaultColumns(eval measured) []string {
	last := eval.K[len(eval.K)-1]
	if eval.tradeoff && eval.Draws > 0 {
		return []string{"reward", fmt.Sprintf("best@%d", last), fmt.Sprintf("ew_best@%d", last), "reward_l1", "entropy_mode"}
	}
	return []string{"reward", fmt.Sprintf("pass@%d", last), fmt.Sprintf("coverage@%d", last), "entropy_mode", "distinct_correct"}
}
