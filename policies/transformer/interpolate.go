package transformer

import "modebench/policies"

// Interpolate implements policies.Policy. It adds in float64 and rounds to float32 once.
func (p *Policy) Interpolate(base policies.Reference, share float64) (undo func(), err error) {
	from := p.frozen(base)
	if from == nil {
		return nil, policies.ErrForeign
	}
	trained := p.weights
	p.fetch(trained)
	flat := from.flat
	if p.gpu != nil {
		flat = make([]float32, p.shape.size)
		p.gpu.download(flat, from.card)
	}
	if p.between == nil {
		p.between = p.newWeights(false)
		p.between.flat = grow(p.between.flat, p.shape.size)
	}
	policies.Interpolate(p.between.flat, flat, trained.flat, share)
	p.publish(p.between)
	if err := p.Failure(); err != nil {
		return nil, err
	}
	use := func(w *weights) {
		p.weights = w
		p.sampler.keeps = false // its rows were computed with other parameters
	}
	use(p.between)
	return func() { use(trained) }, nil
}
