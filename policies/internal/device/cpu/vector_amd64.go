package cpu

import "modebench/policies/internal/device"

// LayerNorm normalises rows: see device.Kernels.
func (avx2) LayerNorm(y, mean, rstd, x, gain, bias []float32, rows, d int) {
	checkLayerNorm(y, mean, rstd, x, gain, bias, rows, d)
	if rows > 0 {
		layerNormAVX2(&y[0], &mean[0], &rstd[0], &x[0], &gain[0], &bias[0], rows, d, 1/float32(d))
	}
}

// LayerNorm normalises rows: see device.Kernels.
func (avx512) LayerNorm(y, mean, rstd, x, gain, bias []float32, rows, d int) {
	checkLayerNorm(y, mean, rstd, x, gain, bias, rows, d)
	if rows > 0 {
		layerNormAVX512(&y[0], &mean[0], &rstd[0], &x[0], &gain[0], &bias[0], rows, d, 1/float32(d))
	}
}

// LayerNormBackward adds the gradients of LayerNorm: see device.Kernels.
func (avx2) LayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain []float32, rows, d int) {
	checkLayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain, rows, d)
	if rows > 0 {
		layerNormBackwardAVX2(&dx[0], &dgain[0], &dbias[0], &dy[0], &x[0], &mean[0], &rstd[0], &gain[0], rows, d, 1/float32(d))
	}
}

// LayerNormBackward adds the gradients of LayerNorm: see device.Kernels.
func (avx512) LayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain []float32, rows, d int) {
	checkLayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain, rows, d)
	if rows > 0 {
		layerNormBackwardAVX512(&dx[0], &dgain[0], &dbias[0], &dy[0], &x[0], &mean[0], &rstd[0], &gain[0], rows, d, 1/float32(d))
	}
}

// Gelu is the tanh form of GELU: see device.Kernels.
func (avx2) Gelu(y, x []float32) {
	checkLength("x", x, len(y))
	if len(y) > 0 {
		geluAVX2(&y[0], &x[0], len(y))
	}
}

// Gelu is the tanh form of GELU: see device.Kernels.
func (avx512) Gelu(y, x []float32) {
	checkLength("x", x, len(y))
	if len(y) > 0 {
		geluAVX512(&y[0], &x[0], len(y))
	}
}

// GeluBackward multiplies by the derivative of Gelu: see device.Kernels.
func (avx2) GeluBackward(dx, x []float32) {
	checkLength("x", x, len(dx))
	if len(dx) > 0 {
		geluBackwardAVX2(&dx[0], &x[0], len(dx))
	}
}

// GeluBackward multiplies by the derivative of Gelu: see device.Kernels.
func (avx512) GeluBackward(dx, x []float32) {
	checkLength("x", x, len(dx))
	if len(dx) > 0 {
		geluBackwardAVX512(&dx[0], &x[0], len(dx))
	}
}

// Softmax normalises the exponentials of rows: see device.Kernels.
func (avx2) Softmax(s []float32, ld, rows, length, step, width int, scale float32) {
	if checkSpans(ld, rows, length, step, width, s) {
		softmaxAVX2(&s[0], ld, rows, length, step, width, scale)
	}
}

// Softmax normalises the exponentials of rows: see device.Kernels.
func (avx512) Softmax(s []float32, ld, rows, length, step, width int, scale float32) {
	if checkSpans(ld, rows, length, step, width, s) {
		softmaxAVX512(&s[0], ld, rows, length, step, width, scale)
	}
}

// SoftmaxBackward works out the gradients of Softmax: see device.Kernels.
func (avx2) SoftmaxBackward(ds, s []float32, ld, rows, length, step, width int, scale float32) {
	if checkSpans(ld, rows, length, step, width, ds, s) {
		softmaxBackwardAVX2(&ds[0], &s[0], ld, rows, length, step, width, scale)
	}
}

// SoftmaxBackward works out the gradients of Softmax: see device.Kernels.
func (avx512) SoftmaxBackward(ds, s []float32, ld, rows, length, step, width int, scale float32) {
	if checkSpans(ld, rows, length, step, width, ds, s) {
		softmaxBackwardAVX512(&ds[0], &s[0], ld, rows, length, step, width, scale)
	}
}

// LogSoftmax normalises the exponentials of rows, and takes their logarithms: see device.Kernels.
func (avx2) LogSoftmax(p, logp, z []float32, ld, rows, n int, scale float32) {
	if checkSpans(ld, rows, n, 0, n, p, logp, z) {
		logSoftmaxAVX2(&p[0], &logp[0], &z[0], ld, rows, n, scale)
	}
}

// LogSoftmax normalises the exponentials of rows, and takes their logarithms: see device.Kernels.
func (avx512) LogSoftmax(p, logp, z []float32, ld, rows, n int, scale float32) {
	if checkSpans(ld, rows, n, 0, n, p, logp, z) {
		logSoftmaxAVX512(&p[0], &logp[0], &z[0], ld, rows, n, scale)
	}
}

// AdamW makes one step: see device.Kernels.
func (avx2) AdamW(p, g, m, v []float32, settings device.AdamW) {
	checkAdamW(p, g, m, v)
	if len(p) > 0 {
		adamWAVX2(&p[0], &g[0], &m[0], &v[0], len(p), settings.Scale, settings.Beta1, settings.Rest1, settings.Beta2, settings.Rest2, settings.Rate, settings.Root, settings.Eps, settings.Decay)
	}
}

// AdamW makes one step: see device.Kernels.
func (avx512) AdamW(p, g, m, v []float32, settings device.AdamW) {
	checkAdamW(p, g, m, v)
	if len(p) > 0 {
		adamWAVX512(&p[0], &g[0], &m[0], &v[0], len(p), settings.Scale, settings.Beta1, settings.Rest1, settings.Beta2, settings.Rest2, settings.Rate, settings.Root, settings.Eps, settings.Decay)
	}
}

// SumSquares is the sum of squares: see device.Kernels.
func (avx2) SumSquares(x []float32) float64 {
	var sum float64
	for len(x) > 0 {
		n := min(sumBlock, len(x))
		sum += float64(sumSquaresAVX2(&x[0], n))
		x = x[n:]
	}
	return sum
}

// SumSquares is the sum of squares: see device.Kernels.
func (avx512) SumSquares(x []float32) float64 {
	var sum float64
	for len(x) > 0 {
		n := min(sumBlock, len(x))
		sum += float64(sumSquaresAVX512(&x[0], n))
		x = x[n:]
	}
	return sum
}
