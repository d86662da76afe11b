package cpu

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/policies/internal/device"
)

// TestVectorGoldenBits pins the results of every level, of which records are made: a
// change of one of these is a change of every record of a transformer.
func TestVectorGoldenBits(t *testing.T) {
	const rows, d = 5, 64
	for _, row := range []struct {
		name    string
		results []int // which operands are hashed
		run     func(k device.Kernels, s [][]float32)
		want    uint64
	}{
		{"LayerNorm", []int{0, 1, 2}, func(k device.Kernels, s [][]float32) {
			k.LayerNorm(s[0], s[1], s[2], s[3], s[4], s[5], rows, d)
		}, 0xb724650368dd4381},
		{"LayerNormBackward", []int{0, 1, 2}, func(k device.Kernels, s [][]float32) {
			k.LayerNormBackward(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], rows, d)
		}, 0x6901dd30dcb9eb9d},
		{"Gelu", []int{0}, func(k device.Kernels, s [][]float32) { k.Gelu(s[0], s[1]) }, 0x24fcd7978313781d},
		{"GeluBackward", []int{0}, func(k device.Kernels, s [][]float32) { k.GeluBackward(s[0], s[1]) }, 0x2389c622c9ecc672},
		{"Softmax", []int{0}, func(k device.Kernels, s [][]float32) { k.Softmax(s[0], d, rows, 20, 3, 40, 0.25) }, 0x7e1f100a0583babe},
		{"SoftmaxBackward", []int{0}, func(k device.Kernels, s [][]float32) { k.SoftmaxBackward(s[0], s[1], d, rows, 20, 3, 40, 0.25) }, 0x4808a57fdedb5514},
		{"LogSoftmax", []int{0, 1}, func(k device.Kernels, s [][]float32) { k.LogSoftmax(s[0], s[1], s[2], d, rows, 45, 10) }, 0x633e0120a4f304d},
		{"AdamW", []int{0, 2, 3}, func(k device.Kernels, s [][]float32) {
			for i, x := range s[3] {
				s[3][i] = float32(math.Abs(float64(x)))
			}
			k.AdamW(s[0], s[1], s[2], s[3], device.AdamW{Scale: 0.7, Beta1: 0.9, Rest1: 0.1, Beta2: 0.98, Rest2: 0.02, Rate: 2e-3, Root: 3.1, Eps: 1e-8, Decay: 4e-5})
		}, 0xb2c0f7c1c24fab6c},
		{"SumSquares", []int{0}, func(k device.Kernels, s [][]float32) {
			sum := k.SumSquares(s[0])
			s[0][0], s[0][1] = float32(sum), float32(sum-float64(float32(sum)))
		}, 0xc4ca76a1490e423a},
	} {
		for _, level := range Levels() {
			k, err := New(level)
			if err != nil {
				t.Fatal(err)
			}
			// Uniform in [-4, 4) by whole numbers, so that inputs are the same anywhere.
			r := rand.New(rand.NewPCG(19, 20))
			var s [][]float32
			for range 8 {
				x := make([]float32, rows*d)
				for i := range x {
					x[i] = float32(int32(r.Uint32())>>8) * 0x1p-21
				}
				s = append(s, x)
			}
			row.run(k, s)
			hash := fnv.New64a()
			for _, o := range row.results {
				if err := binary.Write(hash, binary.LittleEndian, s[o]); err != nil {
					t.Fatal(err)
				}
			}
			if got := hash.Sum64(); got != row.want {
				t.Errorf("%s by %s: %#x, want %#x", row.name, level, got, row.want)
			}
		}
	}
}
