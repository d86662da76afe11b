package transformer

import "modebench/envs"

// A layout holds the places of the rows of a policy's chunks, which lie one after the other, in
// the words of the kernels: see kernels/rows.cu and kernels/attention.cu. In a lockstep the
// rows of the policies before it come first: see stack.
type layout struct {
	rows, answers, chunks, width int

	features, starts         []int32 // of each row; where its features end
	chunkRows, chunkAnswers  []int32 // where each chunk's end
	picked, scattered        []int32 // the row of each answer; the answer of each row, or -1
	rowTiles, keyTiles       []int32
	places                   []int32        // of rows in caches: see decode_put
	legal                    [][]envs.Token // of each answer, where tokens are masked
	targets, from, occurring []int32        // embed_grad: places of gradients, and which rows are added to each; where those end

	next []int32 // by feature: how often it occurs in a chunk, then where its next row goes
}

// fill describes chunks; with grads also what the gradients of the embedding need.
func (l *layout) fill(chunks []*chunk, s *shape, grads bool) {
	l.rows, l.answers, l.chunks, l.width, l.legal = 0, 0, len(chunks), 0, l.legal[:0]
	l.features, l.starts = l.features[:0], l.starts[:0]
	l.chunkRows, l.chunkAnswers = l.chunkRows[:0], l.chunkAnswers[:0]
	l.picked, l.scattered = l.picked[:0], l.scattered[:0]
	l.rowTiles, l.keyTiles = l.rowTiles[:0], l.keyTiles[:0]
	l.targets, l.from, l.occurring = l.targets[:0], l.from[:0], l.occurring[:0]
	for i, c := range chunks {
		before := int32(len(l.features))
		l.features = append(l.features, c.features...)
		for _, end := range c.starts[1:] {
			l.starts = append(l.starts, before+int32(end))
		}
		for k := range c.segments {
			l.segment(&c.segments[k], l.rows)
		}
		l.legal = append(l.legal, c.legal...)
		if grads {
			l.scatter(c, i*s.size+s.embed.offset, s)
		}
		l.rows, l.answers, l.width = l.rows+c.rows(), l.answers+c.answers, max(l.width, c.width)
		l.chunkRows, l.chunkAnswers = append(l.chunkRows, int32(l.rows)), append(l.chunkAnswers, int32(l.answers))
	}
}

// segment adds the rows of a segment of a chunk, which begins at a row.
func (l *layout) segment(g *segment, first int) {
	prompt := first + g.row
	tiles := func(row, n int, add func(i, row, n int)) {
		for i := 0; i < n; i += attentionRows {
			add(i, row+i, min(attentionRows, n-i))
		}
	}
	tiles(prompt, g.prompt, func(i, row, n int) {
		l.rowTiles = append(l.rowTiles, int32(row), int32(n), int32(prompt), int32(g.prompt), -1)
		l.keyTiles = append(l.keyTiles, int32(row), int32(n), int32(prompt), int32(prompt+g.rows), int32(i))
	})
	for range g.prompt {
		l.scattered = append(l.scattered, -1)
	}
	for _, r := range g.rollouts {
		index := first + r.row
		tiles(index, r.n, func(i, row, n int) {
			l.rowTiles = append(l.rowTiles, int32(row), int32(n), int32(prompt), int32(g.prompt), int32(index))
			l.keyTiles = append(l.keyTiles, int32(row), int32(n), int32(row), int32(index+r.n), int32(g.prompt+i))
		})
		for i := range r.n {
			l.scattered = append(l.scattered, int32(len(l.picked)))
			l.picked = append(l.picked, int32(index+i))
		}
	}
}

// scatter lists, feature by feature, the rows of a chunk that have it, in order.
func (l *layout) scatter(c *chunk, target int, s *shape) {
	l.next = grow(l.next, s.features)
	clear(l.next)
	for _, f := range c.features {
		l.next[f]++
	}
	end := int32(len(l.occurring))
	for f, n := range l.next {
		l.next[f] = end
		if n > 0 {
			end += n
			l.targets, l.from = append(l.targets, int32(target+f*s.d)), append(l.from, end)
		}
	}
	l.occurring = append(l.occurring, make([]int32, int(end)-len(l.occurring))...)
	for r := range c.rows() {
		for _, f := range c.features[c.starts[r]:c.starts[r+1]] {
			l.occurring[l.next[f]] = int32(l.rows + r)
			l.next[f]++
		}
	}
}
