package main

func (w *neon) layerNorm() {
	w.function("layerNorm")
	p := w.arguments("y", "mean", "rstd", "x", "gain", "bias", "rows", "d")
	y, mean, rstd, x, gain, bias, rows, d := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	inverse, eps, unit := w.everywhere("inverse"), w.held("layerNormEps"), w.held("one")
	w.eachRow(rows, func() {
		sums := w.zeros(w.count())
		w.wholeRow(d, []general{x}, func(p []general, v, displacement int) {
			w.float("FADD", w.copyOf(p[0].displaced(displacement)), sums[v], sums[v])
		})
		mu := w.fold("FADD", sums)
		w.float("FMUL", inverse, mu, mu)
		w.op("FMOVS", mu.scalar(), mean.displaced(0))

		squares := w.zeros(w.count())
		w.wholeRow(d, []general{x}, func(p []general, v, displacement int) {
			c := w.copyOf(p[0].displaced(displacement))
			w.float("FSUB", mu, c, c)
			w.fma(c, c, squares[v])
		})
		scale := w.fold("FADD", squares)
		w.float("FMUL", inverse, scale, scale)
		w.float("FADD", eps, scale, scale)
		w.float("FSQRT", scale, scale)
		w.float("FDIV", scale, unit, scale)
		w.op("FMOVS", scale.scalar(), rstd.displaced(0))

		w.wholeRow(d, []general{x, gain, bias, y}, func(p []general, _, displacement int) {
			c, sum := w.copyOf(p[0].displaced(displacement)), w.copyOf(p[2].displaced(displacement))
			w.float("FSUB", mu, c, c)
			w.float("FMUL", scale, c, c)
			w.fma(c, w.copyOf(p[1].displaced(displacement)), sum)
			w.store(sum, p[3].displaced(displacement))
		})
		w.nextRow(d, x, y)
		w.next(mean, rstd)
	})
}

func (w *neon) layerNormBackward() {
	w.function("layerNormBackward")
	p := w.arguments("dx", "dgain", "dbias", "dy", "x", "mean", "rstd", "gain", "rows", "d")
	dx, dgain, dbias, dy, x, mean, rstd, gain, rows, d := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9]
	inverse := w.everywhere("inverse")
	w.eachRow(rows, func() {
		mu, rs := w.quad(), w.quad()
		w.op("VLD1R", mean.displaced(0), list(mu))
		w.op("VLD1R", rstd.displaced(0), list(rs))
		// h, dy and t of a vector.
		normalised := func(x, dy, gain asm) (h, g, t quad) {
			h, g, t = w.copyOf(x), w.copyOf(dy), w.copyOf(gain)
			w.float("FSUB", mu, h, h)
			w.float("FMUL", rs, h, h)
			w.float("FMUL", g, t, t)
			return h, g, t
		}

		sumT, sumTH := w.zeros(w.count()), w.zeros(w.count())
		w.wholeRow(d, []general{x, dy, gain, dgain, dbias}, func(p []general, v, displacement int) {
			h, g, t := normalised(p[0].displaced(displacement), p[1].displaced(displacement), p[2].displaced(displacement))
			w.float("FADD", t, sumT[v], sumT[v])
			w.fma(t, h, sumTH[v])
			to := w.copyOf(p[3].displaced(displacement))
			w.fma(g, h, to)
			w.store(to, p[3].displaced(displacement))
			to = w.copyOf(p[4].displaced(displacement))
			w.float("FADD", g, to, to)
			w.store(to, p[4].displaced(displacement))
		})
		a, b := w.fold("FADD", sumT), w.fold("FADD", sumTH)
		w.float("FMUL", inverse, a, a)
		w.float("FMUL", inverse, b, b)

		w.wholeRow(d, []general{x, dy, gain, dx}, func(p []general, _, displacement int) {
			h, _, t := normalised(p[0].displaced(displacement), p[1].displaced(displacement), p[2].displaced(displacement))
			sum, to := w.quad(), w.copyOf(p[3].displaced(displacement))
			w.move(a, sum)
			w.fma(h, b, sum)
			w.float("FSUB", sum, t, t)
			w.fma(t, rs, to)
			w.store(to, p[3].displaced(displacement))
		})
		w.nextRow(d, dx, dy, x)
		w.next(mean, rstd)
	})
}

// list is the operand of loads to one vector.
func list(v quad) asm { return asm("[" + v.Asm() + "]") }
