package tabular

import (
	"context"
	"encoding/binary"

	"modebench/envs"
)

// commonKey is the problem's ID and a zero byte, unless problems share, then
// the view. A problem's ID holds no zero byte.
func (p *Policy) commonKey(dst []byte, problem string, view []byte) []byte {
	if p.config.Sharing == "problem" {
		dst = append(append(dst, problem...), 0)
	}
	return append(dst, view...)
}

// aloneKey is the problem's ID, empty where problems share, and the context,
// each preceded by its length, then the view.
func (p *Policy) aloneKey(dst []byte, problem string, context, view []byte) []byte {
	if p.config.Sharing != "problem" {
		problem = ""
	}
	dst = append(binary.AppendUvarint(dst, uint64(len(problem))), problem...)
	dst = append(binary.AppendUvarint(dst, uint64(len(context))), context...)
	return append(dst, view...)
}

// paramOf returns the parameters of a view in a context, making them on first
// use; there is no context when it is empty.
func (p *Policy) paramOf(problem string, context, view []byte, n int) (*param, error) {
	if len(context) == 0 {
		p.key = p.commonKey(p.key[:0], problem, view)
		return p.params.common.get(p.key, n)
	}
	p.key = p.aloneKey(p.key[:0], problem, context, view)
	spot, err := p.params.alone.seek(p.key, n)
	if err != nil {
		return nil, err
	}
	if p.config.Context == ContextIndependent {
		return p.params.alone.take(spot, p.key, n)
	}
	p.shared = p.commonKey(p.shared[:0], problem, view)
	common, err := p.params.common.get(p.shared, n)
	if err != nil {
		return nil, err
	}
	q, err := p.params.alone.take(spot, p.key, n)
	if err == nil {
		q.common = common
	}
	return q, err
}

// book returns the problem's book, making it on first use unless the context ends.
func (p *Policy) book(ctx context.Context, problem envs.Problem) (*book, error) {
	if b, ok := p.books[problem.ID()]; ok {
		return b, nil
	}
	prior, err := p.prior(ctx, problem)
	if err != nil {
		return nil, err
	}
	b := &book{problem: problem, prior: prior}
	p.books[problem.ID()] = b
	return b, nil
}

// row returns the number of the row for a view of a state, making it on first
// use; prefix is the answer under way.
func (p *Policy) row(b *book, v *envs.View, legal, prefix []envs.Token) (uint32, error) {
	context := v.Context
	if p.config.Context == ContextBlind {
		context = nil
	}
	b.key = append(binary.AppendUvarint(b.key[:0], uint64(len(context))), context...)
	b.key = append(b.key, v.Answer...)
	spot := b.places.seek(b.key)
	if spot.found {
		return spot.value, b.sameLegal(v, b.rows.get(spot.value).legal, legal)
	}
	r := b.rows.next()
	view := b.views.seek(v.Answer)
	if err := b.fill(r, view, v, legal, prefix); err != nil {
		return 0, err
	}
	var err error
	if r.param, err = p.paramOf(b.problem.ID(), context, v.Answer, len(legal)); err != nil {
		return 0, err
	}
	number := b.rows.n
	if err := b.places.insert(spot, b.key, number); err != nil {
		return 0, err
	}
	b.rows.add()
	if view.found || len(context) == 0 {
		return number, nil // a row for all contexts
	}
	return number, b.views.insert(view, v.Answer, number)
}

// prior returns the problem's prior, making it on first use unless the context ends: the same one
// serves all tasks made of the problem.
func (p *Policy) prior(ctx context.Context, problem envs.Problem) (*prior, error) {
	if q, ok := p.priors[problem.ID()]; ok {
		return q, nil
	}
	q := &prior{problem: problem, smoothing: p.config.Smoothing}
	n := p.config.Demonstrations
	if known, ok := problem.(envs.Priored); ok && n == 0 {
		q.exact = known
	} else {
		if n == 0 {
			n = defaultDemonstrations
		}
		if err := q.count(ctx, n); err != nil {
			return nil, err
		}
	}
	p.priors[problem.ID()] = q
	return q, nil
}
