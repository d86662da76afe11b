package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/policies/internal/device"
)

// TestAddEqualsReference holds Add, Axpy and SumRows to the reference, which in turn
// TestAddReference holds the kernels to their meaning.
func TestAddEqualsReference(t *testing.T) {
	forLevels(t, func(t *testing.T, k device.Kernels) {
		r := rand.New(rand.NewPCG(1, 1))
		for n := range 200 {
			for _, fill := range []func([]float32, *rand.Rand){fillNormal, fillNasty} {
				x, dst := make([]float32, 3*n), make([]float32, n)
				fill(x, r)
				fill(dst, r)
				factor := []float32{0}
				fill(factor, r)
				for _, op := range []struct {
					name string
					run  func(k device.Kernels, dst []float32)
				}{
					{"Add", func(k device.Kernels, dst []float32) { k.Add(dst, x[:n]) }},
					{"Axpy", func(k device.Kernels, dst []float32) { k.Axpy(dst, factor[0], x[:n]) }},
					{"SumRows", func(k device.Kernels, dst []float32) { k.SumRows(dst, x, 3, n) }},
					{"SumRows of none", func(k device.Kernels, dst []float32) { k.SumRows(dst, nil, 0, n) }},
				} {
					what := fmt.Sprintf("%s of %d", op.name, n)
					got, want := newGuard(n), append([]float32(nil), dst...)
					copy(got.data, dst)
					op.run(k, got.data)
					op.run(reference{}, want)
					got.check(t, what)
					sameBits(t, what, got.data, want)
				}
			}
		}
	})
}

// TestAddReference works out a few sums by hand.
func TestAddReference(t *testing.T) {
	for _, name := range Levels() {
		k, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		dst := []float32{1, 2, -3}
		k.Add(dst, []float32{10, 20, 30, 40})
		sameBits(t, name+" Add", dst, []float32{11, 22, 27})
		dst = []float32{-1, 2, 3}
		k.Axpy(dst, 1+0x1p-12, []float32{1 - 0x1p-12, 0.5, 0})
		sameBits(t, name+" Axpy, rounded once", dst, []float32{-0x1p-24, 2.5 + 0x1p-13, 3})
		dst = []float32{0x1p24, 1}
		k.SumRows(dst, []float32{1, 2, 1, 3, -0x1p24, 4}, 3, 2)
		sameBits(t, name+" SumRows, in order", dst, []float32{0, 10})
		for reason, call := range map[string]func(){
			"Add of a short src":       func() { k.Add(dst, dst[:1]) },
			"Axpy of a short x":        func() { k.Axpy(dst, 1, dst[:1]) },
			"SumRows of a short x":     func() { k.SumRows(dst, make([]float32, 5), 3, 2) },
			"SumRows into a short dst": func() { k.SumRows(dst[:1], make([]float32, 6), 3, 2) },
		} {
			before := math.Float32bits(dst[0])
			panics(t, name+": "+reason, call)
			if math.Float32bits(dst[0]) != before {
				t.Errorf("%s: %s: dst was written before the panic", name, reason)
			}
		}
	}
}
