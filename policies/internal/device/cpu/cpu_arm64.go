package cpu

import "modebench/policies/internal/device"

// neon needs nothing that an arm64 could lack.
var neon = vectors{
	name: "neon", width: 2, depth: 512, rows: 12, // 16 KiB of a panel
	add: addNEON, axpy: axpyNEON, sumRows: sumRowsNEON,
	copyRows: copyRowsNEON, copyPanels: copyPanelsNEON, transpose: transposeNEON,
	gelu: geluNEON, geluBackward: geluBackwardNEON, adamW: adamWNEON, sumSquares: sumSquaresNEON,
	layerNorm: layerNormNEON, layerNormBackward: layerNormBackwardNEON,
	softmax: softmaxNEON, softmaxBackward: softmaxBackwardNEON, logSoftmax: logSoftmaxNEON,
}

func (w *vectors) run(t *tile) { matmulNEON(t) }

func (w *vectors) runRows(t *rowTile) { mulRowsNEON(t) }

var levels = []device.Kernels{reference{}, &neon}
