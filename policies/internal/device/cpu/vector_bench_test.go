package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"modebench/policies/internal/device"
)

// vectorOp is an operation to time, on rows of n elements.
type vectorOp struct {
	name    string
	rows, n int
	moved   float64 // float32s read or written per element
	run     func(k device.Kernels, s [][]float32, rows, n int)
}

var vectorOps = func() (all []vectorOp) {
	for _, n := range []int{32, 64, 128} {
		all = append(all, vectorOp{"LayerNorm", 512, n, 2, func(k device.Kernels, s [][]float32, rows, n int) {
			k.LayerNorm(s[0], s[1], s[2], s[3], s[4], s[5], rows, n)
		}}, vectorOp{"LayerNormBackward", 512, n, 4, func(k device.Kernels, s [][]float32, rows, n int) {
			k.LayerNormBackward(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], rows, n)
		}})
	}
	for _, n := range []int{128, 512 * 256} {
		all = append(all, vectorOp{"Gelu", 1, n, 2, func(k device.Kernels, s [][]float32, rows, n int) {
			k.Gelu(s[0], s[1])
		}}, vectorOp{"GeluBackward", 1, n, 3, func(k device.Kernels, s [][]float32, rows, n int) {
			k.GeluBackward(s[0], s[1])
		}}, vectorOp{"AdamW", 1, n, 7, func(k device.Kernels, s [][]float32, rows, n int) {
			k.AdamW(s[0], s[1], s[2], s[3], device.AdamW{Scale: 1, Beta1: 0.9, Rest1: 0.1, Beta2: 0.98, Rest2: 0.02, Rate: 1e-3, Root: 1, Eps: 1e-8, Decay: 1e-4})
		}}, vectorOp{"SumSquares", 1, n, 1, func(k device.Kernels, s [][]float32, rows, n int) {
			k.SumSquares(s[0])
		}})
	}
	for _, shape := range [][2]int{{1, 16}, {1, 40}, {32, 16}, {32, 32}, {64, 35}, {64, 64}, {64, 100}} {
		all = append(all, vectorOp{"Softmax", shape[0], shape[1], 2, func(k device.Kernels, s [][]float32, rows, n int) {
			k.Softmax(s[0], n, rows, n, 0, n, 1)
		}}, vectorOp{"SoftmaxBackward", shape[0], shape[1], 3, func(k device.Kernels, s [][]float32, rows, n int) {
			k.SoftmaxBackward(s[0], s[1], n, rows, n, 0, n, 1)
		}})
	}
	all = append(all, vectorOp{"SoftmaxCausal", 32, 64, 2, func(k device.Kernels, s [][]float32, rows, n int) {
		k.Softmax(s[0], n, rows, n-rows+1, 1, n, 1)
	}})
	for _, n := range []int{6, 11, 32, 64} {
		all = append(all, vectorOp{"LogSoftmax", 512, n, 3, func(k device.Kernels, s [][]float32, rows, n int) {
			k.LogSoftmax(s[0], s[1], s[2], n, rows, n, 1)
		}})
	}
	return all
}()

// BenchmarkVector times the operations on rows and elements. best-G/s counts
// elements; ns/element is the same, turned over; x-reference is how many times as
// fast as the reference it is, and copies how many copies of as many bytes as it must
// read and write would take as long.
func BenchmarkVector(b *testing.B) {
	for _, op := range vectorOps {
		b.Run(fmt.Sprintf("%s/%dx%d", op.name, op.rows, op.n), func(b *testing.B) {
			benchmarkLevels(b, func(b *testing.B, k device.Kernels) {
				elements := float64(op.rows * op.n)
				operands := op.operands()
				rate := best(b, elements, func() { op.run(k, operands, op.rows, op.n) })
				b.ReportMetric(1/rate, "ns/element")
				if k.Name() == "reference" {
					return
				}
				few := max(1, min(op.rows, 8))
				slow := best(nil, float64(few*op.n), func() { op.run(reference{}, operands, few, op.n) })
				b.ReportMetric(rate/slow, "x-reference")
				bytes := make([]float32, int(elements*op.moved/2))
				to := make([]float32, len(bytes))
				b.ReportMetric(best(nil, elements, func() { copy(to, bytes) })/rate, "copies")
			})
		})
	}
}

// operands are numbers on which an operation may run again and again: its results,
// if it works in place, neither grow nor fade.
func (op vectorOp) operands() [][]float32 {
	r := rand.New(rand.NewPCG(1, 2))
	var all [][]float32
	for range 8 {
		s := make([]float32, op.rows*max(op.n, 1))
		fillNormal(s, r)
		all = append(all, s)
	}
	for i := range all[1] {
		switch op.name {
		case "GeluBackward":
			all[1][i] = 10 + all[1][i]
		case "SoftmaxBackward":
			all[1][i] = 1
		}
	}
	return all
}
