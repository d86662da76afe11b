package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// add writes the functions that add along rows, and the loop that measures the machine's peak.
func add(w *writer) {
	w.add()
	w.axpy()
	w.sumRows()
	w.copyRows()
	w.copyPanels()
	if w.lanes == 8 {
		w.transpose()
	}
	w.peak()
}

// addAlong writes a loop over n elements of dst: by four vectors, then by one, then element by
// element. add adds to the registers, or to a single element, what belongs to src.
func (w *writer) addAlong(dst, src, n reg.GPVirtual, add func(sums []reg.VecVirtual, single bool)) {
	for _, stage := range []struct {
		label             string
		vectors, elements int
	}{{"four", 4, 4 * w.lanes}, {"one", 1, w.lanes}, {"single", 0, 1}} {
		after := "after_" + stage.label
		w.Label(stage.label)
		w.CMPQ(n, operand.Imm(uint64(stage.elements)))
		jump(w.JL, after)
		sums, move := []reg.VecVirtual{}, func(from, to operand.Op) { w.VMOVUPS(from, to) }
		for range stage.vectors {
			sums = append(sums, w.v())
		}
		if stage.vectors == 0 {
			sums, move = append(sums, w.XMM()), func(from, to operand.Op) { w.VMOVSS(from, to) }
		}
		for i, sum := range sums {
			move(memoryAt(dst, i*w.bytes()), sum)
		}
		add(sums, stage.vectors == 0)
		for i, sum := range sums {
			move(sum, memoryAt(dst, i*w.bytes()))
		}
		w.ADDQ(operand.U32(4*stage.elements), dst)
		w.ADDQ(operand.U32(4*stage.elements), src)
		w.SUBQ(operand.Imm(uint64(stage.elements)), n)
		jump(w.JMP, stage.label)
		w.Label(after)
	}
	w.done()
}

func (w *writer) addFrom(src reg.GPVirtual, sums []reg.VecVirtual, single bool) {
	for i, sum := range sums {
		if from := memoryAt(src, i*w.bytes()); single {
			w.VADDSS(from, sum, sum)
		} else {
			w.VADDPS(from, sum, sum)
		}
	}
}

func (w *writer) add() {
	w.function("add")
	p := w.gp("dst", "src", "n")
	w.addAlong(p[0], p[1], p[2], func(sums []reg.VecVirtual, single bool) { w.addFrom(p[1], sums, single) })
}

func (w *writer) axpy() {
	w.function("axpy")
	p := w.gp("dst", "x", "n")
	factor := w.scalar("a")
	w.addAlong(p[0], p[1], p[2], func(sums []reg.VecVirtual, single bool) {
		for i, sum := range sums {
			if from := memoryAt(p[1], i*w.bytes()); single {
				w.VFMADD231SS(from, factor.AsX(), sum)
			} else {
				w.VFMADD231PS(from, factor, sum)
			}
		}
	})
}

func (w *writer) sumRows() {
	w.function("sumRows")
	p := w.gp("dst", "x", "rows", "columns")
	x, rows, columns, stride := p[1], p[2], p[3], w.GP64()
	w.MOVQ(columns, stride)
	w.SHLQ(operand.Imm(2), stride)
	w.addAlong(p[0], x, columns, func(sums []reg.VecVirtual, single bool) {
		from, left := w.GP64(), w.GP64()
		w.MOVQ(x, from)
		w.MOVQ(rows, left)
		label := fmt.Sprintf("rows_%d", len(sums))
		if single {
			label = "rows_0"
		}
		w.Label(label)
		w.addFrom(from, sums, single)
		w.ADDQ(stride, from)
		w.DECQ(left)
		jump(w.JNZ, label)
	})
}

// copyRows writes the function that packs less than a panel of a matrix of contiguous rows.
func (w *writer) copyRows() {
	w.function("copyRows")
	p := w.gp("dst", "dstStride", "src", "srcStride", "n")
	dst, dstStride, src, srcStride, n := p[0], p[1], p[2], p[3], p[4]
	v := w.v()
	w.Label("row")
	w.VMOVUPS(memoryAt(src, 0), v)
	w.VMOVUPS(v, memoryAt(dst, 0))
	w.ADDQ(srcStride, src)
	w.ADDQ(dstStride, dst)
	w.DECQ(n)
	jump(w.JNZ, "row")
	w.done()
}

// copyPanels writes the function that packs panels of a matrix of contiguous rows: rows of several
// at once, since numbers side by side come from memory together.
func (w *writer) copyPanels() {
	w.function("copyPanels")
	p := w.gp("dst", "panel", "src", "srcStride", "n")
	dst, panel, src, srcStride, n, three := p[0], p[1], p[2], p[3], p[4], w.GP64()
	w.LEAQ(indexed(panel, panel, 2, 0), three)
	panels, all := w.gp("panels")[0], []int{1, 2, 4}
	label := func(count int) string { return fmt.Sprintf("of_%d", count) }
	for _, count := range all[1:] {
		w.CMPQ(panels, operand.Imm(uint64(count)))
		jump(w.JE, label(count))
	}
	width := 2 * w.bytes()
	for _, count := range all {
		w.Label(label(count))
		places := []operand.Mem{memoryAt(dst, 0), indexed(dst, panel, 1, 0), indexed(dst, panel, 2, 0), indexed(dst, three, 1, 0)}
		for p, place := range places[:count] {
			for half := range 2 {
				v := w.copyOf(memoryAt(src, p*width+half*w.bytes()))
				place.Disp = half * w.bytes()
				w.VMOVUPS(v, place)
			}
		}
		w.ADDQ(srcStride, src)
		w.ADDQ(operand.Imm(uint64(width)), dst)
		w.DECQ(n)
		jump(w.JNZ, label(count))
		w.done()
	}
}

// transpose writes the function that packs a transposed matrix: squares of eight by eight.
func (w *writer) transpose() {
	w.function("transpose")
	p := w.gp("dst", "dstStride", "src", "srcStride", "n")
	dst, dstStride, src, srcStride, n := p[0], p[1], p[2], p[3], p[4]
	src4, three := w.GP64(), w.GP64()
	w.LEAQ(indexed(srcStride, srcStride, 2, 0), three)
	w.LEAQ(indexed(src, srcStride, 4, 0), src4)
	row := func(r int, disp int) operand.Mem {
		base := []reg.GPVirtual{src, src4}[r/4]
		if r%4 == 3 {
			return indexed(base, three, 1, disp)
		}
		return indexed(base, srcStride, r%4, disp)
	}
	w.Label("square")
	// Registers hold columns 0 to 3 of row r, then those of row r+4; the second
	// four columns 4 to 7. Then each half is transposed four by four.
	for half := range 2 {
		var v, pair [4]reg.VecVirtual // pair: 0 and 1, 2 and 3 interleaved: low, low, high, high
		for r := range 4 {
			v[r] = w.YMM()
			w.VMOVUPS(row(r, 16*half), v[r].AsX())
			w.VINSERTF128(operand.Imm(1), row(r+4, 16*half), v[r], v[r])
		}
		for i := range pair {
			pair[i] = w.YMM()
		}
		w.VUNPCKLPS(v[1], v[0], pair[0])
		w.VUNPCKLPS(v[3], v[2], pair[1])
		w.VUNPCKHPS(v[1], v[0], pair[2])
		w.VUNPCKHPS(v[3], v[2], pair[3])
		for column := range 4 {
			out := w.YMM()
			low, high := pair[column/2*2], pair[column/2*2+1]
			w.VSHUFPS(operand.Imm([]uint64{0x44, 0xee}[column%2]), high, low, out)
			w.VMOVUPS(out, memoryAt(dst, 0))
			w.ADDQ(dstStride, dst)
		}
	}
	w.ADDQ(operand.Imm(32), src)
	w.ADDQ(operand.Imm(32), src4)
	w.DECQ(n)
	jump(w.JNZ, "square")
	w.done()
}

func (w *writer) peak() {
	w.function("peak")
	n, v, factor := w.gp("n")[0], w.zeros(peakSums), w.zeros(1)[0]
	w.Label("round")
	for _, sum := range v {
		w.VFMADD231PS(factor, factor, sum)
	}
	w.DECQ(n)
	jump(w.JNZ, "round")
	w.done()
}
