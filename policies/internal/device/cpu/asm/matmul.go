package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unroll is the number of steps along k between two jumps.
const unroll = 4

// A micro-kernel keeps rows x vectors sums in registers and walks along k. shape is
// one size of it.
type shape struct{ rows, vectors int }

// key is the field kernel of a tile of that shape.
func (s shape) key() int { return s.rows<<8 | s.vectors }

// label is a label of the kernel of that shape.
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
		case 2*rows+4 <= set.registers:
			vectors = 2
		}
		for v := 1; v <= vectors; v++ {
			all = append(all, shape{rows, v})
		}
	}
	return all
}

// matmul writes the function that runs a tile through its micro-kernel.
func matmul(ctx *build.Context, set isa) {
	set.function(ctx, "matmul", "t *tile", "runs a tile through the micro-kernel that it names.")
	all := shapes(set)
	choose(ctx, field(ctx, "kernel"), all)
	for _, s := range all {
		newKernel(ctx, set, s).write()
	}
	ctx.Label("done")
	done(ctx)
	if set.lanes == 8 {
		maskTable(ctx, set)
	}
}

// field loads a field of the tile into a new register.
func field(ctx *build.Context, name string) reg.GPVirtual {
	r := ctx.GP64()
	ctx.Load(ctx.Dereference(ctx.Param("t")).Field(name), r)
	return r
}

// choose jumps to the kernel of a key, by halving.
func choose(ctx *build.Context, key reg.GPVirtual, all []shape) {
	if len(all) == 1 {
		ctx.JMP(operand.LabelRef(all[0].label("kernel")))
		return
	}
	half := len(all) / 2
	upper := all[half].label("from")
	ctx.CMPQ(key, operand.U32(all[half].key()))
	ctx.JGE(operand.LabelRef(upper))
	choose(ctx, key, all[:half])
	ctx.Label(upper)
	choose(ctx, key, all[half:])
}
