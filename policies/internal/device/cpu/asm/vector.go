package main

import (
	"fmt"
	"go/constant"
	"go/types"
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowLanes is the number of accumulators of a sum over a row.
const rowLanes = 32

// vector writes the functions on rows and on single elements.
func vector(ctx *build.Context, set isa) {
	w := &writer{Context: ctx, set: set, data: map[string]bool{}}
	w.gelu()
	w.geluBackward()
	w.adamW()
	w.sumSquares()
	w.layerNorm()
	w.layerNormBackward()
	w.softmax()
	w.softmaxBackward()
	w.logSoftmax()
	maskTable(ctx, set)
}

// writer writes kernels that walk along rows.
type writer struct {
	*build.Context
	set    isa
	data   map[string]bool // constants in the file so far
	labels int
}

// count is the number of vectors that hold the accumulators of a row.
func (w *writer) count() int { return rowLanes / w.set.lanes }

// start starts a function.
func (w *writer) start(name, arguments, doc string) {
	w.set.function(w.Context, name, arguments, doc)
}

// gp loads arguments into new registers.
func (w *writer) gp(names ...string) []reg.GPVirtual {
	var r []reg.GPVirtual
	for _, name := range names {
		r = append(r, argument(w.Context, name))
	}
	return r
}

// label makes a label that the file has not had.
func (w *writer) label(name string) string {
	w.labels++
	return fmt.Sprintf("%s_%d", name, w.labels)
}

// jump jumps, by one of the conditional jumps, to a label.
func jump(by func(operand.Op), label string) { by(operand.LabelRef(label)) }

// v gives a new vector register.
func (w *writer) v() reg.VecVirtual { return w.set.vector(w.Context) }

// zeros gives n new vectors of zeros.
func (w *writer) zeros(n int) []reg.VecVirtual {
	var all []reg.VecVirtual
	for range n {
		v := w.v()
		w.set.zero(w.Context, v)
		all = append(all, v)
	}
	return all
}

// copyOf gives a new vector that holds what a register, a constant or memory holds.
func (w *writer) copyOf(from operand.Op) reg.VecVirtual {
	v := w.v()
	w.VMOVUPS(from, v)
	return v
}

// scalar fills a new vector with a float32 argument.
func (w *writer) scalar(name string) reg.VecVirtual {
	by, err := w.Param(name).Resolve()
	if err != nil {
		panic(err) // a mistake in this program
	}
	v := w.v()
	w.VBROADCASTSS(by.Addr, v)
	return v
}

// Constants that package cpu has no name for.
var patterns = map[string]uint32{
	"one":      math.Float32bits(1),
	"minusInf": math.Float32bits(float32(math.Inf(-1))),
	"minus0":   1 << 31,
}

// pattern is a constant of package cpu, or of patterns: the bits of its float32, or,
// if it is logSplit, itself.
func (w *writer) pattern(name string) uint32 {
	if bits, ok := patterns[name]; ok {
		return bits
	}
	value := w.set.cpu.Scope().Lookup(name).(*types.Const).Val()
	if name == "logSplit" {
		n, _ := constant.Uint64Val(value)
		return uint32(n)
	}
	f, _ := constant.Float32Val(value)
	return math.Float32bits(f)
}

// memory is where a vector full of a constant lies; for wide vectors, one element.
func (w *writer) memory(name string) operand.Mem {
	at := operand.NewDataAddr(operand.NewStaticSymbol(name), 0)
	if w.data[name] {
		return at
	}
	w.data[name] = true
	w.StaticGlobal(name)
	w.DataAttributes(24) // RODATA | NOPTR
	n := 1
	if w.set.lanes == 8 {
		n = 8
	}
	for i := range n {
		w.AddDatum(4*i, operand.U32(w.pattern(name)))
	}
	return at
}

// held fills a new vector with a constant.
func (w *writer) held(name string) reg.VecVirtual {
	from, v := w.memory(name), w.v()
	if w.set.lanes == 8 {
		w.VMOVUPS(from, v)
	} else {
		w.VBROADCASTSS(from, v)
	}
	return v
}

// constants are operands full of the constants of those names: registers on a machine with 32 of
// them, else memory but for the first few.
func (w *writer) constants(held int, names ...string) map[string]operand.Op {
	all := map[string]operand.Op{}
	for i, name := range names {
		if w.set.lanes == 8 && i >= held {
			all[name] = w.memory(name)
		} else {
			all[name] = w.held(name)
		}
	}
	return all
}

// mask is the mask of the first n elements of a vector, n below its size.
func (w *writer) mask(n reg.GPVirtual) reg.Register {
	table, back, vector := w.GP64(), w.GP64(), w.v()
	w.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(maskTableName), w.set.bytes()), table)
	w.MOVQ(n, back)
	w.NEGQ(back)
	from := indexed(table, back, 4, 0)
	if w.set.lanes == 8 {
		w.VMOVDQU(from, vector)
		return vector
	}
	k := w.K()
	w.VMOVDQU32(from, vector)
	w.VPMOVD2M(vector, k)
	return k
}

// loadPart loads the elements of a mask, the others being fill, or zero if that is nil. Memory
// beyond the elements is not touched.
func (w *writer) loadPart(from operand.Mem, mask reg.Register, fill reg.Register) reg.VecVirtual {
	v := w.v()
	switch {
	case w.set.lanes == 8:
		w.VMASKMOVPS(from, mask, v)
		if fill != nil {
			w.VBLENDVPS(mask, v, fill, v)
		}
	case fill == nil:
		w.VMOVUPS_Z(from, mask, v)
	default:
		w.VMOVUPS(fill, v)
		w.VMOVUPS(from, mask, v)
	}
	return v
}

// keepPart sets what is outside of a mask to zero.
func (w *writer) keepPart(v reg.VecVirtual, mask reg.Register) {
	if w.set.lanes == 8 {
		w.VANDPS(mask, v, v)
	} else {
		w.VMOVUPS_Z(v, mask, v)
	}
}

// storePart writes the first n elements of a vector, n above 0 and below its size.
// For narrow vectors, which it destroys, in fours, twos and ones: a masked store
// would be one instruction, but takes a dozen cycles on some processors.
func (w *writer) storePart(v reg.VecVirtual, n reg.GPVirtual, base, index reg.GPVirtual) {
	if w.set.lanes == 16 {
		w.VMOVUPS(v, w.mask(n), indexed(base, index, 4, 0))
		return
	}
	p, x := w.GP64(), v.AsX()
	two, one, none := w.label("two"), w.label("one"), w.label("none")
	w.LEAQ(indexed(base, index, 4, 0), p)
	w.TESTQ(operand.U32(4), n)
	jump(w.JZ, two)
	w.VMOVUPS(x, at(p, 0))
	w.VEXTRACTF128(operand.Imm(1), v, x)
	w.ADDQ(operand.Imm(16), p)
	w.Label(two)
	w.TESTQ(operand.U32(2), n)
	jump(w.JZ, one)
	w.VMOVLPS(x, at(p, 0))
	w.VMOVHLPS(x, x, x)
	w.ADDQ(operand.Imm(8), p)
	w.Label(one)
	w.TESTQ(operand.U32(1), n)
	jump(w.JZ, none)
	w.VMOVSS(x, at(p, 0))
	w.Label(none)
}
