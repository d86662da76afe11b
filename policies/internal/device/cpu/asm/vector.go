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

// pattern is the bits of a constant's float32 or, of logSplit, itself.
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

// constants are operands full of constants: registers if there are 32, else memory but for the first.
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

// loadPart loads the elements of a mask and no others, which are fill, or zero if that is nil.
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

// storePart writes the first n elements of a vector, 0 < n < its size. A narrow vector is destroyed.
func (w *writer) storePart(v reg.VecVirtual, n reg.GPVirtual, base, index reg.GPVirtual) {
	to := indexed(base, index, 4, 0)
	if w.lanes == 16 {
		w.VMOVUPS(v, w.mask(n), to)
	} else {
		w.storeBits(v, n, to, w.unique("two"), w.unique("one"), w.unique("none"))
	}
}

// each writes loops over the whole vectors of n elements: by as many at once as in steps, at last by
// one. body gets their displacements from element i in bytes. In the end i is the elements so far.
func (w *writer) each(i, n reg.GPVirtual, steps []int, body func(displacements []int)) {
	w.XORL(i.As32(), i.As32())
	for _, vectors := range steps {
		w.loop(i, n, vectors, body)
	}
}

func (w *writer) loop(i, n reg.GPVirtual, vectors int, body func(displacements []int)) {
	again, after, end := w.unique("again"), w.unique("after"), w.GP64()
	var displacements []int
	for v := range vectors {
		displacements = append(displacements, v*w.bytes())
	}
	w.Label(again)
	w.LEAQ(memoryAt(i, vectors*w.lanes), end)
	w.CMPQ(end, n)
	jump(w.JG, after)
	body(displacements)
	w.MOVQ(end, i)
	jump(w.JMP, again)
	w.Label(after)
}

// rest is the number of elements of n past the whole vectors, and whole those in them.
func (w *writer) rest(n reg.GPVirtual) (rest, whole reg.GPVirtual) {
	rest, whole = w.GP64(), w.GP64()
	w.MOVQ(n, rest)
	w.ANDQ(operand.Imm(uint64(w.lanes-1)), rest)
	w.MOVQ(n, whole)
	w.SUBQ(rest, whole)
	return rest, whole
}

// accumulate writes the walk of a sum over a row of n elements. body adds the vectors
// at some displacements from element i to as many sums; last adds what is past the
// whole vectors, which it must have at hand, to the sum that is next.
func (w *writer) accumulate(i, n reg.GPVirtual, sums []reg.VecVirtual,
	body func(displacements []int, sums []reg.VecVirtual), last func(sum reg.VecVirtual)) {
	w.XORL(i.As32(), i.As32())
	w.loop(i, n, len(sums), func(displacements []int) {
		for v := 0; v < len(sums); v += 2 { // more would not fit into 16 registers
			body(displacements[v:v+2], sums[v:v+2])
		}
	})
	done, end := w.unique("summed"), w.GP64()
	for v := range len(sums) - 1 {
		next := w.unique("last")
		w.LEAQ(memoryAt(i, w.lanes), end)
		w.CMPQ(end, n)
		jump(w.JG, next)
		body([]int{0}, sums[v:v+1])
		w.MOVQ(end, i)
		after := w.unique("single")
		jump(w.JMP, after)
		w.Label(next)
		last(sums[v])
		jump(w.JMP, done)
		w.Label(after)
	}
	w.unique("last") // labels keep their numbers
	last(sums[len(sums)-1])
	w.Label(done)
}

// wholeRow writes a loop over a row whose length d is a multiple of 32.
func (w *writer) wholeRow(i, d reg.GPVirtual, body func(vector, displacement int)) {
	again := w.unique("set")
	w.XORL(i.As32(), i.As32())
	w.Label(again)
	for v := range w.count() {
		body(v, v*w.bytes())
	}
	w.ADDQ(operand.Imm(rowLanes), i)
	w.CMPQ(i, d)
	jump(w.JL, again)
}

// fold folds lane l and lane l+16, then l and l+8, and so on, into the first element of the first sum.
func (w *writer) fold(join func(...operand.Op), sums []reg.VecVirtual) reg.Register {
	for half := len(sums) / 2; half > 0; half /= 2 {
		for v := range half {
			join(sums[v+half], sums[v], sums[v])
		}
	}
	sum := sums[0]
	x, upper := sum.AsX(), w.XMM()
	if w.lanes == 16 {
		half := w.YMM()
		w.VEXTRACTF64X4(operand.Imm(1), sum, half)
		join(half, sum.AsY(), sum.AsY())
		w.VEXTRACTF32X4(operand.Imm(1), sum.AsY(), upper) // reaches all 32 registers
	} else {
		w.VEXTRACTF128(operand.Imm(1), sum, upper)
	}
	join(upper, x, x)
	w.VMOVHLPS(x, x, upper)
	join(upper, x, x)
	w.VMOVSHDUP(x, upper)
	join(upper, x, x)
	return x
}

func (w *writer) everywhere(x reg.Register) reg.VecVirtual {
	v := w.v()
	w.VBROADCASTSS(x, v)
	return v
}

func (w *writer) eachRow(rows reg.GPVirtual, body func()) {
	row := w.unique("row")
	w.Label(row)
	body()
	w.DECQ(rows)
	jump(w.JNZ, row)
	w.done()
}

func (w *writer) next(pointers ...reg.GPVirtual) {
	for _, p := range pointers {
		w.LEAQ(memoryAt(p, 4), p)
	}
}

func (w *writer) nextRow(elements reg.GPVirtual, pointers ...reg.GPVirtual) {
	for _, p := range pointers {
		w.LEAQ(indexed(p, elements, 4, 0), p)
	}
}
