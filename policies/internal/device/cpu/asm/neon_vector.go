package main

// neonVector writes the functions of vectors and rows.
func neonVector(w *neon) {
	w.gelu()
	w.geluBackward()
	w.adamW()
	w.sumSquares()
	w.layerNorm()
	w.layerNormBackward()
	w.softmax()
	w.softmaxBackward()
	w.logSoftmax()
}

// each writes loops over the whole vectors of left elements: by as many at once as in steps, at last
// by one. body gets their displacements from the pointers, in bytes, which move along. In the end left
// is the elements past the whole vectors.
func (w *neon) each(left general, steps []int, pointers []general, body func(displacements []int)) {
	for _, vectors := range steps {
		again, after := w.unique("again"), w.unique("after")
		var displacements []int
		for v := range vectors {
			displacements = append(displacements, v*w.bytes())
		}
		w.Label(again)
		w.op("CMP", immediate(vectors*w.lanes), left)
		w.jump("BLT", after)
		w.scope(func() { body(displacements) })
		w.pass(vectors, left, pointers)
		w.jump("B", again)
		w.Label(after)
	}
}

// pass moves pointers on by some vectors.
func (w *neon) pass(vectors int, left general, pointers []general) {
	for _, p := range pointers {
		w.op("ADD", immediate(vectors*w.bytes()), p)
	}
	w.op("SUB", immediate(vectors*w.lanes), left)
}

// copies are copies of registers, to move along a row.
func (w *neon) copies(registers ...general) []general {
	var all []general
	for _, r := range registers {
		g := w.general()
		w.op("MOVD", r, g)
		all = append(all, g)
	}
	return all
}

// neonMemory loads and stores the vectors of an iteration: v of them, or a part of one.
type neonMemory struct {
	vectors int
	load    func(v int, from general) quad
	store   func(v int, x quad, to general)
}

// elements writes a loop over n elements: by as many vectors as in steps, and the rest by loading
// and storing parts, past which zeros are loaded. n and the pointers move along.
func (w *neon) elements(n general, steps []int, pointers []general, body func(m neonMemory)) {
	w.each(n, steps, pointers, func(displacements []int) {
		body(neonMemory{
			vectors: len(displacements),
			load: func(v int, from general) quad {
				return w.copyOf(from.displaced(displacements[v]))
			},
			store: func(v int, x quad, to general) { w.store(x, to.displaced(displacements[v])) },
		})
	})
	w.unlessZero(n, func() {
		body(neonMemory{
			vectors: 1,
			load: func(_ int, from general) quad {
				v := w.zeros(1)[0]
				w.loadPart(from, n, v)
				return v
			},
			store: func(_ int, x quad, to general) { w.storePart(x, to, n) },
		})
	})
	w.op("RET")
}

func (w *neon) copyOf(from asm) quad {
	v := w.quad()
	w.load(from, v)
	return v
}

// unlessZero skips body if a register is zero.
func (w *neon) unlessZero(n general, body func()) {
	label := w.unique("none")
	w.jump("CBZ", label, n)
	w.scope(body)
	w.Label(label)
}

// accumulate writes the walk of a sum over a row of n elements. body adds the vectors at some
// displacements from the pointers to as many sums; last adds what is past the whole vectors, which it
// must have at hand, to the sum that is next.
func (w *neon) accumulate(n general, pointers []general, sums []quad,
	body func(pointers []general, displacements []int, sums []quad), last func(sum quad)) {
	w.scope(func() {
		left := w.copies(append([]general{n}, pointers...)...)
		n, pointers := left[0], left[1:]
		w.each(n, []int{len(sums)}, pointers, func(displacements []int) {
			for v := 0; v < len(sums); v += 2 { // exponentials of more would not fit into the registers
				w.scope(func() { body(pointers, displacements[v:v+2], sums[v:v+2]) })
			}
		})
		done := w.unique("summed")
		for v := range len(sums) - 1 {
			next, after := w.unique("last"), w.unique("single")
			w.op("CMP", immediate(w.lanes), n)
			w.jump("BLT", next)
			w.scope(func() { body(pointers, []int{0}, sums[v:v+1]) })
			w.pass(1, n, pointers)
			w.jump("B", after)
			w.Label(next)
			last(sums[v])
			w.jump("B", done)
			w.Label(after)
		}
		last(sums[len(sums)-1])
		w.Label(done)
	})
}

// wholeRow writes a loop over a row whose length d is a multiple of 32.
func (w *neon) wholeRow(d general, pointers []general, body func(pointers []general, vector, displacement int)) {
	w.scope(func() {
		left, again := w.copies(append([]general{d}, pointers...)...), w.unique("set")
		w.Label(again)
		for v := range w.count() {
			w.scope(func() { body(left[1:], v, v*w.bytes()) })
		}
		w.pass(w.count(), left[0], left[1:])
		w.jump("CBNZ", again, left[0])
	})
}

// fold folds lane l and lane l+16, then l and l+8, and so on, by an instruction, into all elements
// of the first sum.
func (w *neon) fold(join string, sums []quad) quad {
	for half := len(sums) / 2; half > 0; half /= 2 {
		for v := range half {
			w.float(join, sums[v+half], sums[v], sums[v])
		}
	}
	sum := sums[0]
	w.scope(func() {
		upper := w.quad()
		w.op("VEXT", immediate(8), sum.part("B16"), sum.part("B16"), upper.part("B16"))
		w.float(join, upper, sum, sum)
		w.op("VDUP", sum.part("S[1]"), upper)
		w.float(join, upper, sum, sum)
	})
	w.fill(sum)
	return sum
}

func (w *neon) eachRow(rows general, body func()) {
	row := w.unique("row")
	w.Label(row)
	w.scope(body)
	w.op("SUBS", immediate(1), rows)
	w.jump("BNE", row)
	w.op("RET")
}

func (w *neon) next(pointers ...general) {
	for _, p := range pointers {
		w.op("ADD", immediate(4), p)
	}
}

func (w *neon) nextRow(elements general, pointers ...general) {
	for _, p := range pointers {
		w.op("ADD", asm(elements.Asm()+"<<2"), p)
	}
}
