package cpu

import "golang.org/x/sys/cpu"

// avx2 is the implementation for processors with AVX2 and fused multiply-adds,
// avx512 that for those with AVX-512 (F, VL, DQ and BW).
type (
	avx2   struct{}
	avx512 struct{}
)

// Name is "avx2".
func (avx2) Name() string { return "avx2" }

// Name is "avx512".
func (avx512) Name() string { return "avx512" }

// levels are the implementations that this machine can run, slowest first. Package
// cpu asks the processor, and whether the operating system keeps the registers.
var levels = available(cpu.X86.HasAVX2 && cpu.X86.HasFMA,
	cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW)

func available(hasAVX2, hasAVX512 bool) []level {
	all := []level{{"reference", reference{}}}
	if hasAVX2 {
		all = append(all, level{"avx2", avx2{}})
	}
	if hasAVX2 && hasAVX512 {
		all = append(all, level{"avx512", avx512{}})
	}
	return all
}
