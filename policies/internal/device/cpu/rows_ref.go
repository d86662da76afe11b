package cpu

import "fmt"

// MulRows multiplies, one output after the other: see device.Kernels.
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

// checkMulRows panics if an operand of MulRows is too short. rows and n are above 0.
func checkMulRows(c []float32, ldc int, a []float32, lda int, b []float32, hs, ks, rows, count, n int) {
	if count >= 0 && (rows == 1 || ldc >= n) && within(c, rows, n, ldc, 1) &&
		(count == 0 || within(a, rows, count, lda, 1) && hs >= 0 && within(b, count, n, ks, 1) && within(b[(count-1)*ks+n-1:], rows, 1, hs, 1)) {
		return
	}
	panic(fmt.Sprintf("cpu: %d rows of %d terms by %d columns: c has %d elements (rows %d apart), a has %d (%d apart), "+
		"b has %d (matrices %d apart, their rows %d)", rows, count, n, len(c), ldc, len(a), lda, len(b), hs, ks))
}
