// Package cpu has the kernels of package device for the processor: a plain Go
// implementation, "reference", which defines the bits, and two in assembly, "avx2"
// and "avx512", which give the same bits faster.
//
// Every product that is added to something is a fused multiply-add, rounded once;
// where the processor lacks the instruction, or Go does not reach it, fma32 works
// out the same float32. Sums run in the order that package device lays down, so
// that a level, a size of vector or a block is a matter of speed alone.
//
// The assembly is written by the program in asm, a module of its own.
package cpu

//go:generate go -C asm run . -out ..
