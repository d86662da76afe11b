package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/policies/internal/device"
)

// fillers are the kinds of numbers that levels are compared on.
var fillers = map[string]func(s []float32, r *rand.Rand){
	"normal": fillNormal,
	"nasty": func(s []float32, r *rand.Rand) {
		fillNasty(s, r)
		if len(s) > 0 && r.IntN(8) == 0 {
			s[r.IntN(len(s))] = float32(math.NaN())
		}
	},
}

// sameAsReference runs an operation on the level's kernels and on the reference, each
// on copies of the operands between guards, and holds one to the other: all operands
// afterwards and the result of the operation.
func sameAsReference(t *testing.T, k device.Kernels, what string, operands [][]float32, run func(k device.Kernels, operands [][]float32) float64) {
	t.Helper()
	var results [2][][]float32
	var returned [2]float64
	for i, k := range []device.Kernels{reference{}, k} {
		var guards []guard
		for _, operand := range operands {
			g := newGuard(len(operand))
			copy(g.data, operand)
			guards = append(guards, g)
			results[i] = append(results[i], g.data)
		}
		returned[i] = run(k, results[i])
		for o, g := range guards {
			g.check(t, fmt.Sprintf("%s by %s, operand %d", what, k.Name(), o))
		}
	}
	for o := range operands {
		sameBits(t, fmt.Sprintf("%s, operand %d", what, o), results[1][o], results[0][o])
	}
	if math.Float64bits(returned[0]) != math.Float64bits(returned[1]) && (returned[0] == returned[0] || returned[1] == returned[1]) {
		t.Fatalf("%s: %g, want %g", what, returned[1], returned[0])
	}
}

// forCases runs a test for each level and kind of numbers, with a source of its own.
func forCases(t *testing.T, test func(t *testing.T, k device.Kernels, fill func(...int) [][]float32, r *rand.Rand)) {
	forLevels(t, func(t *testing.T, k device.Kernels) {
		for _, kind := range []string{"normal", "nasty"} {
			t.Run(kind, func(t *testing.T) {
				r := rand.New(rand.NewPCG(5, 6))
				test(t, k, func(sizes ...int) [][]float32 {
					var all [][]float32
					for _, n := range sizes {
						s := make([]float32, n)
						fillers[kind](s, r)
						all = append(all, s)
					}
					return all
				}, r)
			})
		}
	})
}

func TestElementsSameBits(t *testing.T) {
	by := device.AdamW{Scale: 0.7, Beta1: 0.9, Rest1: 0.1, Beta2: 0.98, Rest2: 0.02, Rate: 2e-3, Root: 3.1, Eps: 1e-8, Decay: 4e-5}
	forCases(t, func(t *testing.T, k device.Kernels, fill func(...int) [][]float32, r *rand.Rand) {
		for n := range 140 {
			sameAsReference(t, k, fmt.Sprintf("Gelu of %d", n), fill(n, n), func(k device.Kernels, s [][]float32) float64 {
				k.Gelu(s[0], s[1])
				k.Gelu(s[1], s[1]) // in place
				return 0
			})
			sameAsReference(t, k, fmt.Sprintf("GeluBackward of %d", n), fill(n, n), func(k device.Kernels, s [][]float32) float64 {
				k.GeluBackward(s[0], s[1])
				return 0
			})
			sameAsReference(t, k, fmt.Sprintf("AdamW of %d", n), fill(n, n, n, n), func(k device.Kernels, s [][]float32) float64 {
				for i, v := range s[3] {
					s[3][i] = float32(math.Abs(float64(v))) // as a mean of squares is
				}
				k.AdamW(s[0], s[1], s[2], s[3], by)
				return 0
			})
		}
		for n := 0; n < 4200; n += 1 + r.IntN(60) {
			sameAsReference(t, k, fmt.Sprintf("SumSquares of %d", n), fill(n), func(k device.Kernels, s [][]float32) float64 {
				return k.SumSquares(s[0])
			})
		}
	})
}

// sweep lists float32s of all exponents and of both signs, n of each.
func sweep(n int) []float32 {
	r := rand.New(rand.NewPCG(7, 8))
	var all []float32
	for high := range uint32(1 << 9) {
		for range n {
			if x := math.Float32frombits(high<<23 | r.Uint32()>>9); x-x == 0 {
				all = append(all, x)
			}
		}
	}
	return all
}

// TestElementsSweep compares levels over all exponents, and densely where the
// functions bend.
func TestElementsSweep(t *testing.T) {
	xs := sweep(20)
	for x := -10.; x < 10; x += 0.001 {
		xs = append(xs, float32(x))
	}
	forLevels(t, func(t *testing.T, k device.Kernels) {
		ones := slices.Repeat([]float32{1}, len(xs))
		sameAsReference(t, k, "Gelu", [][]float32{ones, xs}, func(k device.Kernels, s [][]float32) float64 {
			k.Gelu(s[0], s[1])
			return 0
		})
		sameAsReference(t, k, "GeluBackward", [][]float32{ones, xs}, func(k device.Kernels, s [][]float32) float64 {
			k.GeluBackward(s[0], s[1])
			return 0
		})
		// exp and log over their whole range: rows of two, of which one entry is zero.
		var z []float32
		for _, x := range xs {
			z = append(z, 0, -float32(math.Abs(float64(x))))
		}
		sameAsReference(t, k, "LogSoftmax", [][]float32{z, z, z}, func(k device.Kernels, s [][]float32) float64 {
			k.LogSoftmax(s[0], s[1], s[2], 2, len(xs), 2, 1)
			return 0
		})
	})
}

// gelu and its derivative in float64.
func gelu(x float64) float64 {
	u := 2 * math.Sqrt(2/math.Pi) * x * (1 + 0.044715*x*x)
	return x / (1 + math.Exp(-u))
}

func geluSlopeAt(x float64) float64 {
	u := 2 * math.Sqrt(2/math.Pi) * x * (1 + 0.044715*x*x)
	du := 2 * math.Sqrt(2/math.Pi) * (1 + 3*0.044715*x*x)
	s := 1 / (1 + math.Exp(-u))
	return s * (1 + x*du/(1+math.Exp(u)))
}

func TestGeluError(t *testing.T) {
	var k reference
	var right, left, slopes, differences float64
	for x := float32(-9); x < 9; x += 0x1p-12 {
		y, dx := []float32{0}, []float32{1}
		k.Gelu(y, []float32{x})
		k.GeluBackward(dx, []float32{x})
		switch e := ulps(y[0], gelu(float64(x))); {
		case x > 0:
			right = max(right, e)
		case x < 0:
			u := 2 * math.Sqrt(2/math.Pi) * float64(x) * (1 + 0.044715*float64(x)*float64(x))
			left = max(left, e/(1-u))
		}
		slopes = max(slopes, math.Abs(float64(dx[0])-geluSlopeAt(float64(x))))
		const h = 1e-5
		differences = max(differences, math.Abs(float64(dx[0])-(gelu(float64(x)+h)-gelu(float64(x)-h))/(2*h)))
	}
	for _, row := range []struct {
		what       string
		got, limit float64
	}{
		{"ulps of the value at x > 0", right, 2.5},
		// Rounding of its coefficients, square, fma and product makes the exponent
		// -u uncertain by up to 3.5 u 2^-24, and it goes up to 66.
		{"ulps of the value at x < 0, by 1 - u", left, 3.5},
		{"error of the derivative", slopes, 3e-7},
		{"derivative against central differences", differences, 3e-7},
	} {
		t.Logf("%s: %.3g", row.what, row.got)
		if !(row.got <= row.limit) {
			t.Errorf("%s: %.3g, want at most %g", row.what, row.got, row.limit)
		}
	}
}

// TestGeluExtremes: beyond its bounds the function is its argument or nothing, and
// the derivative 1 or nothing, whatever the argument.
func TestGeluExtremes(t *testing.T) {
	var k reference
	for _, size := range []float32{9, 10, 100, 1e10, 1e30, math.MaxFloat32, float32(math.Inf(1))} {
		y, dx := make([]float32, 2), []float32{1, 1}
		k.Gelu(y, []float32{size, -size})
		k.GeluBackward(dx, []float32{size, -size})
		if y[0] != size || !(math.Abs(float64(y[1])) < 2e-28) || dx[0] != 1 || !(math.Abs(float64(dx[1])) < 3e-26) {
			t.Errorf("Gelu(+-%g) = %g, derivative %g", size, y, dx)
		}
	}
	zeros := []float32{0, float32(math.Copysign(0, -1))}
	k.Gelu(zeros, zeros)
	sameBits(t, "Gelu of zeros", zeros, []float32{0, float32(math.Copysign(0, -1))})
}

func TestAdamWError(t *testing.T) {
	var k reference
	r := rand.New(rand.NewPCG(9, 10))
	const n = 500
	p, m, v, g := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	p64, m64, v64 := make([]float64, n), make([]float64, n), make([]float64, n)
	fillNormal(p, r)
	for i := range p {
		p64[i] = float64(p[i])
	}
	const beta1, beta2, lr, eps, decay, clip = 0.9, 0.98, 1e-2, 1e-8, 0.02, 0.5
	for step := 1.; step <= 20; step++ {
		fillNormal(g, r)
		k.AdamW(p, g, m, v, device.AdamW{Scale: clip, Beta1: beta1, Rest1: 1 - beta1, Beta2: beta2, Rest2: 1 - beta2,
			Rate: float32(lr / (1 - math.Pow(beta1, step))), Root: float32(1 / math.Sqrt(1-math.Pow(beta2, step))), Eps: eps, Decay: lr * decay})
		// As in the paper: with bias corrections, and decay of the parameter before the step.
		for i := range p64 {
			grad := clip * float64(g[i])
			m64[i] = beta1*m64[i] + (1-beta1)*grad
			v64[i] = beta2*v64[i] + (1-beta2)*grad*grad
			mHat, vHat := m64[i]/(1-math.Pow(beta1, step)), v64[i]/(1-math.Pow(beta2, step))
			p64[i] -= lr * (mHat/(math.Sqrt(vHat)+eps) + decay*p64[i])
		}
	}
	var worst float64
	for i := range p {
		worst = max(worst, math.Abs(float64(p[i])-p64[i]))
	}
	t.Logf("after 20 steps off by at most %.2g", worst)
	if !(worst <= 3e-6) { // 20 roundings of numbers about 1, 6e-8 each, and of the steps
		t.Errorf("after 20 steps off by %g", worst)
	}
}

func TestSumSquaresError(t *testing.T) {
	var k reference
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 31, 1024, 1025, 100_000} {
		x := make([]float32, n)
		fillNormal(x, r)
		var want float64
		for _, x := range x {
			want += float64(x) * float64(x)
		}
		// A lane adds 32 numbers and the fold 5 more: 37 roundings at most.
		if got := k.SumSquares(x); !(math.Abs(got-want) <= 37*0x1p-24*want) {
			t.Errorf("SumSquares of %d = %v, want %v", n, got, want)
		}
	}
	// Each block of 1024 is rounded to float32, the sum of them is not.
	x := make([]float32, 2048)
	x[0], x[1024], x[1025] = 1<<13, 1, 0x1p-10
	if got := k.SumSquares(x); got != 1<<26+1+0x1p-20 {
		t.Errorf("two blocks: %v", got)
	}
}

// TestVectorPanics: a slice that is too short panics before anything is written.
func TestVectorPanics(t *testing.T) {
	full, short := make([]float32, 64), make([]float32, 63, 64)
	calls := map[string]func(k device.Kernels, s []float32){
		"Gelu":                      func(k device.Kernels, s []float32) { k.Gelu(full, s) },
		"GeluBackward":              func(k device.Kernels, s []float32) { k.GeluBackward(full, s) },
		"AdamW g":                   func(k device.Kernels, s []float32) { k.AdamW(full, s, full, full, device.AdamW{}) },
		"AdamW m":                   func(k device.Kernels, s []float32) { k.AdamW(full, full, s, full, device.AdamW{}) },
		"AdamW v":                   func(k device.Kernels, s []float32) { k.AdamW(full, full, full, s, device.AdamW{}) },
		"Softmax":                   func(k device.Kernels, s []float32) { k.Softmax(s, 32, 2, 20, 1, 32, 1) },
		"SoftmaxBackward ds":        func(k device.Kernels, s []float32) { k.SoftmaxBackward(s, full, 32, 2, 20, 1, 32, 1) },
		"SoftmaxBackward s":         func(k device.Kernels, s []float32) { k.SoftmaxBackward(full, s, 32, 2, 20, 1, 32, 1) },
		"LogSoftmax p":              func(k device.Kernels, s []float32) { k.LogSoftmax(s, full, full, 32, 2, 32, 1) },
		"LogSoftmax logp":           func(k device.Kernels, s []float32) { k.LogSoftmax(full, s, full, 32, 2, 32, 1) },
		"LogSoftmax z":              func(k device.Kernels, s []float32) { k.LogSoftmax(full, full, s, 32, 2, 32, 1) },
		"LayerNorm y":               func(k device.Kernels, s []float32) { k.LayerNorm(s, full, full, full, full, full, 2, 32) },
		"LayerNorm x":               func(k device.Kernels, s []float32) { k.LayerNorm(full, full, full, s, full, full, 2, 32) },
		"LayerNorm gain":            func(k device.Kernels, s []float32) { k.LayerNorm(full, full, full, full, s, full, 1, 64) },
		"LayerNorm bias":            func(k device.Kernels, s []float32) { k.LayerNorm(full, full, full, full, full, s, 1, 64) },
		"LayerNorm mean":            func(k device.Kernels, s []float32) { k.LayerNorm(full, s[:1], full, full, full, full, 2, 32) },
		"LayerNorm rstd":            func(k device.Kernels, s []float32) { k.LayerNorm(full, full, s[:1], full, full, full, 2, 32) },
		"LayerNorm, 48 columns":     func(k device.Kernels, s []float32) { k.LayerNorm(full, full, full, full, full, full, 1, 48) },
		"more entries than columns": func(k device.Kernels, s []float32) { k.Softmax(full, 32, 2, 32, 1, 32, 1) },
		"fewer than none":           func(k device.Kernels, s []float32) { k.Softmax(full, 32, 2, 0, -1, 32, 1) },
		"rows that overlap":         func(k device.Kernels, s []float32) { k.Softmax(full, 16, 2, 20, 1, 32, 1) },
	}
	backward := "dx dgain dbias dy x mean rstd gain"
	for i, name := range []string{"dx", "dgain", "dbias", "dy", "x", "mean", "rstd", "gain"} {
		calls[fmt.Sprintf("LayerNormBackward %s of %s", name, backward)] = func(k device.Kernels, s []float32) {
			o := slices.Repeat([][]float32{full}, 8)
			o[i] = s
			rows, d := 1, 64
			if name == "mean" || name == "rstd" {
				o[i], rows, d = s[:1], 2, 32
			}
			k.LayerNormBackward(o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], rows, d)
		}
	}
	for _, level := range Levels() {
		k, err := New(level)
		if err != nil {
			t.Fatal(err)
		}
		for name, call := range calls {
			for i := range full {
				full[i] = 1
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s: no panic", level, name)
					}
				}()
				call(k, short)
			}()
			if slices.ContainsFunc(full, func(x float32) bool { return x != 1 }) {
				t.Errorf("%s: %s wrote before it panicked", level, name)
			}
		}
	}
}

// TestVectorAllocatesNothing: the operations run in the innermost loops.
func TestVectorAllocatesNothing(t *testing.T) {
	var s [8][]float32
	for i := range s {
		s[i] = make([]float32, 70)
	}
	for _, level := range Levels() {
		k, err := New(level)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(10, func() {
			k.LayerNorm(s[0], s[1], s[2], s[3], s[4], s[5], 1, 64)
			k.LayerNormBackward(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], 1, 64)
			k.Gelu(s[0], s[1])
			k.GeluBackward(s[0], s[1])
			k.Softmax(s[0], 35, 2, 33, 1, 35, 1)
			k.SoftmaxBackward(s[0], s[1], 35, 2, 33, 1, 35, 1)
			k.LogSoftmax(s[0], s[1], s[2], 35, 2, 33, 1)
			k.AdamW(s[0], s[1], s[2], s[3], device.AdamW{})
			k.SumSquares(s[0])
		}); n != 0 {
			t.Errorf("%s: %g allocations", level, n)
		}
	}
}
