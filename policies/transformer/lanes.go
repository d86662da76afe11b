package transformer

import (
	"math/rand/v2"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/device"
	"modebench/policies/internal/draw"
)

type sampler struct {
	groups   []policies.Group
	rollouts []policies.Rollout
	keeps    bool       // kept and paths are of the rollouts
	version  int        // of the parameters that drew them
	kept     []kept     // of each unit
	paths    []path     // of each rollout
	units    pool[unit] // of the workers
}

// A unit is a part of a call that one goroutine draws: rollouts of some tasks, which take their steps
// together. Rollouts of a task with the same tokens so far are one line, and have one row. Each row of a
// product depends on its own row alone, so how rollouts are dealt to units, and when a line has its turn,
// changes no bit of them.
type unit struct {
	tasks    []taskRollouts
	rollouts []drawn
	order    []int // of the rollouts: those of a line lie one after the other
	live     []line
	slots    []slot
	free     []int // slots without a line
	begun    int   // tasks whose rollouts are under way, or done
	prompts  []prompt
	chunk    chunk // of the prompts
	space    space
	rows     activations // of a step, a row per live line
	out      []float32
	result   []float32 // of a step: the residual stream behind the last block
	keep     *kept     // nil: nothing is kept
	number   int32     // of a step's first row there; -1: they are not kept
	caches   []cache   // of slots: of slot i and layer l, caches[i*layers+l]
	parts    []part    // of the live lines
	encoded            // that of the parts, one after the other
}

// taskRollouts are a task and the first of its rollouts, in unit.order.
type taskRollouts struct {
	task  envs.Task
	first int
}

type drawn struct {
	rollout *policies.Rollout
	group   int
	path    *path // nil: nothing is kept
	pcg     rand.PCG
}

// encoded are the rows of a step: the features of each, their offsets and, if masked, the legal tokens.
type encoded struct {
	starts []int
	feats  []int32
	legal  [][]envs.Token
}

// A part is the share of a unit's live lines that one goroutine encodes and draws for.
type part struct {
	first, end int   // in unit.live, and of a step's rows
	kept       int   // how many of them go on
	free       []int // slots of the rest
	failed     error
	encoded
	tokens  []envs.Token // the next ones of a line's rollouts
	nucleus draw.Nucleus
	prob    []float64
	logits  []float64
	sums    []float64
}

// A prompt has the keys (hd x n) and values (n x hd) of its rows: of layer l and head h at l*heads+h.
type prompt struct {
	n            int // positions
	keys, values []device.Packed
}

// A cache holds a line's own keys and values in a layer, of all heads: values row by
// row, capacity x d; keys in blocks of keyBlock positions, d x keyBlock each, so that the scores of
// a vector of positions are computed at once, and the used part lies close together.
type cache struct{ keys, values []float32 }

const (
	keyBlock  = 16
	keyVector = 8 // scores are computed for that many positions at once, past the last one for nothing
)

// roundUp is the next multiple of a power of two.
func roundUp(n, power int) int { return (n + power - 1) &^ (power - 1) }

func (c *cache) store(position int, key, value []float32) {
	in := position % keyBlock
	block := c.keys[(position-in)*len(key)+in:]
	for e, x := range key {
		block[e*keyBlock] = x
	}
	copy(c.values[position*len(value):], value)
}

// scores fills s with the products of each head's query and the keys of the first count positions,
// rounded up to vectors. Rows of s are ld apart.
func (c *cache) scores(n network, s []float32, ld int, query []float32, count int) {
	for j := 0; j < count; j += keyBlock {
		block := min(keyBlock, roundUp(count-j, keyVector))
		n.MulRows(s[j:], ld, query, n.hd, c.keys[j*n.d:], n.hd*keyBlock, keyBlock, n.heads, n.hd, block, false)
	}
}

// readPrompts makes the keys and values of the prompts, in a space that keeps all that is worked out or not.
func (u *unit) readPrompts(n network, s *space, keep bool) {
	for len(u.prompts) < len(u.chunk.segments) {
		u.prompts = append(u.prompts, prompt{})
	}
	for i := range u.chunk.segments {
		p := &u.prompts[i]
		p.n = u.chunk.segments[i].prompt
		p.keys, p.values = grow(p.keys, n.layers*n.heads), grow(p.values, n.layers*n.heads)
	}
	if u.chunk.rows() == 0 {
		return
	}
	n.forwardTo(&u.chunk, s, keep, func(l int, a *activations) {
		for i := range u.chunk.segments {
			g, p := &u.chunk.segments[i], &u.prompts[i]
			for h := range n.heads {
				index := l*n.heads + h
				qkv := a.qkv[g.row*3*n.d+h*n.hd:]
				n.Pack(fit(n, &p.keys[index], n.hd, g.prompt), qkv[n.d:], 1, 3*n.d)
				n.Pack(fit(n, &p.values[index], g.prompt, n.hd), qkv[2*n.d:], 3*n.d, 1)
			}
		}
	})
}

func (u *unit) makeCaches(n network, capacity int) {
	for len(u.caches) < len(u.slots)*n.layers {
		u.caches = append(u.caches, cache{make([]float32, n.d*capacity), make([]float32, capacity*n.d)})
	}
}

// copySlot implements stepper.
func (n network) copySlot(u *unit, to, from, positions int) {
	for l := range n.layers {
		a, b := &u.caches[to*n.layers+l], &u.caches[from*n.layers+l]
		copy(a.keys, b.keys[:roundUp(positions, keyBlock)*n.d])
		copy(a.values, b.values[:positions*n.d])
	}
}

// attend is a layer's attention of a step, for the lines of a task and position at a time. The weights of a
// row are those of its heads, one after the other, width entries each.
func (u *unit) attend(n network, a *activations, layer, width int) {
	for first := 0; first < len(u.live); {
		end := first + 1
		for end < len(u.live) && u.live[end].task == u.live[first].task && u.live[end].position == u.live[first].position {
			end++
		}
		u.attendTask(n, a, layer, width, first, end)
		first = end
	}
}

// attendTask is the attention of rows first to end-1: over their prompt, then their own rows.
func (u *unit) attendTask(n network, a *activations, layer, width, first, end int) {
	d, hd, wide, rows := n.d, n.hd, 3*n.d, end-first
	ld := n.heads * width
	live := u.live[first:end]
	p, position := &u.prompts[live[0].task], live[0].position
	length := p.n + position + 1
	qkv, mixed, weights := a.qkv[first*wide:], a.mixed[first*d:], a.attention[first*ld:]

	for h := 0; h < n.heads && p.n > 0; h++ {
		keys := device.Packed{Data: p.keys[layer*n.heads+h].Data, K: hd, N: p.n}
		n.MatMul(weights[h*width:], ld, qkv[h*hd:], wide, 1, keys, 0, hd, rows, p.n, device.Start{})
	}
	for r := range live {
		cached, row := &u.caches[live[r].slot*n.layers+layer], qkv[r*wide:(r+1)*wide]
		cached.store(position, row[d:2*d], row[2*d:])
		cached.scores(n, weights[r*ld+p.n:], width, row[:d], position+1)
	}
	n.Softmax(weights, width, rows*n.heads, length, 0, length, n.scale())
	for h := 0; h < n.heads && p.n > 0; h++ {
		values := device.Packed{Data: p.values[layer*n.heads+h].Data, K: p.n, N: hd}
		n.MatMul(mixed[h*hd:], d, weights[h*width:], ld, 1, values, 0, p.n, rows, hd, device.Start{})
	}
	for r := range live {
		cached := &u.caches[live[r].slot*n.layers+layer]
		n.MulRows(mixed[r*d:], hd, weights[r*ld+p.n:], width, cached.values, hd, d, n.heads, position+1, hd, p.n > 0)
	}
}
