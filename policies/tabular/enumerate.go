package tabular

import (
	"slices"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/draw"
)

// Enumerate implements policies.Enumerator. Rollouts of probability zero are left out.
func (p *Policy) Enumerate(task envs.Task, opt policies.SampleOptions, limit int) ([]policies.Answer, bool, error) {
	if err := opt.Check(1); err != nil {
		return nil, false, err
	}
	t, err := p.table(opt.Context, task)
	if err != nil {
		return nil, false, err
	}
	w := walk{policy: p, table: t, opt: opt, limit: limit}
	if err := w.visit(t.root, 1); err != nil || w.over {
		return nil, false, err
	}
	return w.answers, true, nil
}

type walk struct {
	policy  *Policy
	table   *table
	opt     policies.SampleOptions
	limit   int
	prefix  []envs.Token
	answers []policies.Answer
	over    bool
}

func (w *walk) visit(node uint32, mass float64) error {
	if err := policies.Ended(w.opt.Context); err != nil {
		return err
	}
	if node == done {
		if w.over = len(w.answers) >= w.limit; !w.over {
			w.answers = append(w.answers, policies.Answer{Tokens: slices.Clone(w.prefix), P: mass})
		}
		return nil
	}
	if len(w.prefix) > maxTokens {
		return errEndless
	}
	r := w.table.rowOf(node)
	prob := w.prob(r)
	for i, token := range r.legal {
		if prob[i] == 0 {
			continue
		}
		w.prefix = append(w.prefix, token)
		next, err := w.policy.follow(w.table, node, i, w.prefix, &path{})
		if err == nil {
			err = w.visit(next, float64(mass*prob[i]))
		}
		w.prefix = w.prefix[:len(w.prefix)-1]
		if err != nil || w.over {
			return err
		}
	}
	return nil
}

// prob is the distribution of the walk's options. The nucleus reuses its buffer: hence the copy.
func (w *walk) prob(r *row) []float64 {
	if w.opt.Greedy {
		r.refresh(1, w.policy.updates)
		prob := make([]float64, len(r.prob()))
		prob[draw.Argmax(r.prob())] = 1
		return prob
	}
	r.refresh(w.opt.Temperature, w.policy.updates)
	if w.opt.TopP < 1 {
		return slices.Clone(w.policy.nucleus.Cut(r.prob(), w.opt.TopP).Prob())
	}
	return r.prob()
}
