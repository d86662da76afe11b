package transformer

import (
	"math/rand/v2"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/draw"
)

type sampler struct {
	groups   []policies.Group
	rollouts []policies.Rollout
	keeps    bool       // kept and trails are of the rollouts
	version  int        // of the parameters that drew them
	kept     []kept     // of each unit
	trails   []trail    // of each rollout
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
	free     []int     // slots without a line
	begun    int       // tasks whose rollouts are under way, or done
	prompts  [][]cache // of each prompt, by layer
	chunk    chunk     // of the prompts
	space    space
	rows     activations // of a step, a row per live line
	out      []float32
	result   []float32 // of a step: the residual stream behind the last block
	kept     *kept     // nil: nothing is kept
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
	trail   *trail // nil: nothing is kept
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
	running    int   // how many of them go on
	free       []int // slots of the rest
	failed     error
	encoded
	tokens  []envs.Token // the next ones of a line's rollouts
	nucleus draw.Nucleus
	prob    []float64
	logits  []float64
	sums    []float64
}

// A cache holds the keys and values of a prompt, or of a prompt and a line, in a layer, of all heads: values row by
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

func makeCache(capacity, d int) cache {
	return cache{make([]float32, roundUp(capacity, keyBlock)*d), make([]float32, capacity*d)}
}

// copyFrom copies the keys and values of the first positions.
func (c *cache) copyFrom(from *cache, positions, d int) {
	copy(c.keys, from.keys[:roundUp(positions, keyBlock)*d])
	copy(c.values, from.values[:positions*d])
}

// readPrompts makes the keys and values of the prompts, in a space that keeps all that is worked out or not.
func (u *unit) readPrompts(n network, s *space, keep bool) {
	for len(u.prompts) < len(u.chunk.segments) {
		u.prompts = append(u.prompts, nil)
	}
	for i := range u.chunk.segments {
		rows := u.chunk.segments[i].prompt
		if caches := u.prompts[i]; len(caches) < n.layers || len(caches[0].values) < rows*n.d {
			u.prompts[i] = nil
			for range n.layers {
				u.prompts[i] = append(u.prompts[i], makeCache(rows, n.d))
			}
		}
	}
	if u.chunk.rows() == 0 {
		return
	}
	n.forwardTo(&u.chunk, s, keep, func(l int, a *activations) {
		for i := range u.chunk.segments {
			g, to := &u.chunk.segments[i], &u.prompts[i][l]
			for row := range g.prompt {
				qkv := a.qkv[(g.row+row)*3*n.d:][:3*n.d]
				to.store(row, qkv[n.d:2*n.d], qkv[2*n.d:])
			}
		}
	})
}

func (u *unit) makeCaches(n network, capacity int) {
	for len(u.caches) < len(u.slots)*n.layers {
		u.caches = append(u.caches, makeCache(capacity, n.d))
	}
}

// beginSlot implements stepper.
func (n network) beginSlot(u *unit, slot, task int) {
	for l := range n.layers {
		u.caches[slot*n.layers+l].copyFrom(&u.prompts[task][l], u.chunk.segments[task].prompt, n.d)
	}
}

// copySlot implements stepper.
func (n network) copySlot(u *unit, to, from int, l *line) {
	for layer := range n.layers {
		u.caches[to*n.layers+layer].copyFrom(&u.caches[from*n.layers+layer], u.keysBefore(l), n.d)
	}
}

// attend is a layer's attention of a step: of each row over its prompt and its own positions. The weights of a row
// are those of its heads, one after the other, width entries each.
func (u *unit) attend(n network, a *activations, layer, width int) {
	d, wide, ld := n.d, 3*n.d, n.heads*width
	for r := range u.live {
		last, row := u.lastKey(r), a.qkv[r*wide:(r+1)*wide]
		cached := &u.caches[u.live[r].slot*n.layers+layer]
		cached.store(last, row[d:2*d], row[2*d:])
		cached.scores(n, a.attention[r*ld:], width, row[:d], last+1)
	}
	for first := 0; first < len(u.live); { // rows with the same number of keys together
		end, last := first+1, u.lastKey(first)
		for end < len(u.live) && u.lastKey(end) == last {
			end++
		}
		n.Softmax(a.attention[first*ld:], width, (end-first)*n.heads, last+1, 0, last+1, n.scale())
		first = end
	}
	for r := range u.live {
		cached := &u.caches[u.live[r].slot*n.layers+layer]
		n.MulRows(a.mixed[r*d:], n.hd, a.attention[r*ld:], width, cached.values, n.hd, d, n.heads, u.lastKey(r)+1, n.hd, false)
	}
}

// lastKey is the number of a live line's last key: that of its row itself.
func (u *unit) lastKey(r int) int { return u.keysBefore(&u.live[r]) }

// keysBefore is the number of keys of a line's prompt and prefix.
func (u *unit) keysBefore(l *line) int { return u.chunk.segments[l.task].prompt + l.position }
