package main

// geluExp gives vectors b between the bounds of Gelu, and exp(-u).
func (w *neon) geluExp(c map[string]quad, m neonMemory, x general) (bs, es []quad) {
	es = w.quads(m.vectors)
	for v, u := range es {
		b := m.load(v, x)
		w.float("FMAX", c["geluLow"], b, b)
		w.float("FMIN", c["geluHigh"], b, b)
		bs = append(bs, b)
		w.scope(func() {
			square := w.quad()
			w.float("FMUL", b, b, square)
			w.move(c["geluLinear"], u)
			w.fma(square, c["geluCubic"], u)
			w.float("FMUL", b, u, u)
		})
	}
	w.exp(c, true, es...)
	return bs, es
}

func (w *neon) gelu() {
	w.function("gelu")
	p := w.arguments("y", "x", "n")
	c := w.constants(append(expConstants, "geluLinear", "geluCubic", "geluLow", "geluHigh")...)
	w.elements(p[2], []int{2, 1}, p[:2], func(m neonMemory) {
		_, es := w.geluExp(c, m, p[1])
		for v, e := range es {
			a := m.load(v, p[1])
			w.float("FMAX", c["geluLow"], a, a)
			w.float("FADD", c["one"], e, e)
			w.float("FDIV", e, a, a)
			m.store(v, a, p[0])
		}
	})
}

func (w *neon) geluBackward() {
	w.function("geluBackward")
	p := w.arguments("dx", "x", "n")
	c := w.constants(append(expConstants, "geluLinear", "geluCubic", "geluLow", "geluHigh", "geluSlope", "geluSlope3")...)
	w.elements(p[2], []int{2, 1}, p[:2], func(m neonMemory) {
		bs, es := w.geluExp(c, m, p[1])
		for v, e := range es {
			w.scope(func() {
				s, slope, square, factor := w.quad(), w.quad(), w.quad(), w.quad()
				w.float("FADD", c["one"], e, s)
				w.float("FDIV", s, c["one"], s)
				w.float("FMUL", e, s, e)
				w.float("FMUL", bs[v], bs[v], square)
				w.move(c["geluSlope"], slope)
				w.fma(square, c["geluSlope3"], slope)
				w.float("FMUL", bs[v], slope, slope)
				w.move(c["one"], factor)
				w.fma(slope, e, factor)
				w.float("FMUL", s, factor, factor)
				dx := m.load(v, p[0])
				w.float("FMUL", factor, dx, dx)
				m.store(v, dx, p[0])
			})
		}
	})
}

func (w *neon) adamW() {
	w.function("adamW")
	a := w.arguments("p", "gradient", "m", "v", "n")
	scale, root, eps, decay := w.everywhere("scale"), w.everywhere("root"), w.everywhere("eps"), w.everywhere("decay")
	beta1, rest1, beta2, rest2 := w.everywhere("beta1"), w.everywhere("rest1"), w.everywhere("beta2"), w.everywhere("rest2")
	rate := w.everywhere("rate")
	w.elements(a[4], []int{1}, a[:4], func(m neonMemory) {
		g, first, second := m.load(0, a[1]), w.quad(), w.quad()
		w.float("FMUL", scale, g, g)
		w.float("FMUL", rest1, g, first)
		w.fma(beta1, m.load(0, a[2]), first)
		m.store(0, first, a[2])
		w.float("FMUL", rest2, g, second)
		w.float("FMUL", g, second, second)
		w.fma(beta2, m.load(0, a[3]), second)
		m.store(0, second, a[3])
		below := w.quad()
		w.float("FSQRT", second, second)
		w.move(eps, below)
		w.fma(second, root, below)
		w.float("FDIV", below, first, first)
		w.float("FMUL", rate, first, first)
		p := m.load(0, a[0])
		w.fma(p, decay, first)
		w.float("FSUB", first, p, p)
		m.store(0, p, a[0])
	})
}

func (w *neon) sumSquares() {
	w.function("sumSquares")
	a := w.arguments("x", "n")
	sums, last := w.zeros(w.count()), w.zeros(1)[0]
	rest := w.rest(a[1])
	w.unlessZero(rest, func() { w.loadPart(w.behind(a[0], a[1], rest), rest, last) })
	w.accumulate(a[1], a[:1], sums, func(p []general, displacements []int, sums []quad) {
		for v, d := range displacements {
			x := w.copyOf(p[0].displaced(d))
			w.fma(x, x, sums[v])
		}
	}, func(sum quad) { w.fma(last, last, sum) })
	result, err := w.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err) // a mistake in this program
	}
	w.op("FMOVS", w.fold("FADD", sums).scalar(), asm(result.Addr.Asm()))
	w.op("RET")
}

// rest is the number of elements of n past the whole vectors.
func (w *neon) rest(n general) general {
	rest := w.general()
	w.op("AND", immediate(w.lanes-1), n, rest)
	return rest
}

// behind points behind the whole vectors of a row of n elements.
func (w *neon) behind(row, n, rest general) general {
	p := w.general()
	w.op("SUB", rest, n, p)
	w.op("ADD", asm(p.Asm()+"<<2"), row, p)
	return p
}

// exp makes vectors e^x in place, as exp of package cpu does, step by step for all of them: so that
// they fill one another's waits. bounded means that nothing is below expLow.
func (w *neon) exp(c map[string]quad, bounded bool, xs ...quad) {
	w.scope(func() {
		n, scales, powers := w.quads(len(xs)), w.quads(len(xs)), w.quads(len(xs))
		for v, x := range xs {
			if !bounded {
				w.float("FMAX", c["expLow"], x, x)
			}
			w.move(c["expRound"], n[v])
			w.fma(x, c["log2E"], n[v])
			w.op("VSHL", immediate(23), n[v], scales[v])
			w.float("FSUB", c["expRound"], n[v], n[v])
			w.op("VFMLS", n[v], c["ln2Hi"], x)
			w.op("VFMLS", n[v], c["ln2Lo"], x)
			w.move(c["expC6"], powers[v])
		}
		for _, name := range []string{"expC5", "expC4", "expC3", "expC2", "one", "one"} {
			for v, x := range xs {
				w.move(c[name], n[v])
				w.fma(x, powers[v], n[v])
			}
			n, powers = powers, n
		}
		for v, x := range xs {
			w.float("FMUL", scales[v], powers[v], x)
			w.float("FMUL", c["expScale"], x, x)
		}
	})
}

// log makes the elements of a vector their natural logarithms, as log of package cpu works them out.
func (w *neon) log(x quad) {
	w.scope(func() {
		e, f, q, t, c := w.quad(), w.quad(), w.quad(), w.quad(), w.quad()
		w.hold("logSplit", c)
		w.op("VSUB", c, x, e)
		w.float("SSHR", e, e)
		w.op("VSHL", immediate(23), e, f)
		w.op("VSUB", f, x, f)
		w.float("SCVTF", e, e)
		w.hold("one", c)
		w.float("FSUB", c, f, f)
		w.hold("logC10", q)
		for _, name := range []string{"logC9", "logC8", "logC7", "logC6", "logC5", "logC4", "logC3", "logC2"} {
			w.hold(name, t)
			w.fma(f, q, t)
			q, t = t, q
		}
		w.float("FMUL", f, f, t)
		w.hold("ln2Lo", c)
		w.fma(c, e, f)
		w.fma(q, t, f)
		w.hold("ln2Hi", c)
		w.fma(c, e, f)
		w.float("FSUB", x, x, t)
		w.float("FADD", t, f, x)
	})
}
