package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
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
	w.kernels("matmul", shapes(w.isa), func(s shape) {
		newKernel(w, s).write()
	})
}

// kernels writes a function that jumps to the micro-kernel of a shape.
func (w *writer) kernels(name string, all []shape, write func(shape)) {
	w.function(name)
	key := w.field("kernel")
	choose(w, all, func(least int, label string) {
		w.CMPQ(key, operand.U32(least))
		jump(w.JGE, label)
	}, func(label string) { jump(w.JMP, label) })
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

// choose jumps to the kernel of a key, by halving: jumpFrom jumps if the key is at least that.
func choose(w *writer, all []shape, jumpFrom func(least int, label string), jump func(label string)) {
	if len(all) == 1 {
		jump(all[0].label("kernel"))
		return
	}
	half := len(all) / 2
	upper := all[half].label("from")
	jumpFrom(all[half].key(), upper)
	choose(w, all[:half], jumpFrom, jump)
	w.Label(upper)
	choose(w, all[half:], jumpFrom, jump)
}

type kernel struct {
	*writer
	shape
	sums [][]reg.VecVirtual // by row and vector

	c, a, blocks reg.GPVirtual   // C and A of the block, and the number of blocks left
	rs, ks       reg.GPVirtual   // strides of A
	groups       []reg.GPVirtual // A, at every third row of the block
	b, b1        reg.GPVirtual   // B in the first panel; in the second one, if there are four
	panel        reg.GPVirtual   // distance of panels, if there are several
	ahead        reg.GPVirtual   // distance of the prefetch of B, if there is time to fetch it
	tail         reg.GPVirtual   // columns of the last vector
	mask         reg.Register    // the same as a mask, for wide vectors
}

func newKernel(w *writer, s shape) *kernel {
	k := &kernel{writer: w, shape: s}
	for range s.rows {
		var row []reg.VecVirtual
		for range s.vectors {
			row = append(row, w.v())
		}
		k.sums = append(k.sums, row)
	}
	return k
}

// write writes the kernel: for each block of rows the start, the walk along k, and the sums to C.
func (k *kernel) write() {
	k.Label(k.label("kernel"))
	k.c, k.a, k.blocks = k.field("c"), k.field("a"), k.field("blocks")
	k.rs, k.ks = k.field("rs"), k.field("ks")
	if k.lanes == 16 {
		k.mask = k.columns(k.field("tail"))
	}
	k.Label(k.label("block"))
	k.start()
	k.walk()
	k.store()
	step := k.GP64()
	k.IMUL3Q(operand.Imm(uint64(k.rows)), k.rs, step)
	k.ADDQ(step, k.a)
	k.DECQ(k.blocks)
	jump(k.JNZ, k.label("block"))
	jump(k.JMP, "done")
}

// columns is the mask of the first n columns of a wide vector.
func (k *kernel) columns(n reg.GPVirtual) reg.Register {
	k.MOVQ(n, reg.RCX)
	bits, mask := k.GP64(), k.K()
	k.MOVL(operand.U32(1), bits.As32())
	k.SHLQ(reg.CL, bits)
	k.DECQ(bits)
	k.KMOVW(bits.As32(), mask)
	return mask
}

// start sets the sums to their start, and prefetches that of the next block: the loads would
// otherwise wait at its beginning, with nothing to do meanwhile.
func (k *kernel) start() {
	from := k.field("from")
	k.TESTQ(from, from)
	jump(k.JZ, k.label("zero"))
	ldf, passed := k.field("ldf"), k.field("passed")
	k.ADDQ(passed, from)
	mask := k.mask
	if mask == nil {
		mask = k.maskFromTable()
	}
	load := func(p reg.GPVirtual, v int, to reg.VecVirtual) {
		if m := memoryAt(p, v*k.bytes()); v < k.vectors-1 {
			k.VMOVUPS(m, to)
		} else {
			k.loadMasked(m, mask, to)
		}
	}
	for _, row := range k.sums {
		for v, sum := range row {
			load(from, v, sum)
		}
		k.ADDQ(ldf, from)
	}
	step := k.GP64()
	k.IMUL3Q(operand.Imm(uint64(k.rows)), ldf, step)
	k.ADDQ(step, passed)
	k.Store(passed, k.Dereference(k.Param("t")).Field("passed"))
	for range k.rows {
		k.PREFETCHT0(memoryAt(from, 0))
		k.ADDQ(ldf, from)
	}
	bias := k.field("bias")
	k.TESTQ(bias, bias)
	jump(k.JZ, k.label("begin"))
	for v := range k.vectors {
		x := k.v()
		load(bias, v, x)
		for _, row := range k.sums {
			k.VADDPS(x, row[v], row[v])
		}
	}
	jump(k.JMP, k.label("begin"))
	k.Label(k.label("zero"))
	k.clearSums()
	k.Label(k.label("begin"))
}

func (k *kernel) clearSums() {
	for _, row := range k.sums {
		for _, sum := range row {
			k.zero(sum)
		}
	}
}

// maskFromTable is the mask of the last vector's columns, for narrow vectors.
func (k *kernel) maskFromTable() reg.Register {
	tail, table, mask := k.field("tail"), k.GP64(), k.YMM()
	k.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(maskTableName), 4*k.lanes), table)
	k.NEGQ(tail)
	k.VMOVDQU(indexed(table, tail, 4, 0), mask)
	return mask
}

const maskTableName = "columns"

// maskTable writes a vector of ones and one of zeros: read n before the middle, a mask of n columns.
func (w *writer) maskTable() {
	w.StaticGlobal(maskTableName)
	w.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 2 * w.lanes {
		bits := operand.U32(0)
		if i < w.lanes {
			bits--
		}
		w.AppendDatum(bits)
	}
}

func (k *kernel) walk() {
	k.b = k.field("b")
	switch {
	case k.vectors > 2:
		k.panel = k.field("panel")
	case k.rows > 3 && k.vectors == 2: // a single vector is the last of a row
		k.ahead = k.field("ahead")
	}
	if k.vectors > 6 {
		k.b1 = k.GP64()
		k.LEAQ(indexed(k.b, k.panel, 1, 0), k.b1)
	}
	k.groups = nil
	for i := 0; i < k.rows; i += 3 {
		group := k.GP64()
		if i == 0 {
			k.MOVQ(k.a, group)
		} else {
			k.LEAQ(indexed(k.groups[i/3-1], k.rs, 2, 0), group)
			k.ADDQ(k.rs, group)
		}
		k.groups = append(k.groups, group)
	}
	k.unrolled("store", k.steps)
}

// unrolled walks along k, several steps at once while there are as many, and leads to a label.
func (k *kernel) unrolled(end string, steps func(n int)) {
	count := k.field("count")
	k.SUBQ(operand.Imm(unroll), count)
	jump(k.JL, k.label("rest"))
	k.Label(k.label("steps"))
	steps(unroll)
	k.SUBQ(operand.Imm(unroll), count)
	jump(k.JGE, k.label("steps"))
	k.Label(k.label("rest"))
	k.ADDQ(operand.Imm(unroll), count)
	jump(k.JZ, k.label(end))
	k.Label(k.label("step"))
	steps(1)
	k.DECQ(count)
	jump(k.JNZ, k.label("step"))
	k.Label(k.label(end))
}

func (k *kernel) steps(n int) {
	for u := range n {
		if k.rows < k.vectors {
			k.rowsFirst(u)
		} else {
			k.vectorsFirst(u)
		}
		if k.ahead != nil {
			k.PREFETCHT0(indexed(k.b, k.ahead, 1, u*k.panelBytes()))
		}
		for _, group := range k.groups {
			k.ADDQ(k.ks, group)
		}
	}
	k.ADDQ(operand.U32(n*k.panelBytes()), k.b)
	if k.b1 != nil {
		k.ADDQ(operand.U32(n*k.panelBytes()), k.b1)
	}
}

// rowsFirst holds A of all rows in registers, and B of one vector.
func (k *kernel) rowsFirst(u int) {
	var a []reg.VecVirtual
	for i := range k.rows {
		a = append(a, k.broadcast(i))
	}
	for v := range k.vectors {
		if k.rows == 1 {
			k.VFMADD231PS(k.vectorOfB(u, v), a[0], k.sums[0][v])
			continue
		}
		b := k.copyOf(k.vectorOfB(u, v))
		for i := range k.rows {
			k.VFMADD231PS(b, a[i], k.sums[i][v])
		}
	}
}

// vectorsFirst holds B of all vectors in registers, and A of one row.
func (k *kernel) vectorsFirst(u int) {
	var b []reg.VecVirtual
	for v := range k.vectors {
		b = append(b, k.copyOf(k.vectorOfB(u, v)))
	}
	for i, row := range k.sums {
		a := k.broadcast(i)
		for v, sum := range row {
			k.VFMADD231PS(b[v], a, sum)
		}
	}
}

func (k *kernel) broadcast(i int) reg.VecVirtual {
	a := k.v()
	k.VBROADCASTSS(indexed(k.groups[i/3], k.rs, i%3, 0), a)
	return a
}

// panelBytes is the size of a row of a panel: two vectors.
func (k *kernel) panelBytes() int { return 2 * k.bytes() }

func (k *kernel) vectorOfB(u, v int) operand.Mem {
	disp := u*k.panelBytes() + v%2*k.bytes()
	if panel := v / 2; panel < 3 {
		return indexed(k.b, k.panel, panel, disp)
	}
	return indexed(k.b1, k.panel, 2, disp)
}

// store writes the sums to C, and moves C on by the rows of the block.
func (k *kernel) store() {
	ldc := k.field("ldc")
	if k.lanes == 16 {
		k.storeRows(ldc, func(sum reg.VecVirtual, to operand.Mem) { k.VMOVUPS(sum, k.mask, to) })
		return
	}
	k.tail = k.field("tail")
	k.CMPQ(k.tail, operand.Imm(uint64(k.lanes)))
	jump(k.JNE, k.label("edge"))
	k.storeRows(ldc, func(sum reg.VecVirtual, to operand.Mem) { k.VMOVUPS(sum, to) })
	jump(k.JMP, k.label("next"))
	k.Label(k.label("edge"))
	row := 'a'
	k.storeRows(ldc, func(sum reg.VecVirtual, to operand.Mem) {
		name := func(part string) string { return k.label(part + string(row)) }
		k.storeBits(sum, k.tail, to, name("two"), name("one"), name("none"))
		row++
	})
	k.Label(k.label("next"))
}

func (k *kernel) storeRows(ldc reg.GPVirtual, last func(reg.VecVirtual, operand.Mem)) {
	for _, row := range k.sums {
		for v, sum := range row {
			if to := memoryAt(k.c, v*k.bytes()); v < k.vectors-1 {
				k.VMOVUPS(sum, to)
			} else {
				last(sum, to)
			}
		}
		k.ADDQ(ldc, k.c)
	}
}
