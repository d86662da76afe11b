package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowShapes lists the micro-kernels of MulRows by key. A shape of no vectors is for a part of one.
func rowShapes() []shape {
	var all []shape
	for _, rows := range []int{1, 2, 4} {
		for vectors := 0; vectors <= 4 && rows*vectors <= 12; vectors++ {
			all = append(all, shape{rows, vectors})
		}
	}
	return all
}

func mulRows(w *writer) {
	w.kernels("mulRows", rowShapes(), func(s shape) {
		r := &rowKernel{kernel: newKernel(w, shape{s.rows, max(s.vectors, 1)}), part: s.vectors == 0}
		r.shape = s // labels are named by it
		r.write()
	})
}

type rowKernel struct {
	*kernel
	part    bool            // of a vector: loads and stores take the mask
	ofA     []reg.GPVirtual // A at every third row of the tile
	ofB     []reg.GPVirtual // B likewise
	hs, lda reg.GPVirtual
}

func (r *rowKernel) write() {
	r.Label(r.label("kernel"))
	if r.part && r.lanes == 16 {
		r.mask = r.columns(r.field("tail"))
	} else if r.part {
		r.mask = r.maskFromTable()
	}
	r.begin()
	r.lda, r.hs, r.ks = r.field("lda"), r.field("hs"), r.field("ks")
	r.ofA, r.ofB = r.pointers("a", r.lda), r.pointers("b", r.hs)
	r.unrolled("end", r.terms)
	r.eachSum(func(sum reg.VecVirtual, to operand.Mem) {
		switch {
		case !r.part:
			r.VMOVUPS(sum, to)
		case r.lanes == 16:
			r.VMOVUPS(sum, r.mask, to)
		default:
			r.VMASKMOVPS(sum, r.mask, to)
		}
	})
	jump(r.JMP, "done")
}

func (r *rowKernel) begin() {
	add := r.field("add")
	r.TESTQ(add, add)
	jump(r.JZ, r.label("zero"))
	r.eachSum(r.fill)
	jump(r.JMP, r.label("begin"))
	r.Label(r.label("zero"))
	r.clearSums()
	r.Label(r.label("begin"))
}

func (r *rowKernel) fill(v reg.VecVirtual, from operand.Mem) {
	if r.part {
		r.loadMasked(from, r.mask, v)
	} else {
		r.VMOVUPS(from, v)
	}
}

func (r *rowKernel) eachSum(do func(sum reg.VecVirtual, place operand.Mem)) {
	c, ldc := r.field("c"), r.field("ldc")
	for i, row := range r.sums {
		if i > 0 {
			r.ADDQ(ldc, c)
		}
		for v, sum := range row {
			do(sum, memoryAt(c, v*r.bytes()))
		}
	}
}

// pointers point to every third row of A or matrix of B.
func (r *rowKernel) pointers(name string, stride reg.GPVirtual) []reg.GPVirtual {
	all := []reg.GPVirtual{r.field(name)}
	for i := 3; i < r.rows; i += 3 {
		next := r.GP64()
		r.LEAQ(indexed(all[len(all)-1], stride, 2, 0), next)
		r.ADDQ(stride, next)
		all = append(all, next)
	}
	return all
}

// terms adds the products of n values of k, and moves on to the next.
func (r *rowKernel) terms(n int) {
	for u := range n {
		for i, row := range r.sums {
			a := r.v()
			r.VBROADCASTSS(indexed(r.ofA[i/3], r.lda, i%3, 4*u), a)
			for v, sum := range row {
				from := indexed(r.ofB[i/3], r.hs, i%3, v*r.bytes())
				if !r.part {
					r.VFMADD231PS(from, a, sum)
					continue
				}
				b := r.v()
				r.fill(b, from)
				r.VFMADD231PS(b, a, sum)
			}
		}
		for _, p := range r.ofB {
			r.ADDQ(r.ks, p)
		}
	}
	for _, p := range r.ofA {
		r.ADDQ(operand.Imm(uint64(4*n)), p)
	}
}
