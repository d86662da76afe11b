package cpu

import "modebench/policies/internal/device"

// vectors says how wide vectors are, and so which assembly to call: the binary
// logarithm of the number of float32s in one.
type vectors uint

const (
	narrow vectors = 3 // AVX2
	wide   vectors = 4 // AVX-512
)

// lanes is the number of float32s in a vector.
func (w vectors) lanes() int { return 1 << w }

// panels is the layout of packed matrices: panels of two vectors.
func (w vectors) panels() panels { return panels(w + 1) }

// depth is how many rows of a panel are used at a time, so that they stay in the
// cache next to the processor while all rows of A pass by: 16 and 24 KiB.
func (w vectors) depth() int {
	if w == wide {
		return 192
	}
	return 256
}

// run runs a tile.
func (w vectors) run(t *tile) {
	if w == wide {
		matmulAVX512(t)
	} else {
		matmulAVX2(t)
	}
}

// NewPacked makes room for a k x n matrix.
func (avx2) NewPacked(k, n int) device.Packed { return narrow.panels().make(k, n) }

// NewPacked makes room for a k x n matrix.
func (avx512) NewPacked(k, n int) device.Packed { return wide.panels().make(k, n) }

// MatMul multiplies, tile by tile: see device.Kernels.
func (avx2) MatMul(c []float32, ldc int, a []float32, rs, ks int, b device.Packed, from, count, m, n int, add bool) {
	narrow.multiply(c, ldc, a, rs, ks, &b, from, count, m, n, add)
}

// MatMul multiplies, tile by tile: see device.Kernels.
func (avx512) MatMul(c []float32, ldc int, a []float32, rs, ks int, b device.Packed, from, count, m, n int, add bool) {
	wide.multiply(c, ldc, a, rs, ks, &b, from, count, m, n, add)
}

// multiply takes the terms of the sums in stretches of depth, each of which starts
// from what the one before left in C.
func (w vectors) multiply(c []float32, ldc int, a []float32, rs, ks int, b *device.Packed, from, count, m, n int, add bool) {
	if m <= 0 || n <= 0 {
		return
	}
	w.panels().checkMatMul(c, ldc, a, rs, ks, b, from, count, m, n)
	if count == 0 && !add {
		for i := range m {
			clear(c[i*ldc : i*ldc+n])
		}
	}
	t := tile{ldc: 4 * ldc, rs: 4 * rs, ks: 4 * ks, panel: 4 * b.K << w.panels()}
	if add {
		t.add = 1
	}
	for k := 0; k < count; k += t.count {
		t.count = min(count-k, w.depth())
		w.stretch(&t, c, a[k*ks:], b, from+k, m, n)
		t.add = 1
	}
}

// stretch runs the tiles of all columns, and for each of them the blocks of all rows.
func (w vectors) stretch(t *tile, c, a []float32, b *device.Packed, from, m, n int) {
	all := (n + w.lanes() - 1) >> w
	step := w.tileVectors(all, m)
	for v := 0; v < all; v += step {
		size := min(step, all-v)
		t.tail = min(w.lanes(), n-(v+size-1)<<w)
		t.b = &b.Data[w.panels().index(b, from, v<<w)]
		w.blocks(t, c[v<<w:], a, m, size)
	}
}

// tileVectors is the number of vectors in a row of a tile. Tiles of very few rows
// are the wider, so that enough sums are under way. They start with a panel, and are
// of about the same size.
func (w vectors) tileVectors(all, m int) int {
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

// blocks runs a tile of so many vectors on all rows, in blocks that differ by one row
// at most: a block of few rows would be slow.
func (w vectors) blocks(t *tile, c, a []float32, m, size int) {
	limit := 12
	if size > 1 && w == narrow {
		limit = 6
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
