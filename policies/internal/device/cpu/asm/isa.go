package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type isa struct {
	name  string // ends the names of functions: matmulAVX2
	lanes int    // float32s in a vector
	cpu   *types.Package
}

var sets = []isa{{name: "AVX2", lanes: 8}, {name: "AVX512", lanes: 16}}

func (set isa) registers() int { return 2 * set.lanes }

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
				if p := reg.ToPhysical(r); r.Kind() == reg.KindVector && int(p.PhysicalIndex()) >= set.registers() {
					return fmt.Errorf("%s needs more than %d vector registers: %s uses %s", f.Name, set.registers(), i.Opcode, r.Asm())
				}
			}
		}
	}
	return nil
}

func (set isa) bytes() int { return 4 * set.lanes }

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

func memoryAt(base reg.Register, bytes int) operand.Mem { return operand.Mem{Base: base, Disp: bytes} }

// indexed is the memory at base + scale*index, displaced by bytes, as memoryAt is that at base.
func indexed(base, index reg.Register, scale, bytes int) operand.Mem {
	if scale == 0 {
		return memoryAt(base, bytes)
	}
	return operand.Mem{Base: base, Index: index, Scale: uint8(scale), Disp: bytes}
}
