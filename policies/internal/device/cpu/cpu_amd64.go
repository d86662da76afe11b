package cpu

import (
	"golang.org/x/sys/cpu"

	"modebench/policies/internal/device"
)

// vectors are the kernels in assembly, by the binary logarithm of the number of float32s in a vector.
type vectors uint

const (
	narrow vectors = 3 // AVX2 and fused multiply-adds
	wide   vectors = 4 // AVX-512 (F, VL, DQ and BW)
)

func (w vectors) Name() string { return pick(w, "avx2", "avx512") }

// levels are the implementations that this machine can run, slowest first. Package
// cpu asks the processor, and whether the operating system keeps the registers.
var levels = available(cpu.X86.HasAVX2 && cpu.X86.HasFMA,
	cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW)

func available(hasAVX2, hasAVX512 bool) []device.Kernels {
	all := []device.Kernels{reference{}}
	if hasAVX2 {
		all = append(all, narrow)
	}
	if hasAVX2 && hasAVX512 {
		all = append(all, wide)
	}
	return all
}
