package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"modebench/internal/rng"
)

func TestIQM(t *testing.T) {
	count := func(n int) (xs []float64) {
		for i := range n {
			xs = append(xs, float64((7*i)%n)) // 0..n-1 in another order, where 7 does not divide n
		}
		return xs
	}
	inf := math.Inf(1)
	for _, test := range []struct {
		reason string
		xs     []float64
		want   float64
	}{
		{"no values", nil, math.NaN()},
		{"one", []float64{4}, 4},
		{"two: half of each is cut", []float64{1, 5}, 3},
		{"three: a quarter of the outer two is left", []float64{0, 1, 6}, (0.25*0 + 1 + 0.25*6) / 1.5},
		{"four: the middle two", []float64{-100, 1, 4, 100}, 2.5},
		{"six: 1.5 a side, (2/2 + 3 + 5 + 9/2)/3", []float64{1000, 1, 2, 3, 5, 9}, (1 + 3 + 5 + 4.5) / 3},
		{"ten: 2.5 a side, (4/2 + 8 + 16 + 32 + 64 + 128/2)/5", []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, (2 + 8 + 16 + 32 + 64 + 64) / 5.0},
		{"twenty: the middle ten, 5 to 14", count(20), 9.5},
		{"what is cut may be infinite", []float64{-inf, 1, 4, inf}, 2.5},
		{"what is not cut may not", []float64{1, inf}, inf},
		{"a NaN", []float64{1, 2, 3, math.NaN()}, math.NaN()},
		{"tenths, whose sum is rounded", slices.Repeat([]float64{0.1}, 7), 0.1},
	} {
		if got := IQM(test.xs); !(math.Abs(got-test.want) <= 1e-14*math.Abs(test.want)) && got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

// TestIQMCutsQuarters: with every value four times, a quarter is a whole
// number of values, and the IQM the plain mean of the others.
func TestIQMCutsQuarters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-10, 10), 1, 25).Draw(t, "xs")
		fourfold := slices.Repeat(xs, 4)
		slices.Sort(fourfold)
		want := Mean(fourfold[len(xs) : 3*len(xs)])
		got := IQM(xs)
		if math.Abs(got-want) > 1e-13 {
			t.Errorf("got %v, want %v", got, want)
		}
		if got < slices.Min(xs) || got > slices.Max(xs) {
			t.Errorf("%v is not among the values", got)
		}
	})
}

// winsorisedDeviation replaces the values and takes the deviation of the result.
func winsorisedDeviation(xs []float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	n, cut := len(sorted), len(sorted)/4
	for i := range cut {
		sorted[i], sorted[n-1-i] = sorted[cut], sorted[n-1-cut]
	}
	mean, squares := 0.0, 0.0
	for _, x := range sorted {
		mean += x / float64(n)
	}
	for _, x := range sorted {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(n-1))
}

// TestIQMAgainstNaiveBootstrap repeats the bootstrap from its definition, with
// another generator, by sorting and with 100 times the resamples.
func TestIQMAgainstNaiveBootstrap(t *testing.T) {
	xs := []float64{0.1, 2.3, 0.4, 1.1, 0.25, 5.9, 0.3, 0.8, 1.7, 0.6, 3.1, 1.3}
	centre, se := IQM(xs), winsorisedDeviation(xs)
	r := rand.New(rand.NewChaCha8([32]byte{9}))
	const many = 200000
	statistics, resample := make([]float64, many), make([]float64, len(xs))
	for b := range statistics {
		for i := range resample {
			resample[i] = xs[r.IntN(len(xs))]
		}
		statistics[b] = (IQM(resample) - centre) / winsorisedDeviation(resample)
	}
	slices.Sort(statistics)
	low, high := centre-statistics[many*975/1000]*se, centre-statistics[many*25/1000]*se
	got := IQMInterval(xs)
	// Over streams, a bound from 2000 resamples deviates by 4% of its distance.
	if math.Abs(got.Low-low) > 0.12*(centre-low) || math.Abs(got.High-high) > 0.12*(high-centre) {
		t.Errorf("got [%v, %v], naive [%v, %v]", got.Low, got.High, low, high)
	}
}

// TestIQMFallsBack computes Yuen's interval, or Student's about the IQM, from
// tables and definitions.
func TestIQMFallsBack(t *testing.T) {
	for _, test := range []struct {
		reason string
		xs     []float64
		want   string
	}{
		{"n = 3: nothing to replace", []float64{1, 2, 7}, "student"},
		{"n = 6: 1.7% of the resamples have four equal values in the middle", []float64{1, 2, 3, 5, 9, 20}, "yuen"},
		{"n = 6, tiny", []float64{1e-200, 2e-200, 3e-200, 5e-200, 9e-200, 2e-199}, "yuen"},
		{"n = 8", []float64{1, 2, 3, 5, 9, 20, 4, 4.5}, "yuen"},
		{"n = 10, counts", []float64{1, 2, 2, 2, 3, 3, 3, 3, 4, 4}, "yuen"},
		{"n = 10, one value in the middle", []float64{3, 3, 3, 3, 3, 3, 3, 2, 4, 4}, "student"},
		{"n = 10, one value in the middle up to rounding", []float64{3, 3, 3, 3 + 1e-15, 3, 3, 3, 2, 4, 4}, "student"},
	} {
		unit := slices.Max(test.xs)
		scaled := make([]float64, len(test.xs))
		for i, x := range test.xs {
			scaled[i] = x / unit
		}
		n := float64(len(scaled))
		low, high := naiveT(scaled)
		half := (high - low) / 2
		if test.want == "yuen" {
			half = studentTable[len(scaled)-2*(len(scaled)/4)-1] * 2 * winsorisedDeviation(scaled) / math.Sqrt(n) * math.Sqrt((n-1)/(n-2))
		}
		got := IQMInterval(test.xs)
		centre := IQM(scaled)
		if got.Mean != IQM(test.xs) || math.Abs(got.Low/unit-(centre-half)) > 2e-5*half || math.Abs(got.High/unit-(centre+half)) > 2e-5*half {
			t.Errorf("%s: got %+v, want %s's %v -+ %v times %v", test.reason, got, test.want, centre, half, unit)
		}
	}
}

func TestIQMIntervalEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		reason string
		xs     []float64
		want   Interval
	}{
		{"no seeds", nil, Interval{0, nan, nan, nan}},
		{"one seed", []float64{3}, Interval{1, 3, -inf, inf}},
		{"two seeds", []float64{1, 4}, Interval{2, 2.5, -inf, inf}},
		{"no spread", slices.Repeat([]float64{0.1}, 7), Interval{7, 0.1, 0.1, 0.1}},
		{"an infinity that is cut: an IQM, no interval", []float64{1, 2, 3, inf}, Interval{4, 2.5, nan, nan}},
		{"a NaN", []float64{1, nan, 2}, Interval{3, nan, nan, nan}},
	} {
		same := func(a, b float64) bool { return a == b || a != a && b != b }
		got := IQMInterval(test.xs)
		if got.N != test.want.N || !same(got.Mean, test.want.Mean) || !same(got.Low, test.want.Low) || !same(got.High, test.want.High) {
			t.Errorf("%s: got %+v, want %+v", test.reason, got, test.want)
		}
	}
}

func TestIQMIntervalProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-1e3, 1e3), rapid.SampledFrom([]float64{0, 1, 2, 3}))
		xs := rapid.SliceOfN(value, 2, 24).Draw(t, "xs")
		got := IQMInterval(xs)
		if !(got.Low <= got.Mean && got.Mean <= got.High) || got.Mean != IQM(xs) {
			t.Errorf("not an interval of the IQM %v: %+v", IQM(xs), got)
		}
		if again := IQMInterval(rapid.Permutation(xs).Draw(t, "shuffled")); again != got {
			t.Errorf("the order of the seeds changed the interval: %+v, %+v", got, again)
		}
		if slices.Max(xs) > slices.Min(xs) && !(got.Low < got.High) {
			t.Errorf("values that differ, and no width: %+v", got)
		}
	})
}

// TestResampleSorted: a resample is sorted, holds given values only, and
// each of them as often as the others.
func TestResampleSorted(t *testing.T) {
	given := []float64{1, 2, 4, 8, 16, 32, 64}
	resample, counts := make([]float64, len(given)+2), make([]int, len(given))
	var source rand.PCG
	rng.New(4).Seed(&source)
	const times = 20000
	seen := make([]int, len(given))
	for range times {
		resampleSorted(given, resample, counts, &source)
		if drawn := resample[:len(given)]; !slices.IsSorted(drawn) {
			t.Fatalf("%v is not sorted", drawn)
		}
		for _, x := range resample[:len(given)] {
			seen[slices.Index(given, x)]++
		}
	}
	for i, n := range seen {
		if math.Abs(float64(n)-times) > 4*math.Sqrt(times) {
			t.Errorf("%v was drawn %d times, want about %d", given[i], n, times)
		}
	}
}

// TestStatisticsBits pins results whose bits must not depend on GOAMD64, on the
// architecture or on earlier calls.
func TestStatisticsBits(t *testing.T) {
	xs := []float64{0.31, 0.12, 0.55, 0.27, 0.3, 0.44, 0.08, 0.7, 0.33, 0.61}
	ys := []float64{0.71, 0.32, 0.5, 0.77, 0.2, 0.49, 0.6, 0.9, 0.33, 0.8}
	many := draw(rng.New(3).Rand(), exactSide+1, rng.Normal)
	others := draw(rng.New(4).Rand(), exactSide+1, rng.Normal)
	for _, test := range []struct {
		reason string
		got    float64
		want   uint64
	}{
		{"IQM interval, low", IQMInterval(xs).Low, 0x3fcc5b091c5e311c},
		{"IQM interval, high", IQMInterval(xs).High, 0x3fe8244293f0d7e6},
		{"Yuen's", IQMInterval(xs[:6]).High, 0x3fe1c36e58add4c7},
		{"improvement, low", Improvement(xs, ys).Low, 0x3fdf1814f9ed9ba2},
		{"improvement, high", Improvement(xs, ys).High, 0x3fec9c5e11de6939},
		{"unpaired, counted", UnpairedTest(xs, ys), 0x3fb0e3fe78649b41},
		{"unpaired, drawn", UnpairedTest(many, others), 0x3fc5b0cf4be69308},
		{"paired, drawn", PairedTest(many), 0x3fd9764f28d6da81},
		{"detectable", Detectable(xs, 3), 0x3fd016c71811bb68},
	} {
		if bits := math.Float64bits(test.got); bits != test.want {
			t.Errorf("%s: got %v = %#x, want %#x", test.reason, test.got, bits, test.want)
		}
	}
}
