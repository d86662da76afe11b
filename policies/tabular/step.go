package tabular

import (
	"fmt"
	"math"

	"modebench/policies"
)

// step moves every touched parameter, clears its gradient and returns the
// gradient's norm. After an error nothing has moved.
func (p *Policy) step(b *policies.Batch) (norm float64, err error) {
	shaped := p.opt.ClipNorm > 0 || p.opt.Name == "natural"
	if shaped {
		if norm, err = p.shape(b.Temperature); err != nil {
			p.update.drop()
			return 0, err
		}
	}
	rate := p.opt.LR
	if b.Rate != 0 {
		rate *= b.Rate
	}
	p.updates++
	square := 0.0
	for _, q := range p.update.params {
		grad := q.grad()
		for _, g := range grad {
			square += float64(g * g)
		}
		if p.opt.WeightDecay > 0 {
			q.decay(rate * p.opt.WeightDecay)
		}
		if p.opt.Name == "adam" {
			q.adam(&p.opt, rate)
		} else {
			delta := q.delta()
			for j, g := range grad {
				delta[j] -= float64(rate * g)
			}
		}
		clear(grad)
		q.version++
		q.touched = false
	}
	if !shaped { // else the gradient is no longer that of the loss
		norm = math.Sqrt(square)
	}
	return norm, nil
}

// decay shrinks each parameter towards zero, which is the base policy. Rows that a batch
// does not visit have no gradient and do not decay either, so that the cost of an update
// depends on the batch and not on all rows there are.
func (q *param) decay(share float64) {
	delta := q.delta()
	for j, x := range delta {
		delta[j] -= float64(share * x)
	}
}

// adam is the usual update, delta -= lr m̂/(sqrt(v̂)+eps), with the bias
// corrections moved into the rate and epsilon so that each entry costs one root
// and one division (Kingma and Ba, sec. 2).
func (q *param) adam(o *policies.Optimizer, lr float64) {
	q.power1 = float64(q.power1 * o.Beta1)
	q.power2 = float64(q.power2 * o.Beta2)
	root := math.Sqrt(1 - q.power2)
	rate, eps := lr*root/(1-q.power1), float64(o.AdamEps*root)
	keep1, keep2 := 1-o.Beta1, 1-o.Beta2
	grad := q.grad()
	first, second, delta := q.first()[:len(grad)], q.second()[:len(grad)], q.delta()[:len(grad)]
	for j, g := range grad {
		m := float64(o.Beta1*first[j]) + float64(keep1*g)
		v := float64(o.Beta2*second[j]) + float64(keep2*g*g)
		first[j], second[j] = m, v
		delta[j] -= float64(rate*m) / (math.Sqrt(v) + eps)
	}
}

// shape clips the norm of the gradient and then, for the natural gradient, divides by the
// Fisher matrix. It returns the norm that the gradient had.
func (p *Policy) shape(temperature float64) (norm float64, err error) {
	u := &p.update
	square := 0.0
	for _, q := range u.params {
		for _, g := range q.grad() {
			square += float64(g * g)
		}
	}
	norm = math.Sqrt(square)
	if norm-norm != 0 {
		return 0, fmt.Errorf("the norm of the gradient is %v, want a finite number", norm)
	}
	if bound := p.opt.ClipNorm; bound > 0 && norm > bound {
		scale := bound / norm
		for _, q := range u.params {
			grad := q.grad()
			for j := range grad {
				grad[j] *= scale
			}
		}
	}
	if p.opt.Name == "natural" {
		err = p.natural(temperature)
	}
	return norm, err
}
