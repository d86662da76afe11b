// Asm writes the assembly of package cpu:
//
//	go run . -out ..
//
// It is a module of its own, so that the generator does not become a dependency of
// the program. Each kernel is written once, for vectors of either width.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// parts are the parts of the assembly: each becomes a file for each instruction set,
// with the Go declarations beside it.
var parts = []struct {
	name  string
	write func(*writer)
}{
	{"matmul", matmul},
	{"rows", mulRows},
	{"add", add},
	{"vector", vector},
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
			part.write(&writer{Context: ctx, isa: set, data: map[string]bool{}})
			base := filepath.Join(out, part.name+"_"+strings.ToLower(set.name)+"_amd64")
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
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	if err := set.check(file); err != nil {
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
