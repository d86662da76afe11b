package cuda

import (
	"fmt"
	"testing"

	"modebench/policies/internal/device"
)

// products are the kernels that multiply, with the tiles of their grids.
var products = []struct {
	kernel        string
	edge, threads int
}{{"matmul", 64, 64}, {"matmul_small", 32, 64}}

// A product is a call of matmul.
type product struct {
	m, n, count int
	// Of A and of B: whether what is contiguous is k (rows of A, columns of B), and how
	// far the rows in memory are apart beyond their length.
	alongA, alongB bool
	gapA, gapB     int
	offset         int // of all matrices from where vectors are aligned
	from, bias     bool
	own            bool // sums start from C itself
	cells          int  // that the rows of A and C are dealt to, if they follow each other; 0: one
	ldf            int  // of other rows that sums start from; 0: one row for all
}

// strides are those of an operand of width x count with k contiguous or not.
func strides(alongK bool, width, count, gap int) (byIndex, byK int) {
	if alongK {
		return count + gap, 1
	}
	return 1, width + gap
}

// compare holds a product to the reference's.
func (p product) compare(b bench, kernel string, edge, threads int) {
	b.Helper()
	rs, ks := strides(p.alongA, p.m, p.count, p.gapA)
	bjs, bks := strides(p.alongB, p.n, p.count, p.gapB)
	ldc, o := p.n+p.gapB, p.offset
	room := func(width, byIndex, byK int) int { return o + (width-1)*byIndex + max(p.count-1, 0)*byK + 1 }
	cells, sizeB := max(p.cells, 1), room(p.n, bjs, bks)
	apart := max(sizeB, p.n) + o // of the cells' B and bias, as vectors are apart or not
	if o == 0 {
		apart = (apart + 3) / 4 * 4
	}
	of := b.deal(p.m, cells, apart)
	s := b.draws(o+(p.m-1)*ldc+p.n, room(p.m, rs, ks), (cells-1)*apart+sizeB, o+(p.m-1)*p.ldf+p.n, (cells-1)*apart+o+p.n)
	what := fmt.Sprintf("%s %+v, cells %v", kernel, p, of.bounds)
	b.compare(what, s, func(ptr []Pointer) error {
		for i := range ptr {
			ptr[i] += Pointer(4 * o)
		}
		from, bias, ldf := Pointer(0), Pointer(0), p.ldf
		if p.own {
			from, ldf = ptr[0], ldc
		} else if p.from {
			from = ptr[3]
		}
		if p.bias {
			bias = ptr[4]
		}
		err := b.dev.Launch(kernel, Dim{X: (p.n + edge - 1) / edge, Y: (of.most + edge - 1) / edge, Z: cells}, Dim{X: threads},
			ptr[0], int32(ldc), ptr[1], int32(rs), int32(ks), ptr[2], int32(bks), int32(bjs), of.starts, of.offsets, int32(p.n), int32(p.count),
			from, int32(ldf), bias)
		for i := range ptr {
			ptr[i] -= Pointer(4 * o)
		}
		return err
	}, func(s [][]float32) {
		of.each(func(lo, hi, at int) {
			if lo == hi {
				return
			}
			packed := b.k.NewPacked(p.count, p.n)
			b.k.Pack(packed, s[2][at+o:], bks, bjs)
			var start device.Start
			if p.own {
				start = device.From(s[0][o+lo*ldc:], ldc)
			} else if p.from {
				start = device.From(s[3][o+lo*p.ldf:], p.ldf)
			}
			if p.bias {
				start.Bias = s[4][at+o:]
			}
			b.k.MatMul(s[0][o+lo*ldc:], ldc, s[1][o+lo*rs:], rs, ks, packed, 0, p.count, hi-lo, p.n, start)
		})
	})
}

func TestMatMul(t *testing.T) {
	edges := []int{1, 3, 4, 31, 32, 33, 63, 64, 65, 70, 130}
	counts := []int{0, 1, 3, 15, 16, 17, 31, 32, 33, 50}
	forDraws(t, func(b bench) {
		for _, of := range products {
			for i, m := range edges {
				for j, n := range edges {
					x := i*len(edges) + j // the rest varies along
					product{
						m: m, n: n, count: counts[(3*i+j)%len(counts)], alongA: x%2 == 0, alongB: x%3 == 0,
						gapA: x % 5, gapB: x / 2 % 5, offset: x % 7 / 6,
						from: x%4 == 1, own: x%4 == 2, bias: x%8 > 3, ldf: []int{0, n, n + 3}[x%3], cells: x % 4,
					}.compare(b, of.kernel, of.edge, of.threads)
				}
			}
		}
	})
}

// TestMatMulVectors has operands that can be moved by vectors, as those of a model are,
// and others that only look so.
func TestMatMulVectors(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, of := range products {
			for x := range 4 {
				for _, p := range []product{
					{m: 64, n: 64, count: 32},                        // whole tiles
					{m: 68, n: 36, count: 20, gapA: 4, gapB: 8},      // edges that are whole vectors
					{m: 65, n: 67, count: 19, gapA: 1, gapB: 3},      // edges within vectors, of rows or columns
					{m: 64, n: 64, count: 32, gapA: 1, gapB: 2},      // only the first row is aligned
					{m: 64, n: 64, count: 32, offset: 1},             // no row is aligned
					{m: 33, n: 40, count: 16, offset: 4, bias: true}, // each row is
				} {
					p.alongA, p.alongB, p.cells = x%2 == 0, x/2 == 0, x
					p.compare(b, of.kernel, of.edge, of.threads)
				}
			}
		}
	})
}

// TestMatMulStrides has operands neither direction of which is contiguous; rows begin at
// addresses of vectors all the same.
func TestMatMulStrides(t *testing.T) {
	forDraws(t, func(b bench) {
		const m, n, count, rs, ks, bks, bjs = 35, 37, 18, 3, 108, 4, 76
		for _, of := range products {
			whole := b.deal(m, 1, 0)
			b.compare(of.kernel, b.draws(m*n, m*rs+count*ks, count*bks+n*bjs), func(p []Pointer) error {
				return b.dev.Launch(of.kernel, Dim{X: (n + of.edge - 1) / of.edge, Y: (m + of.edge - 1) / of.edge}, Dim{X: of.threads},
					p[0], int32(n), p[1], int32(rs), int32(ks), p[2], int32(bks), int32(bjs), whole.starts, whole.offsets, int32(n), int32(count),
					Pointer(0), int32(0), Pointer(0))
			}, func(s [][]float32) {
				packed := b.k.NewPacked(count, n)
				b.k.Pack(packed, s[2], bks, bjs)
				b.k.MatMul(s[0], n, s[1], rs, ks, packed, 0, count, m, n, device.Start{})
			})
		}
	})
}

// TestMatMulChunks has the sums of the rows of B beside each chunk's C, as a gradient has
// those of a bias, or does not ask for them.
func TestMatMulChunks(t *testing.T) {
	forDraws(t, func(b bench) {
		for i, size := range []struct{ m, n, rows, chunks int }{
			{1, 1, 1, 1}, {32, 32, 64, 2}, {31, 33, 50, 3}, {33, 65, 47, 5}, {64, 96, 80, 4}, {5, 40, 17, 17},
			{1, 31, 8, 2}, {40, 64, 41, 1}, {70, 65, 1, 3}, {3, 300, 41, 3},
		} {
			for _, totals := range []bool{true, false} {
				m, n, rows, chunks := size.m, size.n, size.rows, size.chunks
				starts := cut(b.rand, rows, chunks)
				ss := b.ints(starts)
				lda, ldb, ldc := m+i%3, n+i%2*3, n+i%4
				stride, beyond := m*ldc+n+i, i%2 // blocks that find nothing to do
				what := fmt.Sprintf("%d x %d, chunks %v, totals %v", m, n, starts, totals)
				b.compare(what, b.draws(chunks*stride, rows*lda, rows*ldb), func(p []Pointer) error {
					var at Pointer
					if totals {
						at = p[0].At(m * ldc)
					}
					return b.dev.Launch("matmul_chunks", Dim{(n+31)/32 + beyond, (m+31)/32 + beyond, chunks + beyond}, Dim{X: 64},
						p[0], at, int32(stride), int32(ldc), p[1], int32(lda), p[2], int32(ldb), ss, int32(chunks), int32(m), int32(n))
				}, func(s [][]float32) {
					for c := range chunks {
						lo, hi := int(starts[c]), int(starts[c+1])
						packed := b.k.NewPacked(hi-lo, n)
						b.k.Pack(packed, s[2][lo*ldb:], ldb, 1)
						own := s[0][c*stride:]
						b.k.MatMul(own, ldc, s[1][lo*lda:], 1, lda, packed, 0, hi-lo, m, n, device.From(own, ldc))
						for r := lo; totals && r < hi; r++ {
							b.k.SumRows(own[m*ldc:], s[2][r*ldb:], 1, n)
						}
					}
				})
			}
		}
	})
}
