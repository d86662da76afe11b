package transformer

import (
	"modebench/envs"
	"modebench/policies"
)

// kept has the rows that a unit's passes have written, for an update that follows before anything else is learned:
// the update's forward pass would write the same bits. Rows that there is no room for are worked out again.
type kept struct {
	prompts space   // of the unit's prompts
	places  []place // of each prompt's rows there
	width   int     // of their rows of attention
	blocks  []keptBlock
	used    int // blocks in use
	limit   int // of blocks
	rows    int // of steps, kept or not
}

type place struct{ row, n int }

// A keptBlock holds keptRows rows of steps. Of attention's weights each row has those of its keys alone, head by
// head, from start on.
type keptBlock struct {
	layers []activations
	out    []float32 // (keptRows, D): the residual stream behind the last block
	start  []int
	length []int // of a head's weights
}

// keptRows is the number of rows of a block: two steps at least.
const keptRows = 2 * lanesAtOnce

// mostKept is about how many numbers are kept for an update.
const mostKept = 1 << 24

// A source is a row of a unit's kept rows, or the number of a prompt.
type source struct{ unit, number int32 }

// A trail is where the rows of a rollout are kept: the unit, the prompt's number there, and the row that each token
// was drawn from, -1 if it is not kept.
type trail struct {
	task         string      // its ID
	tokens       *envs.Token // the rollout's first one, which tells it from others
	unit, prompt int32
	rows         []int32
}

// prepareToKeep prepares a call of some units and rollouts to keep the rows that it works out, or not to: also if
// the latest such call had more rows than there is room for, since hardly any chunk would be recalled.
func (s *sampler) prepareToKeep(p *Policy, keeps bool, units, rollouts int) {
	s.keeps, s.version = keeps, p.weights.version
	if !keeps {
		return
	}
	width := p.encoding.Prompt + p.encoding.Rollout
	room := p.shape.mostKept / p.shape.keptNumbers(width)
	drawn := 0
	for i := range s.kept {
		drawn += s.kept[i].rows
	}
	if drawn > room {
		room = 0
	}
	if len(s.kept) != units {
		s.kept = make([]kept, units)
	}
	for i := range s.kept {
		s.kept[i].used, s.kept[i].rows, s.kept[i].limit = 0, 0, room/units/keptRows
	}
	for len(s.trails) < rollouts {
		s.trails = append(s.trails, trail{})
	}
	s.trails = s.trails[:rollouts]
}

// layTrails gives the rollouts of unit i, of groups of n, their trails.
func (s *sampler) layTrails(u *unit, i, n int) {
	for k := range u.rollouts {
		o := &u.rollouts[k]
		prompt := o.group - u.rollouts[0].group
		o.trail = &s.trails[o.group*n+o.rollout.Number]
		o.trail.task, o.trail.unit, o.trail.prompt, o.trail.rows = u.tasks[prompt].task.ID(), int32(i), int32(prompt), o.trail.rows[:0]
	}
}

// closeTrails notes which memory the rollouts of a call have.
func (s *sampler) closeTrails() {
	for i := range s.trails {
		if s.trails[i].tokens = nil; len(s.rollouts[i].Tokens) > 0 {
			s.trails[i].tokens = &s.rollouts[i].Tokens[0]
		}
	}
}

// findTrails finds the trails of a batch's rollouts that the present parameters drew in the latest call of Sample.
func (p *Policy) findTrails(b *policies.Batch) {
	s := &p.sampler
	if !s.keeps || s.version != p.weights.version {
		return
	}
	next, near := 0, 0
	for g := range b.Groups {
		id := b.Groups[g].Task.ID()
		for range b.Groups[g].Rollouts {
			w := &p.batch[next]
			next++
			for tried := range s.trails { // most often the rollouts are in their order
				number := (near + tried) % len(s.trails)
				if t := &s.trails[number]; len(w.tokens) > 0 && t.tokens == &w.tokens[0] {
					if len(t.rows) == len(w.tokens) && t.task == id {
						w.trail = t
					}
					near = number + 1
					break
				}
			}
		}
	}
}

// keptNumbers is how many numbers a row takes with width keys.
func (s *shape) keptNumbers(width int) int { return s.layers*(16*s.d+s.heads*width+4) + s.d }

// next gives room for the rows of a step, at most keptRows: the block, and their first row there. A nil kept has
// no room.
func (k *kept) next(s *shape, rows int) (b *keptBlock, first int) {
	if k == nil {
		return nil, 0
	}
	k.rows += rows
	if k.used > 0 {
		b = &k.blocks[k.used-1]
		if first = len(b.start); first+rows <= keptRows {
			return b, first
		}
	}
	if k.used >= k.limit {
		return nil, 0
	}
	if k.used == len(k.blocks) {
		k.blocks = append(k.blocks, keptBlock{})
	}
	b = &k.blocks[k.used]
	k.used++
	b.layers, b.out = grow(b.layers, s.layers), grow(b.out, keptRows*s.d)
	b.start, b.length = b.start[:0], b.length[:0]
	for l := range b.layers {
		a := &b.layers[l]
		weights := a.attention[:0]
		a.grow(keptRows, s.d, s.heads, 0)
		a.attention = weights
	}
	return b, 0
}

// number is that of a row of the block in use.
func (k *kept) number(row int) int32 { return int32((k.used-1)*keptRows + row) }

// room gives a step's part of a layer, whose weights of attention are kept afterwards.
func (b *keptBlock) room(l, first, d int, attention []float32) activations {
	a := &b.layers[l]
	return activations{
		x: a.x[first*d:], norm1: a.norm1[first*d:], qkv: a.qkv[3*first*d:], attention: attention, mixed: a.mixed[first*d:],
		middle: a.middle[first*d:], norm2: a.norm2[first*d:], wide: a.wide[4*first*d:], gelu: a.gelu[4*first*d:],
		mean1: a.mean1[first:], rstd1: a.rstd1[first:], mean2: a.mean2[first:], rstd2: a.rstd2[first:],
	}
}

// keepWeights adds the weights of a step's rows in a layer, which are width apart.
func (b *keptBlock) keepWeights(u *unit, n network, l, width int) {
	a := &b.layers[l]
	for r := range u.live {
		length := u.lastKey(r) + 1
		if l == 0 {
			b.start, b.length = append(b.start, len(a.attention)), append(b.length, length)
		}
		for h := range n.heads {
			a.attention = append(a.attention, u.rows.attention[(r*n.heads+h)*width:][:length]...)
		}
	}
}

// recall does what forward does with keep, for a chunk all of whose rows are kept.
func (n network) recall(c *chunk, s *space, units []kept) {
	s.out = grow(s.out, c.answers*n.d)
	for l := range n.layers {
		a := s.layer(l, true)
		a.grow(c.rows(), n.d, n.heads, c.width)
		last, answer := l+1 == n.layers, 0
		for k := range c.segments {
			g := &c.segments[k]
			n.recallPrompt(c, g, a, l, units)
			for row := g.row + g.prompt; row < g.row+g.rows; row++ {
				from := c.sources[answer]
				b := &units[from.unit].blocks[from.number/keptRows]
				i := int(from.number % keptRows)
				n.recallRow(c, a, &b.layers[l], row, i, b.start[i], b.length[i])
				to := row
				if last {
					to = answer
					copy(s.out[answer*n.d:(answer+1)*n.d], b.out[i*n.d:])
				}
				a.copyRest(to, &b.layers[l], i, 1, n.d)
				answer++
			}
		}
	}
}

// recallPrompt copies the rows of a segment's prompt. Behind the last block's attention they have no part in the
// gradient, so zeros will do for their weights.
func (n network) recallPrompt(c *chunk, g *segment, a *activations, l int, units []kept) {
	k := &units[g.source.unit]
	from := k.places[g.source.number]
	if from.n == 0 {
		return
	}
	b := &k.prompts.layers[l]
	a.copyFirst(g.row, b, from.row, from.n, n.d)
	last := l+1 == n.layers
	if !last {
		a.copyRest(g.row, b, from.row, from.n, n.d)
	}
	rows := k.promptRows()
	for h := range n.heads {
		for i := range from.n {
			to := a.attention[(h*c.rows()+g.row+i)*c.width:][:from.n]
			if last {
				clear(to)
			} else {
				copy(to, b.attention[(h*rows+from.row+i)*k.width:])
			}
		}
	}
}

func (k *kept) promptRows() int {
	last := k.places[len(k.places)-1]
	return last.row + last.n
}

// recallRow copies a row of a rollout up to attention's weights.
func (n network) recallRow(c *chunk, a, b *activations, row, from, start, length int) {
	a.copyFirst(row, b, from, 1, n.d)
	for h := range n.heads {
		to := a.attention[(h*c.rows()+row)*c.width:][:c.width]
		copied := copy(to, b.attention[start+h*length:start+(h+1)*length])
		clear(to[copied:])
	}
}

// copyFirst copies rows of a block's activations before attention, copyRest of the rest, but for the weights of
// attention.
func (a *activations) copyFirst(to int, b *activations, from, rows, d int) {
	copy(a.x[to*d:(to+rows)*d], b.x[from*d:])
	copy(a.norm1[to*d:(to+rows)*d], b.norm1[from*d:])
	copy(a.qkv[3*to*d:3*(to+rows)*d], b.qkv[3*from*d:])
	copy(a.mean1[to:to+rows], b.mean1[from:])
	copy(a.rstd1[to:to+rows], b.rstd1[from:])
}

func (a *activations) copyRest(to int, b *activations, from, rows, d int) {
	copy(a.mixed[to*d:(to+rows)*d], b.mixed[from*d:])
	copy(a.middle[to*d:(to+rows)*d], b.middle[from*d:])
	copy(a.norm2[to*d:(to+rows)*d], b.norm2[from*d:])
	copy(a.wide[4*to*d:4*(to+rows)*d], b.wide[4*from*d:])
	copy(a.gelu[4*to*d:4*(to+rows)*d], b.gelu[4*from*d:])
	copy(a.mean2[to:to+rows], b.mean2[from:])
	copy(a.rstd2[to:to+rows], b.rstd2[from:])
}
