package main

// neonMulRows writes MulRows. A shape of no vectors is for a part of one, whose number of elements is
// looked at with every load.
func neonMulRows(w *neon) {
	w.kernels("mulRows", rowShapes(), func(t general, s shape) {
		r := &neonRowKernel{neonKernel: newNeonKernel(w, t, s)}
		r.tail = w.fields(t, "tail")[0]
		r.begin()
		f := w.fields(t, "lda", "hs", "ks", "count")
		lda, hs, count := f[0], f[1], f[3]
		r.ks = f[2]
		r.ofA, r.ofB = w.fields(t, "a"), w.fields(t, "b")
		for i := range s.rows - 1 {
			r.ofA = append(r.ofA, w.after(r.ofA[i], lda))
			r.ofB = append(r.ofB, w.after(r.ofB[i], hs))
		}
		w.unrolled(count, s, r.term)
		r.eachSum(func(sum quad, p general, bytes int) {
			if s.vectors == 0 {
				w.storePart(sum, p, r.tail)
			} else {
				w.store(sum, p.displaced(bytes))
			}
		})
		w.op("RET")
	})
}

type neonRowKernel struct{ *neonKernel }

func (r *neonRowKernel) begin() {
	r.clearSums()
	r.scope(func() {
		r.jump("CBZ", r.label("begin"), r.fields(r.t, "add")[0])
		r.eachSum(r.take)
	})
	r.Label(r.label("begin"))
}

// take loads a vector, or the part of one; the rest is to be zero already.
func (r *neonRowKernel) take(v quad, p general, bytes int) {
	if r.vectors == 0 {
		r.loadPart(p, r.tail, v)
	} else {
		r.load(p.displaced(bytes), v)
	}
}

func (r *neonRowKernel) eachSum(do func(sum quad, p general, bytes int)) {
	r.scope(func() {
		f := r.fields(r.t, "c", "ldc")
		for i, row := range r.sums {
			if i > 0 {
				r.op("ADD", f[1], f[0])
			}
			for v, sum := range row {
				do(sum, f[0], v*r.bytes())
			}
		}
	})
}

// term adds the products of a value of k, and moves on to the next.
func (r *neonRowKernel) term(int) {
	for i, row := range r.sums {
		a := r.quad()
		r.op("FMOVS.P", r.ofA[i].displaced(4), a.scalar())
		for v, sum := range row {
			b := r.quad()
			if r.vectors == 0 {
				r.zero(b)
			}
			r.take(b, r.ofB[i], v*r.bytes())
			r.fmaFirst(a, b, sum)
		}
		r.op("ADD", r.ks, r.ofB[i])
	}
}
