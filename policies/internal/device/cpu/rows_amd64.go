package cpu

// MulRows takes four rows at a time, while there are four, and up to twelve vectors of them: that
// many sums are under way.
func (w vectors) MulRows(c []float32, ldc int, a []float32, lda int, b []float32, hs, ks, rows, count, n int, add bool) {
	if rows <= 0 || n <= 0 {
		return
	}
	checkMulRows(c, ldc, a, lda, b, hs, ks, rows, count, n)
	if count == 0 {
		for h := 0; h < rows && !add; h++ {
			clear(c[h*ldc : h*ldc+n])
		}
		return
	}
	t := rowTile{ldc: 4 * ldc, lda: 4 * lda, hs: 4 * hs, ks: 4 * ks, count: count, tail: n & (w.lanes() - 1)}
	if add {
		t.add = 1
	}
	for h := 0; h < rows; {
		size, widest := 4, 3 // rows of a tile, and vectors of one
		for ; size > rows-h; size /= 2 {
			widest = 4
		}
		t.a = &a[h*lda]
		for j := 0; j < n; {
			v := min((n-j)>>w, widest)
			if widest == 3 && (n-j)>>w == 4 {
				v = 2 // and two more: one by itself would be slow
			}
			t.c, t.b, t.kernel = &c[h*ldc+j], &b[h*hs+j], size<<8|v
			if w == wide {
				mulRowsAVX512(&t)
			} else {
				mulRowsAVX2(&t)
			}
			j += max(v, 1) << w
		}
		h += size
	}
}
