// Package cpu has the kernels of package device for the processor: a plain Go
// implementation, "reference", which defines the bits, and three in assembly, "avx2"
// and "avx512" for amd64 and "neon" for arm64, which give the same bits faster.
//
// Every product that is added to something is a fused multiply-add, rounded once;
// where the processor lacks the instruction, or Go does not reach it, fma32 works
// out the same float32. Sums run in the order that package device lays down, so
// that a level, a size of vector or a block is a matter of speed alone.
//
// The assembly is written by the program in asm, a module of its own.
package cpu

import (
	"fmt"
	"slices"
	"strings"

	"modebench/internal/each"
	"modebench/policies/internal/device"
)

//go:generate go -C asm run . -out ..

// Levels names the implementations that this machine can run, slowest first:
// "reference", then on amd64 "avx2" and "avx512" where the processor and the operating
// system have them, and on arm64 "neon". All give the same bits.
func Levels() []string {
	return each.Map(levels, func(k device.Kernels) string { return k.Name() })
}

// New gives the kernels of a level, or of the fastest one there is for "" and
// "auto". A level that does not exist, or that this machine cannot run, is an error.
func New(name string) (device.Kernels, error) {
	if name == "" || name == "auto" {
		return levels[len(levels)-1], nil
	}
	if i := slices.Index(Levels(), name); i >= 0 {
		return levels[i], nil
	}
	return nil, fmt.Errorf("cpu kernels %q: this machine has auto, %s", name, strings.Join(Levels(), ", "))
}
