package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// add writes the functions that add along rows, and the loop that measures the
// machine's peak.
func add(ctx *build.Context, set isa) {
	a := &adder{ctx, set}
	a.add()
	a.axpy()
	a.sumRows()
	a.copyRows()
	a.copyPanels()
	if set.lanes == 8 {
		a.transpose()
	}
	a.peak()
}

// adder writes loops over elements.
type adder struct {
	*build.Context
	set isa
}

// each writes a loop over n elements: by four vectors, then by one, then element by
// element. body works on the registers of that many vectors; advance moves the pointers on.
func (a *adder) each(n reg.GPVirtual, body func(vectors int), advance func(bytes int)) {
	for _, stage := range []struct {
		label    string
		vectors  int // 0: a single element
		elements int
	}{{"four", 4, 4 * a.set.lanes}, {"one", 1, a.set.lanes}, {"single", 0, 1}} {
		after := "after_" + stage.label
		a.Label(stage.label)
		a.CMPQ(n, operand.Imm(uint64(stage.elements)))
		a.JL(operand.LabelRef(after))
		body(stage.vectors)
		advance(4 * stage.elements)
		a.SUBQ(operand.Imm(uint64(stage.elements)), n)
		a.JMP(operand.LabelRef(stage.label))
		a.Label(after)
	}
}

// registers are the registers and displacements of a stage of each.
func (a *adder) registers(vectors int) (v []reg.VecVirtual, move func(from, to operand.Op)) {
	if vectors == 0 {
		return []reg.VecVirtual{a.XMM()}, func(from, to operand.Op) { a.VMOVSS(from, to) }
	}
	for range vectors {
		v = append(v, a.set.vector(a.Context))
	}
	return v, func(from, to operand.Op) { a.VMOVUPS(from, to) }
}

func (a *adder) add() {
	a.set.function(a.Context, "add", "dst, src *float32, n int", "adds n elements of src to dst.")
	dst, src, n := argument(a.Context, "dst"), argument(a.Context, "src"), argument(a.Context, "n")
	a.each(n, func(vectors int) {
		sums, move := a.registers(vectors)
		for i, sum := range sums {
			move(at(dst, i*a.set.bytes()), sum)
		}
		for i, sum := range sums {
			if from := at(src, i*a.set.bytes()); vectors == 0 {
				a.VADDSS(from, sum, sum)
			} else {
				a.VADDPS(from, sum, sum)
			}
		}
		for i, sum := range sums {
			move(sum, at(dst, i*a.set.bytes()))
		}
	}, func(bytes int) {
		a.ADDQ(operand.U32(bytes), dst)
		a.ADDQ(operand.U32(bytes), src)
	})
	done(a.Context)
}

func (a *adder) axpy() {
	a.set.function(a.Context, "axpy", "dst, x *float32, n int, a float32", "adds a times n elements of x to dst, fused.")
	dst, x, n := argument(a.Context, "dst"), argument(a.Context, "x"), argument(a.Context, "n")
	factor := a.set.vector(a.Context)
	by, err := a.Param("a").Resolve()
	if err != nil {
		panic(err) // a mistake in this program
	}
	a.VBROADCASTSS(by.Addr, factor)
	a.each(n, func(vectors int) {
		sums, move := a.registers(vectors)
		for i, sum := range sums {
			move(at(dst, i*a.set.bytes()), sum)
		}
		for i, sum := range sums {
			if from := at(x, i*a.set.bytes()); vectors == 0 {
				a.VFMADD231SS(from, factor.AsX(), sum)
			} else {
				a.VFMADD231PS(from, factor, sum)
			}
		}
		for i, sum := range sums {
			move(sum, at(dst, i*a.set.bytes()))
		}
	}, func(bytes int) {
		a.ADDQ(operand.U32(bytes), dst)
		a.ADDQ(operand.U32(bytes), x)
	})
	done(a.Context)
}

func (a *adder) sumRows() {
	a.set.function(a.Context, "sumRows", "dst, x *float32, rows, columns int",
		"adds rows of x, at least one, to dst.")
	dst, x := argument(a.Context, "dst"), argument(a.Context, "x")
	rows, columns := argument(a.Context, "rows"), argument(a.Context, "columns")
	stride := a.GP64()
	a.MOVQ(columns, stride)
	a.SHLQ(operand.Imm(2), stride)
	a.each(columns, func(vectors int) {
		sums, move := a.registers(vectors)
		for i, sum := range sums {
			move(at(dst, i*a.set.bytes()), sum)
		}
		from, left := a.GP64(), a.GP64()
		a.MOVQ(x, from)
		a.MOVQ(rows, left)
		label := fmt.Sprintf("rows_%d", vectors)
		a.Label(label)
		for i, sum := range sums {
			if from := at(from, i*a.set.bytes()); vectors == 0 {
				a.VADDSS(from, sum, sum)
			} else {
				a.VADDPS(from, sum, sum)
			}
		}
		a.ADDQ(stride, from)
		a.DECQ(left)
		a.JNZ(operand.LabelRef(label))
		for i, sum := range sums {
			move(sum, at(dst, i*a.set.bytes()))
		}
	}, func(bytes int) {
		a.ADDQ(operand.U32(bytes), dst)
		a.ADDQ(operand.U32(bytes), x)
	})
	done(a.Context)
}

// copyRows writes what packs what is less than a panel of a matrix of contiguous rows.
func (a *adder) copyRows() {
	a.set.function(a.Context, "copyRows", "dst *float32, dstStride int, src *float32, srcStride, n int",
		"copies a vector from each of n rows of src, at least one, to those of\n// dst. Strides are in bytes.")
	dst, dstStride := argument(a.Context, "dst"), argument(a.Context, "dstStride")
	src, srcStride, n := argument(a.Context, "src"), argument(a.Context, "srcStride"), argument(a.Context, "n")
	v := a.set.vector(a.Context)
	a.Label("row")
	a.VMOVUPS(at(src, 0), v)
	a.VMOVUPS(v, at(dst, 0))
	a.ADDQ(srcStride, src)
	a.ADDQ(dstStride, dst)
	a.DECQ(n)
	a.JNZ(operand.LabelRef("row"))
	done(a.Context)
}

// copyPanels writes what packs panels of a matrix of contiguous rows: rows of several
// at once, since what lies side by side comes from memory together.
func (a *adder) copyPanels() {
	a.set.function(a.Context, "copyPanels", "dst *float32, panel int, src *float32, srcStride, n, panels int",
		"copies n rows of src, at least one, to 1, 2 or 4 panels.\n// Distances are in bytes.")
	dst, panel := argument(a.Context, "dst"), argument(a.Context, "panel")
	src, srcStride, n := argument(a.Context, "src"), argument(a.Context, "srcStride"), argument(a.Context, "n")
	three := a.GP64()
	a.LEAQ(indexed(panel, panel, 2, 0), three)
	all := []int{1, 2, 4}
	panels := argument(a.Context, "panels")
	for _, count := range all[1:] {
		a.CMPQ(panels, operand.Imm(uint64(count)))
		a.JE(operand.LabelRef(fmt.Sprintf("of_%d", count)))
	}
	width := 2 * a.set.bytes()
	for _, count := range all {
		label := fmt.Sprintf("of_%d", count)
		a.Label(label)
		places := []operand.Mem{at(dst, 0), indexed(dst, panel, 1, 0), indexed(dst, panel, 2, 0), indexed(dst, three, 1, 0)}
		for p, place := range places[:count] {
			for half := range 2 {
				v := a.set.vector(a.Context)
				a.VMOVUPS(at(src, p*width+half*a.set.bytes()), v)
				place.Disp = half * a.set.bytes()
				a.VMOVUPS(v, place)
			}
		}
		a.ADDQ(srcStride, src)
		a.ADDQ(operand.Imm(uint64(width)), dst)
		a.DECQ(n)
		a.JNZ(operand.LabelRef(label))
		done(a.Context)
	}
}

// transpose writes what packs a transposed matrix: squares of eight by eight.
func (a *adder) transpose() {
	a.set.function(a.Context, "transpose", "dst *float32, dstStride int, src *float32, srcStride, n int",
		"copies n squares of 8 x 8, side by side in the rows of\n// src, transposed to dst, one below the other. Strides are in bytes.")
	dst, dstStride := argument(a.Context, "dst"), argument(a.Context, "dstStride")
	src, srcStride, n := argument(a.Context, "src"), argument(a.Context, "srcStride"), argument(a.Context, "n")
	src4, three := a.GP64(), a.GP64()
	a.LEAQ(indexed(srcStride, srcStride, 2, 0), three)
	a.LEAQ(indexed(src, srcStride, 4, 0), src4)
	// row r is at src or src4 and a multiple of the stride.
	row := func(r int, disp int) operand.Mem {
		base := src
		if r >= 4 {
			base = src4
		}
		switch r % 4 {
		case 3:
			return indexed(base, three, 1, disp)
		default:
			return indexed(base, srcStride, r%4, disp)
		}
	}
	a.Label("square")
	// Registers hold columns 0 to 3 of row r, then those of row r+4; the second
	// four columns 4 to 7. Then each half is transposed four by four.
	for half := range 2 {
		var v [4]reg.VecVirtual
		for r := range 4 {
			v[r] = a.YMM()
			a.VMOVUPS(row(r, 16*half), v[r].AsX())
			a.VINSERTF128(operand.Imm(1), row(r+4, 16*half), v[r], v[r])
		}
		var pair [4]reg.VecVirtual // 0 and 1, 2 and 3 interleaved: low, low, high, high
		for i := range pair {
			pair[i] = a.YMM()
		}
		a.VUNPCKLPS(v[1], v[0], pair[0])
		a.VUNPCKLPS(v[3], v[2], pair[1])
		a.VUNPCKHPS(v[1], v[0], pair[2])
		a.VUNPCKHPS(v[3], v[2], pair[3])
		for column := range 4 {
			out := a.YMM()
			low, high := pair[column/2*2], pair[column/2*2+1]
			a.VSHUFPS(operand.Imm([]uint64{0x44, 0xee}[column%2]), high, low, out)
			a.VMOVUPS(out, at(dst, 0))
			a.ADDQ(dstStride, dst)
		}
	}
	a.ADDQ(operand.Imm(32), src)
	a.ADDQ(operand.Imm(32), src4)
	a.DECQ(n)
	a.JNZ(operand.LabelRef("square"))
	done(a.Context)
}

// peak writes a loop of nothing but independent fused multiply-adds.
func (a *adder) peak() {
	const sums = 12
	a.set.function(a.Context, "peak", "n int",
		fmt.Sprintf("makes n times %d fused multiply-adds of vectors, none waiting for\n// another of its round: as many as the processor can.", sums))
	n := argument(a.Context, "n")
	var v []reg.VecVirtual
	for range sums {
		v = append(v, a.set.vector(a.Context))
		a.set.zero(a.Context, v[len(v)-1])
	}
	one := a.set.vector(a.Context)
	a.set.zero(a.Context, one)
	a.Label("round")
	for _, sum := range v {
		a.VFMADD231PS(one, one, sum)
	}
	a.DECQ(n)
	a.JNZ(operand.LabelRef("round"))
	done(a.Context)
}
