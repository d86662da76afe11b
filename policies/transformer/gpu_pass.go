package transformer

import (
	"runtime"

	"modebench/envs"
	"modebench/policies/internal/device/cuda"
)

// place uploads what all kernels of a pass read of the layout.
func (g *gpu) place(l *layout, s *gpuSpace) {
	g.ints(&s.features, l.features)
	g.ints(&s.starts, l.starts)
	g.ints(&s.rowTiles, l.rowTiles)
	g.ints(&s.picked, l.picked)
}

// forwardTo runs the rows through all blocks, through the last up to the inputs of its
// attention, as network.forwardTo does.
func (g *gpu) forwardTo(w *weights, l *layout, s *gpuSpace, keep bool, each func(i int, a *gpuActivations)) {
	d, rows := g.shape.d, l.rows
	g.byRow("embed_rows", rows, g.room(&s.layer(0, keep).x, rows*d), w.on(g.shape.embed), s.features.at, s.starts.at, int32(rows), int32(d))
	for i := range g.shape.blocks {
		a, b := s.layer(i, keep), &g.shape.blocks[i]
		qkv := g.room(&a.qkv, 3*rows*d)
		g.norm(g.room(&a.norm1, rows*d), g.room(&a.mean1, rows), g.room(&a.rstd1, rows), a.x.at, w, b.gain1, b.bias1, rows)
		g.apply(qkv, a.norm1.at, w, b.qkv, 0, rows)
		if each != nil {
			each(i, a)
		}
		if i+1 == g.shape.layers {
			return
		}
		g.attend(l, s, a)
		out := &s.x
		if keep {
			out = &s.layer(i+1, true).x
			a = s.layer(i, true) // the call may have moved it
		}
		g.afterAttention(w, b, a, a.x.at, a.mixed.at, g.room(out, rows*d), rows)
		if !keep {
			a.x, s.x = s.x, a.x
		}
	}
}

// attend is the attention of a block.
func (g *gpu) attend(l *layout, s *gpuSpace, a *gpuActivations) {
	d, hd := g.shape.d, g.shape.hd
	g.launch("attention", cuda.Dim{X: len(l.rowTiles) / 5, Y: g.shape.heads}, cuda.Dim{X: attentionThreads},
		a.qkv.at, g.room(&a.attention, g.shape.heads*l.rows*l.width), g.room(&a.mixed, l.rows*d), s.rowTiles.at,
		int32(l.rows), int32(hd), int32(l.width), g.shape.scale())
}

// afterAttention is the rest of a block, of its input x and of what attention mixed.
func (g *gpu) afterAttention(w *weights, b *block, a *gpuActivations, x, mixed, out cuda.Pointer, rows int) {
	d := g.shape.d
	middle := g.room(&a.middle, rows*d)
	g.apply(middle, mixed, w, b.proj, x, rows)
	g.norm(g.room(&a.norm2, rows*d), g.room(&a.mean2, rows), g.room(&a.rstd2, rows), middle, w, b.gain2, b.bias2, rows)
	wide, gelu := g.room(&a.wide, 4*rows*d), g.room(&a.gelu, 4*rows*d)
	g.apply(wide, a.norm2.at, w, b.fc, 0, rows)
	g.byEntry("gelu", 4*rows*d, gelu, wide, int32(4*rows*d))
	g.apply(out, gelu, w, b.out, middle, rows)
}

// forward runs the rows through all blocks and leaves the residual stream of the rows
// of rollouts in out.
func (g *gpu) forward(w *weights, l *layout, s *gpuSpace, keep bool) {
	d, n := g.shape.d, l.answers
	g.forwardTo(w, l, s, keep, nil)
	last := g.shape.layers - 1
	a := s.layer(last, keep)
	g.attend(l, s, a)
	base, mixed := g.room(&a.base, n*d), g.room(&a.picked, n*d)
	g.byRow("pick_rows", n, base, a.x.at, s.picked.at, int32(n), int32(d))
	g.byRow("pick_rows", n, mixed, a.mixed.at, s.picked.at, int32(n), int32(d))
	g.afterAttention(w, &g.shape.blocks[last], a, base, mixed, g.room(&s.out, n*d), n)
}

// distribute makes the distributions of rows of the residual stream, as
// network.distribute does, and gives the host's copy of the probabilities and of their
// logarithms, until the next call. Tokens that are not legal are masked on the host: it
// is rare.
func (g *gpu) distribute(w *weights, s *gpuSpace, x cuda.Pointer, rows int, legal [][]envs.Token, invT float32) (p, logp []float32) {
	d, v := g.shape.d, g.shape.vocabulary
	n := rows * v
	g.norm(g.room(&s.normal, rows*d), g.room(&s.mean, rows), g.room(&s.rstd, rows), x, w, g.shape.gain, g.shape.bias, rows)
	logits := g.room(&s.logits, n)
	g.apply(logits, s.normal.at, w, g.shape.head, 0, rows)
	s.host = grow(s.host, 2*n)
	if len(legal) > 0 {
		g.download(s.host[:n], logits)
		for i := range legal {
			mask(s.host[i*v:(i+1)*v], legal[i])
		}
		g.upload(logits, s.host[:n])
	}
	both := g.room(&s.both, 2*n) // side by side, so that one copy brings them
	g.byRow("log_softmax", rows, both, both.At(n), logits, int32(v), int32(rows), int32(v), invT)
	g.download(s.host, both)
	return s.host[:n], s.host[n:]
}

// assess makes the distributions of the chunks' answers, at a temperature: of each
// chunk in its space, by the policy's parameters and, where there is a reference, its
// log-probabilities too. With keep backward may follow.
func (g *gpu) assess(w, ref *weights, chunks []*chunk, invT float32, keep bool) error {
	l, s, v := &g.batch, &g.pass, g.shape.vocabulary
	l.fill(chunks, g.shape, keep)
	g.fits(l.rows, len(l.features), len(chunks))
	g.place(l, s)
	each := func(from []float32, part func(s *space) *[]float32) {
		for _, c := range chunks {
			if c.space == nil {
				c.space = &space{}
			}
			to := part(c.space)
			*to = grow(*to, c.answers*v)
			from = from[copy(*to, from):]
		}
	}
	pass := func(w *weights, keep bool) (p, logp []float32) {
		g.forward(w, l, s, keep)
		return g.distribute(w, s, s.out.at, l.answers, l.legal, invT)
	}
	if ref != nil {
		_, logp := pass(ref, false)
		each(logp, func(s *space) *[]float32 { return &s.reference })
	}
	p, logp := pass(w, keep)
	each(p, func(s *space) *[]float32 { return &s.p })
	each(logp, func(s *space) *[]float32 { return &s.logp })
	runtime.KeepAlive(w) // its memory is given back with it
	runtime.KeepAlive(ref)
	return g.failed
}

// backward makes the gradient of the parameters, given that of the chunks' logits in
// their spaces and the activations of assess.
func (g *gpu) backward(w *weights, chunks []*chunk) error {
	l, s, v, d := &g.batch, &g.pass, g.shape.vocabulary, g.shape.d
	size, n := g.shape.size, len(chunks)
	s.host = grow(s.host, l.answers*v)
	at := 0
	for _, c := range chunks {
		at += copy(s.host[at:], c.space.dlogits[:c.answers*v])
	}
	dlogits := g.room(&s.dlogits, l.answers*v)
	g.upload(dlogits, s.host)
	g.ints(&s.chunkRows, l.chunkRows)
	g.ints(&s.chunkAnswers, l.chunkAnswers)
	g.ints(&s.spread, l.scattered)
	g.ints(&s.keyTiles, l.keyTiles)
	g.room(&g.parts, n*size)
	g.clear(g.parts.at, n*size)

	all := l.rows
	dnormal, dout := g.room(&s.dnormal, all*d), g.room(&s.dout, l.answers*d)
	g.linearBackward(dnormal, dlogits, s.normal.at, w, g.shape.head, l.answers, s.chunkAnswers.at, n)
	g.clear(dout, l.answers*d)
	g.normBackward(dout, dnormal, s.out.at, s.mean.at, s.rstd.at, w, g.shape.gain, g.shape.bias, l.answers, s.chunkAnswers.at, n)

	dx, dmixed, dwide, dqkv := g.room(&s.dx, all*d), g.room(&s.dmixed, all*d), g.room(&s.dwide, 4*all*d), g.room(&s.dqkv, 3*all*d)
	dmiddle, rows, starts := dout, l.answers, s.chunkAnswers.at // of what went on behind the last block's attention
	for i := g.shape.layers - 1; i >= 0; i-- {
		a, b := s.layer(i, true), &g.shape.blocks[i]
		last := i+1 == g.shape.layers
		mixed, dproj := a.mixed.at, dmixed
		if last {
			mixed, dproj = a.picked.at, g.room(&s.dmiddle, rows*d)
		}
		g.linearBackward(dwide, dmiddle, a.gelu.at, w, b.out, rows, starts, n)
		g.byEntry("gelu_backward", 4*rows*d, dwide, a.wide.at, int32(4*rows*d))
		g.linearBackward(dnormal, dwide, a.norm2.at, w, b.fc, rows, starts, n)
		g.normBackward(dmiddle, dnormal, a.middle.at, a.mean2.at, a.rstd2.at, w, b.gain2, b.bias2, rows, starts, n)
		g.linearBackward(dproj, dmiddle, mixed, w, b.proj, rows, starts, n)
		if last {
			g.byRow("spread_rows", all, dx, dmiddle, s.spread.at, int32(all), int32(d))
			g.byRow("spread_rows", all, dmixed, dproj, s.spread.at, int32(all), int32(d))
			dmiddle, rows, starts = dx, all, s.chunkRows.at
		}
		g.attendBackward(l, s, a, dqkv, dmixed)
		g.linearBackward(dnormal, dqkv, a.norm1.at, w, b.qkv, rows, starts, n)
		g.normBackward(dx, dnormal, a.x.at, a.mean1.at, a.rstd1.at, w, b.gain1, b.bias1, rows, starts, n)
	}
	g.ints(&s.targets, l.targets)
	g.ints(&s.from, l.from)
	g.ints(&s.occurring, l.occurring)
	g.byRow("embed_grad", len(l.targets)*d/32, g.parts.at, s.targets.at, s.from.at, s.occurring.at, int32(len(l.targets)), dx, int32(d))
	g.byEntry("reduce_chunks", size, g.grad, g.parts.at, int32(size), int32(n), int32(size))
	return g.failed
}

// attendBackward fills dqkv from the gradient of mixed.
func (g *gpu) attendBackward(l *layout, s *gpuSpace, a *gpuActivations, dqkv, dmixed cuda.Pointer) {
	rows, hd, width := int32(l.rows), int32(g.shape.hd), int32(l.width)
	ds := g.room(&s.ds, g.shape.heads*l.rows*l.width)
	byRows := cuda.Dim{X: len(l.rowTiles) / 5, Y: g.shape.heads}
	byKeys := cuda.Dim{X: len(l.keyTiles) / 5, Y: g.shape.heads}
	threads := cuda.Dim{X: attentionThreads}
	g.launch("attention_backward_scores", byRows, threads, ds, dmixed, a.qkv.at, a.attention.at, s.rowTiles.at, rows, hd, width, g.shape.scale())
	g.launch("attention_backward_queries", byRows, threads, dqkv, ds, a.qkv.at, s.rowTiles.at, rows, hd, width)
	g.launch("attention_backward_keys", byKeys, threads, dqkv, ds, a.attention.at, dmixed, a.qkv.at, s.keyTiles.at, rows, hd, width)
}
