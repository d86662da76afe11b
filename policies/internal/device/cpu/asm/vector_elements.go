package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// elements writes a loop over n elements: by as many vectors as in steps, and the rest by loading
// and storing parts. body works on the vectors that load gives, and returns the vectors that
// store, which destroys them, writes for each.
func (w *writer) elements(n reg.GPVirtual, steps []int, body func(m memory)) {
	i := w.GP64()
	w.each(i, n, steps, func(displacements []int) {
		body(memory{
			vectors: len(displacements),
			load: func(v int, p reg.GPVirtual) reg.VecVirtual {
				return w.copyOf(indexed(p, i, 4, displacements[v]))
			},
			store: func(v int, from reg.VecVirtual, p reg.GPVirtual) {
				w.VMOVUPS(from, indexed(p, i, 4, displacements[v]))
			},
		})
	})
	finished, left := w.unique("finished"), w.GP64()
	w.MOVQ(n, left)
	w.SUBQ(i, left)
	jump(w.JZ, finished)
	body(memory{
		vectors: 1,
		load: func(_ int, p reg.GPVirtual) reg.VecVirtual {
			return w.loadPart(indexed(p, i, 4, 0), w.mask(left), nil)
		},
		store: func(_ int, from reg.VecVirtual, p reg.GPVirtual) { w.storePart(w.copyOf(from), left, p, i) },
	})
	w.Label(finished)
	w.done()
}

type memory struct {
	vectors int
	load    func(vector int, p reg.GPVirtual) reg.VecVirtual
	store   func(vector int, from reg.VecVirtual, p reg.GPVirtual)
}

// geluExp gives vectors b between the bounds of Gelu, and exp(-u).
func (w *writer) geluExp(c map[string]operand.Op, m memory, x reg.GPVirtual, low, high reg.VecVirtual) (bs, es []reg.VecVirtual) {
	for v := range m.vectors {
		b := m.load(v, x)
		w.VMAXPS(b, low, b)
		w.VMINPS(b, high, b)
		bs = append(bs, b)
	}
	var us []reg.VecVirtual
	for _, b := range bs {
		u, cubic := w.v(), w.copyOf(c["geluCubic"])
		w.VMULPS(b, b, u)
		w.VFMADD213PS(c["geluLinear"], cubic, u)
		w.VMULPS(b, u, u)
		us = append(us, u)
	}
	return bs, w.exp(c, true, us...)
}

func (w *writer) gelu() {
	w.function("gelu")
	p := w.gp("y", "x", "n")
	c := w.constants(1, append(expConstants, "geluLinear", "geluCubic")...)
	low, high := w.held("geluLow"), w.held("geluHigh")
	w.elements(p[2], []int{4, 1}, func(m memory) {
		_, es := w.geluExp(c, m, p[1], low, high)
		for v, e := range es {
			a := m.load(v, p[1]) // again: four vectors and their powers take most registers
			w.VMAXPS(a, low, a)
			w.VADDPS(c["one"], e, e)
			w.VDIVPS(e, a, a)
			m.store(v, a, p[0])
		}
	})
}

func (w *writer) geluBackward() {
	w.function("geluBackward")
	p := w.gp("dx", "x", "n")
	c := w.constants(1, append(expConstants, "geluLinear", "geluCubic", "geluSlope", "geluSlope3")...)
	low, high := w.held("geluLow"), w.held("geluHigh")
	w.elements(p[2], []int{3, 1}, func(m memory) {
		bs, es := w.geluExp(c, m, p[1], low, high)
		for v, e := range es {
			s, t, slope := w.copyOf(c["one"]), w.v(), w.copyOf(c["geluSlope3"])
			w.VADDPS(e, s, t)
			w.VDIVPS(t, s, s)
			w.VMULPS(bs[v], bs[v], t)
			w.VFMADD213PS(c["geluSlope"], t, slope)
			w.VMULPS(bs[v], slope, slope)
			w.VMULPS(s, e, e)
			w.VFMADD213PS(c["one"], slope, e)
			w.VMULPS(s, e, e)
			dx := m.load(v, p[0])
			w.VMULPS(e, dx, dx)
			m.store(v, dx, p[0])
		}
	})
}

func (w *writer) adamW() {
	w.function("adamW")
	args := w.gp("p", "gradient", "m", "v", "n")
	scale, root, eps, decay := w.scalar("scale"), w.scalar("root"), w.scalar("eps"), w.scalar("decay")
	beta1, rest1, beta2, rest2 := w.scalar("beta1"), w.scalar("rest1"), w.scalar("beta2"), w.scalar("rest2")
	rate := w.scalar("rate")
	w.elements(args[4], []int{1}, func(m memory) {
		g, t := m.load(0, args[1]), w.v()
		w.VMULPS(scale, g, g)
		first := m.load(0, args[2])
		w.VMULPS(rest1, g, t)
		w.VFMADD213PS(t, beta1, first)
		m.store(0, first, args[2])
		second := m.load(0, args[3])
		w.VMULPS(rest2, g, t)
		w.VMULPS(g, t, t)
		w.VFMADD213PS(t, beta2, second)
		m.store(0, second, args[3])
		w.VSQRTPS(second, second)
		w.VFMADD213PS(eps, root, second)
		w.VDIVPS(second, first, first)
		w.VMULPS(rate, first, first)
		p := m.load(0, args[0])
		w.VFMADD231PS(p, decay, first)
		w.VSUBPS(first, p, p)
		m.store(0, p, args[0])
	})
}

func (w *writer) sumSquares() {
	w.function("sumSquares")
	args := w.gp("x", "n")
	x, n, i := args[0], args[1], w.GP64()
	sums := w.zeros(w.count())
	last := w.zeros(1)[0]
	rest, whole := w.rest(n)
	w.unlessZero(rest, "aligned", func() { w.VMOVUPS(w.loadPart(indexed(x, whole, 4, 0), w.mask(rest), nil), last) })
	w.accumulate(i, n, sums, func(displacements []int, sums []reg.VecVirtual) {
		for v, d := range displacements {
			x := w.copyOf(indexed(x, i, 4, d))
			w.VFMADD231PS(x, x, sums[v])
		}
	}, func(sum reg.VecVirtual) { w.VFMADD231PS(last, last, sum) })
	w.Store(w.fold(w.VADDPS, sums), w.ReturnIndex(0))
	w.done()
}

// expConstants are the constants of exp, those that save most in a register first.
var expConstants = []string{"expRound", "one", "log2E", "expC6", "ln2Hi", "ln2Lo", "expC5", "expC4", "expC3", "expC2", "expScale"}

// exp makes vectors e^x, as exp of package cpu does, step by step for all of them: so that they
// fill one another's waits. bounded means that nothing is below expLow. The vectors are destroyed.
func (w *writer) exp(c map[string]operand.Op, bounded bool, xs ...reg.VecVirtual) []reg.VecVirtual {
	var scales, powers []reg.VecVirtual
	for _, x := range xs {
		var above reg.Register
		if !bounded {
			above = w.keepFrom(c["expLow"], x)
		}
		n, scale := w.copyOf(c["log2E"]), w.v()
		w.VFMADD213PS(c["expRound"], x, n)
		w.VPSLLD(operand.Imm(23), n, scale)
		if !bounded {
			w.keepPart(scale, above)
		}
		w.VSUBPS(c["expRound"], n, n)
		w.VFNMADD231PS(c["ln2Hi"], n, x)
		w.VFNMADD231PS(c["ln2Lo"], n, x)
		scales = append(scales, scale)
	}
	for range xs {
		powers = append(powers, w.copyOf(c["expC6"]))
	}
	for _, name := range []string{"expC5", "expC4", "expC3", "expC2", "one", "one"} {
		for v, x := range xs {
			w.VFMADD213PS(c[name], x, powers[v])
		}
	}
	for v, p := range powers {
		w.VMULPS(scales[v], p, p)
		w.VMULPS(c["expScale"], p, p)
	}
	return powers
}

// keepFrom sets elements below a bound to zero, and gives the mask of the others. The exponential
// of an element below expLow is zero, but to find that by multiplying takes a result so small that
// some processors stop for it.
func (w *writer) keepFrom(bound operand.Op, x reg.VecVirtual) reg.Register {
	const notLess = 5 // true of NaN
	var mask reg.Register = w.v()
	if w.lanes == 16 {
		mask = w.K()
	}
	w.VCMPPS(operand.Imm(notLess), bound, x, mask)
	w.keepPart(x, mask)
	return mask
}

// log is the natural logarithm of the first element of a register, as log of package
// cpu works it out.
func (w *writer) log(x reg.Register) reg.VecVirtual {
	bits, e, f := w.XMM(), w.XMM(), w.XMM()
	split := w.GP32()
	w.MOVL(operand.U32(w.pattern("logSplit")), split)
	w.VMOVD(split, bits)
	w.VPSUBD(bits, x, e)
	w.VPSRAD(operand.Imm(23), e, e)
	w.VPSLLD(operand.Imm(23), e, f)
	w.VPSUBD(f, x, f)
	w.VCVTDQ2PS(e, e)
	w.VSUBSS(w.memory("one"), f, f)
	q, t := w.XMM(), w.XMM()
	w.VMOVSS(w.memory("logC10"), q)
	for _, name := range []string{"logC9", "logC8", "logC7", "logC6", "logC5", "logC4", "logC3", "logC2"} {
		w.VFMADD213SS(w.memory(name), f, q)
	}
	w.VMULSS(f, f, t)
	w.VFMADD231SS(w.memory("ln2Lo"), e, f)
	w.VFMADD213SS(f, t, q)
	w.VFMADD231SS(w.memory("ln2Hi"), e, q)
	w.VSUBSS(x, x, t)
	w.VADDSS(t, q, q)
	return q
}

func (w *writer) layerNorm() {
	w.function("layerNorm")
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
	w.function("layerNormBackward")
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
