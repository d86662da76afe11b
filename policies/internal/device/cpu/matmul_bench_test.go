package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"modebench/policies/internal/device"
)

// BenchmarkMatMul times products m x k x n of the shapes that transformers of 64 and
// 128 columns are made of, of those of attention and of decoding; "t" marks a
// transposed A, as in gradients of weights. best is the fastest of many short
// stretches, which other work on the machine has not slowed down; peak its share of
// BenchmarkPeak, and x-reference how many times as fast as the reference.
func BenchmarkMatMul(b *testing.B) {
	for _, s := range []benchShape{
		{512, 64, 192, false}, {512, 64, 64, false}, {512, 64, 256, false}, {512, 256, 64, false},
		{64, 512, 192, true}, {64, 512, 64, true}, {64, 512, 256, true}, {256, 512, 64, true},
		{512, 128, 384, false}, {512, 128, 512, false}, {512, 512, 128, false},
		{128, 512, 512, true}, {512, 512, 128, true},
		{512, 64, 32, false}, {512, 32, 6, false},
		{32, 64, 16, false}, {32, 16, 64, false}, {60, 60, 16, false}, {60, 16, 60, false},
		{1, 40, 16, false}, {1, 16, 40, false},
		{64, 64, 192, false}, {32, 64, 192, false}, {32, 64, 64, false}, {32, 64, 256, false}, {32, 256, 64, false}, {32, 128, 384, false}, {32, 128, 512, false}, {32, 512, 128, false}, {8, 64, 192, false}, {4, 64, 192, false}, {1, 64, 192, false}, {2, 64, 64, false}, {3, 64, 64, false},
	} {
		b.Run(s.String(), func(b *testing.B) {
			benchmarkLevels(b, func(b *testing.B, k device.Kernels) {
				perCall := 2 * float64(s.m) * float64(s.k) * float64(s.n)
				b.ReportAllocs()
				rate := best(b, perCall, s.product(k, s.m))
				if reportPeak(b, k.Name(), rate) {
					some := min(s.m, 4)
					slow := best(nil, perCall*float64(some)/float64(s.m), s.product(reference{}, some))
					b.ReportMetric(rate/slow, "x-reference")
				}
			})
		})
	}
}

// benchShape is the shape of a product.
type benchShape struct {
	m, k, n    int
	transposed bool
}

func (s benchShape) String() string {
	name := fmt.Sprintf("%dx%dx%d", s.m, s.k, s.n)
	if s.transposed {
		name += "t"
	}
	return name
}

// product makes operands and gives the product of the first rows as a function.
func (s benchShape) product(k device.Kernels, rows int) func() {
	rs, ks := s.k, 1
	if s.transposed {
		rs, ks = 1, s.m
	}
	r := rand.New(rand.NewPCG(1, 2))
	a, dense := make([]float32, s.m*s.k), make([]float32, s.k*s.n)
	fillNormal(a, r)
	fillNormal(dense, r)
	packed := k.NewPacked(s.k, s.n)
	k.Pack(packed, dense, s.n, 1)
	c := make([]float32, s.m*s.n)
	return func() { k.MatMul(c, s.n, a, rs, ks, packed, 0, s.k, rows, s.n, device.Start{}) }
}

// best runs f as often as the benchmark asks, in stretches of about 50 us, and gives
// (and reports, as best-G/s) the rate of the fastest, in billions a second, where one
// call is worth that many. Without a benchmark it runs 20 stretches.
func best(b *testing.B, perCall float64, f func()) float64 {
	start := time.Now()
	f()
	calls := int(max(1, 50*time.Microsecond/max(1, time.Since(start))))
	fastest := time.Duration(1<<63 - 1)
	stretch := func() {
		start := time.Now()
		for range calls {
			f()
		}
		fastest = min(fastest, time.Since(start))
	}
	if b == nil {
		for range 20 {
			stretch()
		}
	} else {
		for b.Loop() {
			stretch()
		}
	}
	rate := perCall * float64(calls) / float64(fastest.Nanoseconds())
	if b != nil {
		b.ReportMetric(rate, "best-G/s")
		b.ReportMetric(0, "ns/op") // of a stretch, which shows nothing
	}
	return rate
}

func BenchmarkPack(b *testing.B) {
	for _, s := range []struct {
		k, n       int
		transposed bool
	}{{512, 64, false}, {512, 256, false}, {64, 192, true}, {256, 64, true}, {16, 60, true}, {60, 16, false}} {
		name, ks, js := fmt.Sprintf("%dx%d", s.k, s.n), s.n, 1
		if s.transposed {
			name, ks, js = name+"t", 1, s.k
		}
		b.Run(name, func(b *testing.B) {
			benchmarkLevels(b, func(b *testing.B, k device.Kernels) {
				p, source := k.NewPacked(s.k, s.n), make([]float32, s.k*s.n)
				best(b, float64(len(source)), func() { k.Pack(p, source, ks, js) })
			})
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	const rows, columns = 512, 64
	dst, x := make([]float32, rows*columns), make([]float32, rows*columns)
	for _, op := range []struct {
		name string
		run  func(device.Kernels)
	}{
		{"Add", func(k device.Kernels) { k.Add(dst, x) }},
		{"Axpy", func(k device.Kernels) { k.Axpy(dst, 0.5, x) }},
		{"Axpy64", func(k device.Kernels) { k.Axpy(dst[:64], 0.5, x) }},
		{"SumRows", func(k device.Kernels) { k.SumRows(dst[:columns], x, rows, columns) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			benchmarkLevels(b, func(b *testing.B, k device.Kernels) {
				n := len(x)
				if op.name == "Axpy64" {
					n = 64
				}
				best(b, float64(n), func() { op.run(k) })
			})
		})
	}
}
