package rng

import (
	"math"
	"math/rand/v2"
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
		{"Exponential", Exponential, [4]float64{1, 1, 2, 9}, [4]float64{1, 2.9, 16, 120}},
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
		{"Exponential", Exponential, func(x float64) float64 { return -math.Expm1(-x) }},
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
			p := max(0, c.cdf(q))
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
	if x := Exponential(rand.New(constant(0))); x != 0 || math.Signbit(x) {
		t.Errorf("smallest exponential is %v", x)
	}
	if x := Exponential(rand.New(constant(1<<64 - 1))); !(x > 36.7 && x < 36.74) {
		t.Errorf("largest exponential is %v", x)
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

func BenchmarkExponential(b *testing.B) {
	r := New(1).Rand()
	var sum float64
	for range b.N {
		sum += Exponential(r)
	}
	sink = sum
}
