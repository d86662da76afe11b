package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"modebench/internal/rng"
)

// studentTable holds t(0.975, degrees) as printed in textbooks.
var studentTable = map[int]float64{1: 12.7062, 2: 4.3027, 3: 3.1824, 5: 2.5706, 9: 2.2622, 19: 2.0930}

// naiveT is Student's interval straight from its definition.
func naiveT(xs []float64) (low, high float64) {
	n := float64(len(xs))
	mean, squares := 0.0, 0.0
	for _, x := range xs {
		mean += x / n
	}
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	half := studentTable[len(xs)-1] * math.Sqrt(squares/(n-1)) / math.Sqrt(n)
	return mean - half, mean + half
}

func TestFallsBackToStudent(t *testing.T) {
	for _, test := range []struct {
		reason string
		xs     []float64
		unit   float64
	}{
		{"n = 3: a ninth of them", []float64{1, 2, 4}, 1},
		{"n = 4: 4/256 of them, still above 1%", []float64{-3, 1, 2, 4}, 1},
		{"n = 6, one success: (5/6)^6 = 33%", []float64{0, 0, 1, 0, 0, 0}, 1},
		{"n = 10, counts of modes: 0.7^10 = 2.8%", []float64{3, 3, 3, 3, 3, 3, 3, 2, 4, 4}, 1},
		{"n = 6, tied up to rounding", []float64{1, 1 + 1e-15, 1 - 1e-15, 1, 2, 1}, 1},
		{"n = 6, squares would underflow", []float64{0, 0, 1, 0, 0, 0}, 1e-200},
		{"n = 6, squares would overflow", []float64{0, 0, 1, 0, 0, 0}, 1e200},
	} {
		scaled := make([]float64, len(test.xs))
		for i, x := range test.xs {
			scaled[i] = test.unit * x
		}
		got := MeanInterval(scaled)
		low, high := naiveT(test.xs)
		tolerance := 2e-5 * (high - low) // the table has five digits
		if !(math.Abs(got.Low/test.unit-low) <= tolerance) || !(math.Abs(got.High/test.unit-high) <= tolerance) {
			t.Errorf("%s: got [%v, %v], want [%v, %v] times %v", test.reason, got.Low, got.High, low, high, test.unit)
		}
	}
}

// TestAgainstNaiveBootstrap repeats the bootstrap from its definition, with
// another generator, without rescaling, and by sorting. Both are random, so
// they agree up to the noise of 2000 and 200000 resamples.
func TestAgainstNaiveBootstrap(t *testing.T) {
	xs := []float64{0.1, 2.3, 0.4, 1.1, 0.2, 5.9, 0.3, 0.8}
	n := float64(len(xs))
	moments := func(xs []float64) (mean, se float64) {
		for _, x := range xs {
			mean += x / n
		}
		for _, x := range xs {
			se += (x - mean) * (x - mean)
		}
		return mean, math.Sqrt(se / (n - 1) / n)
	}
	mean, se := moments(xs)
	r := rand.New(rand.NewChaCha8([32]byte{7}))
	const many = 200000
	statistics := make([]float64, many)
	resample := make([]float64, len(xs))
	for b := range statistics {
		for i := range resample {
			resample[i] = xs[r.IntN(len(xs))]
		}
		m, s := moments(resample)
		statistics[b] = (m - mean) / s
	}
	slices.Sort(statistics)
	low, high := mean-statistics[many*975/1000]*se, mean-statistics[many*25/1000]*se
	got := MeanInterval(xs)
	if math.Abs(got.Low-low) > 0.05*(mean-low) || math.Abs(got.High-high) > 0.12*(high-mean) {
		t.Errorf("got [%v, %v], naive [%v, %v]", got.Low, got.High, low, high)
	}
}

func TestIntervalEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		reason string
		xs     []float64
		want   Interval
	}{
		{"no seeds: no mean", nil, Interval{0, nan, nan, nan}},
		{"one seed: nothing is known of the spread", []float64{3}, Interval{1, 3, -inf, inf}},
		{"two seeds: next to nothing is", []float64{1, 4}, Interval{2, 2.5, -inf, inf}},
		{"two seeds that agree say as little", []float64{1, 1}, Interval{2, 1, -inf, inf}},
		{"no spread at all", []float64{3, 3, 3}, Interval{3, 3, 3, 3}},
		{"no spread, though the sum of tenths is not exact", slices.Repeat([]float64{0.1}, 7), Interval{7, 0.1, 0.1, 0.1}},
		{"both zeros are zero", []float64{0, math.Copysign(0, -1), 0}, Interval{3, 0, 0, 0}},
		{"an infinite value has no interval", []float64{1, 2, inf}, Interval{3, inf, nan, nan}},
		{"a NaN spoils the mean", []float64{1, nan, 2}, Interval{3, nan, nan, nan}},
	} {
		same := func(a, b float64) bool { return a == b || a != a && b != b }
		got := MeanInterval(test.xs)
		if got.N != test.want.N || !same(got.Mean, test.want.Mean) || !same(got.Low, test.want.Low) || !same(got.High, test.want.High) {
			t.Errorf("%s: got %+v, want %+v", test.reason, got, test.want)
		}
	}
}

func TestIntervalProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 2, 24).Draw(t, "xs")
		got := MeanInterval(xs)
		if !(got.Low <= got.Mean && got.Mean <= got.High) {
			t.Errorf("not an interval: %+v", got)
		}
		if again := MeanInterval(rapid.Permutation(xs).Draw(t, "shuffled")); again != got {
			t.Errorf("the order of the seeds changed the interval: %+v, %+v", got, again)
		}
	})
}

// TestIntervalBits pins the bits: they must not depend on GOAMD64, on the
// architecture or on earlier calls. One row resamples, one is Student's.
func TestIntervalBits(t *testing.T) {
	for _, test := range []struct {
		reason string
		xs     []float64
		want   [3]uint64 // mean, low, high
	}{
		{"bootstrap", []float64{0.31, 0.12, 0.55, 0.27, 0.3, 0.44, 0.08}, [3]uint64{0x3fd2ecfb9c869536, 0x3fc234c22cfd1560, 0x3fddea2f64d2668c}},
		{"bootstrap, with the other zero", []float64{math.Copysign(0, -1), 1, 2, 3, 5, 8}, bitsOf(MeanInterval([]float64{0, 1, 2, 3, 5, 8}))},
		{"Student", []float64{2, 3, 3, 3, 4, 3}, [3]uint64{0x4008000000000000, 0x4002b0b2d8e40f09, 0x400d4f4d271bf0f7}},
	} {
		if got := bitsOf(MeanInterval(test.xs)); got != test.want {
			t.Errorf("%s: got %#x, want %#x", test.reason, got, test.want)
		}
	}
}

func bitsOf(i Interval) [3]uint64 {
	return [3]uint64{math.Float64bits(i.Mean), math.Float64bits(i.Low), math.Float64bits(i.High)}
}

// TestAffineEquivariance: in another unit (a power of two, so that no rounding
// interferes) the bootstrap must give the same quantiles from the same stream.
// The stream of MeanInterval differs, since the values do; its
// bounds then move by the noise of the resampling.
func TestAffineEquivariance(t *testing.T) {
	xs := draw(rng.New(5).Rand(), 10, rng.Normal)
	slices.Sort(xs)
	ys := make([]float64, len(xs))
	for i, x := range xs {
		ys[i] = 8*x + 64
	}
	key := rng.New(6)
	dx, ux := standardise(xs, Mean(xs))
	dy, uy := standardise(ys, Mean(ys))
	xLo, xHi, _ := bootstrapT(dx, key)
	yLo, yHi, _ := bootstrapT(dy, key)
	for _, pair := range [][2]float64{{xLo, yLo}, {xHi, yHi}, {8 * ux, uy}} {
		if math.Abs(pair[0]-pair[1]) > 1e-12*math.Abs(pair[0]) {
			t.Errorf("under x -> 8x+64, %v became %v", pair[0], pair[1])
		}
	}
	x, y := MeanInterval(xs), MeanInterval(ys)
	noise := 0.1 * (x.High - x.Low)
	if math.Abs(8*x.Low+64-y.Low) > 8*noise || math.Abs(8*x.High+64-y.High) > 8*noise {
		t.Errorf("under x -> 8x+64, %+v became %+v", x, y)
	}
}

// TestOneSeedFarFromTheOthers: nine seeds agree to a thousandth and one does
// not. A third of all resamples leave that one out and have next to no spread;
// bootstrap-t then puts a bound hundreds of deviations away (a bound of -363 was
// seen for an entropy), and Student's interval takes its place.
func TestOneSeedFarFromTheOthers(t *testing.T) {
	xs := []float64{1.386, 1.3861, 1.3862, 1.3863, 1.3864, 1.3865, 1.3866, 1.3867, 1.3868, 1.2}
	mean, se := Mean(xs), 0.0
	for _, x := range xs {
		se += (x - mean) * (x - mean)
	}
	se = math.Sqrt(se / 9 / 10)
	const q = 2.262157 // Student's 97.5% quantile with 9 degrees of freedom, from tables
	got := MeanInterval(xs)
	if math.Abs(got.Low-(mean-q*se)) > 1e-6 || math.Abs(got.High-(mean+q*se)) > 1e-6 {
		t.Errorf("got [%v, %v], want Student's [%v, %v]", got.Low, got.High, mean-q*se, mean+q*se)
	}
}

func TestSelectNth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, math.Inf(1), math.Inf(-1)})), 1, 80).Draw(t, "xs")
		n := rapid.IntRange(0, len(xs)-1).Draw(t, "n")
		sorted := slices.Sorted(slices.Values(xs))
		if got := selectNth(xs, n); got != sorted[n] {
			t.Errorf("got %v, want %v", got, sorted[n])
		}
	})
}
