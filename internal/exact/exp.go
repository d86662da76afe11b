// Package exact has the exponential, the logarithm and the sums that give the
// same bits on every CPU, GOARCH and GOAMD64 level.
//
// Two things make ordinary Go code differ between machines. The compiler may fuse x*y + z into one
// rounding where the target has such an instruction (arm64, ppc64, GOAMD64=v3), across statements
// too; and math.Exp and friends are assembly on some targets, with paths chosen by CPU features. So
// here every product that meets a sum is rounded by an explicit float64 conversion, which the
// language defines as a barrier to fusion, and only functions of package math that are exact by
// definition are called (Sqrt, Abs, the bit casts). Anything that has to reproduce recorded numbers
// takes its Exp and Log from here and writes float64(x*y) + z. A product that a function returns
// needs the conversion too: once inlined, it can be fused with a sum in the caller.
//
// Where a result is NaN, that it is one is the contract; sign and payload are not.
//
// Reductions run in index order with one accumulator; splitting one over
// goroutines changes its bits.
package exact

import "math"

// expEntry is a row of expTable.
type expEntry struct {
	bits uint64
	tail float64
}

// logEntry is a row of logTable.
type logEntry struct{ inv, hi, lo float64 }

const (
	// expInvLn2 is 128/ln 2.
	expInvLn2 = 0x1.71547652b82fep+07

	// expLn2Hi holds (ln 2)/128 rounded to a multiple of 2^-42 (35 bits), so
	// that its product with any cell number (18 bits) is exact.
	expLn2Hi = 0x1.62e42fefcp-08
	expLn2Lo = -0x1.c610ca86c3899p-44

	// roundShift added to a float64 below 2^51 in magnitude leaves the nearest
	// integer (ties to even) in the low bits of the pattern.
	roundShift = 0x1.8p52

	// Above expFast in magnitude the result may overflow, or it is so small
	// that the product s*p of Exp is subnormal and rounded too coarsely.
	expFast = 700
)

// Taylor coefficients of exp(r); |r| < 0.00271 leaves a relative error below 2^-60 after r^5.
const (
	expC2 = 1.0 / 2
	expC3 = 1.0 / 6
	expC4 = 1.0 / 24
	expC5 = 1.0 / 120
	expC6 = 1.0 / 720 // Expm1 only
)

// Exp returns e^x, with an error below 0.52 ulp (measured, see the tests; the
// bound to rely on is 1 ulp), subnormal results included.
//
//	Exp(+Inf) = +Inf
//	Exp(-Inf) = 0
//	Exp(NaN) = NaN
//	Exp(x) = +Inf for x > 709.782712893384 (overflow)
//	Exp(x) = 0 for x < -745.1332191019411 (underflow)
//
// Exp(0) is 1 for either zero.
//
// Method: Cody-Waite reduction to a table of 2^(i/128), in the manner of Tang
// (ACM TOMS 15, 1989), and a polynomial of degree 5.
func Exp(x float64) float64 {
	if !(math.Abs(x) < expFast) {
		return expExtreme(x)
	}
	n, r, _ := expReduce(x)
	t := &expTable[n&127]
	s := math.Float64frombits(t.bits + n<<45)
	return s + float64(s*(t.tail+r+expTail(r)))
}

// expExtreme is Exp if the result may leave the normal range, and for NaN.
func expExtreme(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	n, r, _ := expReduce(x)
	t := &expTable[n&127]
	p := t.tail + r + expTail(r)
	if x > 0 {
		// Half the scale first: it may be 2^1024, which has no pattern.
		s := math.Float64frombits(t.bits + (n-128)<<45)
		return 2 * (s + float64(s*p))
	}
	// Work with 2^1022 times the result. Below 1 it must be rounded once, to a multiple of 2^-52,
	// the spacing of subnormal results: so add the parts to 1, whose spacing that is.
	s := math.Float64frombits(t.bits + (n+1022*128)<<45)
	sp := float64(s * p)
	y := s + sp
	if y < 1 {
		rest := (s - y) + sp
		sum := 1 + y
		rest += (1 - sum) + y
		y = (sum + rest) - 1
	}
	return float64(y * 0x1p-1022)
}

// expReduce splits x, |x| < 800, into n*(ln 2)/128 + r + rLo with |r| at most
// half a cell. n is in two's complement in the low 51 bits of the result; the bits above are
// roundShift's and are shifted out by every use.
func expReduce(x float64) (n uint64, r, rLo float64) {
	shifted := float64(x*expInvLn2) + roundShift
	kd := shifted - roundShift
	a := x - float64(kd*expLn2Hi) // exact
	b := float64(kd * expLn2Lo)
	r = a - b
	return math.Float64bits(shifted), r, (a - r) - b
}

// expTail returns exp(r) - 1 - r for |r| < 0.0028.
func expTail(r float64) float64 {
	r2 := float64(r * r)
	return float64(r2*(expC2+float64(r*expC3))) + float64(float64(r2*r2)*(expC4+float64(r*expC5)))
}

// pow2 returns 2^k for -1022 <= k <= 1023 and 0 for k = -1023.
func pow2(k int64) float64 {
	return math.Float64frombits(uint64(k+1023) << 52)
}
