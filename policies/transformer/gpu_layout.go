package transformer

import (
	"modebench/envs"
	"modebench/policies/internal/device/cuda"
)

// A list is one of whole numbers that kernels read: see kernels/rows.cu and kernels/attention.cu.
type list int

const (
	featureList   list = iota // of each row
	startList                 // where each row's features end
	rowTileList               // tiles of attention
	keyTileList               // the same, for the gradients of keys and values
	pathList                  // the paths to runs
	pickedList                // the row of each answer
	spreadList                // the answer of each row, or -1
	chunkRowList              // where each chunk's rows end
	chunkAnsList              // where each chunk's answers end
	targetList                // embed_grad: places of gradients
	fromList                  // where the rows end that are added to each
	occurringList             // these rows
	promptList                // places of rows in the caches of prompts: see decode_put
	laneList                  // and in those of lanes
	copyList                  // caches of lanes that others continue from: see decode_copy
	lists
)

// shifts states how the lists of several policies make one table: if ends, they follow a zero, and
// to each column is added how much the policies before have of something. -1, which numbers nothing,
// stays.
var shifts = [lists]struct {
	ends    bool
	amounts func(before counts) []int
}{
	featureList:   {},
	startList:     {true, func(b counts) []int { return []int{b.features} }},
	rowTileList:   {false, func(b counts) []int { return []int{b.rows, 0, b.rows, 0, b.rows, b.paths, 0} }},
	keyTileList:   {false, func(b counts) []int { return []int{b.rows, 0, b.rows, b.rows, 0} }},
	pathList:      {false, byRows},
	pickedList:    {false, byRows},
	spreadList:    {false, byAnswers},
	chunkRowList:  {true, byRows},
	chunkAnsList:  {true, byAnswers},
	targetList:    {false, func(b counts) []int { return []int{b.gradients} }},
	fromList:      {true, func(b counts) []int { return []int{b.occurring} }},
	occurringList: {false, byRows},
	promptList:    {false, func(b counts) []int { return []int{b.prompts, 0, 0, 0} }},
	laneList:      {false, func(b counts) []int { return []int{b.lanes, 0, b.prompts, 0} }},
	copyList:      {false, func(b counts) []int { return []int{b.lanes, b.lanes, 0} }},
}

const (
	rowTileWords = 7
	keyTileWords = 5
	copyWords    = 3
)

func byRows(b counts) []int    { return []int{b.rows} }
func byAnswers(b counts) []int { return []int{b.answers} }

// counts are how much of everything the policies before one have.
type counts struct{ rows, answers, chunks, features, gradients, occurring, lanes, prompts, paths int }

// A layout holds the places of the rows of a policy's chunks, which lie one after the other. In a
// lockstep the rows of the policies before it come first: see stack.
type layout struct {
	rows, answers, chunks, width int

	lists [lists][]int32
	legal [][]envs.Token // of each answer, if tokens are masked
	next  []int32        // by feature: how often it occurs in a chunk, then where its next row goes
	path  []int          // the rows from a root to the latest in the lists
}

func (l *layout) add(to list, numbers ...int) {
	for _, x := range numbers {
		l.lists[to] = append(l.lists[to], int32(x))
	}
}

// fill describes chunks; with grads also what the gradients of the embedding need.
func (l *layout) fill(chunks []*chunk, s *shape, grads bool) {
	l.rows, l.answers, l.chunks, l.width, l.legal = 0, 0, len(chunks), 0, l.legal[:0]
	for i := range l.lists {
		l.lists[i] = l.lists[i][:0]
	}
	for i, c := range chunks {
		before := len(l.lists[featureList])
		l.lists[featureList] = append(l.lists[featureList], c.features...)
		for _, end := range c.starts[1:] {
			l.add(startList, before+end)
		}
		for k := range c.segments {
			l.segment(&c.segments[k], l.rows)
		}
		l.legal = append(l.legal, c.legal...)
		if grads {
			l.scatter(c, i*s.size+s.embed.offset, s)
		}
		l.rows, l.answers, l.width = l.rows+c.rows(), l.answers+c.answers, max(l.width, c.width)
		l.add(chunkRowList, l.rows)
		l.add(chunkAnsList, l.answers)
	}
}

// segment adds the rows of a segment of a chunk, which begins at a row.
func (l *layout) segment(g *segment, first int) {
	prompt := first + g.row
	for i := 0; i < g.prompt; i += attentionRows {
		n := min(attentionRows, g.prompt-i)
		l.add(rowTileList, prompt+i, n, prompt, g.prompt, -1, 0, 0)
		l.add(keyTileList, prompt+i, n, prompt, prompt+g.rows, i)
	}
	for range g.prompt {
		l.add(spreadList, -1)
	}
	for _, r := range g.runs {
		row, path := first+r.row, len(l.lists[pathList])
		l.path = l.path[:r.depth]
		l.add(pathList, l.path...)
		for i := range r.n {
			l.path = append(l.path, row+i)
			if i%attentionRows == 0 {
				l.add(rowTileList, row+i, min(attentionRows, r.n-i), prompt, g.prompt, row, path, r.depth)
			}
		}
	}
	for _, q := range g.spans {
		row, end := first+q.row, first+q.end
		for i := 0; i < q.n; i += attentionRows {
			n := min(attentionRows, q.n-i)
			l.add(keyTileList, row+i, n, row+i, end, g.prompt+q.depth+i)
		}
	}
	for row := prompt + g.prompt; row < prompt+g.rows; row++ {
		l.add(spreadList, len(l.lists[pickedList]))
		l.add(pickedList, row)
	}
}

// scatter lists, feature by feature, the rows of a chunk that have it, in order.
func (l *layout) scatter(c *chunk, target int, s *shape) {
	l.next = grow(l.next, s.features)
	clear(l.next)
	for _, f := range c.features {
		l.next[f]++
	}
	occurring := l.lists[occurringList]
	end := len(occurring)
	for f, n := range l.next {
		l.next[f] = int32(end)
		if n > 0 {
			end += int(n)
			l.add(targetList, target+f*s.d)
			l.add(fromList, end)
		}
	}
	occurring = append(occurring, make([]int32, end-len(occurring))...)
	for r := range c.rows() {
		for _, f := range c.features[c.starts[r]:c.starts[r+1]] {
			occurring[l.next[f]] = int32(l.rows + r)
			l.next[f]++
		}
	}
	l.lists[occurringList] = occurring
}

// cellRows are rows that go through a card together, cell by cell: see kernels/rows.cu.
type cellRows struct {
	n, largest int          // all rows; the most of a cell
	bounds     []int32      // where each cell's begin, and the end of the last
	starts     cuda.Pointer // the same on the card
}

// begin empties them; close ends the next cell's rows at n.
func (s *cellRows) begin() { s.n, s.largest, s.bounds = 0, 0, append(s.bounds[:0], 0) }

func (s *cellRows) close(n int) {
	s.largest = max(s.largest, n-s.n)
	s.n, s.bounds = n, append(s.bounds, int32(n))
}

// A stack is the layouts of a lockstep's policies, one after the other.
type stack struct {
	members               []*member
	rows, answers, chunks cellRows
	width                 int
	legal                 [][]envs.Token
}

// begin stacks the layouts of the policies, and gives each the beginning of its part.
func (s *stack) begin(members []*member) {
	s.answers.begin()
	s.chunks.begin()
	var before counts
	s.stackRows(members, func(m *member, rows, features int) {
		l := &m.layout
		before.rows, before.features = rows, features
		m.before = before
		before.answers, before.chunks = before.answers+l.answers, before.chunks+l.chunks
		before.gradients, before.occurring = before.gradients+l.chunks*m.team.shape.size, before.occurring+len(l.lists[occurringList])
		before.paths += len(l.lists[pathList])
		if u := m.unit; m.kind.sample {
			before.lanes, before.prompts = before.lanes+len(u.slots), before.prompts+len(u.chunk.segments)
		}
		s.answers.close(before.answers)
		s.chunks.close(before.chunks)
	})
	s.width = roundUp(s.width, 4)
}

// step stacks the rows of a step. Where lanes and prompts begin stays as it was.
func (s *stack) step(members []*member) {
	s.stackRows(members, func(m *member, rows, features int) { m.before.rows, m.before.features = rows, features })
}

func (s *stack) stackRows(members []*member, note func(m *member, rows, features int)) {
	s.members = members
	s.rows.begin()
	s.width, s.legal = 0, s.legal[:0]
	rows, features := 0, 0
	for _, m := range members {
		note(m, rows, features)
		l := &m.layout
		rows, features = rows+l.rows, features+len(l.lists[featureList])
		s.width, s.legal = max(s.width, l.width), append(s.legal, l.legal...)
		s.rows.close(rows)
	}
}

func (s *stack) count(kind list) int {
	n := 0
	for _, m := range s.members {
		n += len(m.layout.lists[kind])
	}
	return n
}

// Tables are lists that kernels read, brought to the card in one copy.
type tables struct {
	host   hostBuffer
	card   buffer
	n      int
	list   []table
	pieces []piece
}

type table struct {
	to   *cuda.Pointer // its place on the card
	from int           // its first word
}

// A piece is a policy's part of a table, or a table of its own.
type piece struct {
	from  int // the first word that it is written to
	words []int32
	shift []int // by column, added to all numbers but -1
}

// begin forgets the tables of the last time.
func (t *tables) begin() { t.n, t.list, t.pieces = 0, t.list[:0], t.pieces[:0] }

// open begins a table; to will hold its place on the card.
func (t *tables) open(to *cuda.Pointer) {
	const aligned = 4 // words that kernels read in one piece
	t.n = roundUp(t.n, aligned)
	t.list = append(t.list, table{to, t.n})
}

// put adds a piece to the table that was opened last.
func (t *tables) put(words []int32, shift []int) {
	t.pieces = append(t.pieces, piece{t.n, words, shift})
	t.n += len(words)
}

// add adds a table of one piece.
func (t *tables) add(to *cuda.Pointer, words []int32) {
	t.open(to)
	t.put(words, nil)
}

var zero = []int32{0}

func (t *tables) place(s *stack, to *gpuSpace, kinds ...list) {
	for _, k := range kinds {
		t.open(&to.tables[k])
		if shifts[k].ends {
			t.put(zero, nil)
		}
		for _, m := range s.members {
			var shift []int
			if amounts := shifts[k].amounts; amounts != nil {
				shift = amounts(m.before)
			}
			t.put(m.layout.lists[k], shift)
		}
	}
}

func (g *gpu) send(t *tables) {
	card, host := g.room(&t.card, max(t.n, 1)), g.roomOnHost(&t.host, t.n).Ints
	parallel(len(t.pieces), func(i int) { t.pieces[i].write(host) })
	g.uploadHost(card, &t.host)
	for _, table := range t.list {
		*table.to = card.At(table.from)
	}
}

func (p *piece) write(to []int32) {
	to = to[p.from : p.from+len(p.words)]
	copy(to, p.words)
	for column, amount := range p.shift {
		for i := column; amount != 0 && i < len(to); i += len(p.shift) {
			if to[i] >= 0 {
				to[i] += int32(amount)
			}
		}
	}
}
