package transformer

import (
	"modebench/envs"
	"modebench/policies/internal/device/cuda"
)

// Capacities are multiples of cacheBlock.
const cacheBlock = 32

// gpuLanes is the memory of sampling on the card: keys and values of the prompts and of the
// lanes, layer by layer (see kernels/attention.cu), and the rows of a step.
type gpuLanes struct {
	prompts, lanes []gpuCache // by layer
	batch          stack      // of the prompts, then of steps
	pass           gpuSpace
	scratch        buffer

	promptCapacity, capacity int
}

type gpuCache struct{ keys, values buffer }

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

// laneRoom is the size of the caches of lanes on a card, in numbers.
func (s *shape) laneRoom(lanes, capacity int) int {
	return lanes * 2 * s.layers * s.d * roundUp(capacity, cacheBlock)
}

// lanesAtOnce is the number of rollouts of that many positions that take their steps together.
func (m *member) lanesAtOnce(capacity int) int {
	if m.lanesForTests > 0 {
		return m.lanesForTests
	}
	return min(mostLanes, max(1, cacheBytes/4/m.team.shape.laneRoom(1, capacity)))
}

type gpuStepper struct {
	*member
	unit *unit
	w    *weights
	mask bool
}

// begin reads the prompts of the unit.
func (g gpuStepper) begin(u *unit, e *envs.Encoding, invT float32) error {
	m := g.member
	if err := m.team.shape.fits(max(u.chunk.rows(), len(u.slots)), len(u.chunk.features), 1); err != nil {
		return err
	}
	m.weights, m.unit = g.w, u
	l := &m.layout
	l.fill([]*chunk{&u.chunk}, m.team.shape, false)
	for i := range u.chunk.segments {
		for position := range u.chunk.segments[i].prompt {
			l.add(promptList, i, position, 0, 0)
		}
	}
	return m.join(callKind{sample: true, mask: g.mask, invT: invT, capacity: e.Rollout}, (*gpu).begin)
}

// step runs the rows of the live lines through the network and makes their distributions.
func (g gpuStepper) step(u *unit, _ float32) error {
	l := &g.member.layout
	l.rows, l.width, l.legal = len(u.live), 0, u.legal
	l.lists[featureList], l.lists[startList], l.lists[laneList] = u.feats, l.lists[startList][:0], l.lists[laneList][:0]
	for _, end := range u.starts[1:] {
		l.add(startList, end)
	}
	for i := range u.live {
		o := &u.live[i]
		p := u.chunk.segments[o.task].prompt
		l.add(laneList, o.slot, o.position, o.task, p)
		l.width = max(l.width, p+o.position+1)
	}
	err := g.doTogether((*gpu).step)
	l.lists[copyList] = l.lists[copyList][:0]
	return err
}

// beginSlot implements stepper. Prompts have caches of their own on a card.
func (g gpuStepper) beginSlot(*unit, int, int) {}

// copySlot has the next step begin with the copy.
func (g gpuStepper) copySlot(_ *unit, to, from int, l *line) {
	g.member.layout.add(copyList, to, from, l.position)
}

func (g gpuStepper) end() {
	g.unit.space.p, g.unit.space.logp = nil, nil // they are the card's
	g.leave()
}

// begin reads the prompts of the units.
func (g *gpu) begin(_ *team, members []*member) {
	s, n, l := &g.lanes, g.shape.layers, &g.lanes.batch
	for len(s.lanes) < n {
		s.prompts, s.lanes = append(s.prompts, gpuCache{}), append(s.lanes, gpuCache{})
	}
	l.begin(members)
	last := members[len(members)-1]
	lanes, prompts := last.before.lanes+len(last.unit.slots), last.before.prompts+len(last.unit.chunk.segments)
	s.capacity, s.promptCapacity = roundUp(members[0].kind.capacity, cacheBlock), roundUp(l.width, cacheBlock)
	for i := range n {
		g.cache(&s.lanes[i], lanes, s.capacity)
		g.cache(&s.prompts[i], prompts, s.promptCapacity)
	}
	if l.rows.n == 0 {
		return
	}
	g.tables.begin()
	g.place(l, &s.pass)
	g.tables.place(l, &s.pass, promptList)
	w := g.parameters(members, &g.offsets, callWeights)
	g.send(&g.tables)
	w.offsets = g.offsets
	g.forwardTo(w, l, &s.pass, false, func(i int, a *gpuActivations) {
		n := l.rows.n * g.shape.d
		g.launch("decode_put", cuda.Dim{X: ceil(n, attentionThreads)}, cuda.Dim{X: attentionThreads},
			s.prompts[i].keys.start, s.prompts[i].values.start, a.qkv.start, s.pass.tables[promptList],
			int32(l.rows.n), int32(g.shape.d), int32(s.promptCapacity))
	})
	g.settle() // before the tables' memory is written to again
}

// step runs the rows of the units' live lines through the network and gives each unit its
// distributions, until the next step.
func (g *gpu) step(_ *team, members []*member) {
	s, d, rows := &g.lanes, g.shape.d, &g.lanes.batch.rows
	l, pass := &s.batch, &s.pass
	l.step(members)
	n, width := rows.n, l.width
	g.tables.begin()
	g.tables.place(l, pass, featureList, startList, laneList, copyList)
	g.tables.add(&rows.starts, rows.bounds)
	w := g.parameters(members, &g.offsets, callWeights)
	g.send(&g.tables)
	w.offsets = g.offsets
	const room = 128 // ATTENTION_ROOM of kernels/attention.cu
	if width > room {
		g.room(&s.scratch, n*g.shape.heads*width)
	}
	a := g.embed(w, l, pass, false)
	for i := range g.shape.blocks {
		b := &g.shape.blocks[i]
		g.beforeAttention(w, b, a, rows)
		g.launch("decode_copy", cuda.Dim{X: l.count(copyList) / copyWords}, cuda.Dim{X: attentionThreads},
			s.lanes[i].keys.start, s.lanes[i].values.start, pass.tables[copyList], int32(d), int32(s.capacity))
		const rowsABlock = attentionThreads / 32
		g.launch("decode_attention", cuda.Dim{X: ceil(n, rowsABlock), Y: g.shape.heads}, cuda.Dim{X: attentionThreads},
			g.room(&a.mixed, n*d), a.qkv.start, pass.tables[laneList], s.prompts[i].keys.start, s.prompts[i].values.start, int32(s.promptCapacity),
			s.lanes[i].keys.start, s.lanes[i].values.start, int32(s.capacity), s.scratch.start, int32(n), int32(g.shape.hd), int32(width), g.shape.scale())
		g.afterAttention(w, b, a, a.x.start, a.mixed.start, g.room(&pass.x, n*d), rows)
		a.x, pass.x = pass.x, a.x
	}
	g.distribute(w, pass, a.x.start, rows, l.legal, members[0].kind.invT)
	if g.failed != nil {
		return
	}
	v := g.shape.vocabulary
	for i, m := range members {
		lo, hi := int(rows.bounds[i])*v, int(rows.bounds[i+1])*v
		m.unit.space.p, m.unit.space.logp = pass.p[lo:hi], pass.logp[lo:hi]
	}
}
