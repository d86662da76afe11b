//go:build amd64 || arm64

package cpu

import "modebench/policies/internal/device"

// vectors are the kernels in assembly of an instruction set: the sizes that they are made for, and the
// functions that the generator writes. The functions of tiles are methods, run and runRows, since a
// tile that is passed to a function value would move to the heap.
type vectors struct {
	name  string
	width uint // binary logarithm of the number of float32s in a vector
	// depth is how many rows of a panel are used at a time, so that they stay in the cache next to
	// the processor while all rows of A pass by.
	depth    int
	rows     int      // limit on the rows of a tile of two vectors, by the number of registers
	narrower *vectors // packs columns that are too few for a vector of these; may be nil

	add        func(dst, src *float32, n int)
	axpy       func(dst, x *float32, n int, a float32)
	sumRows    func(dst, x *float32, rows, columns int)
	copyRows   func(dst *float32, dstStride int, src *float32, srcStride, n int)
	copyPanels func(dst *float32, panel int, src *float32, srcStride, n, panels int)
	transpose  func(dst *float32, dstStride int, src *float32, srcStride, n int)

	gelu, geluBackward func(y, x *float32, n int)
	adamW              func(p, gradient, m, v *float32, n int, scale, beta1, rest1, beta2, rest2, rate, root, eps, decay float32)
	sumSquares         func(x *float32, n int) float32
	layerNorm          func(y, mean, rstd, x, gain, bias *float32, rows, d int, inverse float32)
	layerNormBackward  func(dx, dgain, dbias, dy, x, mean, rstd, gain *float32, rows, d int, inverse float32)
	softmax            func(s *float32, ld, rows, length, step, width int, scale float32)
	softmaxBackward    func(ds, s *float32, ld, rows, length, step, width int, scale float32)
	logSoftmax         func(p, logp, z *float32, ld, rows, n int, scale float32)
}

func (w *vectors) Name() string { return w.name }

func (w *vectors) Add(dst, src []float32) {
	checkLength("src", src, len(dst))
	if len(dst) > 0 {
		w.add(&dst[0], &src[0], len(dst))
	}
}

func (w *vectors) Axpy(dst []float32, a float32, x []float32) {
	checkLength("x", x, len(dst))
	if len(dst) > 0 {
		w.axpy(&dst[0], &x[0], len(dst), a)
	}
}

func (w *vectors) SumRows(dst, x []float32, rows, columns int) {
	checkSumRows(dst, x, rows, columns)
	if rows > 0 && columns > 0 {
		w.sumRows(&dst[0], &x[0], rows, columns)
	}
}

func (w *vectors) LayerNorm(y, mean, rstd, x, gain, bias []float32, rows, d int) {
	checkLayerNorm(y, mean, rstd, x, gain, bias, rows, d)
	if rows > 0 {
		w.layerNorm(&y[0], &mean[0], &rstd[0], &x[0], &gain[0], &bias[0], rows, d, 1/float32(d))
	}
}

func (w *vectors) LayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain []float32, rows, d int) {
	checkLayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain, rows, d)
	if rows > 0 {
		w.layerNormBackward(&dx[0], &dgain[0], &dbias[0], &dy[0], &x[0], &mean[0], &rstd[0], &gain[0], rows, d, 1/float32(d))
	}
}

func (w *vectors) Gelu(y, x []float32) {
	checkLength("x", x, len(y))
	if len(y) > 0 {
		w.gelu(&y[0], &x[0], len(y))
	}
}

func (w *vectors) GeluBackward(dx, x []float32) {
	checkLength("x", x, len(dx))
	if len(dx) > 0 {
		w.geluBackward(&dx[0], &x[0], len(dx))
	}
}

func (w *vectors) Softmax(s []float32, ld, rows, length, step, width int, scale float32) {
	if checkSpans(ld, rows, length, step, width, s) {
		w.softmax(&s[0], ld, rows, length, step, width, scale)
	}
}

func (w *vectors) SoftmaxBackward(ds, s []float32, ld, rows, length, step, width int, scale float32) {
	if checkSpans(ld, rows, length, step, width, ds, s) {
		w.softmaxBackward(&ds[0], &s[0], ld, rows, length, step, width, scale)
	}
}

func (w *vectors) LogSoftmax(p, logp, z []float32, ld, rows, n int, scale float32) {
	if checkSpans(ld, rows, n, 0, n, p, logp, z) {
		w.logSoftmax(&p[0], &logp[0], &z[0], ld, rows, n, scale)
	}
}

func (w *vectors) AdamW(p, g, m, v []float32, s device.AdamW) {
	checkAdamW(p, g, m, v)
	if len(p) > 0 {
		w.adamW(&p[0], &g[0], &m[0], &v[0], len(p), s.Scale, s.Beta1, s.Rest1, s.Beta2, s.Rest2, s.Rate, s.Root, s.Eps, s.Decay)
	}
}

func (w *vectors) SumSquares(x []float32) float64 {
	sum := 0.0
	for len(x) > 0 {
		n := min(sumBlock, len(x))
		sum += float64(w.sumSquares(&x[0], n))
		x = x[n:]
	}
	return sum
}
