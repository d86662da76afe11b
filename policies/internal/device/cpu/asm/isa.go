package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set to write kernels for.
type isa struct {
	name      string // ends the names of functions: matmulAVX2
	file      string // in the names of files: matmul_avx2_amd64.s
	lanes     int    // float32s in a vector
	registers int    // of vectors
	cpu       *types.Package
}

var sets = []isa{
	{name: "AVX2", file: "avx2", lanes: 8, registers: 16},
	{name: "AVX512", file: "avx512", lanes: 16, registers: 32},
}

// check is an error where a function needs more than the instruction set has: an
// instruction, or vectors beyond the last register. A function short of registers is
// given those from the 17th on, which only AVX-512 has, whatever its instructions are.
func (set isa) check(file *ir.File) error {
	for _, f := range file.Functions() {
		for _, need := range f.ISA {
			if set.lanes == 8 && strings.HasPrefix(need, "AVX512") {
				return fmt.Errorf("%s needs %s", f.Name, need)
			}
		}
		for _, i := range f.Instructions() {
			for _, r := range i.Registers() {
				if p := reg.ToPhysical(r); r.Kind() == reg.KindVector && int(p.PhysicalIndex()) >= set.registers {
					return fmt.Errorf("%s needs more than %d vector registers: %s uses %s", f.Name, set.registers, i.Opcode, r.Asm())
				}
			}
		}
	}
	return nil
}

// bytes is the size of a vector.
func (set isa) bytes() int { return 4 * set.lanes }

// vector gives a new vector register.
func (set isa) vector(ctx *build.Context) reg.VecVirtual {
	if set.lanes == 16 {
		return ctx.ZMM()
	}
	return ctx.YMM()
}

// zero sets a vector to zero. The form with the least demands: a bitwise one for wide vectors,
// since that of floats is a separate extension.
func (set isa) zero(ctx *build.Context, v reg.Register) {
	if set.lanes == 16 {
		ctx.VPXORD(v, v, v)
	} else {
		ctx.VXORPS(v, v, v)
	}
}

// function starts a function of package cpu whose name ends in that of the
// instruction set. Its arguments are not kept, so they may lie on the stack.
func (set isa) function(ctx *build.Context, name, arguments, doc string) {
	ctx.Function(name + set.name)
	ctx.Pragma("noescape")
	ctx.Doc(name + set.name + " " + doc)
	signature, err := gotypes.ParseSignatureInPackage(set.cpu, "func("+arguments+")")
	if err != nil {
		panic(err) // a mistake in this program
	}
	ctx.Signature(signature)
}

// done ends a function. The upper halves of the registers are cleared: SSE
// instructions after dirty ones are slow.
func done(ctx *build.Context) {
	ctx.VZEROUPPER()
	ctx.RET()
}

// argument loads an argument into a new register.
func argument(ctx *build.Context, name string) reg.GPVirtual {
	r := ctx.GP64()
	ctx.Load(ctx.Param(name), r)
	return r
}

// load reads the types that arguments may have, and constants, from files of package
// cpu that import nothing.
func load(paths ...string) (*types.Package, error) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return new(types.Config).Check("cpu", set, files, nil)
}

// at is the memory at a register, displaced by bytes.
func at(base reg.Register, bytes int) operand.Mem { return operand.Mem{Base: base, Disp: bytes} }

// indexed is the memory at base + scale*index, displaced by bytes.
func indexed(base, index reg.Register, scale, bytes int) operand.Mem {
	if scale == 0 {
		return at(base, bytes)
	}
	return operand.Mem{Base: base, Index: index, Scale: uint8(scale), Disp: bytes}
}
