package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// neon writes assembly for arm64. avo keeps and prints it, but has neither its instructions nor its
// registers: instructions are text here, and registers are taken in order and given back by scope.
type neon struct {
	*writer
	usedVectors, usedGenerals int
}

// asm is an operand that is printed as it is.
type asm string

func (a asm) Asm() string { return string(a) }

// quad is one of the registers of four float32s.
type quad int

func (v quad) Asm() string { return fmt.Sprintf("V%d.S4", v) }

// part is the name of a register as others than four float32s: "B16", "D2", "S[1]".
func (v quad) part(arrangement string) asm { return asm(fmt.Sprintf("V%d.%s", v, arrangement)) }

// scalar is the name of a register in loads and stores, and as its first element.
func (v quad) scalar() asm { return asm(fmt.Sprintf("F%d", v)) }

// general is one of the registers of integers and pointers.
type general int

func (g general) Asm() string { return fmt.Sprintf("R%d", g) }

func (g general) displaced(bytes int) asm {
	if bytes == 0 {
		return asm(fmt.Sprintf("(R%d)", g))
	}
	return asm(fmt.Sprintf("%d(R%d)", bytes, g))
}

// indexed is the memory at g plus index.
func (g general) indexed(index general) asm { return asm(fmt.Sprintf("(R%d)(R%d)", g, index)) }

func immediate(n int) asm { return asm(fmt.Sprintf("$%d", n)) }

const neonVectors = 32

// neonGenerals are the numbers of the registers that a function may use: R18 belongs to the
// operating system, R27 to the assembler, and those above to Go.
var neonGenerals = []general{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26}

func (w *neon) quad() quad {
	if w.usedVectors == neonVectors {
		panic("too few vector registers") // a mistake in this program
	}
	w.usedVectors++
	return quad(w.usedVectors - 1)
}

func (w *neon) quads(n int) []quad {
	var all []quad
	for range n {
		all = append(all, w.quad())
	}
	return all
}

func (w *neon) general() general {
	g := neonGenerals[w.usedGenerals] // panics on a mistake in this program
	w.usedGenerals++
	return g
}

// scope gives back the registers that body takes.
func (w *neon) scope(body func()) {
	vectors, generals := w.usedVectors, w.usedGenerals
	body()
	w.usedVectors, w.usedGenerals = vectors, generals
}

// op writes an instruction; the destination is the last operand.
func (w *neon) op(opcode string, operands ...operand.Op) {
	w.Instruction(&ir.Instruction{Opcode: opcode, Operands: operands, IsBranch: opcode == "B", IsTerminal: opcode == "RET"})
}

// jump writes a jump; operands are those before the label.
func (w *neon) jump(opcode, label string, operands ...operand.Op) {
	w.op(opcode, append(operands, asm(label))...)
}

// function starts a function. It calls nothing and has no frame.
func (w *neon) function(name string) {
	w.writer.function(name)
	w.Attributes(attr.NOSPLIT)
	w.usedVectors, w.usedGenerals = 0, 0
}

func (w *neon) parameter(name string) asm {
	parameter, err := w.Param(name).Resolve()
	if err != nil {
		panic(err) // a mistake in this program
	}
	return asm(parameter.Addr.Asm())
}

// arguments loads arguments that are pointers or integers.
func (w *neon) arguments(names ...string) []general {
	var all []general
	for _, name := range names {
		g := w.general()
		w.op("MOVD", w.parameter(name), g)
		all = append(all, g)
	}
	return all
}

// everywhere is a vector full of an argument.
func (w *neon) everywhere(name string) quad {
	v := w.quad()
	w.op("FMOVS", w.parameter(name), v.scalar())
	w.fill(v)
	return v
}

// fill copies the first element of a vector to the others.
func (w *neon) fill(v quad) { w.op("VDUP", v.part("S[0]"), v) }

// place is where a field of the argument t lies.
func (w *neon) place(t general, field string) asm {
	// The base is a register of amd64: only the displacement is used.
	place, err := w.Param("t").Dereference(reg.RAX).Field(field).Resolve()
	if err != nil {
		panic(err) // a mistake in this program
	}
	return t.displaced(place.Addr.Disp)
}

// fields loads fields of the argument t.
func (w *neon) fields(t general, names ...string) []general {
	var all []general
	for _, name := range names {
		g := w.general()
		w.op("MOVD", w.place(t, name), g)
		all = append(all, g)
	}
	return all
}

// held is a vector full of a constant.
func (w *neon) held(name string) quad {
	v := w.quad()
	w.hold(name, v)
	return v
}

func (w *neon) hold(name string, v quad) {
	bits := w.pattern(name)
	two := asm(fmt.Sprintf("$0x%08x%08x", bits, bits))
	w.op("VMOVQ", two, two, asm(fmt.Sprintf("V%d", v)))
}

func (w *neon) constants(names ...string) map[string]quad {
	all := map[string]quad{}
	for _, name := range names {
		all[name] = w.held(name)
	}
	return all
}

func (w *neon) zero(v quad) { w.op("VEOR", v.part("B16"), v.part("B16"), v.part("B16")) }

func (w *neon) zeros(n int) []quad {
	all := w.quads(n)
	for _, v := range all {
		w.zero(v)
	}
	return all
}

func (w *neon) move(from, to quad) { w.op("VMOV", from.part("B16"), to.part("B16")) }

func (w *neon) load(from asm, v quad) { w.op("FMOVQ", from, v.scalar()) }

func (w *neon) store(v quad, to asm) { w.op("FMOVQ", v.scalar(), to) }

// encodings are instructions on four float32s that Go's assembler lacks.
var encodings = map[string]uint32{
	"FADD":   0x4e20d400, // d = n + m
	"FSUB":   0x4ea0d400, // d = n - m
	"FMUL":   0x6e20dc00, // d = n m
	"FDIV":   0x6e20fc00, // d = n / m
	"FMAX":   0x4e20f400, // NaN if either is
	"FMIN":   0x4ea0f400,
	"FMAXNM": 0x4e20c400, // of a NaN and a number the number
	// Of one operand.
	"FSQRT": 0x6ea1f800,
	"SCVTF": 0x4e21d800, // from integers
	"SSHR":  0x4f290400, // of integers, by 23 bits, with their sign
}

// float writes an instruction of the list: the second operand, the first operand (if there are two)
// and the destination, as in Go's assembler.
func (w *neon) float(name string, operands ...quad) {
	d, n := operands[len(operands)-1], operands[len(operands)-2]
	bits := encodings[name] | uint32(n)<<5 | uint32(d)
	if len(operands) == 3 {
		bits |= uint32(operands[0]) << 16
	}
	var names []string
	for _, v := range operands {
		names = append(names, v.Asm())
	}
	w.word(bits, name, names...)
}

// word writes an instruction by its bits, and its name and operands as a comment.
func (w *neon) word(bits uint32, name string, operands ...string) {
	w.op("WORD", asm(fmt.Sprintf("$0x%08x // %s %s", bits, name, strings.Join(operands, ", "))))
}

// fmaFirst adds the product of a vector and the first element of a to sum, rounded once.
func (w *neon) fmaFirst(a, b, sum quad) {
	w.word(0x4f801000|uint32(a)<<16|uint32(b)<<5|uint32(sum), "FMLA", a.part("S[0]").Asm(), b.Asm(), sum.Asm())
}

// fma adds the product of two vectors to a third, rounded once.
func (w *neon) fma(a, b, sum quad) { w.op("VFMLA", a, b, sum) }

// loadPart sets the first n elements of a vector, 0 < n < 4, and leaves the others.
func (w *neon) loadPart(from, n general, v quad) {
	w.partly(n, from, func(element string, bytes int, p general) {
		if bytes == 0 {
			w.op("VLD1", p.displaced(0), v.part(element))
		} else {
			w.op("VLD1.P", p.displaced(bytes), v.part(element))
		}
	})
}

// storePart writes the first n elements of a vector, 0 < n < 4.
func (w *neon) storePart(v quad, to, n general) {
	w.partly(n, to, func(element string, bytes int, p general) {
		if bytes == 0 {
			w.op("VST1", v.part(element), p.displaced(0))
		} else {
			w.op("VST1.P", v.part(element), p.displaced(bytes))
		}
	})
}

// partly moves the first n elements of a vector, 0 < n < 4: a pair together, and then a single
// one. The pointer is moved on by some bytes after a pair.
func (w *neon) partly(n, p general, move func(element string, bytes int, p general)) {
	w.scope(func() {
		single, end, next := w.unique("single"), w.unique("end"), w.general()
		w.op("MOVD", p, next)
		w.jump("TBZ", single, immediate(1), n)
		move("D[0]", 8, next)
		w.jump("TBZ", end, immediate(0), n)
		move("S[2]", 0, next)
		w.jump("B", end)
		w.Label(single)
		move("S[0]", 0, next)
		w.Label(end)
	})
}
