package main

import (
	"go/constant"
	"go/types"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const rowLanes = 32

func vector(w *writer) {
	w.gelu()
	w.geluBackward()
	w.adamW()
	w.sumSquares()
	w.layerNorm()
	w.layerNormBackward()
	w.softmax()
	w.softmaxBackward()
	w.logSoftmax()
	w.maskTable()
}

// count is the number of vectors that hold the accumulators of a row.
func (w *writer) count() int { return rowLanes / w.lanes }

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
	value := w.cpu.Scope().Lookup(name).(*types.Const).Val()
	if name == "logSplit" {
		n, _ := constant.Uint64Val(value)
		return uint32(n)
	}
	f, _ := constant.Float32Val(value)
	return math.Float32bits(f)
}

// memory is where a vector full of a constant lies; for wide vectors, one element.
func (w *writer) memory(name string) operand.Mem {
	place := operand.NewDataAddr(operand.NewStaticSymbol(name), 0)
	if w.data[name] {
		return place
	}
	w.data[name] = true
	w.StaticGlobal(name)
	w.DataAttributes(24) // RODATA | NOPTR
	n := 1
	if w.lanes == 8 {
		n = 8
	}
	for i := range n {
		w.AddDatum(4*i, operand.U32(w.pattern(name)))
	}
	return place
}

func (w *writer) held(name string) reg.VecVirtual {
	from, v := w.memory(name), w.v()
	if w.lanes == 8 {
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
		if w.lanes == 8 && i >= held {
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
	w.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(maskTableName), w.bytes()), table)
	w.MOVQ(n, back)
	w.NEGQ(back)
	from := indexed(table, back, 4, 0)
	if w.lanes == 8 {
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
	case fill == nil:
		w.loadMasked(from, mask, v)
	case w.lanes == 8:
		w.VMASKMOVPS(from, mask, v)
		w.VBLENDVPS(mask, v, fill, v)
	default:
		w.VMOVUPS(fill, v)
		w.VMOVUPS(from, mask, v)
	}
	return v
}

func (w *writer) keepPart(v reg.VecVirtual, mask reg.Register) {
	if w.lanes == 8 {
		w.VANDPS(mask, v, v)
	} else {
		w.VMOVUPS_Z(v, mask, v)
	}
}

// storePart writes the first n elements of a vector, n above 0 and below its size. A narrow vector is
// destroyed.
func (w *writer) storePart(v reg.VecVirtual, n reg.GPVirtual, base, index reg.GPVirtual) {
	to := indexed(base, index, 4, 0)
	if w.lanes == 16 {
		w.VMOVUPS(v, w.mask(n), to)
	} else {
		w.storeBits(v, n, to, w.unique("two"), w.unique("one"), w.unique("none"))
	}
}
