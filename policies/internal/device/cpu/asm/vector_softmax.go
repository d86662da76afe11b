package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type softmaxer struct {
	*writer
	z, p, logp     reg.GPVirtual // rows; logp only of LogSoftmax
	n              reg.GPVirtual
	logs           bool
	c              map[string]operand.Op
	scale          reg.VecVirtual
	lastE, lastX   reg.VecVirtual // past the whole vectors: e and x
	i, rest, whole reg.GPVirtual
	top, inverse   reg.VecVirtual
	sum            reg.Register
}

func (w *writer) softmax() {
	w.function("softmax")
	p := w.gp("s", "ld", "rows", "length", "step", "width")
	s, ld, rows, length, step, width := p[0], p[1], p[2], p[3], p[4], p[5]
	m := w.newSoftmaxer(s, s, length)
	w.eachRow(rows, func() {
		m.row()
		w.each(m.i, length, []int{4, 1}, func(displacements []int) {
			for _, d := range displacements {
				m.multiply(s, d)
			}
		})
		w.VMULPS(m.inverse, m.lastE, m.lastE)
		w.finishRow(s, m.i, m.rest, width, m.lastE)
		w.ADDQ(step, length)
		w.nextRow(ld, s)
	})
}

func (w *writer) logSoftmax() {
	w.function("logSoftmax")
	a := w.gp("p", "logp", "z", "ld", "rows", "n")
	p, logp, z, ld, rows, n := a[0], a[1], a[2], a[3], a[4], a[5]
	m := w.newSoftmaxer(z, p, n)
	m.logp, m.logs = logp, true
	w.eachRow(rows, func() {
		m.row()
		shift := w.everywhere(w.log(m.sum))
		w.each(m.i, n, []int{4, 1}, func(displacements []int) {
			for _, d := range displacements {
				m.multiply(p, d)
				x := w.copyOf(indexed(logp, m.i, 4, d))
				w.VSUBPS(shift, x, x)
				w.VMOVUPS(x, indexed(logp, m.i, 4, d))
			}
		})
		w.unlessZero(m.rest, "aligned", func() {
			w.VMULPS(m.inverse, m.lastE, m.lastE)
			w.VSUBPS(shift, m.lastX, m.lastX)
			w.storePart(m.lastE, m.rest, p, m.i)
			w.storePart(m.lastX, m.rest, logp, m.i)
		})
		w.nextRow(ld, p, logp, z)
	})
}

func (w *writer) newSoftmaxer(z, p, n reg.GPVirtual) *softmaxer {
	m := &softmaxer{writer: w, z: z, p: p, n: n, i: w.GP64()}
	m.scale = w.scalar("scale")
	m.c = w.constants(2, append(expConstants, "expLow", "minusInf")...)
	m.lastE, m.lastX = w.v(), w.v()
	return m
}

// row leaves in p, and past the whole vectors in lastE, the exponentials of a row; in logp and
// lastX, if there is a logp, their arguments; and their sum and 1/sum.
func (m *softmaxer) row() {
	m.rest, m.whole = m.writer.rest(m.n)
	m.largest()
	m.remainder()
	sums := m.zeros(m.count())
	m.accumulate(m.i, m.n, sums, m.exponentials, func(sum reg.VecVirtual) { m.VADDPS(m.lastE, sum, sum) })
	m.sum = m.fold(m.VADDPS, sums)
	inverse := m.XMM()
	m.VMOVSS(m.memory("one"), inverse)
	m.VDIVSS(m.sum, inverse, inverse)
	m.inverse = m.everywhere(inverse)
}

func (m *softmaxer) largest() {
	tops := []reg.VecVirtual{m.copyOf(m.c["minusInf"]), m.copyOf(m.c["minusInf"])}
	m.each(m.i, m.n, []int{4, 1}, func(displacements []int) {
		for v, d := range displacements {
			m.VMAXPS(tops[v%2], m.copyOf(indexed(m.z, m.i, 4, d)), tops[v%2]) // of a NaN and a number the number
		}
	})
	m.unlessZero(m.rest, "aligned", func() { m.VMAXPS(tops[1], m.lastEntries(), tops[1]) })
	m.top = m.everywhere(m.fold(m.VMAXPS, tops))
}

func (m *softmaxer) lastEntries() reg.VecVirtual {
	fill := m.copyOf(m.c["minusInf"])
	return m.loadPart(indexed(m.z, m.whole, 4, 0), m.mask(m.rest), fill)
}

// exponentials writes some vectors of p, and of logp, and adds those of p to sums.
func (m *softmaxer) exponentials(displacements []int, sums []reg.VecVirtual) {
	var xs []reg.VecVirtual
	for _, d := range displacements {
		x := m.copyOf(indexed(m.z, m.i, 4, d))
		m.argument(x)
		if m.logs {
			m.VMOVUPS(x, indexed(m.logp, m.i, 4, d))
		}
		xs = append(xs, x)
	}
	for v, e := range m.exp(m.c, false, xs...) {
		m.VMOVUPS(e, indexed(m.p, m.i, 4, displacements[v]))
		m.VADDPS(e, sums[v], sums[v])
	}
}

func (m *softmaxer) argument(x reg.VecVirtual) {
	m.VSUBPS(m.top, x, x)
	m.VMULPS(m.scale, x, x)
}

// remainder fills lastX with the arguments past the whole vectors, and lastE with exponentials or zero.
func (m *softmaxer) remainder() {
	m.zero(m.lastE)
	m.unlessZero(m.rest, "aligned", func() {
		x := m.lastEntries()
		m.argument(x)
		if m.logs {
			m.VMOVUPS(x, m.lastX)
		}
		m.VMOVUPS(m.exp(m.c, false, x)[0], m.lastE)
	})
}

func (m *softmaxer) multiply(p reg.GPVirtual, displacement int) {
	e := m.copyOf(indexed(p, m.i, 4, displacement))
	m.VMULPS(m.inverse, e, e)
	m.VMOVUPS(e, indexed(p, m.i, 4, displacement))
}

// finishRow writes the values in last behind the i elements of whole vectors, and zeros up to width. It
// destroys i and last.
func (w *writer) finishRow(row, i, rest, width reg.GPVirtual, last reg.VecVirtual) {
	fill, part, finished := w.unique("fill"), w.unique("part"), w.unique("finished")
	end := w.GP64()
	w.TESTQ(rest, rest)
	jump(w.JZ, fill)
	w.keepPart(last, w.mask(rest))
	w.LEAQ(memoryAt(i, w.lanes), end)
	w.CMPQ(end, width)
	jump(w.JG, part)
	w.VMOVUPS(last, indexed(row, i, 4, 0))
	w.MOVQ(end, i)
	w.Label(fill)
	w.zero(last)
	w.loop(i, width, 1, func([]int) { w.VMOVUPS(last, indexed(row, i, 4, 0)) })
	w.Label(part)
	left := w.GP64()
	w.MOVQ(width, left)
	w.SUBQ(i, left)
	jump(w.JZ, finished)
	w.storePart(last, left, row, i)
	w.Label(finished)
}

func (w *writer) softmaxBackward() {
	w.function("softmaxBackward")
	p := w.gp("ds", "s", "ld", "rows", "length", "step", "width")
	ds, s, ld, rows, length, step, width := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	scale, i := w.scalar("scale"), w.GP64()
	minus0 := w.held("minus0")
	lastS, lastD := w.v(), w.v()
	w.eachRow(rows, func() {
		rest, whole := w.rest(length)
		// Adding 0 times -0 leaves any sum as it is, -0 included.
		w.zero(lastS)
		w.VMOVUPS(minus0, lastD)
		w.unlessZero(rest, "aligned", func() {
			mask := w.mask(rest)
			w.VMOVUPS(w.loadPart(indexed(s, whole, 4, 0), mask, nil), lastS)
			w.VMOVUPS(w.loadPart(indexed(ds, whole, 4, 0), mask, minus0), lastD)
		})

		sums := w.zeros(w.count())
		w.accumulate(i, length, sums, func(displacements []int, sums []reg.VecVirtual) {
			for v, d := range displacements {
				w.VFMADD231PS(indexed(ds, i, 4, d), w.copyOf(indexed(s, i, 4, d)), sums[v])
			}
		}, func(sum reg.VecVirtual) { w.VFMADD231PS(lastD, lastS, sum) })
		dot := w.everywhere(w.fold(w.VADDPS, sums))
		input := func(s, d reg.VecVirtual) {
			w.VMULPS(scale, s, s)
			w.VSUBPS(dot, d, d)
			w.VMULPS(s, d, d)
		}
		w.each(i, length, []int{4, 1}, func(displacements []int) {
			for _, offset := range displacements {
				d := w.copyOf(indexed(ds, i, 4, offset))
				input(w.copyOf(indexed(s, i, 4, offset)), d)
				w.VMOVUPS(d, indexed(ds, i, 4, offset))
			}
		})
		input(lastS, lastD)
		w.finishRow(ds, i, rest, width, lastD)
		w.ADDQ(step, length)
		w.nextRow(ld, ds, s)
	})
}
