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

// keptRows is the number of rows of a block: several steps.
const keptRows = 256

// mostKept is about how many numbers are kept for an update.
const mostKept = 1 << 24

// A source is a row of a unit's kept rows, or the number of a prompt.
type source struct{ unit, number int32 }

// A path is where the rows of a rollout are kept: the unit, the prompt's number there, and the row that each token
// was drawn from, -1 if it is not kept.
type path struct {
	unit, prompt int32
	rows         []int32
}

// keep prepares a call of some units and rollouts to keep what they work out, or not to.
func (s *sampler) keep(p *Policy, keeps bool, units, rollouts int) {
	if s.keeps = keeps; !keeps {
		return
	}
	s.version = p.weights.version
	for len(s.kept) < units {
		s.kept = append(s.kept, kept{})
	}
	for i := range units {
		s.kept[i].reset(&p.shape, p.encoding.Prompt+p.encoding.Rollout, units)
	}
	for len(s.paths) < rollouts {
		s.paths = append(s.paths, path{})
	}
}

// pathsOf gives the rollouts of unit i, of groups of n, their paths.
func (s *sampler) pathsOf(u *unit, i, n int) {
	for k := range u.rollouts {
		o := &u.rollouts[k]
		o.path = &s.paths[o.group*n+o.rollout.Number]
		o.path.unit, o.path.prompt, o.path.rows = int32(i), int32(o.group-u.rollouts[0].group), o.path.rows[:0]
	}
}

// pathsOfBatch finds the paths of a batch's rollouts that were drawn by the present parameters in the latest call
// of Sample.
func (p *Policy) pathsOfBatch(b *policies.Batch) {
	s := &p.sampler
	if !s.keeps || s.version != p.weights.version {
		return
	}
	next, near := 0, 0
	for g := range b.Groups {
		for i := range b.Groups[g].Rollouts {
			r := &b.Groups[g].Rollouts[i]
			for tried := range s.groups { // the groups may be others, or in another order; most often they are not
				group := (near + tried) % len(s.groups)
				if drawn := s.groups[group].Rollouts; uint(r.Number) < uint(len(drawn)) && sameTokens(drawn[r.Number].Tokens, r.Tokens) {
					p.batch[next].path, near = &s.paths[group*len(drawn)+r.Number], group
					break
				}
			}
			next++
		}
	}
}

// sameTokens reports whether slices are the same memory, which is not empty.
func sameTokens(a, b []envs.Token) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// reset empties it, for a share of the room that all units have.
func (k *kept) reset(s *shape, width, units int) {
	k.used, k.limit = 0, s.kept/units/(keptRows*s.keptNumbers(width))
}

// keptNumbers is how many numbers a row takes with width keys.
func (s *shape) keptNumbers(width int) int { return s.layers*(16*s.d+s.heads*width+4) + s.d }

// next gives room for the rows of a step: the block, and their first row there. A nil kept has no room.
func (k *kept) next(n *shape, rows int) (b *keptBlock, first int) {
	if k == nil {
		return nil, 0
	}
	if k.used > 0 {
		b = &k.blocks[k.used-1]
		if first = len(b.start); first+rows <= keptRows {
			return b, first
		}
	}
	if k.used >= k.limit || rows > keptRows {
		return nil, 0
	}
	if k.used == len(k.blocks) {
		k.blocks = append(k.blocks, keptBlock{})
	}
	b = &k.blocks[k.used]
	k.used++
	b.layers, b.out = grow(b.layers, n.layers), grow(b.out, keptRows*n.d)
	b.start, b.length = b.start[:0], b.length[:0]
	for l := range b.layers {
		a := &b.layers[l]
		weights := a.attention[:0]
		a.grow(keptRows, n.d, n.heads, 0)
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
		for i := range c.segments {
			g := &c.segments[i]
			n.recallPrompt(c, g, a, l, units)
			for row := g.row + g.prompt; row < g.row+g.rows; row++ {
				from := c.sources[answer]
				b := &units[from.unit].blocks[from.number/keptRows]
				place := int(from.number % keptRows)
				n.recallRow(c, a, &b.layers[l], row, place, b.start[place], b.length[place])
				to := row
				if last {
					to = answer
					copy(s.out[answer*n.d:(answer+1)*n.d], b.out[place*n.d:])
				}
				a.copyRest(to, &b.layers[l], place, 1, n.d)
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
	if len(k.places) == 0 {
		return 0
	}
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
