package cpu

import (
	"fmt"

	"modebench/policies/internal/device"
)

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
