package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps is the error of got in units of the last place of want.
func ulps(got float32, want float64) float64 {
	_, exponent := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(exponent-24, -149))
}

// worst runs through the float32s between two patterns, every step of them, and
// returns the largest error of f and its place.
func worst(f func(float32) float32, want func(float64) float64, from, to, step uint32) (largest float64, at float32) {
	for bits := uint64(from); bits <= uint64(to); bits += uint64(step) {
		x := math.Float32frombits(uint32(bits))
		if e := ulps(f(x), want(float64(x))); !(e <= largest) {
			largest, at = e, x
		}
	}
	return largest, at
}

func TestExpError(t *testing.T) {
	minus := math.Float32bits(float32(math.Copysign(0, -1)))
	for _, row := range []struct {
		what     string
		from, to uint32
		limit    float64
	}{
		{"all exponents below 1, both signs", 1, math.Float32bits(1), 0.9},
		{"the same", minus + 1, math.Float32bits(-1), 0.9},
		{"1 to 71", math.Float32bits(1), math.Float32bits(71), 0.9},
		{"-1 to -87, where results are normal", math.Float32bits(-1), math.Float32bits(-87), 0.9},
		{"-87 to -110, where they are subnormal or zero", math.Float32bits(-87), math.Float32bits(-110), 0.9},
		{"-110 to -Inf, where they are zero", math.Float32bits(-110), math.Float32bits(float32(math.Inf(-1))), 0.01},
	} {
		largest, at := worst(exp, math.Exp, row.from, row.to, 3001)
		t.Logf("%s: at most %.3f ulp, at %g", row.what, largest, at)
		if !(largest <= row.limit) {
			t.Errorf("%s: error of %.3f ulp at %g, want at most %g", row.what, largest, at, row.limit)
		}
	}
}

func TestExpSpecialValues(t *testing.T) {
	for _, row := range []struct {
		why     string
		x, want float32
	}{
		{"e^0 is 1 exactly, as shared prefixes of a softmax rely on", 0, 1},
		{"of either zero", float32(math.Copysign(0, -1)), 1},
		{"nothing is left of minus infinity", float32(math.Inf(-1)), 0},
		{"nor of the largest negative number", -math.MaxFloat32, 0},
		{"the last argument above half of the smallest number", -103.97208, math.SmallestNonzeroFloat32},
		{"the next one", -103.97209, 0},
	} {
		if got := exp(row.x); math.Float32bits(got) != math.Float32bits(row.want) {
			t.Errorf("exp(%g) = %g, want %g: %s", row.x, got, row.want, row.why)
		}
	}
	if got := exp(float32(math.NaN())); got == got {
		t.Errorf("exp(NaN) = %g", got)
	}
}

func TestLogError(t *testing.T) {
	for _, row := range []struct {
		what     string
		from, to float32
		limit    float64
	}{
		{"all exponents", 0x1p-126, math.MaxFloat32, 1.1},
		{"beside 1", 0.9, 1.1, 1.1},
		{"the octave about 1", 0.7, 1.5, 1.1},
		{"the sums of a softmax", 1, 1000, 1.1},
	} {
		largest, at := worst(log, math.Log, math.Float32bits(row.from), math.Float32bits(row.to), 3001)
		t.Logf("%s: at most %.3f ulp, at %g", row.what, largest, at)
		if !(largest <= row.limit) {
			t.Errorf("%s: error of %.3f ulp at %g, want at most %g", row.what, largest, at, row.limit)
		}
	}
	if got := log(1); math.Float32bits(got) != 0 {
		t.Errorf("log(1) = %g, want +0", got)
	}
	if got := log(float32(math.NaN())); got == got {
		t.Errorf("log(NaN) = %g", got)
	}
}

// TestExpLogInverse: the logarithm of an exponential is its argument, up to both
// errors.
func TestExpLogInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		x := float32(r.Float64()*150 - 80)
		if got := log(exp(x)); math.Abs(float64(got-x)) > 1.3e-7+math.Abs(float64(x))*0x1p-23 {
			t.Fatalf("log(exp(%g)) = %g", x, got)
		}
	}
}
