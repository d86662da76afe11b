package transformer

import "modebench/policies/internal/device/cuda"

// cellRows are rows that go through a card together, those of one cell after those of the
// other: see kernels/rows.cu.
type cellRows struct {
	n, most int          // all rows; the most of a cell
	bounds  []int32      // where each cell's begin, and the end of the last
	starts  cuda.Pointer // the same on the card
}

// begin empties them; close says that the next cell's rows end at n.
func (s *cellRows) begin() { s.n, s.most, s.bounds = 0, 0, append(s.bounds[:0], 0) }

func (s *cellRows) close(n int) {
	s.most = max(s.most, n-s.n)
	s.n, s.bounds = n, append(s.bounds, int32(n))
}

// cells are whose parameters a pass reads: of cell c those that lie offsets[c] numbers
// behind base.
type cells struct {
	n       int
	base    cuda.Pointer
	offsets cuda.Pointer // in 64 bits each
}

// on is a tensor's place on the card, for the first cell.
func (c cells) on(t *tensor) cuda.Pointer { return c.base.At(t.at) }

// appendOffset appends how many numbers p lies behind base, as two words.
func appendOffset(words []int32, base, p cuda.Pointer) []int32 {
	offset := (int64(p) - int64(base)) / 4
	return append(words, int32(uint32(uint64(offset))), int32(offset>>32))
}

// Tables are whole numbers that kernels read, collected to be brought to the card in one
// copy.
type tables struct {
	at    buffer
	words []int32
	of    []table
}

type table struct {
	to   *cuda.Pointer
	from int // its first word
}

// begin forgets the tables of the last time.
func (t *tables) begin() { t.words, t.of = t.words[:0], t.of[:0] }

// add puts a table there, whose place on the card to will say.
func (t *tables) add(to *cuda.Pointer, words []int32) {
	const aligned = 4 // words, of what kernels read in one piece
	for len(t.words)%aligned != 0 {
		t.words = append(t.words, 0)
	}
	t.of = append(t.of, table{to, len(t.words)})
	t.words = append(t.words, words...)
}

// send brings the tables to the card.
func (g *gpu) send(t *tables) {
	at := g.room(&t.at, max(len(t.words), 1))
	if g.failed == nil && len(t.words) > 0 {
		g.do(g.device.UploadInts(at, t.words))
	}
	for _, table := range t.of {
		*table.to = at.At(table.from)
	}
}
