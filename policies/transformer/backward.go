package transformer

// backward adds the gradient of the parameters to grad, given that of the chunk's
// logits in s.dlogits and the activations of a forward pass that kept them. Every
// entry of grad sums over the chunk's rows in order.
func (n network) backward(c *chunk, s *space, grad []float32) {
	n.backwardHead(c, s, grad)
	rows := c.rows()
	s.dnarrow, s.dwide, s.dqkv = grow(s.dnarrow, rows*n.d), grow(s.dwide, 4*rows*n.d), grow(s.dqkv, 3*rows*n.d)
	for l := n.layers - 1; l >= 0; l-- {
		b, w, a := &n.shape.blocks[l], &n.weights.blocks[l], s.layer(l, true)

		// x' = middle + out(gelu(fc(norm2)))
		n.linearBackward(s, b.out, w.out, grad, s.dwide, s.dx, a.gelu, rows)
		n.GeluBackward(s.dwide[:4*rows*n.d], a.wide[:4*rows*n.d])
		n.linearBackward(s, b.fc, w.fc, grad, s.dnarrow, s.dwide, a.norm2, rows)
		n.LayerNormBackward(s.dx, b.gain2.of(grad), b.bias2.of(grad), s.dnarrow, a.middle, a.mean2, a.rstd2, b.gain2.of(n.flat), rows, n.d)

		// middle = x + proj(attention(qkv(norm1)))
		n.linearBackward(s, b.proj, w.proj, grad, s.dnarrow, s.dx, a.mixed, rows)
		n.attentionBackward(c, a, s.dqkv, s.dnarrow, &s.scratch)
		n.linearBackward(s, b.qkv, w.qkv, grad, s.dnarrow, s.dqkv, a.norm1, rows)
		n.LayerNormBackward(s.dx, b.gain1.of(grad), b.bias1.of(grad), s.dnarrow, a.x, a.mean1, a.rstd1, b.gain1.of(n.flat), rows, n.d)
	}
	n.embedBackward(c, s.dx, grad)
}

// backwardHead leaves the gradient of the last block's output in dx.
func (n network) backwardHead(c *chunk, s *space, grad []float32) {
	rows, d := c.answers, n.d
	s.dnormal, s.dpicked = grow(s.dnormal, rows*d), grow(s.dpicked, rows*d)
	n.linearBackward(s, n.shape.head, n.weights.head, grad, s.dnormal, s.dlogits, s.normal, rows)
	clear(s.dpicked)
	n.LayerNormBackward(s.dpicked, n.gain.of(grad), n.bias.of(grad), s.dnormal, s.picked, s.mean, s.rstd, n.gain.of(n.flat), rows, d)
	s.dx = grow(s.dx, c.rows()*d)
	at := 0
	for i := range c.segments {
		g := &c.segments[i]
		first := (g.row + g.prompt) * d
		clear(s.dx[g.row*d : first])
		at += copy(s.dx[first:(g.row+g.rows)*d], s.dpicked[at:])
	}
}

// linearBackward is what the gradient dy of y = x W + bias says of x, W and bias.
func (n network) linearBackward(s *space, l linear, w packedLinear, grad, dx, dy, x []float32, rows int) {
	in, out := l.weight.rows, l.weight.columns
	n.MatMul(dx, in, dy, out, 1, w.backward, 0, out, rows, in, false)
	packed := fit(n, &s.packed, rows, out)
	n.Pack(packed, dy, out, 1)
	n.MatMul(l.weight.of(grad), out, x, 1, in, packed, 0, rows, in, out, true)
	if l.bias != nil {
		n.SumRows(l.bias.of(grad), dy, rows, out)
	}
}

// embedBackward adds each row's gradient to those of its features' vectors.
func (n network) embedBackward(c *chunk, dx, grad []float32) {
	table := n.embed.of(grad)
	for i := range c.rows() {
		row := dx[i*n.d : (i+1)*n.d]
		for _, f := range c.features[c.starts[i]:c.starts[i+1]] {
			n.Add(table[int(f)*n.d:(int(f)+1)*n.d], row)
		}
	}
}
