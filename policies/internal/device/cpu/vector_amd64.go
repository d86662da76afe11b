package cpu

import "modebench/policies/internal/device"

func pick[F any](w vectors, avx2, avx512 F) F {
	if w == wide {
		return avx512
	}
	return avx2
}

func (w vectors) Add(dst, src []float32) {
	checkLength("src", src, len(dst))
	if len(dst) > 0 {
		pick(w, addAVX2, addAVX512)(&dst[0], &src[0], len(dst))
	}
}

func (w vectors) Axpy(dst []float32, a float32, x []float32) {
	checkLength("x", x, len(dst))
	if len(dst) > 0 {
		pick(w, axpyAVX2, axpyAVX512)(&dst[0], &x[0], len(dst), a)
	}
}

func (w vectors) SumRows(dst, x []float32, rows, columns int) {
	checkSumRows(dst, x, rows, columns)
	if rows > 0 && columns > 0 {
		pick(w, sumRowsAVX2, sumRowsAVX512)(&dst[0], &x[0], rows, columns)
	}
}

func (w vectors) LayerNorm(y, mean, rstd, x, gain, bias []float32, rows, d int) {
	checkLayerNorm(y, mean, rstd, x, gain, bias, rows, d)
	if rows > 0 {
		run := pick(w, layerNormAVX2, layerNormAVX512)
		run(&y[0], &mean[0], &rstd[0], &x[0], &gain[0], &bias[0], rows, d, 1/float32(d))
	}
}

func (w vectors) LayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain []float32, rows, d int) {
	checkLayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain, rows, d)
	if rows > 0 {
		run := pick(w, layerNormBackwardAVX2, layerNormBackwardAVX512)
		run(&dx[0], &dgain[0], &dbias[0], &dy[0], &x[0], &mean[0], &rstd[0], &gain[0], rows, d, 1/float32(d))
	}
}

func (w vectors) Gelu(y, x []float32) {
	checkLength("x", x, len(y))
	if len(y) > 0 {
		pick(w, geluAVX2, geluAVX512)(&y[0], &x[0], len(y))
	}
}

func (w vectors) GeluBackward(dx, x []float32) {
	checkLength("x", x, len(dx))
	if len(dx) > 0 {
		pick(w, geluBackwardAVX2, geluBackwardAVX512)(&dx[0], &x[0], len(dx))
	}
}

func (w vectors) Softmax(s []float32, ld, rows, length, step, width int, scale float32) {
	if checkSpans(ld, rows, length, step, width, s) {
		pick(w, softmaxAVX2, softmaxAVX512)(&s[0], ld, rows, length, step, width, scale)
	}
}

func (w vectors) SoftmaxBackward(ds, s []float32, ld, rows, length, step, width int, scale float32) {
	if checkSpans(ld, rows, length, step, width, ds, s) {
		pick(w, softmaxBackwardAVX2, softmaxBackwardAVX512)(&ds[0], &s[0], ld, rows, length, step, width, scale)
	}
}

func (w vectors) LogSoftmax(p, logp, z []float32, ld, rows, n int, scale float32) {
	if checkSpans(ld, rows, n, 0, n, p, logp, z) {
		pick(w, logSoftmaxAVX2, logSoftmaxAVX512)(&p[0], &logp[0], &z[0], ld, rows, n, scale)
	}
}

func (w vectors) AdamW(p, g, m, v []float32, s device.AdamW) {
	checkAdamW(p, g, m, v)
	if len(p) > 0 {
		run := pick(w, adamWAVX2, adamWAVX512)
		run(&p[0], &g[0], &m[0], &v[0], len(p), s.Scale, s.Beta1, s.Rest1, s.Beta2, s.Rest2, s.Rate, s.Root, s.Eps, s.Decay)
	}
}

func (w vectors) SumSquares(x []float32) float64 {
	run := pick(w, sumSquaresAVX2, sumSquaresAVX512)
	sum := 0.0
	for len(x) > 0 {
		n := min(sumBlock, len(x))
		sum += float64(run(&x[0], n))
		x = x[n:]
	}
	return sum
}
