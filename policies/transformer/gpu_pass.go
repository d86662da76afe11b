package transformer

import (
	"runtime"

	"modebench/envs"
	"modebench/policies/internal/device/cuda"
)

// A gpuSpace is a space on the card, with the lists of the layouts beside it. Buffers have the
// shapes of space and of activations, with the rows of all chunks of all policies for R.
type gpuSpace struct {
	layers                           []gpuActivations
	x, out                           buffer
	mean, rstd, normal, logits, pair buffer

	dlogits, dnormal, dout               buffer
	dx, dmiddle, dmixed, dwide, ds, dqkv buffer

	tables    [lists]cuda.Pointer
	host      hostBuffer
	p, logp   []float32 // written by distribute
	reference []float32 // logp by the parameters that the policies are compared with
}

// gpuActivations are activations on the card. base and picked are the rows of rollouts in the last
// block.
type gpuActivations struct {
	x, norm1, qkv, mixed, attention buffer
	base, picked                    buffer
	middle, norm2, wide, gelu       buffer
	mean1, rstd1, mean2, rstd2      buffer
}

// parameters gives parameters of the calls, and puts the table of their places, each two words,
// among those to be sent.
func (g *gpu) parameters(members []*member, to *cuda.Pointer, pointer func(m *member) cuda.Pointer) cells {
	base := pointer(members[0])
	g.tables.open(to)
	for _, m := range members {
		n := (int64(pointer(m)) - int64(base)) / 4 // may be below 0
		g.tables.put([]int32{int32(n), int32(n >> 32)}, nil)
	}
	return cells{n: len(members), base: base}
}

func callWeights(m *member) cuda.Pointer { return m.weights.card }

// embed gives the space of the first block, with the rows embedded.
func (g *gpu) embed(w cells, l *stack, s *gpuSpace, keep bool) *gpuActivations {
	a := layerOf(&s.layers, 0, keep)
	g.onCells("embed_rows", &l.rows, g.room(&a.x, l.rows.n*g.shape.d), w.pointer(g.shape.embed), s.tables[featureList], s.tables[startList], l.rows.starts, w.offsets, int32(g.shape.d))
	return a
}

func (g *gpu) beforeAttention(w cells, b *block, a *gpuActivations, rows *cellRows) {
	d, n := g.shape.d, rows.n
	g.norm(g.room(&a.norm1, n*d), g.room(&a.mean1, n), g.room(&a.rstd1, n), a.x.start, w, b.gain1, b.bias1, rows)
	g.apply(g.room(&a.qkv, 3*n*d), a.norm1.start, w, b.qkv, 0, rows)
}

// forwardTo runs the rows through the blocks as network.forwardTo does.
func (g *gpu) forwardTo(w cells, l *stack, s *gpuSpace, keep bool, each func(i int, a *gpuActivations)) {
	g.embed(w, l, s, keep)
	for i := range g.shape.blocks {
		a, b := layerOf(&s.layers, i, keep), &g.shape.blocks[i]
		g.beforeAttention(w, b, a, &l.rows)
		if each != nil {
			each(i, a)
		}
		if i+1 == g.shape.layers {
			return
		}
		g.attend(l, s, a)
		out := &s.x
		if keep {
			out = &layerOf(&s.layers, i+1, true).x
			a = layerOf(&s.layers, i, true) // the call may have moved it
		}
		g.afterAttention(w, b, a, a.x.start, a.mixed.start, g.room(out, l.rows.n*g.shape.d), &l.rows)
		if !keep {
			a.x, s.x = s.x, a.x
		}
	}
}

func (g *gpu) attend(l *stack, s *gpuSpace, a *gpuActivations) {
	d, hd := g.shape.d, g.shape.hd
	g.launch("attention", cuda.Dim{X: l.count(rowTileList) / rowTileWords, Y: g.shape.heads}, cuda.Dim{X: attentionThreads},
		a.qkv.start, g.room(&a.attention, g.shape.heads*l.rows.n*l.width), g.room(&a.mixed, l.rows.n*d), s.tables[rowTileList],
		s.tables[pathList], int32(l.rows.n), int32(hd), int32(l.width), g.shape.scale())
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

// forward runs the rows through all blocks and leaves the rows of rollouts in out.
func (g *gpu) forward(w cells, l *stack, s *gpuSpace, keep bool) {
	d, n := g.shape.d, l.answers.n
	g.forwardTo(w, l, s, keep, nil)
	last := g.shape.layers - 1
	a := layerOf(&s.layers, last, keep)
	g.attend(l, s, a)
	base, mixed := g.room(&a.base, n*d), g.room(&a.picked, n*d)
	g.byRow("pick_rows", n, base, a.x.start, s.tables[pickedList], int32(n), int32(d))
	g.byRow("pick_rows", n, mixed, a.mixed.start, s.tables[pickedList], int32(n), int32(d))
	g.afterAttention(w, &g.shape.blocks[last], a, base, mixed, g.room(&s.out, n*d), &l.answers)
}

// distribute does network.distribute, and leaves the host's copy of p and logp in the space until the
// next call. The host masks tokens that are not legal: it is rare.
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

// place puts the lists that all kernels of a pass read among the tables.
func (g *gpu) place(l *stack, s *gpuSpace) {
	g.tables.place(l, s, featureList, startList, rowTileList, pathList, pickedList)
	g.tables.add(&l.rows.starts, l.rows.bounds)
	g.tables.add(&l.answers.starts, l.answers.bounds)
}

// assess makes the distributions of the chunks' answers and, with references, their log-probabilities.
// With keep backward may follow.
func (g *gpu) assess(_ *team, members []*member) {
	l, s, kind := &g.batch, &g.pass, members[0].kind
	l.begin(members)
	g.tables.begin()
	g.place(l, s)
	if kind.keep {
		g.tables.place(l, s, spreadList, keyTileList, chunkRowList, chunkAnsList, targetList, fromList, occurringList)
		g.tables.add(&l.chunks.starts, l.chunks.bounds)
	}
	w := g.parameters(members, &g.offsets, callWeights)
	var compared cells
	if kind.ref {
		compared = g.parameters(members, &g.compared, func(m *member) cuda.Pointer { return m.ref.card })
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

// backward makes the gradients of the parameters and the sums of their squares.
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
	chunks := chunked{&l.answers, s.tables[chunkAnsList], n}
	g.linearBackward(dnormal, dlogits, s.normal.start, w, g.shape.head, chunks)
	g.clear(dout, answers*d)
	g.normBackward(dout, dnormal, s.out.start, s.mean.start, s.rstd.start, w, g.shape.gain, g.shape.bias, chunks)

	dx, dmixed, dwide, dqkv := g.room(&s.dx, all*d), g.room(&s.dmixed, all*d), g.room(&s.dwide, 4*all*d), g.room(&s.dqkv, 3*all*d)
	dmiddle := dout // of the rows that continued after the last block's attention
	for i := g.shape.layers - 1; i >= 0; i-- {
		a, b := layerOf(&s.layers, i, true), &g.shape.blocks[i]
		last := i+1 == g.shape.layers
		mixed, dproj := a.mixed.start, dmixed
		if last {
			mixed, dproj = a.picked.start, g.room(&s.dmiddle, chunks.rows.n*d)
		}
		g.linearBackward(dwide, dmiddle, a.gelu.start, w, b.out, chunks)
		g.byEntry("gelu_backward", 4*chunks.rows.n*d, dwide, a.wide.start, int32(4*chunks.rows.n*d))
		g.linearBackward(dnormal, dwide, a.norm2.start, w, b.fc, chunks)
		g.normBackward(dmiddle, dnormal, a.middle.start, a.mean2.start, a.rstd2.start, w, b.gain2, b.bias2, chunks)
		g.linearBackward(dproj, dmiddle, mixed, w, b.proj, chunks)
		if last {
			g.byRow("spread_rows", all, dx, dmiddle, s.tables[spreadList], int32(all), int32(d))
			g.byRow("spread_rows", all, dmixed, dproj, s.tables[spreadList], int32(all), int32(d))
			dmiddle, chunks = dx, chunked{&l.rows, s.tables[chunkRowList], n}
		}
		g.attendBackward(l, s, a, dqkv, dmixed)
		g.linearBackward(dnormal, dqkv, a.norm1.start, w, b.qkv, chunks)
		g.normBackward(dx, dnormal, a.x.start, a.mean1.start, a.rstd1.start, w, b.gain1, b.bias1, chunks)
	}
	pairs := l.count(targetList)
	g.byRow("embed_grad", pairs*d/32, g.parts.start, s.tables[targetList], s.tables[fromList], s.tables[occurringList], int32(pairs), dx, int32(d))
	g.launch("reduce_chunks", cuda.Dim{X: min(ceil(size, threadsABlock), 4096), Y: w.n}, cuda.Dim{X: threadsABlock},
		w.base.At(g.shape.stride()), g.parts.start, int32(size), l.chunks.starts, w.offsets, int32(size))
	g.squares(w, members)
}

func (g *gpu) attendBackward(l *stack, s *gpuSpace, a *gpuActivations, dqkv, dmixed cuda.Pointer) {
	rows, hd, width := int32(l.rows.n), int32(g.shape.hd), int32(l.width)
	ds := g.room(&s.ds, g.shape.heads*l.rows.n*l.width)
	byRows := cuda.Dim{X: l.count(rowTileList) / rowTileWords, Y: g.shape.heads}
	byKeys := cuda.Dim{X: l.count(keyTileList) / keyTileWords, Y: g.shape.heads}
	threads := cuda.Dim{X: attentionThreads}
	g.launch("attention_backward_scores", byRows, threads, ds, dmixed, a.qkv.start, a.attention.start, s.tables[rowTileList], s.tables[pathList], rows, hd, width, g.shape.scale())
	g.launch("attention_backward_queries", byRows, threads, dqkv, ds, a.qkv.start, s.tables[rowTileList], s.tables[pathList], rows, hd, width)
	g.launch("attention_backward_keys", byKeys, threads, dqkv, ds, a.attention.start, dmixed, a.qkv.start, s.tables[keyTileList], rows, hd, width)
}
