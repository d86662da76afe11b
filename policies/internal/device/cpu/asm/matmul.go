package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unroll is the number of steps along k between two jumps.
const unroll = 4

// A micro-kernel keeps rows x vectors sums in registers and walks along k. shape is one size of it.
type shape struct{ rows, vectors int }

func (s shape) key() int { return s.rows<<8 | s.vectors }

func (s shape) label(name string) string { return fmt.Sprintf("%s_%dx%d", name, s.rows, s.vectors) }

// shapes lists the micro-kernels, in the order of their keys. About eight sums must
// be under way at once, else the latency of the instruction rules: few rows come
// with many vectors, single vectors with many rows.
func shapes(set isa) []shape {
	var all []shape
	for rows := 1; rows <= 12; rows++ {
		vectors := 1
		switch {
		case rows <= 3:
			vectors = []int{8, 6, 4}[rows-1]
		case 2*rows+4 <= set.registers():
			vectors = 2
		}
		for v := 1; v <= vectors; v++ {
			all = append(all, shape{rows, v})
		}
	}
	return all
}

func matmul(w *writer) {
	w.kernels("matmul", "t *tile", "runs a tile through the micro-kernel that it names.", shapes(w.isa), func(s shape) {
		newKernel(w, s).write()
	})
}

// kernels writes a function that jumps to the micro-kernel of a shape.
func (w *writer) kernels(name, arguments, doc string, all []shape, write func(shape)) {
	w.function(name, arguments, doc)
	w.choose(w.field("kernel"), all)
	for _, s := range all {
		write(s)
	}
	w.Label("done")
	w.done()
	if w.lanes == 8 {
		w.maskTable()
	}
}

func (w *writer) field(name string) reg.GPVirtual {
	r := w.GP64()
	w.Load(w.Dereference(w.Param("t")).Field(name), r)
	return r
}

// choose jumps to the kernel of a key, by halving.
func (w *writer) choose(key reg.GPVirtual, all []shape) {
	if len(all) == 1 {
		jump(w.JMP, all[0].label("kernel"))
		return
	}
	half := len(all) / 2
	upper := all[half].label("from")
	w.CMPQ(key, operand.U32(all[half].key()))
	jump(w.JGE, upper)
	w.choose(key, all[:half])
	w.Label(upper)
	w.choose(key, all[half:])
}
