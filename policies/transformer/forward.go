package transformer

import (
	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/device"
)

// forward leaves the residual stream of the rows of rollouts behind all blocks in s.out.
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
	first := s.layer(0, keep)
	first.x = grow(first.x, rows*n.d)
	n.embedInto(first.x, c.features, c.starts)
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

// embedInto adds up the vectors of each row's features.
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

func (n network) attend1(b *block, w *packedBlock, a *activations, rows int) {
	d := n.d
	n.inParts(rows, func(i, m int) {
		n.LayerNorm(a.norm1[i*d:], a.mean1[i:], a.rstd1[i:], a.x[i*d:], b.gain1.slice(n.flat), b.bias1.slice(n.flat), m, d)
		n.apply(a.qkv[3*i*d:], nil, a.norm1[i*d:], b.qkv, w.qkv, m)
	})
}

// afterAttention is the rest of it. x is the block's input.
func (n network) afterAttention(b *block, w *packedBlock, a *activations, x, out []float32, rows int) {
	d := n.d
	n.inParts(rows, func(i, m int) {
		middle, norm, wide, gelu := a.middle[i*d:], a.norm2[i*d:], a.wide[4*i*d:4*(i+m)*d], a.gelu[4*i*d:4*(i+m)*d]
		n.apply(middle, x[i*d:], a.mixed[i*d:], b.proj, w.proj, m)
		n.LayerNorm(norm, a.mean2[i:], a.rstd2[i:], middle, b.gain2.slice(n.flat), b.bias2.slice(n.flat), m, d)
		n.apply(wide, nil, norm, b.fc, w.fc, m)
		n.Gelu(gelu, wide)
		n.apply(out[i*d:], middle, gelu, b.out, w.out, m)
	})
}

// inParts calls do for parts of m rows from row i on, in order, until the context ends.
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

// apply is y = (base + bias) + x W, row by row, of the base and bias that there are; base may be y.
func (n network) apply(y, base, x []float32, l linear, w packedLinear, rows int) {
	in, out := l.weight.rows, l.weight.columns
	start := device.Start{Rows: base, LD: out}
	if l.bias != nil {
		start.Bias = l.bias.slice(n.flat)
	}
	n.MatMul(y, out, x, in, 1, w.forward, 0, in, rows, out, start)
}

// predict makes the distributions of the rows of rollouts from the output of forward.
func (n network) predict(c *chunk, s *space, invT float32) {
	n.distribute(s, s.out, c.answers, c.legal, invT)
}

// illegal is the logit of a masked token: of probability zero and a finite log-probability.
const illegal = -1e30

// distribute fills logp and p from rows of the residual stream.
func (n network) distribute(s *space, x []float32, rows int, legal [][]envs.Token, invT float32) {
	v := n.vocabulary
	s.mean, s.rstd = grow(s.mean, rows), grow(s.rstd, rows)
	s.normal, s.logits = grow(s.normal, rows*n.d), grow(s.logits, rows*v)
	s.logp, s.p = grow(s.logp, rows*v), grow(s.p, rows*v)
	n.LayerNorm(s.normal, s.mean, s.rstd, x, n.gain.slice(n.flat), n.bias.slice(n.flat), rows, n.d)
	n.apply(s.logits, nil, s.normal, n.shape.head, n.weights.head, rows)
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

// backward adds the gradient of the parameters to grad, given that of the chunk's
// logits in s.dlogits and the activations of a forward pass that kept them. Every
// entry of grad sums over the chunk's rows in order.
func (n network) backward(c *chunk, s *space, grad []float32) {
	n.backwardHead(c, s, grad)
	all, d := c.rows(), n.d
	s.dx, s.dnarrow, s.dqkv = grow(s.dx, all*d), grow(s.dnarrow, all*d), grow(s.dqkv, 3*all*d)
	s.dnormal, s.dwide = grow(s.dnormal, all*d), grow(s.dwide, 4*all*d)
	dx, rows := s.dout, c.answers // the rows that continued after the last block's attention
	for l := n.layers - 1; l >= 0; l-- {
		b, w, a := &n.shape.blocks[l], &n.weights.blocks[l], s.layer(l, true)

		// x' = middle + out(gelu(fc(norm2))), middle = x + proj(attention(qkv(norm1)))
		n.inParts(rows, func(i, m int) {
			dout, wide := dx[i*d:], s.dwide[:4*m*d]
			n.linearBackward(s, b.out, w.out, grad, wide, dout, a.gelu[4*i*d:], m)
			n.GeluBackward(wide, a.wide[4*i*d:4*(i+m)*d])
			n.linearBackward(s, b.fc, w.fc, grad, s.dnormal, wide, a.norm2[i*d:], m)
			n.LayerNormBackward(dout, b.gain2.slice(grad), b.bias2.slice(grad), s.dnormal, a.middle[i*d:], a.mean2[i:], a.rstd2[i:], b.gain2.slice(n.flat), m, d)
			n.linearBackward(s, b.proj, w.proj, grad, s.dnarrow[i*d:], dout, a.mixed[i*d:], m)
		})
		if l+1 == n.layers {
			c.scatter(s.dx, dx, d)
			c.scatter(s.dnarrow, s.dnarrow, d)
			dx, rows = s.dx, all
		}
		n.attentionBackward(c, a, s.dqkv, s.dnarrow, &s.scratch)
		n.inParts(rows, func(i, m int) {
			n.linearBackward(s, b.qkv, w.qkv, grad, s.dnormal, s.dqkv[3*i*d:], a.norm1[i*d:], m)
			n.LayerNormBackward(dx[i*d:], b.gain1.slice(grad), b.bias1.slice(grad), s.dnormal, a.x[i*d:], a.mean1[i:], a.rstd1[i:], b.gain1.slice(n.flat), m, d)
		})
	}
	n.embedBackward(c, s.dx, grad)
}

// backwardHead leaves the gradient of the last block's output in dout.
func (n network) backwardHead(c *chunk, s *space, grad []float32) {
	rows, d := c.answers, n.d
	s.dnormal, s.dout = grow(s.dnormal, rows*d), grow(s.dout, rows*d)
	n.linearBackward(s, n.shape.head, n.weights.head, grad, s.dnormal, s.dlogits, s.normal, rows)
	clear(s.dout)
	n.LayerNormBackward(s.dout, n.gain.slice(grad), n.bias.slice(grad), s.dnormal, s.out, s.mean, s.rstd, n.gain.slice(n.flat), rows, d)
}

// linearBackward gives the gradients of x, W and bias from dy, that of y = x W + bias.
func (n network) linearBackward(s *space, l linear, w packedLinear, grad, dx, dy, x []float32, rows int) {
	in, out := l.weight.rows, l.weight.columns
	n.MatMul(dx, in, dy, out, 1, w.backward, 0, out, rows, in, device.Start{})
	packed := fit(n, &s.packed, rows, out)
	n.Pack(packed, dy, out, 1)
	weight := l.weight.slice(grad)
	n.MatMul(weight, out, x, 1, in, packed, 0, rows, in, out, device.From(weight, out))
	if l.bias != nil {
		n.SumRows(l.bias.slice(grad), dy, rows, out)
	}
}

func (n network) embedBackward(c *chunk, dx, grad []float32) {
	table := n.embed.slice(grad)
	for i := range c.rows() {
		row := dx[i*n.d : (i+1)*n.d]
		for _, f := range c.features[c.starts[i]:c.starts[i+1]] {
			n.Add(table[int(f)*n.d:(int(f)+1)*n.d], row)
		}
	}
}

func fit(k device.Kernels, p *device.Packed, rows, columns int) device.Packed {
	need := k.NewPacked
	if p.K < rows || p.N < columns {
		*p = need(max(rows, p.K), max(columns, p.N))
	}
	return device.Packed{Data: p.Data, K: rows, N: columns}
}

// causalBlock is the most keys of a rollout that go through attention at once, with the rows that see them.
const causalBlock = 32

// attention fills mixed and the weights of each row over the prompt and, of a rollout, its prefix up to there.
func (n network) attention(c *chunk, a *activations, s *scratch) {
	rows := c.rows()
	for h := range n.heads {
		weights := a.attention[h*rows*c.width:]
		for i := range c.segments {
			n.attendSegment(&c.segments[i], a.qkv[h*n.hd:], a.mixed[h*n.hd:], weights, c.width, s)
		}
	}
}

// attendSegment works on one head; q, k and v of a row are at qkv[row*3d], d and 2d further.
func (n network) attendSegment(g *segment, qkv, mixed, weights []float32, width int, s *scratch) {
	d, hd, wide := n.d, n.hd, 3*n.d
	rowOf := func(row int) []float32 { return qkv[row*wide:] }
	p, all := g.prompt, g.row
	values := fit(n, &s.down, g.rows, hd)
	n.Pack(values, rowOf(all)[2*d:], wide, 1)
	if p > 0 {
		keys := fit(n, &s.across, hd, p)
		n.Pack(keys, rowOf(all)[d:], 1, wide)
		n.MatMul(weights[all*width:], width, rowOf(all), wide, 1, keys, 0, hd, g.rows, p, device.Start{})
		n.Softmax(weights[all*width:], width, p, p, 0, p, n.scale())
		// The rows of rollouts are not normalised yet: their sums are worked out
		// again once they are.
		n.MatMul(mixed[all*d:], d, weights[all*width:], width, 1, values, 0, p, p, hd, device.Start{})
	}
	for _, q := range g.spans {
		keys := fit(n, &s.across, hd, q.n)
		n.Pack(keys, rowOf(q.row)[d:], 1, wide)
		n.MatMul(weights[q.row*width+p+q.depth:], width, rowOf(q.row), wide, 1, keys, 0, hd, q.end-q.row, q.n, device.Start{})
	}
	for _, r := range g.runs {
		n.Softmax(weights[r.row*width:], width, r.n, p+r.depth+1, 1, p+r.depth+r.n, n.scale())
	}
	if first := all + p; p > 0 && g.rows > p {
		n.MatMul(mixed[first*d:], d, weights[first*width:], width, 1, values, 0, p, g.rows-p, hd, device.Start{})
	}
	for _, q := range g.spans {
		out := mixed[q.row*d:]
		n.MatMul(out, d, weights[q.row*width+p+q.depth:], width, 1, values, q.row-all, q.n, q.end-q.row, hd, fromIf(p+q.depth > 0, out, d))
	}
}

func fromIf(present bool, rows []float32, ld int) device.Start {
	if !present {
		return device.Start{}
	}
	return device.From(rows, ld)
}

func (n network) attentionBackward(c *chunk, a *activations, dqkv, dmixed []float32, s *scratch) {
	rows := c.rows()
	for h := range n.heads {
		weights := a.attention[h*rows*c.width:]
		for i := range c.segments {
			n.attendSegmentBackward(&c.segments[i], a.qkv[h*n.hd:], dqkv[h*n.hd:], dmixed[h*n.hd:], weights, c.width, s)
		}
	}
}

func (n network) attendSegmentBackward(g *segment, qkv, dqkv, dmixed, weights []float32, width int, s *scratch) {
	d, hd, wide := n.d, n.hd, 3*n.d
	rowOf := func(row int) []float32 { return qkv[row*wide:] }
	p, all := g.prompt, g.row
	s.ds = grow(s.ds, g.rows*width)
	ds := func(row int) []float32 { return s.ds[(row-all)*width:] }

	// The gradient of the weights, and of the scores they are the softmax of.
	if p > 0 {
		values := fit(n, &s.across, hd, p)
		n.Pack(values, rowOf(all)[2*d:], 1, wide)
		n.MatMul(ds(all), width, dmixed[all*d:], d, 1, values, 0, hd, g.rows, p, device.Start{})
		n.SoftmaxBackward(ds(all), weights[all*width:], width, p, p, 0, p, n.scale())
	}
	for _, q := range g.spans {
		values := fit(n, &s.across, hd, q.n)
		n.Pack(values, rowOf(q.row)[2*d:], 1, wide)
		n.MatMul(ds(q.row)[p+q.depth:], width, dmixed[q.row*d:], d, 1, values, 0, hd, q.end-q.row, q.n, device.Start{})
	}
	for _, r := range g.runs {
		n.SoftmaxBackward(ds(r.row), weights[r.row*width:], width, r.n, p+r.depth+1, 1, p+r.depth+r.n, n.scale())
	}

	// Of the queries.
	keys := fit(n, &s.down, g.rows, hd)
	n.Pack(keys, rowOf(all)[d:], wide, 1)
	if p > 0 {
		n.MatMul(dqkv[all*wide:], wide, ds(all), width, 1, keys, 0, p, g.rows, hd, device.Start{})
	}
	for _, q := range g.spans {
		out := dqkv[q.row*wide:]
		n.MatMul(out, wide, ds(q.row)[p+q.depth:], width, 1, keys, q.row-all, q.n, q.end-q.row, hd, fromIf(p+q.depth > 0, out, wide))
	}

	// Of the keys and values, which sum over the rows that saw them.
	queries, grads := fit(n, &s.down, g.rows, hd), fit(n, &s.grads, g.rows, hd)
	n.Pack(queries, rowOf(all), wide, 1)
	n.Pack(grads, dmixed[all*d:], d, 1)
	if p > 0 {
		n.MatMul(dqkv[all*wide+d:], wide, ds(all), 1, width, queries, 0, g.rows, p, hd, device.Start{})
		n.MatMul(dqkv[all*wide+2*d:], wide, weights[all*width:], 1, width, grads, 0, g.rows, p, hd, device.Start{})
	}
	for _, q := range g.spans {
		from, count := q.row-all, q.end-q.row
		n.MatMul(dqkv[q.row*wide+d:], wide, ds(q.row)[p+q.depth:], 1, width, queries, from, count, q.n, hd, device.Start{})
		n.MatMul(dqkv[q.row*wide+2*d:], wide, weights[q.row*width+p+q.depth:], 1, width, grads, from, count, q.n, hd, device.Start{})
	}
}
