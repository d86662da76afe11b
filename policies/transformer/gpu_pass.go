package transformer

import (
	"runtime"

	"modebench/envs"
	"modebench/policies/internal/device/cuda"
)

// ownParameters gives the policies' parameters, and puts their table among those to be sent.
func (g *gpu) ownParameters(members []*member) cells {
	return g.parametersOf(members, &g.offsets, func(m *member) cuda.Pointer { return m.memory })
}

// callParameters gives the parameters that the calls are about.
func (g *gpu) callParameters(members []*member) cells {
	return g.parametersOf(members, &g.offsets, func(m *member) cuda.Pointer { return m.weights.card })
}

func (g *gpu) parametersOf(members []*member, to *cuda.Pointer, pointer func(m *member) cuda.Pointer) cells {
	base := pointer(members[0])
	g.tables.open(to)
	for _, m := range members {
		g.tables.put(offset(base, pointer(m)), shift{})
	}
	return cells{n: len(members), base: base}
}

// forwardTo runs the rows through all blocks, through the last up to the inputs of its
// attention, as network.forwardTo does.
func (g *gpu) forwardTo(w cells, l *stack, s *gpuSpace, keep bool, each func(i int, a *gpuActivations)) {
	d, rows := g.shape.d, l.rows.n
	g.onCells("embed_rows", &l.rows, g.room(&s.layer(0, keep).x, rows*d), w.pointer(g.shape.embed), s.features, s.starts, l.rows.starts, w.offsets, int32(d))
	for i := range g.shape.blocks {
		a, b := s.layer(i, keep), &g.shape.blocks[i]
		qkv := g.room(&a.qkv, 3*rows*d)
		g.norm(g.room(&a.norm1, rows*d), g.room(&a.mean1, rows), g.room(&a.rstd1, rows), a.x.start, w, b.gain1, b.bias1, &l.rows)
		g.apply(qkv, a.norm1.start, w, b.qkv, 0, &l.rows)
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
		g.afterAttention(w, b, a, a.x.start, a.mixed.start, g.room(out, rows*d), &l.rows)
		if !keep {
			a.x, s.x = s.x, a.x
		}
	}
}

// attend is the attention of a block.
func (g *gpu) attend(l *stack, s *gpuSpace, a *gpuActivations) {
	d, hd := g.shape.d, g.shape.hd
	g.launch("attention", cuda.Dim{X: l.tiles(rowTilesOf), Y: g.shape.heads}, cuda.Dim{X: attentionThreads},
		a.qkv.start, g.room(&a.attention, g.shape.heads*l.rows.n*l.width), g.room(&a.mixed, l.rows.n*d), s.rowTiles,
		int32(l.rows.n), int32(hd), int32(l.width), g.shape.scale())
}

// afterAttention is the rest of a block, of its input x and of attention's output.
func (g *gpu) afterAttention(w cells, b *block, a *gpuActivations, x, mixed, out cuda.Pointer, rows *cellRows) {
	d, n := g.shape.d, rows.n
	middle := g.room(&a.middle, n*d)
	g.apply(middle, mixed, w, b.proj, x, rows)
	g.norm(g.room(&a.norm2, n*d), g.room(&a.mean2, n), g.room(&a.rstd2, n), middle, w, b.gain2, b.bias2, rows)
	wide, gelu := g.room(&a.wide, 4*n*d), g.room(&a.gelu, 4*n*d)
	g.apply(wide, a.norm2.start, w, b.fc, 0, rows)
	g.byEntry("gelu", 4*n*d, gelu, wide, int32(4*n*d))
	g.apply(out, gelu, w, b.out, middle, rows)
}

// forward runs the rows through all blocks and leaves the residual stream of the rows
// of rollouts in out.
func (g *gpu) forward(w cells, l *stack, s *gpuSpace, keep bool) {
	d, n := g.shape.d, l.answers.n
	g.forwardTo(w, l, s, keep, nil)
	last := g.shape.layers - 1
	a := s.layer(last, keep)
	g.attend(l, s, a)
	base, mixed := g.room(&a.base, n*d), g.room(&a.picked, n*d)
	g.byRow("pick_rows", n, base, a.x.start, s.picked, int32(n), int32(d))
	g.byRow("pick_rows", n, mixed, a.mixed.start, s.picked, int32(n), int32(d))
	g.afterAttention(w, &g.shape.blocks[last], a, base, mixed, g.room(&s.out, n*d), &l.answers)
}

// distribute makes the distributions of rows of the residual stream, as
// network.distribute does, and leaves the host's copy of the probabilities and of their
// logarithms in the space, until the next call. Tokens that are not legal are masked on the
// host: it is rare.
func (g *gpu) distribute(w cells, s *gpuSpace, x cuda.Pointer, rows *cellRows, legal [][]envs.Token, invT float32) {
	d, v := g.shape.d, g.shape.vocabulary
	n := rows.n * v
	g.norm(g.room(&s.normal, rows.n*d), g.room(&s.mean, rows.n), g.room(&s.rstd, rows.n), x, w, g.shape.gain, g.shape.bias, rows)
	logits := g.room(&s.logits, n)
	g.apply(logits, s.normal.start, w, g.shape.head, 0, rows)
	host := g.roomOnHost(&s.host, 2*n).Floats
	if len(legal) > 0 {
		g.download(host[:n], logits)
		parallel(len(legal), func(i int) { mask(host[i*v:(i+1)*v], legal[i]) })
		g.upload(logits, host[:n])
	}
	pair := g.room(&s.pair, 2*n) // side by side, so that one copy brings them
	g.byRow("log_softmax", rows.n, pair, pair.At(n), logits, int32(v), int32(rows.n), int32(v), invT)
	g.download(host, pair)
	s.p, s.logp = host[:n], host[n:]
}

// assess makes the distributions of the chunks' answers by the parameters of the calls and, if they
// have references, the log-probabilities by the references' parameters. With keep backward may
// follow.
func (g *gpu) assess(_ *team, members []*member) {
	l, s, kind := &g.batch, &g.pass, members[0].kind
	l.begin(members)
	g.tables.begin()
	l.place(&g.tables, s)
	if kind.keep {
		l.placeGradients(&g.tables, s, g.shape.size)
	}
	w := g.callParameters(members)
	var compared cells
	if kind.ref {
		compared = g.parametersOf(members, &g.compared, func(m *member) cuda.Pointer { return m.ref.card })
	}
	g.send(&g.tables)
	w.offsets, compared.offsets = g.offsets, g.compared
	if kind.ref {
		g.forward(compared, l, s, false)
		g.distribute(compared, s, s.out.start, &l.answers, l.legal, kind.invT)
		s.reference = append(s.reference[:0], s.logp...)
	}
	g.forward(w, l, s, kind.keep)
	g.distribute(w, s, s.out.start, &l.answers, l.legal, kind.invT)
	if kind.keep {
		g.gradient = g.roomOnHost(&g.gradients, l.answers.n*g.shape.vocabulary).Floats
	}
	if l.answers.n == 0 {
		g.settle() // nothing was brought back, which would have waited
	}
	for _, m := range members { // their memory is given back with them
		runtime.KeepAlive(m.weights)
		runtime.KeepAlive(m.ref)
	}
}

// backward makes the gradients of the parameters and the sums of their squares, given the
// gradients of the logits and the activations of assess.
func (g *gpu) backward(_ *team, members []*member) {
	l, s, v, d := &g.batch, &g.pass, g.shape.vocabulary, g.shape.d
	size, n := g.shape.size, l.chunks.n
	w := cells{n: len(members), base: members[0].memory, offsets: g.offsets}
	dlogits := g.room(&s.dlogits, l.answers.n*v)
	g.uploadHost(dlogits, &g.gradients)
	g.room(&g.parts, n*size)
	g.clear(g.parts.start, n*size)

	all, answers := l.rows.n, l.answers.n
	dnormal, dout := g.room(&s.dnormal, all*d), g.room(&s.dout, answers*d)
	g.linearBackward(dnormal, dlogits, s.normal.start, w, g.shape.head, &l.answers, s.chunkAnswers, n)
	g.clear(dout, answers*d)
	g.normBackward(dout, dnormal, s.out.start, s.mean.start, s.rstd.start, w, g.shape.gain, g.shape.bias, &l.answers, s.chunkAnswers, n)

	dx, dmixed, dwide, dqkv := g.room(&s.dx, all*d), g.room(&s.dmixed, all*d), g.room(&s.dwide, 4*all*d), g.room(&s.dqkv, 3*all*d)
	dmiddle, rows, chunks := dout, &l.answers, s.chunkAnswers // of the rows that continued after the last block's attention
	for i := g.shape.layers - 1; i >= 0; i-- {
		a, b := s.layer(i, true), &g.shape.blocks[i]
		last := i+1 == g.shape.layers
		mixed, dproj := a.mixed.start, dmixed
		if last {
			mixed, dproj = a.picked.start, g.room(&s.dmiddle, rows.n*d)
		}
		g.linearBackward(dwide, dmiddle, a.gelu.start, w, b.out, rows, chunks, n)
		g.byEntry("gelu_backward", 4*rows.n*d, dwide, a.wide.start, int32(4*rows.n*d))
		g.linearBackward(dnormal, dwide, a.norm2.start, w, b.fc, rows, chunks, n)
		g.normBackward(dmiddle, dnormal, a.middle.start, a.mean2.start, a.rstd2.start, w, b.gain2, b.bias2, rows, chunks, n)
		g.linearBackward(dproj, dmiddle, mixed, w, b.proj, rows, chunks, n)
		if last {
			g.byRow("spread_rows", all, dx, dmiddle, s.spread, int32(all), int32(d))
			g.byRow("spread_rows", all, dmixed, dproj, s.spread, int32(all), int32(d))
			dmiddle, rows, chunks = dx, &l.rows, s.chunkRows
		}
		g.attendBackward(l, s, a, dqkv, dmixed)
		g.linearBackward(dnormal, dqkv, a.norm1.start, w, b.qkv, rows, chunks, n)
		g.normBackward(dx, dnormal, a.x.start, a.mean1.start, a.rstd1.start, w, b.gain1, b.bias1, rows, chunks, n)
	}
	pairs := l.pairs()
	g.byRow("embed_grad", pairs*d/32, g.parts.start, s.targets, s.from, s.occurring, int32(pairs), dx, int32(d))
	g.launch("reduce_chunks", cuda.Dim{X: min((size+threadsABlock-1)/threadsABlock, 4096), Y: w.n}, cuda.Dim{X: threadsABlock},
		w.base.At(g.shape.stride()), g.parts.start, int32(size), l.chunks.starts, w.offsets, int32(size))
	g.squares(w, members)
}

// attendBackward fills dqkv from the gradient of mixed.
func (g *gpu) attendBackward(l *stack, s *gpuSpace, a *gpuActivations, dqkv, dmixed cuda.Pointer) {
	rows, hd, width := int32(l.rows.n), int32(g.shape.hd), int32(l.width)
	ds := g.room(&s.ds, g.shape.heads*l.rows.n*l.width)
	byRows := cuda.Dim{X: l.tiles(rowTilesOf), Y: g.shape.heads}
	byKeys := cuda.Dim{X: l.tiles(keyTilesOf), Y: g.shape.heads}
	threads := cuda.Dim{X: attentionThreads}
	g.launch("attention_backward_scores", byRows, threads, ds, dmixed, a.qkv.start, a.attention.start, s.rowTiles, rows, hd, width, g.shape.scale())
	g.launch("attention_backward_queries", byRows, threads, dqkv, ds, a.qkv.start, s.rowTiles, rows, hd, width)
	g.launch("attention_backward_keys", byKeys, threads, dqkv, ds, a.attention.start, dmixed, a.qkv.start, s.keyTiles, rows, hd, width)
}
