package transformer

import "modebench/policies"

// Interpolate implements policies.Policy. The sums are in float64, of which float32 keeps the nearest.
func (p *Policy) Interpolate(base policies.Reference, share float64) (undo func(), err error) {
	from := p.frozen(base)
	if from == nil {
		return nil, policies.ErrForeign
	}
	own := p.weights
	p.fetch(own)
	flat := from.flat
	if p.gpu != nil {
		flat = make([]float32, p.shape.size)
		p.gpu.download(flat, from.card)
	}
	if p.between == nil {
		p.between = p.newWeights(false)
		p.between.flat = grow(p.between.flat, p.shape.size)
	}
	policies.Interpolate(p.between.flat, flat, own.flat, share)
	p.publish(p.between)
	use := func(w *weights) {
		p.weights = w
		p.sampler.keeps = false // what it kept is of other parameters
	}
	use(p.between)
	return func() { use(own) }, p.Failure()
}
