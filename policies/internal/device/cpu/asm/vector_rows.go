package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// each writes loops over the whole vectors of n elements: by as many at once as in steps, the last
// of them one. body is given the displacements of the vectors from element i, in bytes. In the end
// i is the number of elements in whole vectors.
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

// fold folds the accumulators of a row by an instruction, lane l and lane l+16, then
// lane l and lane l+8, and so on. The result is the first element of the first one.
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
