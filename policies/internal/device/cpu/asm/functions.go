package main

import "fmt"

// functions are the functions of package cpu that the assembly implements for each instruction set:
// their arguments (and result), and the comment behind their name.
var functions = map[string]struct{ arguments, doc string }{
	"matmul":  {"t *tile", "runs a tile through the micro-kernel that it names."},
	"mulRows": {"t *rowTile", "runs a tile of at least one term through the micro-kernel that it names."},

	"add":     {"dst, src *float32, n int", "adds n elements of src to dst."},
	"axpy":    {"dst, x *float32, n int, a float32", "adds a times n elements of x to dst, fused."},
	"sumRows": {"dst, x *float32, rows, columns int", "adds rows of x, at least one, to dst."},
	"copyRows": {"dst *float32, dstStride int, src *float32, srcStride, n int",
		"copies a vector from each of n rows of src, at least one, to those of\n// dst. Strides are in bytes."},
	"copyPanels": {"dst *float32, panel int, src *float32, srcStride, n, panels int",
		"copies n rows of src, at least one, to 1, 2 or 4 panels.\n// Distances are in bytes."},
	"transpose": {"dst *float32, dstStride int, src *float32, srcStride, n int",
		"copies n squares of 8 x 8, side by side in the rows of\n// src, transposed to dst, one below the other. Strides are in bytes."},
	"peak": {"n int", fmt.Sprintf("makes n times %d fused multiply-adds of vectors, none waiting for\n// another of its round: as many as the processor can.", peakSums)},

	"gelu":         {"y, x *float32, n int", "is Gelu of n elements."},
	"geluBackward": {"dx, x *float32, n int", "is GeluBackward of n elements."},
	"adamW": {"p, gradient, m, v *float32, n int, scale, beta1, rest1, beta2, rest2, rate, root, eps, decay float32",
		"is AdamW of n parameters."},
	"sumSquares": {"x *float32, n int) (sum float32", "is the row sum of the squares of n elements."},
	"layerNorm": {"y, mean, rstd, x, gain, bias *float32, rows, d int, inverse float32",
		"is LayerNorm of at least one row; inverse is 1/d."},
	"layerNormBackward": {"dx, dgain, dbias, dy, x, mean, rstd, gain *float32, rows, d int, inverse float32",
		"is LayerNormBackward of at least one row; inverse is 1/d."},
	"softmax":    {"s *float32, ld, rows, length, step, width int, scale float32", "is Softmax of at least one row."},
	"logSoftmax": {"p, logp, z *float32, ld, rows, n int, scale float32", "is LogSoftmax of at least one row."},
	"softmaxBackward": {"ds, s *float32, ld, rows, length, step, width int, scale float32",
		"is SoftmaxBackward of at least one row."},
}

// peakSums is the number of sums that the loop of the machine's peak has under way.
const peakSums = 12
