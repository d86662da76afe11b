package main

type neonSoftmaxer struct {
	*neon
	z, p, logp   general // rows; logp only of LogSoftmax
	n            general
	logs         bool
	c            map[string]quad
	scale        quad
	lastE, lastX quad // past the whole vectors: e and x
	rest         general
	top, inverse quad
	sum          quad
}

func (w *neon) softmax() {
	w.function("softmax")
	p := w.arguments("s", "ld", "rows", "length", "step", "width")
	s, ld, rows, length, step, width := p[0], p[1], p[2], p[3], p[4], p[5]
	m := w.newSoftmaxer(s, s, length)
	w.eachRow(rows, func() {
		m.row()
		left := w.copies(length, s)
		w.each(left[0], []int{4, 1}, left[1:], func(displacements []int) {
			for _, d := range displacements {
				m.multiply(left[1].displaced(d))
			}
		})
		w.float("FMUL", m.inverse, m.lastE, m.lastE)
		w.finishRow(s, left[1], left[0], width, m.lastE)
		w.op("ADD", step, length)
		w.nextRow(ld, s)
	})
}

func (w *neon) logSoftmax() {
	w.function("logSoftmax")
	a := w.arguments("p", "logp", "z", "ld", "rows", "n")
	p, logp, z, ld, rows, n := a[0], a[1], a[2], a[3], a[4], a[5]
	m := w.newSoftmaxer(z, p, n)
	m.logp, m.logs = logp, true
	w.eachRow(rows, func() {
		m.row()
		shift := m.sum
		w.log(shift)
		left := w.copies(n, p, logp)
		w.each(left[0], []int{4, 1}, left[1:], func(displacements []int) {
			for _, d := range displacements {
				m.multiply(left[1].displaced(d))
				x := w.copyOf(left[2].displaced(d))
				w.float("FSUB", shift, x, x)
				w.store(x, left[2].displaced(d))
			}
		})
		w.unlessZero(m.rest, func() {
			w.float("FMUL", m.inverse, m.lastE, m.lastE)
			w.float("FSUB", shift, m.lastX, m.lastX)
			w.storePart(m.lastE, left[1], m.rest)
			w.storePart(m.lastX, left[2], m.rest)
		})
		w.nextRow(ld, p, logp, z)
	})
}

func (w *neon) newSoftmaxer(z, p, n general) *neonSoftmaxer {
	m := &neonSoftmaxer{neon: w, z: z, p: p, n: n}
	m.scale = w.everywhere("scale")
	m.c = w.constants(append(expConstants, "expLow")...)
	m.lastE, m.lastX = w.quad(), w.quad()
	return m
}

// row leaves in p, and past the whole vectors in lastE, the exponentials of a row; in logp and
// lastX, if there is a logp, their arguments; and their sum and 1/sum.
func (m *neonSoftmaxer) row() {
	m.rest = m.neon.rest(m.n)
	m.largest()
	m.remainder()
	pointers := []general{m.z, m.p}
	if m.logs {
		pointers = append(pointers, m.logp)
	}
	m.sum = m.quad()
	m.inverse = m.top // which is not needed any more
	m.scope(func() {
		sums := append([]quad{m.sum}, m.quads(m.count()-1)...)
		for _, sum := range sums {
			m.zero(sum)
		}
		m.accumulate(m.n, pointers, sums, m.exponentials, func(sum quad) { m.float("FADD", m.lastE, sum, sum) })
		m.fold("FADD", sums)
	})
	m.float("FDIV", m.sum, m.c["one"], m.inverse)
}

func (m *neonSoftmaxer) largest() {
	m.top = m.quad()
	m.hold("minusInf", m.top)
	m.scope(func() {
		tops := []quad{m.top, m.quad()}
		m.move(m.top, tops[1])
		left := m.copies(m.n, m.z)
		m.each(left[0], []int{4, 1}, left[1:], func(displacements []int) {
			for v, d := range displacements {
				m.float("FMAXNM", m.copyOf(left[1].displaced(d)), tops[v%2], tops[v%2])
			}
		})
		m.unlessZero(m.rest, func() { m.float("FMAXNM", m.lastEntries(), tops[1], tops[1]) })
		m.fold("FMAXNM", tops)
	})
}

func (m *neonSoftmaxer) lastEntries() quad {
	x := m.held("minusInf")
	m.loadPart(m.behind(m.z, m.n, m.rest), m.rest, x)
	return x
}

// exponentials writes some vectors of p, and of logp, and adds those of p to sums.
func (m *neonSoftmaxer) exponentials(pointers []general, displacements []int, sums []quad) {
	var xs []quad
	for _, d := range displacements {
		x := m.copyOf(pointers[0].displaced(d))
		m.argument(x)
		if m.logs {
			m.store(x, pointers[2].displaced(d))
		}
		xs = append(xs, x)
	}
	m.exp(m.c, false, xs...)
	for v, e := range xs {
		m.store(e, pointers[1].displaced(displacements[v]))
		m.float("FADD", e, sums[v], sums[v])
	}
}

func (m *neonSoftmaxer) argument(x quad) {
	m.float("FSUB", m.top, x, x)
	m.float("FMUL", m.scale, x, x)
}

// remainder fills lastX with the arguments past the whole vectors, and lastE with exponentials or zero.
func (m *neonSoftmaxer) remainder() {
	m.zero(m.lastE)
	m.unlessZero(m.rest, func() {
		x := m.lastEntries()
		m.argument(x)
		m.move(x, m.lastX)
		m.move(x, m.lastE)
		m.exp(m.c, false, m.lastE)
	})
}

func (m *neonSoftmaxer) multiply(p asm) {
	e := m.copyOf(p)
	m.float("FMUL", m.inverse, e, e)
	m.store(e, p)
}

// finishRow writes the first rest values in last behind the whole vectors of a row, where p is, and
// zeros up to width.
func (w *neon) finishRow(row, p, rest, width general, last quad) {
	w.unlessZero(rest, func() {
		w.storePart(last, p, rest)
		w.op("ADD", asm(rest.Asm()+"<<2"), p)
	})
	end, four, single, after := w.general(), w.unique("four"), w.unique("single"), w.unique("filled")
	w.op("ADD", asm(width.Asm()+"<<2"), row, end)
	w.zero(last)
	w.Label(four)
	w.op("SUB", p, end, rest) // bytes that are left
	w.op("CMP", immediate(w.bytes()), rest)
	w.jump("BLT", single)
	w.op("FMOVQ.P", last.scalar(), p.displaced(w.bytes()))
	w.jump("B", four)
	w.Label(single)
	w.jump("CBZ", after, rest)
	w.op("FMOVS.P", last.scalar(), p.displaced(4))
	w.op("SUB", immediate(4), rest)
	w.jump("B", single)
	w.Label(after)
}

func (w *neon) softmaxBackward() {
	w.function("softmaxBackward")
	p := w.arguments("ds", "s", "ld", "rows", "length", "step", "width")
	ds, s, ld, rows, length, step, width := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	scale, lastS, lastD := w.everywhere("scale"), w.quad(), w.quad()
	w.eachRow(rows, func() {
		rest := w.rest(length)
		// Adding 0 times -0 leaves any sum as it is, -0 included.
		w.zero(lastS)
		w.hold("minus0", lastD)
		w.unlessZero(rest, func() {
			w.loadPart(w.behind(s, length, rest), rest, lastS)
			w.loadPart(w.behind(ds, length, rest), rest, lastD)
		})

		sums := w.zeros(w.count())
		w.accumulate(length, []general{ds, s}, sums, func(p []general, displacements []int, sums []quad) {
			for v, d := range displacements {
				w.fma(w.copyOf(p[0].displaced(d)), w.copyOf(p[1].displaced(d)), sums[v])
			}
		}, func(sum quad) { w.fma(lastD, lastS, sum) })
		dot := w.fold("FADD", sums)
		input := func(s, d quad) {
			w.float("FMUL", scale, s, s)
			w.float("FSUB", dot, d, d)
			w.float("FMUL", s, d, d)
		}
		left := w.copies(length, ds, s)
		w.each(left[0], []int{4, 1}, left[1:], func(displacements []int) {
			for _, offset := range displacements {
				d := w.copyOf(left[1].displaced(offset))
				input(w.copyOf(left[2].displaced(offset)), d)
				w.store(d, left[1].displaced(offset))
			}
		})
		input(lastS, lastD)
		w.finishRow(ds, left[1], left[0], width, lastD)
		w.op("ADD", step, length)
		w.nextRow(ld, ds, s)
	})
}
