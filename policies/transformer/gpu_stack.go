package transformer

import (
	"modebench/envs"
	"modebench/policies/internal/device/cuda"
)

// counts are how much of everything the policies before one have.
type counts struct{ rows, answers, chunks, features, occurring, lanes, prompts int }

// A stack is the layouts of a lockstep's policies, one after the other.
type stack struct {
	members               []*member
	rows, answers, chunks cellRows
	width                 int
	legal                 [][]envs.Token
}

// begin stacks the layouts of the policies, and gives each the beginning of its part.
func (s *stack) begin(members []*member) {
	s.members = members
	s.rows.begin()
	s.answers.begin()
	s.chunks.begin()
	s.width, s.legal = 0, s.legal[:0]
	var before counts
	for _, m := range members {
		l := &m.layout
		m.before = before
		before.rows, before.answers, before.chunks = before.rows+l.rows, before.answers+l.answers, before.chunks+l.chunks
		before.features, before.occurring = before.features+len(l.features), before.occurring+len(l.occurring)
		if u := m.unit; m.kind.sample {
			before.lanes, before.prompts = before.lanes+len(u.lanes), before.prompts+len(u.chunk.segments)
		}
		s.width, s.legal = max(s.width, l.width), append(s.legal, l.legal...)
		s.rows.close(before.rows)
		s.answers.close(before.answers)
		s.chunks.close(before.chunks)
	}
	s.width = roundUp(s.width, 4)
}

// step stacks the rows of a step. Where lanes and prompts begin stays as it was.
func (s *stack) step(members []*member) {
	s.members = members
	s.rows.begin()
	s.width, s.legal = 0, s.legal[:0]
	rows, features := 0, 0
	for _, m := range members {
		l := &m.layout
		m.before.rows, m.before.features = rows, features
		rows, features = rows+l.rows, features+len(l.features)
		s.width, s.legal = max(s.width, l.width), append(s.legal, l.legal...)
		s.rows.close(rows)
	}
}

// put adds a table of all policies' parts.
func (s *stack) put(t *tables, to *cuda.Pointer, part func(l *layout) []int32, shiftOf func(before counts) int) {
	t.open(to)
	for _, m := range s.members {
		t.put(part(&m.layout), shift{amount: int32(shiftOf(m.before))})
	}
}

// ends adds a table of where something ends, which begins with a zero.
func (s *stack) ends(t *tables, to *cuda.Pointer, part func(l *layout) []int32, shiftOf func(before counts) int) {
	t.open(to)
	t.put(zero, shift{})
	for _, m := range s.members {
		t.put(part(&m.layout), shift{amount: int32(shiftOf(m.before))})
	}
}

var zero = []int32{0}

// columns adds a table of several columns, to each of which something else is added.
func (s *stack) columns(t *tables, to *cuda.Pointer, part func(l *layout) []int32, shiftOf func(before counts) []int32) {
	t.open(to)
	for _, m := range s.members {
		t.put(part(&m.layout), shift{columns: shiftOf(m.before)})
	}
}

func byNothing(counts) int    { return 0 }
func byRows(b counts) int     { return b.rows }
func byAnswers(b counts) int  { return b.answers }
func byFeatures(b counts) int { return b.features }

// placeRows puts what embedding reads, and where the cells' rows begin, among the tables.
func (s *stack) placeRows(t *tables, to *gpuSpace) {
	s.put(t, &to.features, func(l *layout) []int32 { return l.features }, byNothing)
	s.ends(t, &to.starts, func(l *layout) []int32 { return l.starts }, byFeatures)
	t.add(&s.rows.starts, s.rows.bounds)
}

// place puts what all kernels of a pass read among the tables.
func (s *stack) place(t *tables, to *gpuSpace) {
	s.placeRows(t, to)
	s.columns(t, &to.rowTiles, rowTilesOf, func(b counts) []int32 {
		return []int32{int32(b.rows), 0, int32(b.rows), 0, int32(b.rows)}
	})
	s.put(t, &to.picked, func(l *layout) []int32 { return l.picked }, byRows)
	t.add(&s.answers.starts, s.answers.bounds)
}

// placeGradients puts what the backward pass reads besides among the tables; a gradient has so
// many numbers.
func (s *stack) placeGradients(t *tables, to *gpuSpace, size int) {
	s.ends(t, &to.chunkRows, func(l *layout) []int32 { return l.chunkRows }, byRows)
	s.ends(t, &to.chunkAnswers, func(l *layout) []int32 { return l.chunkAnswers }, byAnswers)
	t.add(&s.chunks.starts, s.chunks.bounds)
	s.put(t, &to.spread, func(l *layout) []int32 { return l.scattered }, byAnswers)
	s.columns(t, &to.keyTiles, keyTilesOf, func(b counts) []int32 {
		return []int32{int32(b.rows), 0, int32(b.rows), int32(b.rows), 0}
	})
	s.put(t, &to.targets, func(l *layout) []int32 { return l.targets }, func(b counts) int { return b.chunks * size })
	s.ends(t, &to.from, func(l *layout) []int32 { return l.from }, func(b counts) int { return b.occurring })
	s.put(t, &to.occurring, func(l *layout) []int32 { return l.occurring }, byRows)
}

// pairs is how many features occur in the chunks, each chunk's counted by itself.
func (s *stack) pairs() int {
	n := 0
	for _, m := range s.members {
		n += len(m.layout.targets)
	}
	return n
}

// tiles is how many tiles attention has.
func (s *stack) tiles(part func(l *layout) []int32) int {
	const words = 5 // a tile
	n := 0
	for _, m := range s.members {
		n += len(part(&m.layout)) / words
	}
	return n
}

func rowTilesOf(l *layout) []int32 { return l.rowTiles }
func keyTilesOf(l *layout) []int32 { return l.keyTiles }

// placeCaches puts where rows lie in the caches of lanes, or of prompts, among the tables.
func (s *stack) placeCaches(t *tables, to *cuda.Pointer, ofPrompts bool) {
	s.columns(t, to, func(l *layout) []int32 { return l.places }, func(b counts) []int32 {
		if ofPrompts {
			return []int32{int32(b.prompts), 0, 0, 0}
		}
		return []int32{int32(b.lanes), 0, int32(b.prompts), 0}
	})
}
