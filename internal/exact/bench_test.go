package exact

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sink stops the compiler from dropping a benchmark's work.
var sink float64

// benchArgs returns 1024 arguments, so that neither the branch predictor nor
// the cache sees a constant.
func benchArgs(lo, hi float64) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	xs := make([]float64, 1024)
	for i := range xs {
		xs[i] = lo + float64((hi-lo)*r.Float64())
	}
	return xs
}

// The loops are written out: a call through a function value would be charged
// to the function. They are throughput, the calls being independent.

func BenchmarkExp(b *testing.B) {
	xs := benchArgs(-20, 20)
	b.Run("exact", func(b *testing.B) {
		var s float64
		for i := range b.N {
			s += Exp(xs[i&1023])
		}
		sink = s
	})
	b.Run("math", func(b *testing.B) {
		var s float64
		for i := range b.N {
			s += math.Exp(xs[i&1023])
		}
		sink = s
	})
}

func BenchmarkLog(b *testing.B) {
	xs := benchArgs(0.01, 100)
	b.Run("exact", func(b *testing.B) {
		var s float64
		for i := range b.N {
			s += Log(xs[i&1023])
		}
		sink = s
	})
	b.Run("math", func(b *testing.B) {
		var s float64
		for i := range b.N {
			s += math.Log(xs[i&1023])
		}
		sink = s
	})
}

func BenchmarkExpm1(b *testing.B) {
	xs := benchArgs(-2, 2)
	b.Run("exact", func(b *testing.B) {
		var s float64
		for i := range b.N {
			s += Expm1(xs[i&1023])
		}
		sink = s
	})
	b.Run("math", func(b *testing.B) {
		var s float64
		for i := range b.N {
			s += math.Expm1(xs[i&1023])
		}
		sink = s
	})
}

func BenchmarkLog1p(b *testing.B) {
	xs := benchArgs(-0.9, 2)
	b.Run("exact", func(b *testing.B) {
		var s float64
		for i := range b.N {
			s += Log1p(xs[i&1023])
		}
		sink = s
	})
	b.Run("math", func(b *testing.B) {
		var s float64
		for i := range b.N {
			s += math.Log1p(xs[i&1023])
		}
		sink = s
	})
}

func BenchmarkSoftmax12(b *testing.B) {
	xs := benchArgs(-5, 5)
	dst := make([]float64, 12)
	for i := range b.N {
		off := i & 63 * 12
		sink = Softmax(dst, xs[off:off+12])
	}
}

// BenchmarkSoftmax12Math is the same loop with the functions of package math,
// for comparison.
func BenchmarkSoftmax12Math(b *testing.B) {
	xs := benchArgs(-5, 5)
	dst := make([]float64, 12)
	for i := range b.N {
		off := i & 63 * 12
		logits := xs[off : off+12]
		m, sum := largest(logits), 0.0
		for j, l := range logits {
			dst[j] = math.Exp(l - m)
			sum += dst[j]
		}
		inv := 1 / sum
		for j := range dst {
			dst[j] *= inv
		}
		sink = m + math.Log(sum)
	}
}

func BenchmarkLogSumExp12(b *testing.B) {
	xs := benchArgs(-5, 5)
	for i := range b.N {
		off := i & 63 * 12
		sink = LogSumExp(xs[off : off+12])
	}
}

func BenchmarkSum12(b *testing.B) {
	xs := benchArgs(-5, 5)
	for i := range b.N {
		off := i & 63 * 12
		sink = Sum(xs[off : off+12])
	}
}
