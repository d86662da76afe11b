package transformer

import "modebench/policies/internal/device"

func fit(k device.Kernels, p *device.Packed, rows, columns int) device.Packed {
	need := k.NewPacked
	if p.K < rows || p.N < columns {
		*p = need(max(rows, p.K), max(columns, p.N))
	}
	return device.Packed{Data: p.Data, K: rows, N: columns}
}

// causalBlock is the number of rows of a rollout that go through attention at once: keys that a
// block's last row does not see are left out, and cost nothing.
const causalBlock = 32

// attention fills mixed and the weights of each row: of a prompt's rows over the
// prompt, of a rollout's over the prompt and the rollout up to there.
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
	if p > 0 {
		keys, values := fit(n, &s.across, hd, p), fit(n, &s.down, p, hd)
		n.Pack(keys, rowOf(all)[d:], 1, wide)
		n.Pack(values, rowOf(all)[2*d:], wide, 1)
		n.MatMul(weights[all*width:], width, rowOf(all), wide, 1, keys, 0, hd, g.rows, p, device.Start{})
		n.Softmax(weights[all*width:], width, p, p, 0, p, n.scale())
		// The rows of rollouts are not normalised yet: their sums are worked out
		// again once they are.
		n.MatMul(mixed[all*d:], d, weights[all*width:], width, 1, values, 0, p, p, hd, device.Start{})
	}
	for _, r := range g.rollouts {
		keys := fit(n, &s.across, hd, r.n)
		n.Pack(keys, rowOf(r.row)[d:], 1, wide)
		for i := 0; i < r.n; i += causalBlock {
			m := min(causalBlock, r.n-i)
			n.MatMul(weights[(r.row+i)*width+p:], width, rowOf(r.row+i), wide, 1, keys, 0, hd, m, i+m, device.Start{})
		}
		n.Softmax(weights[r.row*width:], width, r.n, p+1, 1, p+r.n, n.scale())
	}
	if first := all + p; p > 0 && g.rows > p {
		values := fit(n, &s.down, p, hd) // still those of the prompt
		n.MatMul(mixed[first*d:], d, weights[first*width:], width, 1, values, 0, p, g.rows-p, hd, device.Start{})
	}
	for _, r := range g.rollouts {
		values := fit(n, &s.down, r.n, hd)
		n.Pack(values, rowOf(r.row)[2*d:], wide, 1)
		for i := 0; i < r.n; i += causalBlock {
			m := min(causalBlock, r.n-i)
			out := mixed[(r.row+i)*d:]
			n.MatMul(out, d, weights[(r.row+i)*width+p:], width, 1, values, 0, i+m, m, hd, fromIf(p > 0, out, d))
		}
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
	for _, r := range g.rollouts {
		values := fit(n, &s.across, hd, r.n)
		n.Pack(values, rowOf(r.row)[2*d:], 1, wide)
		for i := 0; i < r.n; i += causalBlock {
			m := min(causalBlock, r.n-i)
			n.MatMul(ds(r.row + i)[p:], width, dmixed[(r.row+i)*d:], d, 1, values, 0, hd, m, i+m, device.Start{})
		}
		n.SoftmaxBackward(ds(r.row), weights[r.row*width:], width, r.n, p+1, 1, p+r.n, n.scale())
	}

	// Of the queries.
	if p > 0 {
		keys := fit(n, &s.down, p, hd)
		n.Pack(keys, rowOf(all)[d:], wide, 1)
		n.MatMul(dqkv[all*wide:], wide, ds(all), width, 1, keys, 0, p, g.rows, hd, device.Start{})
	}
	for _, r := range g.rollouts {
		keys := fit(n, &s.down, r.n, hd)
		n.Pack(keys, rowOf(r.row)[d:], wide, 1)
		for i := 0; i < r.n; i += causalBlock {
			m := min(causalBlock, r.n-i)
			out := dqkv[(r.row+i)*wide:]
			n.MatMul(out, wide, ds(r.row + i)[p:], width, 1, keys, 0, i+m, m, hd, fromIf(p > 0, out, wide))
		}
	}

	// Of the keys and values, which sum over the rows that saw them.
	queries, grads := fit(n, &s.down, g.rows, hd), fit(n, &s.grads, g.rows, hd)
	n.Pack(queries, rowOf(all), wide, 1)
	n.Pack(grads, dmixed[all*d:], d, 1)
	if p > 0 {
		n.MatMul(dqkv[all*wide+d:], wide, ds(all), 1, width, queries, 0, g.rows, p, hd, device.Start{})
		n.MatMul(dqkv[all*wide+2*d:], wide, weights[all*width:], 1, width, grads, 0, g.rows, p, hd, device.Start{})
	}
	for _, r := range g.rollouts {
		for j := 0; j < r.n; j += causalBlock {
			m := min(causalBlock, r.n-j)
			from, count := r.row+j, r.n-j
			n.MatMul(dqkv[from*wide+d:], wide, ds(from)[p+j:], 1, width, queries, from-all, count, m, hd, device.Start{})
			n.MatMul(dqkv[from*wide+2*d:], wide, weights[from*width+p+j:], 1, width, grads, from-all, count, m, hd, device.Start{})
		}
	}
}
