package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// around returns x and its k nearest neighbours on either side.
func around(x float64, k int) []float64 {
	xs := []float64{x}
	lo, hi := x, x
	for range k {
		lo, hi = math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))
		xs = append(xs, lo, hi)
	}
	return xs
}

// uniform returns n points uniform in [lo, hi).
func uniform(n int, lo, hi float64) []float64 {
	r := rand.New(rand.NewPCG(math.Float64bits(lo), math.Float64bits(hi)))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = lo + float64((hi-lo)*r.Float64())
	}
	return xs
}

// magnitudes returns n points of both signs (of one if positive) with
// exponents uniform in [lo, hi].
func magnitudes(n, lo, hi int, positive bool) []float64 {
	r := rand.New(rand.NewPCG(uint64(lo+2000), uint64(hi+2000)))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = math.Ldexp(1+r.Float64(), lo+r.IntN(hi-lo+1))
		if !positive && r.IntN(2) == 0 {
			xs[i] = -xs[i]
		}
	}
	return xs
}

// TestUlpError measures the error against math/big. The limits are those that the
// doc comments state, and catch a loss of accuracy far below 1 ulp.
func TestUlpError(t *testing.T) {
	const n = 3000
	for _, fn := range []struct {
		name   string
		f      func(float64) float64
		ref    func(*big.Float) *big.Float
		limit  float64
		ranges map[string][]float64
	}{
		{"Exp", Exp, refExp, 0.52, map[string][]float64{
			"[-1,1]":        uniform(n, -1, 1),
			"[-40,40]":      uniform(n, -40, 40),
			"whole range":   uniform(n, -708, 708),
			"tiny":          magnitudes(n, -70, -4, false),
			"cell bounds":   cellBounds(),
			"near overflow": append(uniform(n, 700, 709.78), around(709.782712893384, 0)...),
			"near subnorm":  append(uniform(n, -710, -695), around(-700, 50)...),
			"subnormal":     uniform(n, -745.13, -708.39),
			"lowest":        uniform(n/4, -745.1332191019, -743),
		}},
		{"Expm1", Expm1, refExpm1, 0.55, map[string][]float64{
			"[-1,1]":        uniform(n, -1, 1),
			"[-40,40]":      uniform(n, -40, 40),
			"whole range":   uniform(n, -708, 708),
			"tiny":          magnitudes(n, -1074+52, -4, false),
			"small":         magnitudes(n, -10, -4, false),
			"cell bounds":   cellBounds(),
			"near overflow": uniform(n, 699, 709.78),
			"saturation":    append(uniform(n, -42, -36), around(-40, 50)...),
		}},
		{"Log", Log, refLog, 0.53, map[string][]float64{
			"[0,1]":       uniform(n, 0, 1),
			"[1/2,2]":     uniform(n, 0.5, 2),
			"near 1":      uniform(n, 0.98, 1.02),
			"at 1":        around(1, n/4),
			"cell 1":      append(around(1-0x1p-9, n/8), around(1+0x1p-8, n/8)...),
			"1 +- tiny":   offsets(n),
			"whole range": magnitudes(n, -1022, 1023, true),
			"subnormal":   magnitudes(n, -1074, -1023, true),
			"extremes":    {math.SmallestNonzeroFloat64, 0x1p-1022, math.Nextafter(0x1p-1022, 0), math.MaxFloat64},
		}},
		{"Log1p", Log1p, refLog1p, 0.54, map[string][]float64{
			"[-1,1]":      uniform(n, -1, 1),
			"small":       magnitudes(n, -12, -2, false),
			"tiny":        magnitudes(n, -1074, -12, false),
			"cell":        append(around(-0x1p-9, n/8), around(0x1p-8, n/8)...),
			"near -1":     shifted(magnitudes(n, -53, -2, true), -1),
			"whole range": magnitudes(n, -12, 1023, true),
			"around 2^53": magnitudes(n, 50, 56, true),
			"largest":     {math.MaxFloat64},
		}},
	} {
		t.Run(fn.name, func(t *testing.T) {
			worst, points := 0.0, 0
			for name, xs := range fn.ranges {
				top, at := 0.0, 0.0
				for _, x := range xs {
					u := ulpError(fn.f(x), fn.ref(newRef(x)))
					if u > top || math.IsNaN(u) {
						top, at = u, x
					}
				}
				t.Logf("%-14s %.4f ulp at %v (%d points)", name, top, at, len(xs))
				if !(top <= fn.limit) {
					t.Errorf("%s: error of %.4f ulp at %x, limit %.2f", name, top, at, fn.limit)
				}
				worst, points = max(worst, top), points+len(xs)
			}
			t.Logf("%s: at most %.4f ulp over %d points", fn.name, worst, points)
		})
	}
}

// cellBounds returns arguments where Exp's rounding to a cell changes: the
// reduced argument is largest there.
func cellBounds() []float64 {
	var xs []float64
	for k := -700; k <= 700; k++ {
		xs = append(xs, around((float64(k)+0.5)*math.Ln2/128, 1)...)
		xs = append(xs, around((float64(k*100)+0.5)*math.Ln2/128, 1)...)
	}
	return xs
}

// offsets returns 1+d for d of both signs and all magnitudes below 2^-7.
func offsets(n int) []float64 {
	return shifted(magnitudes(n, -53, -7, false), 1)
}

// shifted drops arguments that by returns to 0: they are not in the domain of
// a logarithm.
func shifted(xs []float64, by float64) []float64 {
	var out []float64
	for _, x := range xs {
		if y := x + by; y != 0 && y != -1 {
			out = append(out, y)
		}
	}
	return out
}

// TestPowIntError checks the documented error bound.
func TestPowIntError(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	worst := 0.0
	for range 3000 {
		n := 1 + r.IntN(2000)
		x := math.Exp2(float64(2*r.Float64()-1) * 1000 / float64(n))
		if r.IntN(2) == 0 {
			x = -x
		}
		roundings := float64(n - 1)
		if r.IntN(2) == 0 {
			n, roundings = -n, float64(2*n-1)
		}
		want := newRef(1)
		base := newRef(x)
		if n < 0 {
			base.Quo(refOne, base)
		}
		for range max(n, -n) {
			want.Mul(want, base)
		}
		diff := newRef(0).Sub(newRef(PowInt(x, n)), want)
		rel, _ := diff.Quo(diff, want).Float64()
		share := math.Abs(rel) / (1.01 * max(roundings, 1) * 0x1p-53)
		if !(share <= 1) {
			t.Errorf("PowInt(%v, %d): %.3f of the documented bound", x, n, share)
		}
		worst = max(worst, share)
	}
	t.Logf("PowInt: at most %.3f of the documented bound", worst)
}

// TestMonotonic walks neighbouring arguments: an error well below 1 ulp keeps
// the order except where the function is so flat that neighbours share a
// value; a step back would show a seam between cells or paths.
func TestMonotonic(t *testing.T) {
	const steps = 20000
	for _, fn := range []struct {
		name string
		f    func(float64) float64
		at   []float64
	}{
		{"Exp", Exp, []float64{-745.1, -720, -700.0000001, -1, -0.0027076, -1e-9, 1e-9, 0.0027076, 1, 5, 699.9999999, 709.7}},
		{"Expm1", Expm1, []float64{-40.0000001, -1, -0.0027076, -1e-9, 1e-9, 0.0027076, 1, 5, 699.9999999, 709.7}},
		{"Log", Log, []float64{0x1p-1022, 1e-300, 0.5, 1 - 0x1p-9, 0.9999999, 1, 1 + 0x1p-8, 1.41, 1.42, 2, 1e300}},
		{"Log1p", Log1p, []float64{-0.9999999, -0.5, -0x1p-9, -1e-9, 1e-9, 0x1p-8, 1, 0x1p53, 0x1p54}},
	} {
		for _, start := range fn.at {
			x := start
			for range steps / 2 {
				x = math.Nextafter(x, math.Inf(-1))
			}
			prev := fn.f(x)
			for range steps {
				x = math.Nextafter(x, math.Inf(1))
				y := fn.f(x)
				if y < prev {
					t.Errorf("%s falls at %x", fn.name, x)
					break
				}
				prev = y
			}
		}
		// And a coarse walk over everything.
		prev := math.Inf(-1)
		for x := -750.0; x < 750; x += 0x1p-8 {
			if y := fn.f(x); y < prev {
				t.Errorf("%s falls at %v", fn.name, x)
			} else if !math.IsNaN(y) {
				prev = y
			}
		}
	}
}
