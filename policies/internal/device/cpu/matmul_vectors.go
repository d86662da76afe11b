//go:build amd64 || arm64

package cpu

import "modebench/policies/internal/device"

func (w *vectors) lanes() int { return 1 << w.width }

// panels is the layout of packed matrices: panels of two vectors.
func (w *vectors) panels() panels { return panels(w.width + 1) }

func (w *vectors) NewPacked(k, n int) device.Packed { return w.panels().make(k, n) }

// MatMul takes the terms of the sums in stretches of depth, each of which starts from the
// previous sums in C.
func (w *vectors) MatMul(c []float32, ldc int, a []float32, rs, ks int, b device.Packed, from, count, m, n int, start device.Start) {
	if m <= 0 || n <= 0 {
		return
	}
	w.panels().checkMatMul(c, ldc, a, rs, ks, &b, from, count, m, n, &start)
	if count == 0 {
		for i := range m {
			for j := range n {
				c[i*ldc+j] = startOf(&start, i, j)
			}
		}
		return
	}
	if start.Rows == nil {
		start = device.Start{Rows: start.Bias}
	}
	t := tile{ldc: 4 * ldc, rs: 4 * rs, ks: 4 * ks, panel: 4 * b.K << w.panels()}
	for k := 0; k < count; k += t.count {
		t.count = min(count-k, w.depth)
		w.stretch(&t, c, a[k*ks:], &b, from+k, m, n, &start)
		start = device.From(c, ldc)
	}
}

// nearby is how many elements of A are used at a time, so that they stay in the
// second cache while all columns of B pass by: 128 KiB.
const nearby = 1 << 15

// stretch runs, for some rows at a time, the tiles of all columns.
func (w *vectors) stretch(t *tile, c, a []float32, b *device.Packed, from, m, n int, start *device.Start) {
	all := (n + w.lanes() - 1) >> w.width
	step := w.tileVectors(all, m)
	parts := (m*t.count + nearby - 1) / nearby
	for part := range parts {
		first, end := m*part/parts, m*(part+1)/parts
		for v := 0; v < all; v += step {
			size := min(step, all-v)
			j := v << w.width
			t.tail = min(w.lanes(), n-(v+size-1)<<w.width)
			t.b = &b.Data[w.panels().index(b, from, j)]
			t.ahead = 0
			if v+step < all {
				t.ahead = t.panel
			}
			t.from, t.bias, t.ldf, t.passed = nil, nil, 4*start.LD, 0
			if start.Rows != nil {
				t.from = &start.Rows[first*start.LD+j]
			}
			if start.Bias != nil {
				t.bias = &start.Bias[j]
			}
			w.blocks(t, c[first*t.ldc/4+j:], a[first*t.rs/4:], end-first, size)
		}
	}
}

// tileVectors is the number of vectors in a row of a tile. Tiles of very few rows are the wider, so
// that enough sums are under way. They start with a panel, and are of about the same size.
func (w *vectors) tileVectors(all, m int) int {
	if m > 3 {
		return 2
	}
	limit := 10 - 2*m
	if all <= limit {
		return limit
	}
	panels := (all + 1) / 2
	tiles := (2*panels + limit - 1) / limit
	return 2 * ((panels + tiles - 1) / tiles)
}

// blocks runs a tile of size vectors on rows, in blocks that differ by one row at most: a block of
// few rows would be slow.
func (w *vectors) blocks(t *tile, c, a []float32, m, size int) {
	limit := 12
	if size > 1 {
		limit = w.rows
	}
	t.c, t.a, t.blocks = &c[0], &a[0], 1
	if m <= limit {
		t.kernel = m<<8 | size
		w.run(t)
		return
	}
	blocks := (m + limit - 1) / limit
	rows, longer := m/blocks, m%blocks
	if longer > 0 {
		t.kernel, t.blocks = (rows+1)<<8|size, longer
		w.run(t)
		done := longer * (rows + 1)
		t.c, t.a = &c[done*t.ldc/4], &a[done*t.rs/4]
	}
	t.kernel, t.blocks = rows<<8|size, blocks-longer
	w.run(t)
}

// Pack copies a matrix of contiguous rows or columns by panels and strips of a vector of columns, in
// assembly, and the rest element by element.
func (w *vectors) Pack(p device.Packed, b []float32, ks, js int) {
	l, dst := w.panels(), &p
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
		for v := w; v != nil; v = v.narrower {
			for ; j+v.lanes() <= dst.N; j += v.lanes() {
				v.copyRows(&dst.Data[l.index(dst, 0, j)], 4*l.columns(), &b[j], 4*ks, dst.K)
			}
		}
	case ks == 1:
		// The last strip may have fewer columns. Those behind them are read where b has them, and go to a part of
		// the panel that products do not look at.
		for ; dst.K >= 8 && j < dst.N && (j+7)*js+dst.K <= len(b); j += 8 {
			strip := dst.Data[l.index(dst, 0, j):]
			w.transpose(&strip[0], 4*l.columns(), &b[j*js], 4*js, dst.K/8)
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

// MulRows takes four rows at a time, while there are four, and up to twelve vectors of them: that
// many sums are under way.
func (w *vectors) MulRows(c []float32, ldc int, a []float32, lda int, b []float32, hs, ks, rows, count, n int, add bool) {
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
			v := min((n-j)>>w.width, widest)
			if widest == 3 && (n-j)>>w.width == 4 {
				v = 2 // and two more: one by itself would be slow
			}
			t.c, t.b, t.kernel = &c[h*ldc+j], &b[h*hs+j], size<<8|v
			w.runRows(&t)
			j += max(v, 1) << w.width
		}
		h += size
	}
}
