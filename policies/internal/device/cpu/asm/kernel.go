package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel writes one micro-kernel.
type kernel struct {
	*build.Context
	shape
	set  isa
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

func newKernel(ctx *build.Context, set isa, s shape) *kernel {
	k := &kernel{Context: ctx, set: set, shape: s}
	for range s.rows {
		row := make([]reg.VecVirtual, s.vectors)
		for v := range row {
			row[v] = set.vector(ctx)
		}
		k.sums = append(k.sums, row)
	}
	return k
}

// write writes the kernel: for each block of rows what the sums start from, the
// walk along k, and the sums to C.
func (k *kernel) write() {
	k.Label(k.label("kernel"))
	k.c, k.a, k.blocks = field(k.Context, "c"), field(k.Context, "a"), field(k.Context, "blocks")
	k.rs, k.ks = field(k.Context, "rs"), field(k.Context, "ks")
	if k.set.lanes == 16 {
		k.mask = k.columns(field(k.Context, "tail"))
	}
	k.Label(k.label("block"))
	k.start()
	k.walk()
	k.store()
	step := k.GP64()
	k.IMUL3Q(operand.Imm(uint64(k.rows)), k.rs, step)
	k.ADDQ(step, k.a)
	k.DECQ(k.blocks)
	k.JNZ(operand.LabelRef(k.label("block")))
	k.JMP(operand.LabelRef("done"))
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
	from := field(k.Context, "from")
	k.TESTQ(from, from)
	k.JZ(operand.LabelRef(k.label("zero")))
	ldf, passed := field(k.Context, "ldf"), field(k.Context, "passed")
	k.ADDQ(passed, from)
	mask := k.mask
	if mask == nil {
		mask = k.maskFromTable()
	}
	load := func(p reg.GPVirtual, v int, to reg.VecVirtual) {
		switch m := at(p, v*k.set.bytes()); {
		case v < k.vectors-1:
			k.VMOVUPS(m, to)
		case k.set.lanes == 16:
			k.VMOVUPS_Z(m, mask, to)
		default:
			k.VMASKMOVPS(m, mask, to)
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
		k.PREFETCHT0(at(from, 0))
		k.ADDQ(ldf, from)
	}
	bias := field(k.Context, "bias")
	k.TESTQ(bias, bias)
	k.JZ(operand.LabelRef(k.label("begin")))
	for v := range k.vectors {
		x := k.set.vector(k.Context)
		load(bias, v, x)
		for _, row := range k.sums {
			k.VADDPS(x, row[v], row[v])
		}
	}
	k.JMP(operand.LabelRef(k.label("begin")))
	k.Label(k.label("zero"))
	for _, row := range k.sums {
		for _, sum := range row {
			k.set.zero(k.Context, sum)
		}
	}
	k.Label(k.label("begin"))
}

// maskFromTable is the mask of the last vector's columns, for narrow vectors.
func (k *kernel) maskFromTable() reg.Register {
	tail, table, mask := field(k.Context, "tail"), k.GP64(), k.YMM()
	k.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(maskTableName), 4*k.set.lanes), table)
	k.NEGQ(tail)
	k.VMOVDQU(indexed(table, tail, 4, 0), mask)
	return mask
}

const maskTableName = "columns"

// maskTable writes a vector of ones and a vector of zeros. Read from n elements
// before the middle, it is a mask of n columns.
func maskTable(ctx *build.Context, set isa) {
	ctx.StaticGlobal(maskTableName)
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 2 * set.lanes {
		ones := operand.U32(0)
		if i < set.lanes {
			ones--
		}
		ctx.AppendDatum(ones)
	}
}

// walk adds the products along k to the sums.
func (k *kernel) walk() {
	k.b = field(k.Context, "b")
	switch {
	case k.vectors > 2:
		k.panel = field(k.Context, "panel")
	case k.rows > 3 && k.vectors == 2: // a single vector is the last of a row
		k.ahead = field(k.Context, "ahead")
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
	count := field(k.Context, "count")
	k.SUBQ(operand.Imm(unroll), count)
	k.JL(operand.LabelRef(k.label("rest")))
	k.Label(k.label("steps"))
	k.steps(unroll)
	k.SUBQ(operand.Imm(unroll), count)
	k.JGE(operand.LabelRef(k.label("steps")))
	k.Label(k.label("rest"))
	k.ADDQ(operand.Imm(unroll), count)
	k.JZ(operand.LabelRef(k.label("store")))
	k.Label(k.label("step"))
	k.steps(1)
	k.DECQ(count)
	k.JNZ(operand.LabelRef(k.label("step")))
	k.Label(k.label("store"))
}

// steps adds the products of n values of k, and moves on to the next.
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
		b := k.set.vector(k.Context)
		k.VMOVUPS(k.vectorOfB(u, v), b)
		for i := range k.rows {
			k.VFMADD231PS(b, a[i], k.sums[i][v])
		}
	}
}

// vectorsFirst holds B of all vectors in registers, and A of one row.
func (k *kernel) vectorsFirst(u int) {
	var b []reg.VecVirtual
	for v := range k.vectors {
		b = append(b, k.set.vector(k.Context))
		k.VMOVUPS(k.vectorOfB(u, v), b[v])
	}
	for i, row := range k.sums {
		a := k.broadcast(i)
		for v, sum := range row {
			k.VFMADD231PS(b[v], a, sum)
		}
	}
}

// broadcast fills a vector with A of row i.
func (k *kernel) broadcast(i int) reg.VecVirtual {
	a := k.set.vector(k.Context)
	k.VBROADCASTSS(indexed(k.groups[i/3], k.rs, i%3, 0), a)
	return a
}

// panelBytes is the size of a row of a panel, which is two vectors wide.
func (k *kernel) panelBytes() int { return 2 * k.set.bytes() }

// vectorOfB is where vector v of row u of B lies.
func (k *kernel) vectorOfB(u, v int) operand.Mem {
	disp := u*k.panelBytes() + v%2*k.set.bytes()
	if panel := v / 2; panel < 3 {
		return indexed(k.b, k.panel, panel, disp)
	}
	return indexed(k.b1, k.panel, 2, disp)
}

// store writes the sums to C, and moves C on by the rows of the block.
func (k *kernel) store() {
	ldc := field(k.Context, "ldc")
	if k.set.lanes == 16 {
		k.storeRows(ldc, func(sum reg.VecVirtual, to operand.Mem) { k.VMOVUPS(sum, k.mask, to) })
		return
	}
	k.tail = field(k.Context, "tail")
	k.CMPQ(k.tail, operand.Imm(uint64(k.set.lanes)))
	k.JNE(operand.LabelRef(k.label("edge")))
	k.storeRows(ldc, func(sum reg.VecVirtual, to operand.Mem) { k.VMOVUPS(sum, to) })
	k.JMP(operand.LabelRef(k.label("next")))
	k.Label(k.label("edge"))
	row := 0
	k.storeRows(ldc, func(sum reg.VecVirtual, to operand.Mem) { k.storePart(row, sum, to); row++ })
	k.Label(k.label("next"))
}

// storeRows writes row after row, the last vector of each by the function.
func (k *kernel) storeRows(ldc reg.GPVirtual, last func(reg.VecVirtual, operand.Mem)) {
	for _, row := range k.sums {
		for v, sum := range row {
			if to := at(k.c, v*k.set.bytes()); v < k.vectors-1 {
				k.VMOVUPS(sum, to)
			} else {
				last(sum, to)
			}
		}
		k.ADDQ(ldc, k.c)
	}
}

// storePart writes the first columns of a narrow vector, fewer than eight: four, two
// and one, by the bits of their number. A masked store would be one instruction, but takes a dozen
// cycles on some processors.
func (k *kernel) storePart(row int, sum reg.VecVirtual, to operand.Mem) {
	label := func(n string) operand.LabelRef {
		return operand.LabelRef(k.label(n + string(rune('a'+row))))
	}
	p, x := k.GP64(), sum.AsX()
	k.LEAQ(to, p)
	k.TESTQ(operand.U32(4), k.tail)
	k.JZ(label("two"))
	k.VMOVUPS(x, at(p, 0))
	k.VEXTRACTF128(operand.Imm(1), sum, x)
	k.ADDQ(operand.Imm(16), p)
	k.Label(string(label("two")))
	k.TESTQ(operand.U32(2), k.tail)
	k.JZ(label("one"))
	k.VMOVLPS(x, at(p, 0))
	k.VMOVHLPS(x, x, x)
	k.ADDQ(operand.Imm(8), p)
	k.Label(string(label("one")))
	k.TESTQ(operand.U32(1), k.tail)
	k.JZ(label("none"))
	k.VMOVSS(x, at(p, 0))
	k.Label(string(label("none")))
}
