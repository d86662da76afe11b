package cpu

import "modebench/policies/internal/device"

// reference is the plain Go implementation of the kernels. The other implementations must give its
// results.
type reference struct{}

var _ device.Kernels = reference{}

// Name is "reference".
func (reference) Name() string { return "reference" }

// plain is the layout of the reference's packed matrices: panels of 8 columns.
const plain panels = 3

// NewPacked makes room for a k x n matrix.
func (reference) NewPacked(k, n int) device.Packed { return plain.make(k, n) }

// Pack copies a matrix B(k,j) = b[k*ks+j*js] of dst's size.
func (reference) Pack(dst device.Packed, b []float32, ks, js int) {
	plain.checkPack(&dst, b, ks, js)
	for k := range dst.K {
		for j := range dst.N {
			dst.Data[plain.index(&dst, k, j)] = b[k*ks+j*js]
		}
	}
}

// MatMul multiplies, one output after the other: see device.Kernels.
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

// startOf is the start of the sum of entry (i, j).
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
