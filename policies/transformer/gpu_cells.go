package transformer

import "modebench/policies/internal/device/cuda"

// cellRows are rows that go through a card together, those of one cell after those of the
// other: see kernels/rows.cu.
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

// cells are whose parameters a pass reads: of cell c those that lie offsets[c] numbers
// behind base.
type cells struct {
	n       int
	base    cuda.Pointer
	offsets cuda.Pointer // in 64 bits each
}

// pointer is a tensor's place on the card, for the first cell.
func (c cells) pointer(t *tensor) cuda.Pointer { return c.base.At(t.offset) }

// offset is how many numbers p lies behind base, as two words. It may lie before it.
func offset(base, p cuda.Pointer) []int32 {
	n := (int64(p) - int64(base)) / 4
	return []int32{int32(n), int32(n >> 32)}
}
