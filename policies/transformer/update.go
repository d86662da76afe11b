package transformer

import (
	"errors"
	"fmt"

	"modebench/internal/exact"
	"modebench/internal/loss"
	"modebench/policies"
)

// Update implements policies.Policy. The gradient of the loss with respect to the
// logits z of a position whose distribution at temperature T is p is
//
//	dlogp(a)/dz_j = (1[j=a] - p_j) / T
//	dH/dz_j       = -p_j (log p_j + H) / T
//	dKL/dz_j      = p_j (log p_j - log q_j - KL) / T
//
// with q the reference's distribution of the same position, and of the mean
// log-probability of the K likeliest tokens (1[j is one of them]/K - p_j) / T.
func (p *Policy) Update(b policies.Batch) (policies.UpdateStats, error) {
	if b.Loss == nil {
		return policies.UpdateStats{}, errors.New("the batch has no loss")
	}
	defer p.release()
	chunks, err := p.prepare(&b, true)
	if err == nil {
		err = b.Loss(&p.tokens)
	}
	if err != nil || len(p.tokens.Logp) == 0 { // nothing to learn from
		return policies.UpdateStats{}, err
	}
	if err := p.differentiate(chunks, &b); err != nil {
		return policies.UpdateStats{}, err
	}
	rate := p.opt.LR
	if b.Rate != 0 {
		rate *= b.Rate
	}
	norm, err := p.step(rate)
	if err != nil {
		return policies.UpdateStats{}, err
	}
	stats := policies.UpdateStats{Loss: p.tokens.Loss, GradNorm: norm}
	n := float64(len(p.tokens.Logp))
	stats.KL, stats.Clipped = p.k3/n, float64(p.tokens.Clipped)/n
	return stats, nil
}

// Flatten implements policies.Policy.
func (p *Policy) Flatten(b policies.Batch) (*loss.Tokens, error) {
	defer p.release()
	if _, err := p.prepare(&b, false); err != nil {
		return nil, err
	}
	return &p.tokens, nil
}

// prepare checks a batch and fills the objective's inputs. With keep, chunks keep their activations.
func (p *Policy) prepare(b *policies.Batch, keep bool) ([]*chunk, error) {
	if err := checkTemperature(b.Temperature); err != nil {
		return nil, err
	}
	var ref *weights
	if b.Want.Ref || b.Want.KL {
		if ref = p.frozen(b.Reference); ref == nil {
			return nil, policies.ErrReference
		}
	}
	if err := b.Flatten(&p.tokens); err != nil {
		return nil, err
	}
	if err := p.list(b); err != nil {
		return nil, err
	}
	p.findTrails(b)
	chunks := p.cut(p.batch)
	err := attempt(len(chunks), func(i int) error {
		if err := policies.Ended(b.Context); err != nil {
			return err
		}
		err := chunks[i].encode(p.encoding, p.config.Mask, p.config.Tree)
		if err == nil && p.gpu == nil {
			p.assess(chunks[i], b, ref, keep)
			err = policies.Ended(b.Context)
		}
		return err
	})
	if err == nil && p.gpu != nil {
		if err = p.gpu.assess(p.weights, ref, chunks, p.config.Mask, float32(1/b.Temperature), keep); err == nil {
			parallel(len(chunks), func(i int) { p.readSpace(chunks[i], chunks[i].space, b, ref != nil) })
		}
	}
	if err != nil {
		return nil, err
	}
	p.k3 = 0
	for _, c := range chunks {
		p.k3 += c.k3
	}
	return chunks, nil
}

// The temperatures for which float32 holds a logit over the temperature, also that of an
// illegal token.
const (
	coldest = 1e-6
	hottest = 1e6
)

func checkTemperature(t float64) error {
	if !(t >= coldest && t <= hottest) {
		return fmt.Errorf("temperature %v, want %v to %v", t, coldest, hottest)
	}
	return nil
}

// assess runs a chunk through the policy, and through the reference if there is
// one, and fills in their numbers for its tokens.
func (p *Policy) assess(c *chunk, b *policies.Batch, ref *weights, keep bool) {
	invT := float32(1 / b.Temperature)
	v := p.shape.vocabulary
	var s *space
	if keep {
		if c.space == nil {
			c.space = &space{}
		}
		s = c.space
	} else {
		s = p.spaces.take()
		defer p.spaces.give(s)
	}
	if ref != nil { // first: the policy's own pass leaves its activations behind
		refSpace := p.spaces.take()
		defer p.spaces.give(refSpace)
		n := p.network(b.Context, ref)
		n.forward(c, refSpace, false)
		n.predict(c, refSpace, invT)
		s.reference = append(s.reference[:0], refSpace.logp[:c.answers*v]...)
	}
	n := p.network(b.Context, p.weights)
	if keep && c.recalled {
		n.recall(c, s, p.sampler.kept)
	} else {
		n.forward(c, s, keep)
	}
	n.predict(c, s, invT)
	p.readSpace(c, s, b, ref != nil)
}

// readSpace fills the objective's inputs from the space that holds a chunk's distributions.
func (p *Policy) readSpace(c *chunk, s *space, b *policies.Batch, ref bool) {
	t, v, k3 := &p.tokens, p.shape.vocabulary, 0.0
	for row := range c.answers {
		logp, prob := s.logp[row*v:(row+1)*v], s.p[row*v:(row+1)*v]
		h, square, kl := 0.0, 0.0, 0.0 // the same for all tokens that the row predicts
		if len(t.Entropy) > 0 {
			h = entropy(prob, logp)
		}
		if len(t.Squares) > 0 {
			square = squares(prob)
		}
		var q []float32
		if ref {
			q = s.reference[row*v : (row+1)*v]
		}
		if len(t.KL) > 0 {
			kl = divergence(b.Want.Divergence, prob, logp, q)
		}
		for _, i := range c.tokensOf(row) {
			k, token := c.start+int(i), c.targets[i]
			t.Logp[k] = float64(logp[token])
			if len(t.Entropy) > 0 {
				t.Entropy[k] = h
			}
			if len(t.Squares) > 0 {
				t.Squares[k] = square
			}
			if len(t.Legal) > 0 {
				t.Legal[k] = c.appendLegal(t.Legal[k][:0], row, prob)
			}
			if len(t.Likeliest) > 0 {
				t.Likeliest[k] = s.isLikeliest(int(token), prob, logp)
			}
			if !ref {
				continue
			}
			d := float64(q[token]) - float64(logp[token])
			k3 += exact.Expm1(d) - d
			if len(t.Ref) > 0 {
				t.Ref[k] = float64(q[token])
			}
			if len(t.KL) > 0 {
				t.KL[k] = kl
			}
		}
	}
	c.k3 = k3
}

func entropy(p, logp []float32) float64 {
	h := 0.0
	for j, x := range p {
		h -= float64(float64(x) * float64(logp[j]))
	}
	return max(h, 0)
}

func squares(p []float32) float64 {
	sum := 0.0
	for _, x := range p {
		sum += float64(float64(x) * float64(x))
	}
	return sum
}

// appendLegal appends the probabilities of the tokens that may be drawn at a row of rollouts.
func (c *chunk) appendLegal(dst []float64, row int, p []float32) []float64 {
	if len(c.legal) == 0 {
		for _, x := range p {
			dst = append(dst, float64(x))
		}
		return dst
	}
	for _, token := range c.legal[row] {
		dst = append(dst, float64(p[token]))
	}
	return dst
}

func divergence(kind policies.Divergence, p, logp, logq []float32) float64 {
	sum := 0.0
	for j, x := range p {
		part, _ := kind.Term(float64(x), float64(logp[j]), float64(logq[j]))
		sum += part
	}
	return max(sum, 0)
}

func (p *Policy) list(b *policies.Batch) error {
	p.batch = p.batch[:0]
	for g := range b.Groups {
		group := &b.Groups[g]
		if err := p.encoding.Check(group.Task); err != nil {
			return err
		}
		for i := range group.Rollouts {
			p.batch = append(p.batch, work{task: group.Task, group: g, tokens: group.Rollouts[i].Tokens})
		}
	}
	return nil
}

// differentiate turns the objective's derivatives into the gradient of the parameters.
func (p *Policy) differentiate(chunks []*chunk, b *policies.Batch) error {
	n := p.network(b.Context, p.weights)
	err := attempt(len(chunks), func(i int) error {
		c := chunks[i]
		if err := policies.Ended(b.Context); err != nil {
			return err
		}
		p.logits(c, b)
		if p.gpu != nil {
			return nil
		}
		p.gather(n, c, c.space)
		return policies.Ended(b.Context)
	})
	if err != nil {
		return err
	}
	if p.gpu != nil {
		return p.gpu.backward()
	}
	p.reduce(chunks)
	return nil
}

func (p *Policy) gather(n network, c *chunk, s *space) {
	if c.grad == nil {
		c.grad = make([]float32, p.shape.size)
	}
	clear(c.grad)
	if c.answers > 0 {
		n.backward(c, s, c.grad)
	}
}

// logits fills in the gradient of the logits of the chunk's rows, to which each token that a row predicts adds.
func (p *Policy) logits(c *chunk, b *policies.Batch) {
	s, t, v := c.space, &p.tokens, p.shape.vocabulary
	s.dlogits, s.slopes = grow(s.dlogits, c.answers*v), grow(s.slopes, v)
	invT := 1 / b.Temperature
	for row := range c.answers {
		logp, prob, dz := s.logp[row*v:(row+1)*v], s.p[row*v:(row+1)*v], s.dlogits[row*v:(row+1)*v]
		tokens := c.tokensOf(row)
		sum := func(list []float64) float64 { // of a list of the objective's derivatives
			total := list[c.start+int(tokens[0])]
			for _, i := range tokens[1:] {
				total += list[c.start+int(i)]
			}
			return total
		}
		first := c.start + int(tokens[0])
		all, dh, dk, h, kl := sum(t.DLogp), 0.0, 0.0, 0.0, 0.0 // all: of the log-probabilities
		var q []float32
		if len(t.DEntropy) > 0 {
			dh, h = sum(t.DEntropy), t.Entropy[first]
		}
		if len(t.DKL) > 0 {
			dk, kl, q = sum(t.DKL), t.KL[first], s.reference[row*v:(row+1)*v]
		}
		pushed := q != nil && b.Want.Divergence != policies.Reverse
		if pushed { // kl is then the sum of the pushes
			kl = 0
			for j, x := range prob {
				_, push := b.Want.Divergence.Term(float64(x), float64(logp[j]), float64(q[j]))
				kl += push
			}
		}
		if len(t.DTop) > 0 {
			dt := sum(t.DTop)
			all += dt
			s.pushTop(b.Want.Top, dt, prob, logp)
		}
		for j, x := range prob {
			pj, lj := float64(x), float64(logp[j])
			slope := all + float64(dh*(lj+h))
			if q != nil && !pushed {
				slope -= float64(dk * (lj - float64(q[j]) - kl))
			}
			g := -float64(pj * slope)
			if pushed {
				_, push := b.Want.Divergence.Term(pj, lj, float64(q[j]))
				g += float64(dk * (push - float64(pj*kl)))
			}
			s.slopes[j] = g
		}
		for _, i := range tokens {
			s.slopes[c.targets[i]] += t.DLogp[c.start+int(i)]
		}
		for j, g := range s.slopes {
			if len(t.DTop) > 0 {
				g += s.pushes[j]
			}
			dz[j] = float32(g * invT)
		}
	}
}

// reduceBlock is the number of parameters that a goroutine sums at a time.
const reduceBlock = 4096

func (p *Policy) reduce(chunks []*chunk) {
	blocks := (len(p.grad) + reduceBlock - 1) / reduceBlock
	parallel(blocks, func(i int) {
		lo, hi := i*reduceBlock, min((i+1)*reduceBlock, len(p.grad))
		sum := p.grad[lo:hi]
		if len(chunks) == 0 {
			clear(sum)
			return
		}
		copy(sum, chunks[0].grad[lo:hi])
		for _, c := range chunks[1:] {
			p.kernels.Add(sum, c.grad[lo:hi])
		}
	})
}
