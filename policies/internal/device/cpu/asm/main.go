// Asm writes the assembly of package cpu:
//
//	go run . -out ..
//
// It is a module of its own, so that the generator does not become a dependency of
// the program. Each kernel is written once for AVX2 and AVX-512, in the instructions that avo has,
// and once for NEON, whose instructions avo only prints.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// parts become a file for each instruction set, with the Go declarations beside it.
var parts = []struct {
	name  string
	write func(*writer)
	neon  func(*neon)
}{
	{"matmul", matmul, neonMatmul},
	{"rows", mulRows, neonMulRows},
	{"add", add, neonAdd},
	{"vector", vector, neonVector},
}

func main() {
	flags := flag.NewFlagSet("asm", flag.ExitOnError) // the common set has an -out of avo's
	out := flags.String("out", "", "`folder` of package cpu, to write to")
	flags.Parse(os.Args[1:])
	if *out == "" || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "asm: want -out and the folder of package cpu, nothing else")
		os.Exit(2)
	}
	if err := generate(*out); err != nil {
		fmt.Fprintln(os.Stderr, "asm:", err)
		os.Exit(1)
	}
}

func generate(out string) error {
	cpu, err := load(filepath.Join(out, "tiles.go"), filepath.Join(out, "vector_constants.go"))
	if err != nil {
		return err
	}
	for _, part := range parts {
		for _, set := range sets {
			set.cpu = cpu
			ctx := build.NewContext()
			if w := (&writer{Context: ctx, isa: set, data: map[string]bool{}}); set.lanes == 4 {
				part.neon(&neon{writer: w})
			} else {
				part.write(w)
			}
			base := filepath.Join(out, part.name+"_"+strings.ToLower(set.name)+"_"+set.processor())
			if err := save(ctx, set, base); err != nil {
				return fmt.Errorf("%s: %w", base, err)
			}
		}
	}
	return nil
}

func save(ctx *build.Context, set isa, base string) error {
	file, err := ctx.Result()
	if err != nil {
		return err
	}
	if err := set.compile(file); err != nil {
		return err
	}
	config := printer.Config{Argv: []string{"go", "generate"}, Pkg: "cpu"}
	for _, to := range []struct {
		ending  string
		printer printer.Printer
	}{{".s", printer.NewGoAsm(config)}, {".go", printer.NewStubs(config)}} {
		text, err := to.printer.Print(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(base+to.ending, bytes.TrimLeft(text, "\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

type isa struct {
	name  string // ends the names of functions: matmulAVX2
	lanes int    // float32s in a vector
	cpu   *types.Package
}

var sets = []isa{{name: "NEON", lanes: 4}, {name: "AVX2", lanes: 8}, {name: "AVX512", lanes: 16}}

func (set isa) processor() string {
	if set.lanes == 4 {
		return "arm64"
	}
	return "amd64"
}

func (set isa) registers() int {
	if set.lanes == 8 {
		return 16
	}
	return 32
}

// compile makes a file ready to be printed. A file for arm64 only needs the header that defines its attributes.
func (set isa) compile(file *ir.File) error {
	if set.lanes == 4 {
		return pass.IncludeTextFlagHeader(file)
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	return set.check(file)
}

// check is an error if a function needs an instruction or a vector register that the set lacks: one short
// of registers is given those from the 17th on, which only AVX-512 has.
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

// load reads types and constants from files of package cpu that import nothing.
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
