package exact

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// same reports whether two values are the same bits, or both NaN.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func TestSpecials(t *testing.T) {
	inf, nan, minus0 := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	const tiny = math.SmallestNonzeroFloat64
	const lastExp = 709.782712893384 // the largest argument that does not overflow
	for _, c := range []struct {
		name   string
		f      func(float64) float64
		x, y   float64
		reason string
	}{
		{"Exp", Exp, 0, 1, "exact"},
		{"Exp", Exp, minus0, 1, "exact"},
		{"Exp", Exp, inf, inf, "limit"},
		{"Exp", Exp, -inf, 0, "limit; softmax relies on it for masked logits"},
		{"Exp", Exp, nan, nan, "propagates"},
		{"Exp", Exp, math.MaxFloat64, inf, "overflow"},
		{"Exp", Exp, -math.MaxFloat64, 0, "underflow to +0"},
		{"Exp", Exp, math.Nextafter(lastExp, inf), inf, "first overflow"},
		{"Exp", Exp, lastExp, 0x1.fffffffffff2ap+1023, "last finite value, scale 2^1024"},
		{"Exp", Exp, -745.1332191019412, 0, "first argument below half the smallest subnormal"},
		{"Exp", Exp, -745.1332191019411, tiny, "last argument that does not vanish"},
		{"Exp", Exp, tiny, 1, "no spurious underflow"},
		{"Exp", Exp, -0x1p-54, 1, "just above the tie of 1 and 1-2^-53"},

		{"Expm1", Expm1, 0, 0, "exact"},
		{"Expm1", Expm1, minus0, minus0, "odd at 0"},
		{"Expm1", Expm1, inf, inf, "limit"},
		{"Expm1", Expm1, -inf, -1, "limit"},
		{"Expm1", Expm1, nan, nan, "propagates"},
		{"Expm1", Expm1, tiny, tiny, "x + x^2/2 rounds to x"},
		{"Expm1", Expm1, -tiny, -tiny, "x + x^2/2 rounds to x"},
		{"Expm1", Expm1, 710, inf, "overflow"},
		{"Expm1", Expm1, -math.MaxFloat64, -1, "saturates"},

		{"Log", Log, 0, -inf, "pole"},
		{"Log", Log, minus0, -inf, "-0 is not less than 0"},
		{"Log", Log, 1, 0, "exact, +0"},
		{"Log", Log, inf, inf, "limit"},
		{"Log", Log, -inf, nan, "domain"},
		{"Log", Log, -1, nan, "domain"},
		{"Log", Log, -tiny, nan, "domain"},
		{"Log", Log, nan, nan, "propagates"},
		{"Log", Log, 2, math.Ln2, "nearest"},
		{"Log", Log, 0.5, -math.Ln2, "nearest, odd in the exponent"},
		{"Log", Log, tiny, -744.4400719213812, "nearest to -1074 ln 2"},
		{"Log", Log, math.MaxFloat64, 709.782712893384, "nearest to 1024 ln 2"},

		{"Log1p", Log1p, 0, 0, "exact"},
		{"Log1p", Log1p, minus0, minus0, "odd at 0"},
		{"Log1p", Log1p, -1, -inf, "pole"},
		{"Log1p", Log1p, math.Nextafter(-1, -2), nan, "domain"},
		{"Log1p", Log1p, -inf, nan, "domain"},
		{"Log1p", Log1p, inf, inf, "limit"},
		{"Log1p", Log1p, nan, nan, "propagates"},
		{"Log1p", Log1p, tiny, tiny, "x - x^2/2 rounds to x"},
		{"Log1p", Log1p, -tiny, -tiny, "x - x^2/2 rounds to x"},
		{"Log1p", Log1p, 1, math.Ln2, "nearest"},
		{"Log1p", Log1p, math.MaxFloat64, 709.782712893384, "scale 2^-1024 has no pattern"},
	} {
		if y := c.f(c.x); !same(y, c.y) {
			t.Errorf("%s(%v) = %v (%x), want %v: %s", c.name, c.x, y, y, c.y, c.reason)
		}
	}
}

func TestPowIntSpecials(t *testing.T) {
	inf, nan, minus0 := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		x    float64
		n    int
		want float64
	}{
		{2, 10, 1024}, {2, -10, 0x1p-10}, {-3, 3, -27}, {0.5, 1074, 0x1p-1074},
		{2, -1074, 0x1p-1074}, {2, 1023, 0x1p1023}, {2, 1024, inf}, {-2, 1025, -inf},
		{7, 0, 1}, {0, 0, 1}, {nan, 0, 1}, {inf, 0, 1},
		{0, 3, 0}, {minus0, 3, minus0}, {minus0, 2, 0},
		{0, -1, inf}, {minus0, -1, -inf}, {minus0, -2, inf},
		{inf, -3, 0}, {-inf, -3, minus0}, {-inf, -2, 0}, {-inf, 3, -inf},
		{nan, 1, nan}, {nan, -5, nan},
		{1, math.MinInt, 1}, {-1, math.MinInt, 1}, {-1, math.MaxInt, -1}, {2, math.MinInt, 0},
	} {
		if y := PowInt(c.x, c.n); !same(y, c.want) {
			t.Errorf("PowInt(%v, %d) = %v, want %v", c.x, c.n, y, c.want)
		}
	}
}

// TestInverses: Exp(Log(x)) amplifies the error of the logarithm by its size;
// Log(Exp(x)) amplifies the error of the exponential by 1/x.
func TestInverses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-300, 1e300).Draw(t, "x")
		l := Log(x)
		if got := Exp(l); math.Abs(got-x) > (math.Abs(l)+2)*0x1p-53*x {
			t.Errorf("Exp(Log(%v)) = %v", x, got)
		}
		y := rapid.Float64Range(-700, 700).Draw(t, "y")
		if got := Log(Exp(y)); math.Abs(got-y) > (math.Abs(y)+2)*0x1p-53 {
			t.Errorf("Log(Exp(%v)) = %v", y, got)
		}
		z := rapid.Float64Range(-30, 30).Draw(t, "z")
		if got := Log1p(Expm1(z)); math.Abs(got-z) > 3*0x1p-53*math.Abs(z)*max(1, Exp(-z)) {
			t.Errorf("Log1p(Expm1(%v)) = %v", z, got)
		}
	})
}

// golden hashes the bits that f gives for 100,000 arguments: 50,000 patterns
// of any kind (an LCG, so every exponent, NaN and infinities included) and
// 50,000 in [-40, 40).
func golden(f func(float64) float64) string {
	h := sha256.New()
	var buf [8]byte
	state := uint64(1)
	for i := range 100_000 {
		state = state*6364136223846793005 + 1442695040888963407
		x := math.Float64frombits(state ^ state>>29)
		if i&1 == 1 {
			x = float64(state>>11)*(80*0x1p-53) - 40
		}
		y := f(x)
		if y != y {
			y = math.NaN() // the payload is not part of the contract
		}
		binary.LittleEndian.PutUint64(buf[:], math.Float64bits(y))
		h.Write(buf[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestGolden pins the bits. Recorded results hang on them, so a change here is
// a change of every record: on a new architecture or compiler a mismatch is a
// bug (a fused product, for example), never a reason to update the constants.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(float64) float64
		want string
	}{
		{"Exp", Exp, "98dfed150b845a0e2f0c0f9e84d3871118dd891d725e64093a91242935479aca"},
		{"Expm1", Expm1, "2965f911f7232fe1418dafcb58b119388f30c631e4f0f68334bd145788676c7f"},
		{"Log", Log, "c0bdbc374e3215d2ed82c3dd448de820d481809ff414f20060512b4ac996b044"},
		{"Log1p", Log1p, "904b69838ffa423d4a5ffb79c0aff829732cac26fccadf23402bbbecb2d09d16"},
		{"PowInt", func(x float64) float64 { return PowInt(x, 13) + PowInt(x, -6) }, "1f22928659e246870d7cd4f89dd0c086bf7e4dac26d62c872c24f5015563162f"},
		{"Sum", func(x float64) float64 { return Sum([]float64{1, x, 0.1, -x, x / 3}) }, "17ae6b22a06a7dba419dc82aed53c50752ec9d44d845e074861835b1b44a7884"},
		{"Dot", func(x float64) float64 { return Dot([]float64{x, 0.1, 3}, []float64{0.7, x, 0.3}) }, "1fbfbfde72d872cd1d2867ee22e37da2dbdcc10f905fcbeecaf701dcd2e9c5c0"},
		{"Softmax", func(x float64) float64 {
			p := []float64{x, 0.1, 3, 10}
			z := Softmax(p, p)
			return float64(p[0]*3) + float64(p[2]*5) + z
		}, "6a508637ecad97057e54b447b4773a79239c80a9ef83e3fdb1b86983ea65183e"},
	} {
		if got := golden(c.f); got != c.want {
			t.Errorf("%s: bits hash to %s, want %s", c.name, got, c.want)
		}
	}
}
