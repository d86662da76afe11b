package cpu

import (
	"golang.org/x/sys/cpu"

	"modebench/policies/internal/device"
)

// avx2 needs AVX2 and fused multiply-adds.
var avx2 = vectors{
	name: "avx2", width: 3, depth: 256, rows: 6, // 16 KiB of a panel
	add: addAVX2, axpy: axpyAVX2, sumRows: sumRowsAVX2,
	copyRows: copyRowsAVX2, copyPanels: copyPanelsAVX2, transpose: transposeAVX2,
	gelu: geluAVX2, geluBackward: geluBackwardAVX2, adamW: adamWAVX2, sumSquares: sumSquaresAVX2,
	layerNorm: layerNormAVX2, layerNormBackward: layerNormBackwardAVX2,
	softmax: softmaxAVX2, softmaxBackward: softmaxBackwardAVX2, logSoftmax: logSoftmaxAVX2,
}

// avx512 needs AVX-512 (F, VL, DQ and BW).
var avx512 = vectors{
	name: "avx512", width: 4, depth: 192, rows: 12, narrower: &avx2, // 24 KiB of a panel
	add: addAVX512, axpy: axpyAVX512, sumRows: sumRowsAVX512,
	copyRows: copyRowsAVX512, copyPanels: copyPanelsAVX512, transpose: transposeAVX2,
	gelu: geluAVX512, geluBackward: geluBackwardAVX512, adamW: adamWAVX512, sumSquares: sumSquaresAVX512,
	layerNorm: layerNormAVX512, layerNormBackward: layerNormBackwardAVX512,
	softmax: softmaxAVX512, softmaxBackward: softmaxBackwardAVX512, logSoftmax: logSoftmaxAVX512,
}

func (w *vectors) run(t *tile) {
	if w == &avx512 {
		matmulAVX512(t)
	} else {
		matmulAVX2(t)
	}
}

func (w *vectors) runRows(t *rowTile) {
	if w == &avx512 {
		mulRowsAVX512(t)
	} else {
		mulRowsAVX2(t)
	}
}

// levels are the implementations that this machine can run, slowest first. Package
// cpu asks the processor, and whether the operating system keeps the registers.
var levels = available(cpu.X86.HasAVX2 && cpu.X86.HasFMA,
	cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW)

func available(hasAVX2, hasAVX512 bool) []device.Kernels {
	all := []device.Kernels{reference{}}
	if hasAVX2 {
		all = append(all, &avx2)
	}
	if hasAVX2 && hasAVX512 {
		all = append(all, &avx512)
	}
	return all
}
