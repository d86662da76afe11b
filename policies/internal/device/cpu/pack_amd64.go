package cpu

import "modebench/policies/internal/device"

// Pack copies a matrix of contiguous rows or columns by panels and strips of a vector of columns, in
// assembly, and the rest element by element.
func (w vectors) Pack(p device.Packed, b []float32, ks, js int) {
	l, dst := w.panels(), &p
	l.checkPack(dst, b, ks, js)
	if dst.K <= 0 {
		return
	}
	j := 0
	switch {
	case js == 1:
		copyPanels := pick(w, copyPanelsAVX2, copyPanelsAVX512)
		for panels := 4; panels > 0; panels /= 2 {
			for columns := panels << l; j+columns <= dst.N; j += columns {
				copyPanels(&dst.Data[l.index(dst, 0, j)], 4*dst.K<<l, &b[j], 4*ks, dst.K, panels)
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
