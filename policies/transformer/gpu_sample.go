package transformer

import "modebench/policies/internal/device/cuda"

// cacheBlock is what capacities are a multiple of.
const cacheBlock = 32

// cache makes room for so many caches of a capacity.
func (g *gpu) cache(c *gpuCache, n, capacity int) {
	g.room(&c.keys, n*capacity*g.shape.d)
	g.room(&c.values, n*capacity*g.shape.d)
}

// cacheBytes is about how much of a card's memory lanes' caches take, and mostLanes how
// many lanes there are at most: enough to keep a card busy.
const (
	cacheBytes = 1 << 30
	mostLanes  = 4096
)

// lanesAtOnce is how many rollouts of so many positions take their steps together.
func (g *gpu) lanesAtOnce(capacity int) int {
	if g.lanesForTests > 0 {
		return g.lanesForTests
	}
	lane := 4 * 2 * g.shape.layers * g.shape.d * roundUp(capacity, cacheBlock)
	return min(mostLanes, max(1, cacheBytes/lane))
}

// A gpuStepper draws a unit's lanes on the card.
type gpuStepper struct {
	*gpu
	w *weights
}

// begin reads the prompts of the unit.
func (g gpuStepper) begin(u *unit, capacity int) error {
	s, n := &g.lanes, g.shape.layers
	for len(s.lanes) < n {
		s.prompts, s.lanes = append(s.prompts, gpuCache{}), append(s.lanes, gpuCache{})
	}
	l := &s.batch
	l.fill([]*chunk{&u.chunk}, g.shape, false)
	g.fits(max(l.rows, len(u.lanes)), len(l.features), 1)
	s.capacity, s.promptCapacity = roundUp(capacity, cacheBlock), roundUp(u.chunk.width, cacheBlock)
	for i := range n {
		g.cache(&s.lanes[i], len(u.lanes), s.capacity)
		g.cache(&s.prompts[i], len(u.chunk.segments), s.promptCapacity)
	}
	if l.rows == 0 {
		return g.failed
	}
	s.rows = s.rows[:0]
	for i := range u.chunk.segments {
		for position := range u.chunk.segments[i].prompt {
			s.rows = append(s.rows, int32(i), int32(position), 0, 0)
		}
	}
	g.place(l, &s.pass)
	g.ints(&s.places, s.rows)
	g.forwardTo(g.w, l, &s.pass, false, func(i int, a *gpuActivations) {
		n := l.rows * g.shape.d
		g.launch("decode_put", cuda.Dim{X: (n + attentionThreads - 1) / attentionThreads}, cuda.Dim{X: attentionThreads}, s.prompts[i].keys.at, s.prompts[i].values.at, a.qkv.at, s.places.at,
			int32(l.rows), int32(g.shape.d), int32(s.promptCapacity))
	})
	return g.failed
}

// step runs the rows of the live lanes through the network and makes their
// distributions.
func (g gpuStepper) step(u *unit, position int, invT float32) error {
	s, d, rows := &g.lanes, g.shape.d, len(u.live)
	l, pass := &s.batch, &s.pass
	l.features, l.starts = l.features[:0], l.starts[:0]
	for _, f := range u.feats {
		l.features = append(l.features, int32(f))
	}
	for _, at := range u.starts {
		l.starts = append(l.starts, int32(at))
	}
	s.rows = s.rows[:0]
	width := 0
	for _, i := range u.live {
		prompt := u.lanes[i].prompt
		p := u.chunk.segments[prompt].prompt
		s.rows = append(s.rows, int32(i), int32(position), int32(prompt), int32(p))
		width = max(width, p+position+1)
	}
	g.ints(&pass.features, l.features)
	g.ints(&pass.starts, l.starts)
	g.ints(&s.places, s.rows)
	const room = 128 // ATTENTION_ROOM of kernels/attention.cu
	if width > room {
		g.room(&s.scratch, rows*g.shape.heads*width)
	}
	a := pass.layer(0, false)
	g.byRow("embed_rows", rows, g.room(&a.x, rows*d), g.w.on(g.shape.embed), pass.features.at, pass.starts.at, int32(rows), int32(d))
	for i := range g.shape.blocks {
		b := &g.shape.blocks[i]
		g.norm(g.room(&a.norm1, rows*d), g.room(&a.mean1, rows), g.room(&a.rstd1, rows), a.x.at, g.w, b.gain1, b.bias1, rows)
		g.apply(g.room(&a.qkv, 3*rows*d), a.norm1.at, g.w, b.qkv, 0, rows)
		const rowsABlock = attentionThreads / 32
		g.launch("decode_attention", cuda.Dim{X: (rows + rowsABlock - 1) / rowsABlock, Y: g.shape.heads}, cuda.Dim{X: attentionThreads},
			g.room(&a.mixed, rows*d), a.qkv.at, s.places.at, s.prompts[i].keys.at, s.prompts[i].values.at, int32(s.promptCapacity),
			s.lanes[i].keys.at, s.lanes[i].values.at, int32(s.capacity), s.scratch.at, int32(rows), int32(g.shape.hd), int32(width), g.shape.scale())
		g.afterAttention(g.w, b, a, a.x.at, a.mixed.at, g.room(&pass.x, rows*d), rows)
		a.x, pass.x = pass.x, a.x
	}
	u.space.p, u.space.logp = g.distribute(g.w, pass, a.x.at, rows, u.legal, invT)
	return g.failed
}
