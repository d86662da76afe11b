package main

import "github.com/mmcloughlin/avo/operand"

// neonKernel is kernel for arm64. The number of sums is that of wide vectors, but each step of a block
// loads one float32 of A a row, and multiplies vectors of B by it as it is: nothing is broadcast.
type neonKernel struct {
	*neon
	shape
	sums [][]quad // by row and vector

	t, c, a, blocks, rs, ks, tail general
	ofA, ofB                      []general // A at each row of the block; B in each panel
	offset                        general   // from there to the element of A that is next
}

func neonMatmul(w *neon) {
	w.kernels("matmul", shapes(w.isa), func(t general, s shape) {
		k := newNeonKernel(w, t, s)
		f := w.fields(t, "c", "a", "blocks", "rs", "ks", "tail")
		k.c, k.a, k.blocks, k.rs, k.ks, k.tail = f[0], f[1], f[2], f[3], f[4], f[5]
		k.write()
	})
}

// kernels writes a function that jumps to the micro-kernel of a shape.
func (w *neon) kernels(name string, all []shape, write func(t general, s shape)) {
	w.function(name)
	t := w.arguments("t")[0]
	w.scope(func() {
		key := w.fields(t, "kernel")[0]
		choose(w.writer, all, func(least int, label string) {
			w.op("CMP", immediate(least), key)
			w.jump("BGE", label)
		}, func(label string) { w.jump("B", label) })
	})
	for _, s := range all {
		w.Label(s.label("kernel"))
		w.scope(func() { write(t, s) })
	}
}

func newNeonKernel(w *neon, t general, s shape) *neonKernel {
	k := &neonKernel{neon: w, shape: s, t: t}
	for range s.rows {
		k.sums = append(k.sums, w.quads(max(s.vectors, 1)))
	}
	return k
}

func (k *neonKernel) write() {
	k.Label(k.label("block"))
	k.scope(k.start)
	k.scope(k.walk)
	k.scope(k.save)
	k.op("SUBS", immediate(1), k.blocks)
	k.jump("BNE", k.label("block"))
	k.op("RET")
}

// start sets the sums to their start.
func (k *neonKernel) start() {
	from := k.fields(k.t, "from")[0]
	k.jump("CBZ", k.label("zero"), from)
	f := k.fields(k.t, "ldf", "passed", "bias")
	ldf, passed, bias := f[0], f[1], f[2]
	k.op("ADD", passed, from)
	k.byTail("start", func(load func(p general, v int, to quad), _ func(quad, general, int)) {
		for _, row := range k.sums {
			for v, sum := range row {
				load(from, v, sum)
			}
			k.op("ADD", ldf, from)
		}
	})
	step := k.general()
	k.op("MOVD", immediate(k.rows), step)
	k.op("MADD", ldf, passed, step, passed)
	k.op("MOVD", passed, k.place(k.t, "passed"))
	k.jump("CBZ", k.label("begin"), bias)
	k.byTail("bias", func(load func(p general, v int, to quad), _ func(quad, general, int)) {
		for v := range k.vectors {
			k.scope(func() {
				x := k.quad()
				load(bias, v, x)
				for _, row := range k.sums {
					k.float("FADD", x, row[v], row[v])
				}
			})
		}
	})
	k.jump("B", k.label("begin"))
	k.Label(k.label("zero"))
	k.clearSums()
	k.Label(k.label("begin"))
}

func (k *neonKernel) clearSums() {
	for _, row := range k.sums {
		for _, sum := range row {
			k.zero(sum)
		}
	}
}

// byTail writes code twice: for whole vectors, and for a last vector that is part of one. load and
// store move a vector of a row.
func (k *neonKernel) byTail(name string, body func(load func(p general, v int, to quad), store func(from quad, p general, v int))) {
	k.op("CMP", immediate(k.lanes), k.tail)
	k.jump("BNE", k.label(name+"_edge"))
	body(func(p general, v int, to quad) { k.load(p.displaced(v*k.bytes()), to) },
		func(from quad, p general, v int) { k.store(from, p.displaced(v*k.bytes())) })
	k.jump("B", k.label(name+"_done"))
	k.Label(k.label(name + "_edge"))
	last := k.general()
	body(func(p general, v int, to quad) {
		if v < k.vectors-1 {
			k.load(p.displaced(v*k.bytes()), to)
			return
		}
		k.op("ADD", immediate(v*k.bytes()), p, last)
		k.zero(to)
		k.loadPart(last, k.tail, to)
	}, func(from quad, p general, v int) {
		if v < k.vectors-1 {
			k.store(from, p.displaced(v*k.bytes()))
			return
		}
		k.op("ADD", immediate(v*k.bytes()), p, last)
		k.storePart(from, last, k.tail)
	})
	k.Label(k.label(name + "_done"))
}

// walk adds the products of all k to the sums, and moves A on to the next block.
func (k *neonKernel) walk() {
	k.ofB = k.fields(k.t, "b")
	if k.vectors > 2 {
		panel := k.fields(k.t, "panel")[0]
		for v := 2; v < k.vectors; v += 2 {
			k.ofB = append(k.ofB, k.after(k.ofB[v/2-1], panel))
		}
	}
	k.ofA = []general{k.a}
	for i := 1; i < k.rows; i++ {
		k.ofA = append(k.ofA, k.after(k.ofA[i-1], k.rs))
	}
	k.offset = k.general()
	k.op("MOVD", asm("ZR"), k.offset)
	k.unrolled(k.fields(k.t, "count")[0], k.shape, k.step)
	k.op("ADD", k.rs, k.ofA[k.rows-1], k.a)
}

func (w *neon) after(p, distance general) general {
	next := w.general()
	w.op("ADD", distance, p, next)
	return next
}

// unrolled walks along k, several steps at once while there are as many.
func (w *neon) unrolled(count general, s shape, step func(u int)) {
	w.op("SUBS", immediate(unroll), count)
	w.jump("BLT", s.label("rest"))
	w.Label(s.label("steps"))
	for u := range unroll {
		w.scope(func() { step(u) })
	}
	w.op("SUBS", immediate(unroll), count)
	w.jump("BGE", s.label("steps"))
	w.Label(s.label("rest"))
	w.op("ADDS", immediate(unroll), count)
	w.jump("BEQ", s.label("summed"))
	w.Label(s.label("step"))
	w.scope(func() { step(0) })
	w.op("SUBS", immediate(1), count)
	w.jump("BNE", s.label("step"))
	w.Label(s.label("summed"))
}

// step loads B of all vectors, and A of as many rows at a time as there are registers for.
func (k *neonKernel) step(int) {
	b := k.quads(k.vectors)
	for v := 0; v < len(b); v += 2 {
		p := k.ofB[v/2].displaced(2 * k.bytes()) // the size of a row of a panel
		if v+1 < len(b) {
			k.op("FLDPQ.P", p, pair(b[v], b[v+1]))
		} else {
			k.op("FMOVQ.P", p, b[v].scalar())
		}
	}
	for first := 0; first < k.rows; {
		k.scope(func() {
			a := k.quads(min(k.rows-first, neonVectors-k.usedVectors))
			for i, a := range a {
				k.op("FMOVS", k.ofA[first+i].indexed(k.offset), a.scalar())
			}
			for i, a := range a {
				for v, sum := range k.sums[first+i] {
					k.fmaFirst(a, b[v], sum)
				}
			}
			first += len(a)
		})
	}
	k.op("ADD", k.ks, k.offset)
}

// pair is the operand of loads and stores of two vectors.
func pair(v, next quad) operand.Op {
	return asm("(" + v.scalar().Asm() + ", " + next.scalar().Asm() + ")")
}

// save writes the sums to C, and moves C on by the rows of the block.
func (k *neonKernel) save() {
	ldc := k.fields(k.t, "ldc")[0]
	k.byTail("store", func(_ func(general, int, quad), store func(from quad, p general, v int)) {
		for _, row := range k.sums {
			for v, sum := range row {
				store(sum, k.c, v)
			}
			k.op("ADD", ldc, k.c)
		}
	})
}
