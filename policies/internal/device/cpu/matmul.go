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

// make makes room for a k x n matrix. The last panel is filled up with columns of
// zeros, which no result depends on.
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

// within reports whether all elements of a rows x columns matrix of those strides lie
// in s. There is at least one.
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
