package polynomial

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/internal/rng"
)

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestPeriods(t *testing.T) {
	for _, c := range []struct {
		digits, decimals int
		want             []int64
	}{
		{1, 0, []int64{4, 16, 64}},
		{1, 1, []int64{40, 160, 640}},
		{2, 0, []int64{4, 16, 64, 256, 1024}},
		{3, 2, []int64{400, 1600, 6400, 25_600, 102_400, 409_600}},
		{4, 0, []int64{4, 16, 64, 256, 1024, 4096, 16_384, 65_536}},
	} {
		g := newGrammar(c.digits, c.decimals)
		got := periods(g.unit, c.digits)
		if !slices.Equal(got, c.want) || 4*len(got) > maxEmbedding {
			t.Errorf("%d digits, %d decimals: %v, want %v", c.digits, c.decimals, got, c.want)
		}
	}
}

// TestEmbeddingsAreWaves: unit length, and a cosine near that of the plane waves which
// triangles replace.
func TestEmbeddingsAreWaves(t *testing.T) {
	e := build(t, nil)
	r := rng.New(3).Rand()
	some := func() int64 { return int64(r.IntN(199_999)) - 99_999 }
	for range 2000 {
		x, y, u, v := some(), some(), some(), some()
		if r.IntN(2) == 0 {
			u, v = x+some()/1000, y+some()/1000
		}
		a, b := e.embed(nil, x, y), e.embed(nil, u, v)
		if length := cosine(a, a); math.Abs(length-1) > 1e-6 || len(a) != 24 {
			t.Fatalf("(%d, %d): %d entries of length %v", x, y, len(a), length)
		}
		want := 0.0
		for _, period := range e.periods {
			for _, d := range []int64{u - x, v - y} {
				want += math.Cos(2*math.Pi*float64(d)/float64(period)) / float64(2*len(e.periods))
			}
		}
		if got := cosine(a, b); math.Abs(got-want) > 0.1 {
			t.Fatalf("(%d, %d) and (%d, %d): cosine %v, waves have %v", x, y, u, v, got, want)
		}
	}
}

// TestNearPairsAreAlike: the farther apart pairs are, the less alike on average.
func TestNearPairsAreAlike(t *testing.T) {
	e := build(t, nil)
	before := 1.0
	for _, distance := range []float64{1, 50, 100, 200, 500, 1000, 5000, 20_000, 80_000} { // hundredths
		r, mean := rng.New(4).Rand(), 0.0
		const n = 2000
		for range n {
			x, y := between(r, -10_000, 10_000), between(r, -10_000, 10_000)
			dx, dy := direction(r)
			a, b := e.embed(nil, x, y), e.embed(nil, x+int64(math.Round(distance*dx)), y+int64(math.Round(distance*dy)))
			mean += cosine(a, b) / n
		}
		if mean >= before {
			t.Errorf("at a distance of %v hundredths the mean cosine is %v, nearer by it was %v", distance, mean, before)
		}
		before = mean
	}
	if before > 0.3 {
		t.Errorf("far pairs have a mean cosine of %v, want nearly none", before)
	}
}

func direction(r *rand.Rand) (x, y float64) {
	angle := 2 * math.Pi * r.Float64()
	return math.Cos(angle), math.Sin(angle)
}

// TestEmbeddingsTellPairsApart: no two numbers have one embedding, and x and y cannot
// replace each other.
func TestEmbeddingsTellPairsApart(t *testing.T) {
	e := build(t, func(c *Config) { c.Digits = 2 })
	seen := map[string]int64{}
	for v := -e.limit; v <= e.limit; v++ {
		bits := make([]byte, 0, 128)
		for _, x := range e.embed(nil, v, 0) {
			b := math.Float32bits(x)
			bits = append(bits, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
		}
		if other, taken := seen[string(bits)]; taken {
			t.Fatalf("%d and %d hundredths have one embedding", other, v)
		}
		seen[string(bits)] = v
	}
	if slices.Equal(e.embed(nil, 100, 200), e.embed(nil, 200, 100)) {
		t.Error("(1, 2) and (2, 1) have one embedding")
	}
}
