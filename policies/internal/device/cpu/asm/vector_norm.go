package main

import "github.com/mmcloughlin/avo/reg"

func (w *writer) layerNorm() {
	w.function("layerNorm", "y, mean, rstd, x, gain, bias *float32, rows, d int, inverse float32",
		"is LayerNorm of at least one row; inverse is 1/d.")
	p := w.gp("y", "mean", "rstd", "x", "gain", "bias", "rows", "d")
	y, mean, rstd, x, gain, bias, rows, d := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	inverse, i := w.scalar("inverse"), w.GP64()
	w.eachRow(rows, func() {
		sums := w.zeros(w.count())
		w.wholeRow(i, d, func(v, displacement int) { w.VADDPS(indexed(x, i, 4, displacement), sums[v], sums[v]) })
		sum := w.fold(w.VADDPS, sums)
		w.VMULSS(inverse.AsX(), sum, sum)
		w.VMOVSS(sum, memoryAt(mean, 0))
		mu := w.everywhere(sum)

		squares := w.zeros(w.count())
		w.wholeRow(i, d, func(v, displacement int) {
			c := w.copyOf(indexed(x, i, 4, displacement))
			w.VSUBPS(mu, c, c)
			w.VFMADD231PS(c, c, squares[v])
		})
		variance, rs := w.fold(w.VADDPS, squares), w.XMM()
		w.VMULSS(inverse.AsX(), variance, variance)
		w.VADDSS(w.memory("layerNormEps"), variance, variance)
		w.VSQRTSS(variance, variance, variance)
		w.VMOVSS(w.memory("one"), rs)
		w.VDIVSS(variance, rs, rs)
		w.VMOVSS(rs, memoryAt(rstd, 0))
		scale := w.everywhere(rs)

		w.wholeRow(i, d, func(_, displacement int) {
			c, g := w.copyOf(indexed(x, i, 4, displacement)), w.copyOf(indexed(gain, i, 4, displacement))
			w.VSUBPS(mu, c, c)
			w.VMULPS(scale, c, c)
			w.VFMADD213PS(indexed(bias, i, 4, displacement), g, c)
			w.VMOVUPS(c, indexed(y, i, 4, displacement))
		})
		w.nextRow(d, x, y)
		w.next(mean, rstd)
	})
}

func (w *writer) layerNormBackward() {
	w.function("layerNormBackward", "dx, dgain, dbias, dy, x, mean, rstd, gain *float32, rows, d int, inverse float32",
		"is LayerNormBackward of at least one row; inverse is 1/d.")
	p := w.gp("dx", "dgain", "dbias", "dy", "x", "mean", "rstd", "gain", "rows", "d")
	dx, dgain, dbias, dy, x, mean, rstd, gain, rows, d := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9]
	inverse, i := w.scalar("inverse"), w.GP64()
	w.eachRow(rows, func() {
		mu, rs := w.v(), w.v()
		w.VBROADCASTSS(memoryAt(mean, 0), mu)
		w.VBROADCASTSS(memoryAt(rstd, 0), rs)
		normalised := func(displacement int) reg.VecVirtual {
			h := w.copyOf(indexed(x, i, 4, displacement))
			w.VSUBPS(mu, h, h)
			w.VMULPS(rs, h, h)
			return h
		}

		sumT, sumTH := w.zeros(w.count()), w.zeros(w.count())
		w.wholeRow(i, d, func(v, displacement int) {
			h, g, t := normalised(displacement), w.copyOf(indexed(dy, i, 4, displacement)), w.v()
			w.VMULPS(indexed(gain, i, 4, displacement), g, t)
			w.VADDPS(t, sumT[v], sumT[v])
			w.VFMADD231PS(h, t, sumTH[v])
			to := indexed(dgain, i, 4, displacement)
			w.VFMADD213PS(to, g, h)
			w.VMOVUPS(h, to)
			to = indexed(dbias, i, 4, displacement)
			w.VADDPS(to, g, g)
			w.VMOVUPS(g, to)
		})
		meanT, meanTH := w.fold(w.VADDPS, sumT), w.fold(w.VADDPS, sumTH)
		w.VMULSS(inverse.AsX(), meanT, meanT)
		w.VMULSS(inverse.AsX(), meanTH, meanTH)
		a, b := w.everywhere(meanT), w.everywhere(meanTH)

		w.wholeRow(i, d, func(_, displacement int) {
			h, t := normalised(displacement), w.copyOf(indexed(dy, i, 4, displacement))
			w.VMULPS(indexed(gain, i, 4, displacement), t, t)
			w.VFMADD213PS(a, b, h)
			w.VSUBPS(h, t, t)
			to := indexed(dx, i, 4, displacement)
			w.VFMADD213PS(to, rs, t)
			w.VMOVUPS(t, to)
		})
		w.nextRow(d, dx, dy, x)
		w.next(mean, rstd)
	})
}
