package metrics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"modebench/internal/rng"
)

// eigenvalues returns those of a matrix that it leaves alone.
func eigenvalues(t reporter, a []float64, n int) []float64 {
	t.Helper()
	var s spectrum
	values, ok := s.eigenvalues(slices.Clone(a), n)
	if !ok {
		t.Errorf("no eigenvalues")
		return make([]float64, n)
	}
	return values
}

// sameSpectrum compares eigenvalues within a few roundings of the largest.
func sameSpectrum(t reporter, what string, got, want []float64) {
	t.Helper()
	scale := 0.0
	for _, x := range want {
		scale = max(scale, math.Abs(x))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-15*scale*float64(len(want)+3)) {
			t.Errorf("%s: eigenvalue %d of %d: got %.17g, want %.17g (largest %.3g)", what, i, len(want), got[i], want[i], scale)
		}
	}
}

func TestKnownSpectra(t *testing.T) {
	matrix := func(n int, entry func(i, j int) float64) []float64 {
		a := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 { // the lower triangle is all that is read
				a[i*n+j] = entry(i, j)
			}
			for j := i + 1; j < n; j++ {
				a[i*n+j] = math.NaN()
			}
		}
		return a
	}
	values := func(n int, value func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = value(i)
		}
		slices.Sort(out)
		return out
	}
	for _, n := range []int{1, 2, 3, 4, 5, 17, 64} {
		for _, test := range []struct {
			reason string
			entry  func(i, j int) float64
			value  func(i int) float64
		}{
			{"zero", func(i, j int) float64 { return 0 }, func(int) float64 { return 0 }},
			{"diagonal, with signs", func(i, j int) float64 {
				if i == j {
					return float64(3*i - 7)
				}
				return 0
			}, func(i int) float64 { return float64(3*i - 7) }},
			{"all ones: n and zeros", func(i, j int) float64 { return 1 }, func(i int) float64 {
				if i == 0 {
					return float64(n)
				}
				return 0
			}},
			{"one cosine for all pairs", func(i, j int) float64 {
				if i == j {
					return 1
				}
				return 0.25
			}, func(i int) float64 {
				if i == 0 {
					return 1 + 0.25*float64(n-1)
				}
				return 0.75
			}},
			{"second differences of a path", func(i, j int) float64 {
				switch i - j {
				case 0:
					return 2
				case 1:
					return -1
				}
				return 0
			}, func(i int) float64 { return 2 - 2*math.Cos(float64(i+1)*math.Pi/float64(n+1)) }},
			{"min(i, j): inverse of differences with one free end", func(i, j int) float64 { return float64(j + 1) }, func(i int) float64 {
				s := 2 * math.Sin(float64(2*i+1)*math.Pi/float64(4*n+2))
				return 1 / (s * s)
			}},
			{"far apart: a rank-one matrix at 1e-30 of another entry", func(i, j int) float64 {
				if i == 0 && j == 0 {
					return 1
				}
				return 1e-30
			}, func(i int) float64 {
				if i == 0 {
					return 1
				}
				return 0
			}},
			{"nearly diagonal, by entries whose squares have few digits", func(i, j int) float64 {
				if i == j {
					return 1
				}
				return 1e-160 / float64(i+j)
			}, func(int) float64 { return 1 }},
		} {
			sameSpectrum(t, fmt.Sprint(test.reason, ", n = ", n), eigenvalues(t, matrix(n, test.entry), n), values(n, test.value))
		}
	}
}

// TestWilkinsonsMatrix: W21+ (diagonal 10 9 ... 0 ... 9 10, ones beside it) has pairs of
// eigenvalues that agree to 14 digits and no multiple ones.
func TestWilkinsonsMatrix(t *testing.T) {
	const n = 21
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = math.Abs(float64(i - 10))
		if i > 0 {
			a[i*n+i-1] = 1
		}
	}
	got := eigenvalues(t, a, n)
	// The largest pair, published to 12 digits after the point.
	for _, i := range []int{19, 20} {
		near(t, "largest pair", got[i], 10.746194182903, 5e-14)
	}
	sameSpectrum(t, "W21+", got, gonumSpectrum(a, n))
}

// gonumSpectrum leaves entries below 1e-25 out, which move no eigenvalue by as much as
// rounding does: gonum's solver cannot handle blocks of very small numbers.
func gonumSpectrum(a []float64, n int) []float64 {
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			if math.Abs(a[i*n+j]) >= 1e-25 {
				m.SetSym(i, j, a[i*n+j])
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(m, false) {
		return nil
	}
	return eigen.Values(nil)
}

// TestSpectrumAgainstGonum draws matrices with clusters, low ranks and zeros, and holds
// the sums of eigenvalues and of their squares against trace and Frobenius norm.
func TestSpectrumAgainstGonum(t *testing.T) {
	var s spectrum // one for all sizes
	unit := rapid.Map(rapid.IntRange(-1000, 1000), func(x int) float64 { return float64(x) / 1000 })
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 24).Draw(t, "n")
		a := make([]float64, n*n)
		set := func(i, j int, x float64) { a[i*n+j], a[j*n+i] = a[i*n+j]+x, a[i*n+j]+x }
		if rapid.Bool().Draw(t, "low rank") {
			for range rapid.IntRange(1, 3).Draw(t, "rank") {
				v := rapid.SliceOfN(unit, n, n).Draw(t, "v")
				for i := range n {
					for j := range i + 1 {
						set(i, j, v[i]*v[j])
					}
				}
			}
		} else {
			entry := rapid.OneOf(rapid.SampledFrom([]float64{0, 0, 1, -1, 1e-20}), unit)
			for i := range n {
				for j := range i + 1 {
					set(i, j, entry.Draw(t, "entry"))
				}
			}
		}
		want, trace, square := gonumSpectrum(a, n), 0.0, 0.0
		for i := range n {
			trace += a[i*n+i]
			for j := range n {
				square += a[i*n+j] * a[i*n+j]
			}
		}
		got, ok := s.eigenvalues(slices.Clone(a), n)
		if !ok {
			t.Fatal("no eigenvalues")
		}
		sameSpectrum(t, "gonum", got, want)
		if !slices.IsSorted(got) {
			t.Error("the eigenvalues do not ascend")
		}
		sum, squares := 0.0, 0.0
		for _, l := range got {
			sum += l
			squares += l * l
		}
		near(t, "trace", sum, trace, 1e-13*max(1, math.Sqrt(square)))
		near(t, "squared Frobenius norm", squares, square, 1e-13)
	})
}

func TestLargeSpectrum(t *testing.T) {
	for _, n := range []int{100, 257} {
		a := randomKernel(n, n)
		sameSpectrum(t, "random kernel", eigenvalues(t, a, n), gonumSpectrum(a, n))
	}
	// A rank of 5 leaves zeros that never become a mode of their own.
	const n = 200
	got := eigenvalues(t, randomKernel(n, 5), n)
	for _, l := range got[:n-5] {
		if !(math.Abs(l) < 1e-14) {
			t.Errorf("eigenvalue %v of a matrix of rank 5 and trace 1", l)
		}
	}
}

func TestNoSpectrum(t *testing.T) {
	var s spectrum
	if _, ok := s.eigenvalues([]float64{1, 0, 0, math.NaN(), 1, 0, 1, 1, 1}, 3); ok {
		t.Error("a matrix with an entry that is no number has eigenvalues")
	}
}

// randomKernel is K/n of n random embeddings of d entries.
func randomKernel(n, d int) []float64 {
	r := rng.New(9).Rand()
	v := make([]float64, n*d)
	for i := range v {
		v[i] = 2*r.Float64() - 1
	}
	a := make([]float64, n*n)
	for i := range n {
		u := v[i*d : (i+1)*d]
		for j := range n {
			w := v[j*d : (j+1)*d]
			a[i*n+j] = dot(u, w) / math.Sqrt(dot(u, u)*dot(w, w)) / float64(n)
		}
	}
	return a
}

// BenchmarkSpectrum measures the eigenvalues of the kernel of n embeddings.
func BenchmarkSpectrum(b *testing.B) {
	for _, n := range []int{16, 64, 256} {
		var s spectrum
		a, work := randomKernel(n, n), make([]float64, n*n)
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(work, a)
				if _, ok := s.eigenvalues(work, n); !ok {
					b.Fatal("no eigenvalues")
				}
			}
		})
	}
}
