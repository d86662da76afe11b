package transformer

import (
	"context"
	"fmt"
	"math"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/policies"
)

// A Demonstration is one rollout of a task to imitate.
type Demonstration struct {
	Task   envs.Task
	Tokens []envs.Token
}

// pretraining is the optimiser of supervised pre-training, but for its rate.
var pretraining = policies.Optimizer{Name: "adam", Beta1: 0.9, Beta2: 0.98, AdamEps: 1e-8, WeightDecay: 0.02, ClipNorm: 1}

// The rate of pre-training climbs for warmup steps, or a tenth of all if there are fewer than ten
// times that, and then falls by a cosine to a share of its peak.
const (
	warmup = 200
	floor  = 0.02
)

// Pretrain makes the policy a base policy: config.Steps steps of AdamW down the
// mean over tokens of -log p(token) of demonstrations, config.Batch of them a step
// and each once. demonstration gives number i, from 0; it must depend on i alone and be safe for
// concurrent use. progress, which may be nil, is called after each step. Earlier learning is
// forgotten. After an error the policy is as far as it got.
func (p *Policy) Pretrain(ctx context.Context, demonstration func(i uint64) (Demonstration, error), progress func(step int, loss float64)) error {
	if err := p.initialise(ctx); err != nil {
		return err
	}
	saved := p.opt
	p.opt = pretraining
	p.resetOptimizer()
	defer func() {
		p.opt = saved
		p.resetOptimizer()
	}()
	ctx, stop := context.WithCancel(ctx)
	next := p.lessons(ctx, demonstration)
	defer func() { // running calls use the caller's function until they are over
		stop()
		for range next {
		}
	}()
	for step := range p.config.Steps {
		batch, ok := <-next
		if err := ctx.Err(); err != nil || !ok {
			return err
		}
		if batch.err != nil {
			return batch.err
		}
		loss, err := p.imitate(ctx, batch.work, p.config.LR*schedule(step, p.config.Steps))
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			return fmt.Errorf("pre-training step %d: %w", step, err)
		}
		if progress != nil {
			progress(step+1, loss)
		}
	}
	return nil
}

func schedule(step, steps int) float64 {
	up := min(warmup, steps/10+1)
	if step < up {
		return float64(step+1) / float64(up)
	}
	half := exact.CosPi(float64(step-up) / float64(2*max(1, steps-up)))
	return floor + float64((1-floor)*float64(half*half)) // half² = (1 + cos(pi x)) / 2
}

type lesson struct {
	work []work
	err  error
}

// lessons makes the steps' demonstrations ahead, on goroutines of their own.
func (p *Policy) lessons(ctx context.Context, demonstration func(i uint64) (Demonstration, error)) <-chan lesson {
	out := make(chan lesson, 4)
	go func() {
		defer close(out)
		for step := range p.config.Steps {
			batch := make([]work, p.config.Batch)
			err := attempt(p.config.Batch, func(i int) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				d, err := demonstration(uint64(step)*uint64(p.config.Batch) + uint64(i))
				if err == nil {
					err = p.encoding.Check(d.Task)
				}
				batch[i] = work{task: d.Task, group: i, tokens: d.Tokens}
				return err
			})
			select {
			case out <- lesson{batch, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// imitate makes a step down the mean of -log p(token) and returns it.
func (p *Policy) imitate(ctx context.Context, batch []work, rate float64) (float64, error) {
	tokens := 0
	for i := range batch {
		tokens += len(batch[i].tokens)
	}
	if tokens == 0 {
		return 0, fmt.Errorf("the demonstrations hold no tokens")
	}
	chunks := p.cut(batch)
	losses, share := make([]float64, len(chunks)), 1/float64(tokens)
	n := p.network(ctx, p.weights)
	defer p.release()
	err := attempt(len(chunks), func(i int) error {
		c := chunks[i]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.encode(p.encoding, p.config.Mask, false); err != nil || p.gpu != nil {
			return err
		}
		s := p.spaces.take()
		defer p.spaces.give(s)
		n.forward(c, s, true)
		n.predict(c, s, 1)
		losses[i] = n.surprise(c, s, share)
		p.gather(n, c, s)
		return ctx.Err()
	})
	if err == nil && p.gpu == nil {
		p.reduce(chunks)
	} else if err == nil {
		if err = p.gpu.assess(p.weights, nil, chunks, p.config.Mask, 1, true); err == nil {
			parallel(len(chunks), func(i int) { losses[i] = n.surprise(chunks[i], chunks[i].space, share) })
			err = p.gpu.backward()
		}
	}
	if err != nil {
		return 0, err
	}
	if _, err := p.step(rate); err != nil {
		return 0, err
	}
	loss := 0.0
	for _, x := range losses {
		loss += x
	}
	if math.IsNaN(loss) {
		return 0, fmt.Errorf("the loss is not a number")
	}
	return loss, nil
}

// surprise is the sum of -share log p(token) over the chunk's tokens; it fills its gradient. Demonstrations are
// apart, so that each row predicts one token.
func (n network) surprise(c *chunk, s *space, share float64) float64 {
	v := n.vocabulary
	s.dlogits = grow(s.dlogits, c.answers*v)
	loss, weight := 0.0, float32(share)
	for i, token := range c.targets {
		dz := s.dlogits[i*v : (i+1)*v]
		for j, x := range s.p[i*v : (i+1)*v] {
			dz[j] = x * weight
		}
		dz[token] = float32(float64(dz[token]) - share)
		loss -= float64(share * float64(s.logp[i*v+int(token)]))
	}
	return loss
}
