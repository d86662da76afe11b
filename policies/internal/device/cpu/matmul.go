package cpu

import (
	"fmt"

	"modebench/policies/internal/device"
)

// panels is a layout of packed matrices: the binary logarithm of the number of columns of a panel.
type panels uint

func (l panels) columns() int { return 1 << l }

// width is the number of columns that n columns take up, in whole panels.
func (l panels) width(n int) int { return (n + l.columns() - 1) >> l << l }

// make makes room for a k x n matrix. The last panel is filled up with zeros.
func (l panels) make(k, n int) device.Packed {
	return device.Packed{Data: make([]float32, k*l.width(n)), K: k, N: n}
}

// index is where element (k, j) of a packed matrix lies.
func (l panels) index(p *device.Packed, k, j int) int {
	return (j>>l*p.K+k)<<l + j&(l.columns()-1)
}

// scatter copies k elements of b, ks apart, to a column of a panel.
func (l panels) scatter(dst, b []float32, ks, k int) {
	for i := range k {
		dst[i<<l] = b[i*ks]
	}
}

func (l panels) fits(p *device.Packed) bool {
	return p.K >= 0 && p.N >= 0 && len(p.Data) >= p.K*l.width(p.N)
}

func (l panels) check(p *device.Packed) {
	if !l.fits(p) {
		panic(fmt.Sprintf("cpu: a packed %d x %d matrix has %d elements, not %d", p.K, p.N, len(p.Data), p.K*l.width(p.N)))
	}
}

func (l panels) checkPack(dst *device.Packed, b []float32, ks, js int) {
	l.check(dst)
	if dst.K > 0 && dst.N > 0 && !within(b, dst.K, dst.N, ks, js) {
		panic(fmt.Sprintf("cpu: b has %d elements, too few for %d x %d of strides %d and %d", len(b), dst.K, dst.N, ks, js))
	}
}

// within reports whether a rows x columns matrix of those strides, of one element at least, lies in s.
func within(s []float32, rows, columns, rs, cs int) bool {
	return rs >= 0 && cs >= 0 && (rows-1)*rs+(columns-1)*cs < len(s)
}

// checkMatMul: m and n are above 0. The conditions are together, without calls: products of a row are small.
func (l panels) checkMatMul(c []float32, ldc int, a []float32, rs, ks int, b *device.Packed, from, count, m, n int, start *device.Start) {
	if from >= 0 && count >= 0 && count <= b.K-from && n <= b.N && l.fits(b) &&
		(m == 1 || ldc >= n) && within(c, m, n, ldc, 1) &&
		(count == 0 || within(a, m, count, rs, ks)) &&
		(start.Rows == nil || within(start.Rows, m, n, start.LD, 1)) &&
		(start.Bias == nil || len(start.Bias) >= n) {
		return
	}
	l.check(b)
	panic(fmt.Sprintf("cpu: a product of %d x %d by %d columns: a has %d elements (strides %d and %d), c has %d (rows %d apart), "+
		"the packed matrix is %d x %d and used from row %d on, sums start from %d (rows %d apart) and %d",
		m, count, n, len(a), rs, ks, len(c), ldc, b.K, b.N, from, len(start.Rows), start.LD, len(start.Bias)))
}

// reference is the plain Go implementation, whose results the others must give.
type reference struct{}

var _ device.Kernels = reference{}

func (reference) Name() string { return "reference" }

const plain panels = 3

func (reference) NewPacked(k, n int) device.Packed { return plain.make(k, n) }

func (reference) Pack(dst device.Packed, b []float32, ks, js int) {
	plain.checkPack(&dst, b, ks, js)
	for k := range dst.K {
		for j := range dst.N {
			dst.Data[plain.index(&dst, k, j)] = b[k*ks+j*js]
		}
	}
}

func (reference) MatMul(c []float32, ldc int, a []float32, rs, ks int, b device.Packed, from, count, m, n int, start device.Start) {
	if m <= 0 || n <= 0 {
		return
	}
	plain.checkMatMul(c, ldc, a, rs, ks, &b, from, count, m, n, &start)
	for i := range m {
		for j := range n {
			sum := startOf(&start, i, j)
			for k := range count {
				sum = fma32(a[i*rs+k*ks], b.Data[plain.index(&b, from+k, j)], sum)
			}
			c[i*ldc+j] = sum
		}
	}
}

func startOf(start *device.Start, i, j int) float32 {
	switch {
	case start.Rows == nil && start.Bias == nil:
		return 0
	case start.Bias == nil:
		return start.Rows[i*start.LD+j]
	case start.Rows == nil:
		return start.Bias[j]
	default:
		return start.Rows[i*start.LD+j] + start.Bias[j]
	}
}

func (reference) MulRows(c []float32, ldc int, a []float32, lda int, b []float32, hs, ks, rows, count, n int, add bool) {
	if rows <= 0 || n <= 0 {
		return
	}
	checkMulRows(c, ldc, a, lda, b, hs, ks, rows, count, n)
	for h := range rows {
		for j := range n {
			var sum float32
			if add {
				sum = c[h*ldc+j]
			}
			for k := range count {
				sum = fma32(a[h*lda+k], b[h*hs+k*ks+j], sum)
			}
			c[h*ldc+j] = sum
		}
	}
}

func checkMulRows(c []float32, ldc int, a []float32, lda int, b []float32, hs, ks, rows, count, n int) {
	if count >= 0 && (rows == 1 || ldc >= n) && within(c, rows, n, ldc, 1) &&
		(count == 0 || within(a, rows, count, lda, 1) && hs >= 0 && within(b, count, n, ks, 1) && within(b[(count-1)*ks+n-1:], rows, 1, hs, 1)) {
		return
	}
	panic(fmt.Sprintf("cpu: %d rows of %d terms by %d columns: c has %d elements (rows %d apart), a has %d (%d apart), "+
		"b has %d (matrices %d apart, their rows %d)", rows, count, n, len(c), ldc, len(a), lda, len(b), hs, ks))
}
