package transformer

import "modebench/policies/internal/device"

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

// linearBackward computes the gradients of x, W and bias from dy, that of y = x W + bias.
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

// embedBackward adds each row's gradient to those of its features' vectors.
func (n network) embedBackward(c *chunk, dx, grad []float32) {
	table := n.embed.slice(grad)
	for i := range c.rows() {
		row := dx[i*n.d : (i+1)*n.d]
		for _, f := range c.features[c.starts[i]:c.starts[i+1]] {
			n.Add(table[int(f)*n.d:(int(f)+1)*n.d], row)
		}
	}
}
