package rng

import (
	"math"
	"math/rand/v2"
	"modebench/internal/testkit"
	"strconv"
	"testing"
)

// constant is a source that always returns the same word.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

// The statistical tests below are deterministic (the streams are fixed), so
// they cannot flake; limits are about five standard deviations wide.

// TestFirstUniforms treats the first uniforms of the streams of consecutive
// integers as one sequence. That is where schemes like seed+index fail.
func TestFirstUniforms(t *testing.T) {
	const n, cells = 1 << 18, 256
	for _, c := range []struct {
		name string
		key  func(i uint64) Key
	}{
		{"last part", New(1).Int},
		{"earlier part", func(i uint64) Key { return New(1).Int(i).Int(0) }},
		{"seed", New},
	} {
		var p rand.PCG
		var counts [cells]float64
		var pairs [16][16]float64
		var sum, square, lag float64
		prev := 0.5
		for i := range uint64(n) {
			c.key(i).Seed(&p)
			u := Uniform(&p)
			if u < 0 || u >= 1 {
				t.Fatalf("%s: uniform %v", c.name, u)
			}
			counts[int(u*cells)]++
			pairs[int(prev*16)][int(u*16)]++
			sum += u
			square += float64((u - 0.5) * (u - 0.5))
			lag += float64((u - 0.5) * (prev - 0.5))
			prev = u
		}
		chi, chiPairs := 0.0, 0.0
		for i := range cells {
			d := counts[i] - n/cells
			chi += float64(d*d) / (n / cells)
			d = pairs[i/16][i%16] - n/256
			chiPairs += float64(d*d) / (n / 256)
		}
		mean := (float64(sum/n) - 0.5) * math.Sqrt(12*n)
		corr := float64(lag/square) * math.Sqrt(n)
		t.Logf("%s: chi-square %.1f, of successive pairs %.1f (255 degrees of freedom); mean %+.2f sd, serial correlation %+.2f sd",
			c.name, chi, chiPairs, mean, corr)
		for _, x := range []float64{chi, chiPairs} {
			if z := (x - 255) / math.Sqrt(2*255); math.Abs(z) > 4 {
				t.Errorf("%s: chi-square %.1f is %.1f sd off", c.name, x, z)
			}
		}
		if math.Abs(mean) > 4 || math.Abs(corr) > 4 {
			t.Errorf("%s: mean %+.2f sd, serial correlation %+.2f sd", c.name, mean, corr)
		}
	}
}

// moments returns the mean and the second to fourth central moments.
func moments(n int, draw func() float64) (mean, m2, m3, m4 float64) {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = draw()
		mean += xs[i]
	}
	mean /= float64(n)
	for _, x := range xs {
		d := x - mean
		m2 += float64(d * d)
		m3 += float64(d * d * d)
		m4 += float64(d * d * d * d)
	}
	return mean, m2 / float64(n), m3 / float64(n), m4 / float64(n)
}

func gamma(shape float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return Gamma(r, shape) }
}

func TestMoments(t *testing.T) {
	const n = 400_000
	root := math.Sqrt(n)
	for _, c := range []struct {
		name string
		draw func(*rand.Rand) float64
		want [4]float64 // mean, variance, third and fourth central moment
		sd   [4]float64 // of each, times sqrt(n), rounded up
	}{
		{"Normal", Normal, [4]float64{0, 1, 0, 3}, [4]float64{1, 1.42, 2.5, 9.8}},
		{"Exponential", testkit.Exponential, [4]float64{1, 1, 2, 9}, [4]float64{1, 2.9, 16, 120}},
		{"Gamma(0.4)", gamma(0.4), [4]float64{.4, .4, .8, 2.88}, [4]float64{.64, 1.7, 8, 58}},
		{"Gamma(1)", gamma(1), [4]float64{1, 1, 2, 9}, [4]float64{1, 2.9, 16, 120}},
		{"Gamma(2.5)", gamma(2.5), [4]float64{2.5, 2.5, 5, 33.75}, [4]float64{1.6, 5.3, 31, 304}},
		{"Gamma(50)", gamma(50), [4]float64{50, 50, 100, 7800}, [4]float64{7.1, 73, 1000, 29700}},
	} {
		r := New(11).Str(c.name).Rand()
		mean, m2, m3, m4 := moments(n, func() float64 { return c.draw(r) })
		for i, got := range []float64{mean, m2, m3, m4} {
			z := (got - c.want[i]) / c.sd[i] * root
			t.Logf("%s: moment %d is %.4f, want %v (%+.2f sd)", c.name, i+1, got, c.want[i], z)
			if math.Abs(z) > 4 {
				t.Errorf("%s: moment %d is %v, want %v", c.name, i+1, got, c.want[i])
			}
		}
	}
}

// TestQuantiles compares with the distribution functions at a few points.
func TestQuantiles(t *testing.T) {
	const n = 400_000
	for _, c := range []struct {
		name string
		draw func(*rand.Rand) float64
		cdf  func(float64) float64
	}{
		{"Normal", Normal, func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }},
		{"Exponential", testkit.Exponential, func(x float64) float64 { return -math.Expm1(-x) }},
		{"Gamma(0.5)", gamma(.5), func(x float64) float64 { return math.Erf(math.Sqrt(max(x, 0))) }},
		{"Gamma(1)", gamma(1), func(x float64) float64 { return -math.Expm1(-x) }},
		{"Gamma(1.5)", gamma(1.5), func(x float64) float64 {
			x = max(x, 0)
			return math.Erf(math.Sqrt(x)) - 2*math.Sqrt(x/math.Pi)*math.Exp(-x)
		}},
		{"Gamma(3)", gamma(3), func(x float64) float64 { return 1 - math.Exp(-x)*(1+x+x*x/2) }},
	} {
		r := New(12).Str(c.name).Rand()
		at := []float64{-3, -2, -1, -0.3, 0.1, 0.5, 1, 2, 3, 4}
		below := make([]float64, len(at))
		for range n {
			x := c.draw(r)
			for i, q := range at {
				if x < q {
					below[i]++
				}
			}
		}
		for i, q := range at {
			p := 0.0
			if q > 0 || c.name == "Normal" {
				p = c.cdf(q)
			}
			if sd := math.Sqrt(p * (1 - p) / n); math.Abs(below[i]/n-p) > float64(4*sd) {
				t.Errorf("%s: P(x < %v) is %v, want %v", c.name, q, below[i]/n, p)
			}
		}
	}
}

// TestExtremes feeds the ends of a word's range.
func TestExtremes(t *testing.T) {
	if u := unit(0); u != 0 {
		t.Errorf("smallest uniform is %v", u)
	}
	if u := unit(1<<64 - 1); u != 1-0x1p-53 {
		t.Errorf("largest uniform is %v", u)
	}
	if x := testkit.Exponential(rand.New(constant(0))); x != 0 || math.Signbit(x) {
		t.Errorf("smallest exponential is %v", x)
	}
	if x := testkit.Exponential(rand.New(constant(1<<64 - 1))); !(x > 36.7 && x < 36.74) {
		t.Errorf("largest exponential is %v", x)
	}
}

// TestGammaOfAnyShape: from one end of the shapes to the other the result is a
// number, never negative, and has the right mean; a shape without a distribution
// is NaN.
func TestGammaOfAnyShape(t *testing.T) {
	for _, shape := range []float64{5e-324, 1e-300, 1e-6, 0.05, 1 - 0x1p-53, 1, 1 + 0x1p-52, 1e6, 1e12, 1e100, 1e300} {
		r := New(13).Int(math.Float64bits(shape)).Rand()
		const n = 1000
		sum := 0.0
		for range n {
			x := Gamma(r, shape)
			if !(x >= 0) || math.IsInf(x, 0) {
				t.Fatalf("shape %v: %v", shape, x)
			}
			sum += x / shape / n
		}
		// The mean of x/shape over n draws has the deviation 1/sqrt(n shape). At
		// much smaller shapes rare large values make the mean: nothing to see in
		// so few draws.
		if bound := float64(5*math.Sqrt(1/shape/n)) + 1e-12; shape >= 0.05 && math.Abs(sum-1) > bound {
			t.Errorf("shape %v: the mean of %d draws is %v times the shape, want 1 within %v", shape, n, sum, bound)
		}
	}
	for _, shape := range []float64{0, math.Copysign(0, -1), -1, math.Inf(-1), math.NaN()} {
		if x := Gamma(New(1).Rand(), shape); !math.IsNaN(x) {
			t.Errorf("shape %v: %v, want NaN", shape, x)
		}
	}
}

// TestGammaDeviationOfLargeShapes: 1 - v + log v cancels there, and a wrong
// acceptance would show in the spread of (x - shape) / sqrt(shape), which is
// almost normal.
func TestGammaDeviationOfLargeShapes(t *testing.T) {
	const n = 200_000
	for _, shape := range []float64{1e6, 1e9, 1e12} {
		r := New(14).Int(uint64(shape)).Rand()
		root := math.Sqrt(shape)
		_, m2, _, m4 := moments(n, func() float64 { return (Gamma(r, shape) - shape) / root })
		if z := (m2 - 1) / 1.42 * math.Sqrt(n); math.Abs(z) > 4 {
			t.Errorf("shape %v: variance %v of the standardised variate, want 1", shape, m2)
		}
		if z := (m4 - 3) / 9.8 * math.Sqrt(n); math.Abs(z) > 4 {
			t.Errorf("shape %v: fourth moment %v of the standardised variate, want 3", shape, m4)
		}
	}
}

var sink float64

// BenchmarkStream is a rollout's cost: key, generator, first uniform.
func BenchmarkStream(b *testing.B) {
	base := New(1).Str("rollout").Int(17)
	var p rand.PCG
	var sum float64
	for i := range b.N {
		base.Int(uint64(i)).Seed(&p)
		sum += Uniform(&p)
	}
	sink = sum
}

// BenchmarkInt derives each key from the one before: latency.
func BenchmarkInt(b *testing.B) {
	k := New(1)
	for range b.N {
		k = k.Int(3)
	}
	sink = float64(k.lo)
}

func BenchmarkStr(b *testing.B) {
	base := New(1)
	var sum uint64
	for range b.N {
		sum += base.Str("countdown/train").lo
	}
	sink = float64(sum)
}

func BenchmarkNormal(b *testing.B) {
	r := New(1).Rand()
	var sum float64
	for range b.N {
		sum += Normal(r)
	}
	sink = sum
}

func BenchmarkGamma(b *testing.B) {
	for _, shape := range []float64{0.5, 2} {
		b.Run(strconv.FormatFloat(shape, 'g', -1, 64), func(b *testing.B) {
			r := New(1).Rand()
			var sum float64
			for range b.N {
				sum += Gamma(r, shape)
			}
			sink = sum
		})
	}
}
