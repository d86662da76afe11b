package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type writer struct {
	*build.Context
	isa
	data   map[string]bool // constants in the file so far
	labels int
}

// function starts a function of package cpu whose name ends in that of the
// instruction set. Its arguments are not kept, so they may lie on the stack.
func (w *writer) function(name string) {
	f := functions[name]
	w.Function(name + w.name)
	w.Pragma("noescape")
	w.Doc(name + w.name + " " + f.doc)
	signature, err := gotypes.ParseSignatureInPackage(w.cpu, "func("+f.arguments+")")
	if err != nil {
		panic(err) // a mistake in this program
	}
	w.Signature(signature)
}

// done ends a function. The upper halves of the registers are cleared: SSE
// instructions after dirty ones are slow.
func (w *writer) done() {
	w.VZEROUPPER()
	w.RET()
}

func (w *writer) gp(names ...string) []reg.GPVirtual {
	var all []reg.GPVirtual
	for _, name := range names {
		r := w.GP64()
		w.Load(w.Param(name), r)
		all = append(all, r)
	}
	return all
}

func (w *writer) unique(name string) string {
	w.labels++
	return fmt.Sprintf("%s_%d", name, w.labels)
}

// jump jumps, by one of the jumps, to a label.
func jump(instruction func(operand.Op), label string) { instruction(operand.LabelRef(label)) }

// unlessZero leads to a label behind body if a register is zero.
func (w *writer) unlessZero(n reg.GPVirtual, label string, body func()) {
	label = w.unique(label)
	w.TESTQ(n, n)
	jump(w.JZ, label)
	body()
	w.Label(label)
}

func (w *writer) v() reg.VecVirtual {
	if w.lanes == 16 {
		return w.ZMM()
	}
	return w.YMM()
}

// zero sets a vector to zero. The form with the least demands: a bitwise one for wide vectors,
// since that of floats is a separate extension.
func (w *writer) zero(v reg.Register) {
	if w.lanes == 16 {
		w.VPXORD(v, v, v)
	} else {
		w.VXORPS(v, v, v)
	}
}

func (w *writer) zeros(n int) []reg.VecVirtual {
	var all []reg.VecVirtual
	for range n {
		v := w.v()
		w.zero(v)
		all = append(all, v)
	}
	return all
}

func (w *writer) copyOf(from operand.Op) reg.VecVirtual {
	v := w.v()
	w.VMOVUPS(from, v)
	return v
}

func (w *writer) scalar(name string) reg.VecVirtual {
	parameter, err := w.Param(name).Resolve()
	if err != nil {
		panic(err) // a mistake in this program
	}
	v := w.v()
	w.VBROADCASTSS(parameter.Addr, v)
	return v
}

// loadMasked loads the elements of a mask, the others being zero.
func (w *writer) loadMasked(from operand.Mem, mask, to reg.Register) {
	if w.lanes == 16 {
		w.VMOVUPS_Z(from, mask, to)
	} else {
		w.VMASKMOVPS(from, mask, to)
	}
}

// storeBits writes the first n elements of a narrow vector, fewer than eight, and destroys it: four, two
// and one, by the bits of their number. A masked store would be one instruction, but takes a dozen
// cycles on some processors.
func (w *writer) storeBits(v reg.VecVirtual, n reg.GPVirtual, to operand.Mem, two, single, end string) {
	p, x := w.GP64(), v.AsX()
	w.LEAQ(to, p)
	w.TESTQ(operand.U32(4), n)
	jump(w.JZ, two)
	w.VMOVUPS(x, memoryAt(p, 0))
	w.VEXTRACTF128(operand.Imm(1), v, x)
	w.ADDQ(operand.Imm(16), p)
	w.Label(two)
	w.TESTQ(operand.U32(2), n)
	jump(w.JZ, single)
	w.VMOVLPS(x, memoryAt(p, 0))
	w.VMOVHLPS(x, x, x)
	w.ADDQ(operand.Imm(8), p)
	w.Label(single)
	w.TESTQ(operand.U32(1), n)
	jump(w.JZ, end)
	w.VMOVSS(x, memoryAt(p, 0))
	w.Label(end)
}
