package transformer

import (
	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/device"
)

// forward runs the chunk through all blocks and leaves the residual stream of the
// rows of rollouts in s.out.
func (n network) forward(c *chunk, s *space, keep bool) {
	n.forwardTo(c, s, keep, nil)
	last := n.layers - 1
	a := s.layer(last, keep)
	n.attention(c, a, &s.scratch)
	s.out = grow(s.out, c.answers*n.d)
	c.pick(a.mixed, a.mixed, n.d)
	c.pick(a.middle, a.x, n.d)
	n.afterAttention(&n.shape.blocks[last], &n.weights.blocks[last], a, a.middle, s.out, c.answers)
}

// forwardTo runs the chunk through all blocks, through the last up to the inputs of
// its attention. each, if any, is called where a block has them: with its number and
// its activations, of which qkv is filled in.
func (n network) forwardTo(c *chunk, s *space, keep bool, each func(l int, a *activations)) {
	rows := c.rows()
	n.embedRows(c, s.layer(0, keep), rows)
	for l := range n.shape.blocks {
		a := s.layer(l, keep)
		a.grow(rows, n.d, n.heads, c.width)
		b, w := &n.shape.blocks[l], &n.weights.blocks[l]
		n.attend1(b, w, a, rows)
		if each != nil {
			each(l, a)
		}
		if l+1 == n.layers {
			return
		}
		n.attention(c, a, &s.scratch)
		out := &s.x
		if keep {
			out = &s.layer(l+1, true).x
			a = s.layer(l, true) // the call may have moved it
		}
		*out = grow(*out, rows*n.d)
		n.afterAttention(b, w, a, a.x, *out, rows)
		if !keep {
			a.x, s.x = s.x, a.x
		}
	}
}

// embedRows adds up the vectors of each row's features.
func (n network) embedRows(c *chunk, a *activations, rows int) {
	a.x = grow(a.x, rows*n.d)
	n.embedInto(a.x, c.features, c.starts)
}

func (n network) embedInto(x []float32, features []int32, starts []int) {
	table := n.embed.slice(n.flat)
	for i := range len(starts) - 1 {
		row := x[i*n.d : (i+1)*n.d]
		rowFeatures := features[starts[i]:starts[i+1]]
		if len(rowFeatures) == 0 {
			clear(row)
			continue
		}
		copy(row, table[int(rowFeatures[0])*n.d:])
		for _, f := range rowFeatures[1:] {
			n.Add(row, table[int(f)*n.d:(int(f)+1)*n.d])
		}
	}
}

// attend1 is the part of a block before attention.
func (n network) attend1(b *block, w *packedBlock, a *activations, rows int) {
	d := n.d
	n.inParts(rows, func(i, m int) {
		n.LayerNorm(a.norm1[i*d:], a.mean1[i:], a.rstd1[i:], a.x[i*d:], b.gain1.slice(n.flat), b.bias1.slice(n.flat), m, d)
		n.apply(a.qkv[3*i*d:], a.norm1[i*d:], b.qkv, w.qkv, m)
	})
}

// afterAttention is the rest of it. x is the block's input.
func (n network) afterAttention(b *block, w *packedBlock, a *activations, x, out []float32, rows int) {
	d := n.d
	n.inParts(rows, func(i, m int) {
		middle, norm, wide, gelu := a.middle[i*d:], a.norm2[i*d:], a.wide[4*i*d:4*(i+m)*d], a.gelu[4*i*d:4*(i+m)*d]
		n.applyTo(middle, x[i*d:], a.mixed[i*d:], b.proj, w.proj, m)
		n.LayerNorm(norm, a.mean2[i:], a.rstd2[i:], middle, b.gain2.slice(n.flat), b.bias2.slice(n.flat), m, d)
		n.apply(wide, norm, b.fc, w.fc, m)
		n.Gelu(gelu, wide)
		n.applyTo(out[i*d:], middle, gelu, b.out, w.out, m)
	})
}

// inParts calls do for parts of the rows, in order: for m rows from row i on. It leaves out what
// is left when the context ends; who called for the pass then finds that it has.
func (n network) inParts(rows int, do func(i, m int)) {
	parts := max(1, (4*n.d*rows+n.part/2)/n.part)
	for part := range parts {
		if policies.Ended(n.ctx) != nil {
			return
		}
		from := rows * part / parts
		do(from, rows*(part+1)/parts-from)
	}
}

// apply is y = x W + bias, row by row; the sum starts from the bias.
func (n network) apply(y, x []float32, l linear, w packedLinear, rows int) {
	in, out := l.weight.rows, l.weight.columns
	n.MatMul(y, out, x, in, 1, w.forward, 0, in, rows, out, device.Start{Bias: l.bias.slice(n.flat)})
}

// applyTo is y = (base + bias) + x W; base may be y.
func (n network) applyTo(y, base, x []float32, l linear, w packedLinear, rows int) {
	in, out := l.weight.rows, l.weight.columns
	n.MatMul(y, out, x, in, 1, w.forward, 0, in, rows, out, device.Start{Rows: base, LD: out, Bias: l.bias.slice(n.flat)})
}

// predict makes the distributions of the rows of rollouts, at a temperature, from the output of
// forward in out.
func (n network) predict(c *chunk, s *space, invT float32) {
	n.distribute(s, s.out, c.answers, c.legal, invT)
}

// illegal is the logit of a token that is masked: at any temperature its
// probability is zero, and its log-probability finite.
const illegal = -1e30

// distribute fills logp and p from rows of the residual stream.
func (n network) distribute(s *space, x []float32, rows int, legal [][]envs.Token, invT float32) {
	v := n.vocabulary
	s.mean, s.rstd = grow(s.mean, rows), grow(s.rstd, rows)
	s.normal, s.logits = grow(s.normal, rows*n.d), grow(s.logits, rows*v)
	s.logp, s.p = grow(s.logp, rows*v), grow(s.p, rows*v)
	n.LayerNorm(s.normal, s.mean, s.rstd, x, n.gain.slice(n.flat), n.bias.slice(n.flat), rows, n.d)
	n.MatMul(s.logits, v, s.normal, n.d, 1, n.weights.head.forward, 0, n.d, rows, v, device.Start{})
	for i := range legal {
		mask(s.logits[i*v:(i+1)*v], legal[i])
	}
	n.LogSoftmax(s.p, s.logp, s.logits, v, rows, v, invT)
}

// mask leaves the legal tokens, which are in ascending order, as they are.
func mask(logits []float32, legal []envs.Token) {
	next := 0
	for j := range logits {
		if next < len(legal) && int(legal[next]) == j {
			next++
		} else {
			logits[j] = illegal
		}
	}
}
