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
	w.function("gelu", "y, x *float32, n int", "is Gelu of n elements.")
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
	w.function("geluBackward", "dx, x *float32, n int", "is GeluBackward of n elements.")
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
	w.function("adamW", "p, gradient, m, v *float32, n int, scale, beta1, rest1, beta2, rest2, rate, root, eps, decay float32",
		"is AdamW of n parameters.")
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
	w.function("sumSquares", "x *float32, n int) (sum float32", "is the row sum of the squares of n elements.")
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
