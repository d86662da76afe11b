package transformer

import (
	"fmt"
	"math"

	"modebench/policies/internal/device"
)

// step moves the parameters down the gradient and returns its norm. After an error
// nothing has moved, unless it is a card's: then the policy is lost.
func (p *Policy) step(rate float64) (norm float64, err error) {
	var squares float64
	if p.gpu == nil {
		squares = p.kernels.SumSquares(p.grad)
	} else {
		squares = p.gpu.squares
	}
	norm = math.Sqrt(squares)
	if norm-norm != 0 {
		return 0, fmt.Errorf("the norm of the gradient is %v, want a finite number", norm)
	}
	if r := float32(rate); r-r != 0 {
		return 0, fmt.Errorf("the learning rate is %v, want a finite number that float32 holds", rate)
	}
	scale := 1.0
	if bound := p.opt.ClipNorm; bound > 0 && norm > bound {
		scale = bound / norm
	}
	decay := float32(rate * p.opt.WeightDecay)
	p.updates++
	if p.opt.Name == "sgd" {
		p.descend(float32(rate*scale), decay)
	} else {
		p.adam(rate, float32(scale), decay)
	}
	if p.gpu == nil {
		p.publish(p.weights)
	} else {
		p.weights.stale = true
	}
	return norm, p.Failure()
}

// adam is AdamW with the bias corrections moved into the rate and the root.
func (p *Policy) adam(rate float64, scale, decay float32) {
	p.power1 = float64(p.power1 * p.opt.Beta1)
	p.power2 = float64(p.power2 * p.opt.Beta2)
	optimizer := device.AdamW{
		Scale: scale,
		Beta1: float32(p.opt.Beta1), Rest1: float32(1 - p.opt.Beta1),
		Beta2: float32(p.opt.Beta2), Rest2: float32(1 - p.opt.Beta2),
		Rate: float32(rate / (1 - p.power1)), Root: float32(1 / math.Sqrt(1-p.power2)), Eps: float32(p.opt.AdamEps),
	}
	if p.gpu != nil {
		optimizer.Decay = decay
		p.gpu.adam(optimizer)
		return
	}
	parallel(len(p.shape.tensors), func(i int) {
		t, settings := p.shape.tensors[i], optimizer
		if t.decays {
			settings.Decay = decay
		}
		p.kernels.AdamW(t.slice(p.weights.flat), t.slice(p.grad), t.slice(p.first), t.slice(p.second), settings)
	})
}

func (p *Policy) descend(rate, decay float32) {
	if g := p.gpu; g != nil {
		for _, t := range p.shape.tensors {
			to, n := g.memory.At(t.offset), t.rows*t.columns
			if t.decays && decay != 0 {
				g.axpy(to, -decay, to, n)
			}
			g.axpy(to, -rate, g.grad().At(t.offset), n)
		}
		g.settle()
		return
	}
	parallel(len(p.shape.tensors), func(i int) {
		t := p.shape.tensors[i]
		xs := t.slice(p.weights.flat)
		if t.decays && decay != 0 {
			p.kernels.Axpy(xs, -decay, xs)
		}
		p.kernels.Axpy(xs, -rate, t.slice(p.grad))
	})
}
