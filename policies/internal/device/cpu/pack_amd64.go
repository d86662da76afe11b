package cpu

import "modebench/policies/internal/device"

// Pack copies a matrix B(k,j) = b[k*ks+j*js] of dst's size.
func (avx2) Pack(dst device.Packed, b []float32, ks, js int) { narrow.pack(&dst, b, ks, js) }

// Pack copies a matrix B(k,j) = b[k*ks+j*js] of dst's size.
func (avx512) Pack(dst device.Packed, b []float32, ks, js int) { wide.pack(&dst, b, ks, js) }

// copyPanels copies k rows of b to 1, 2 or 4 panels.
func (w vectors) copyPanels(dst *float32, panel int, b *float32, stride, k, panels int) {
	if w == wide {
		copyPanelsAVX512(dst, panel, b, stride, k, panels)
	} else {
		copyPanelsAVX2(dst, panel, b, stride, k, panels)
	}
}

// pack is Pack: see device.Kernels. A matrix whose rows or columns are contiguous
// goes by panels and strips of a vector of columns, in assembly; the rest goes element by element.
func (w vectors) pack(dst *device.Packed, b []float32, ks, js int) {
	l := w.panels()
	l.checkPack(dst, b, ks, js)
	if dst.K <= 0 {
		return
	}
	j := 0
	switch {
	case js == 1:
		for panels := 4; panels > 0; panels /= 2 {
			for columns := panels << l; j+columns <= dst.N; j += columns {
				w.copyPanels(&dst.Data[l.index(dst, 0, j)], 4*dst.K<<l, &b[j], 4*ks, dst.K, panels)
			}
		}
		for ; w == wide && j+wide.lanes() <= dst.N; j += wide.lanes() {
			copyRowsAVX512(&dst.Data[l.index(dst, 0, j)], 4*l.columns(), &b[j], 4*ks, dst.K)
		}
		for ; j+narrow.lanes() <= dst.N; j += narrow.lanes() {
			copyRowsAVX2(&dst.Data[l.index(dst, 0, j)], 4*l.columns(), &b[j], 4*ks, dst.K)
		}
	case ks == 1:
		for ; dst.K >= 8 && j+8 <= dst.N; j += 8 {
			strip := dst.Data[l.index(dst, 0, j):]
			transposeAVX2(&strip[0], 4*l.columns(), &b[j*js], 4*js, dst.K/8)
			for rest := dst.K &^ 7; rest < dst.K; rest++ {
				for i := range 8 {
					strip[rest<<l+i] = b[(j+i)*js+rest]
				}
			}
		}
	}
	for ; j < dst.N; j++ {
		l.scatter(dst.Data[l.index(dst, 0, j):], b[j*js:], ks, dst.K)
	}
}
