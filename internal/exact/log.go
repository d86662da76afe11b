package exact

import "math"

const (
	// ln2Hi holds ln 2 rounded to a multiple of 2^-42, so that k*ln2Hi is exact
	// for every exponent k and its sum with a table entry (same grid) is too.
	ln2Hi = 0x1.62e42fefa38p-01
	ln2Lo = 0x1.ef35793c7673p-45

	// logOff is the bit pattern of the lowest mantissa that the reduction of Log returns: half a
	// table cell below 1-74/256. The half cell makes 1 the middle of a cell, so both sides of 1
	// meet the entry whose reciprocal is exactly 1.
	logOff uint64 = 0x3ff0000000000000 - 74<<45 - 1<<44
)

// Taylor coefficients of log(1+r); |r| < 0.004 leaves a relative error below 2^-58 after r^7.
const (
	logC2 = -0.5
	logC3 = 1.0 / 3
	logC4 = -0.25
	logC5 = 0.2
	logC6 = -1.0 / 6
	logC7 = 1.0 / 7
)

// Log returns the natural logarithm of x, with an error below 0.53 ulp
// (measured, see the tests; the bound to rely on is 1 ulp).
//
//	Log(+Inf) = +Inf
//	Log(±0) = -Inf
//	Log(x < 0) = NaN
//	Log(NaN) = NaN
//
// Subnormal arguments are exact inputs like any other. Log(1) is +0.
//
// Method: table-driven reduction in the manner of Tang (ACM TOMS 16, 1990),
// with the product by the reciprocal made exact by splitting the argument.
func Log(x float64) float64 {
	ix := math.Float64bits(x)
	if ix-0x0010000000000000 >= 0x7ff0000000000000-0x0010000000000000 {
		return logSpecial(x)
	}
	return logReduced(ix, 0, 0)
}

// logSpecial handles what is not a positive normal number.
func logSpecial(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	}
	return logReduced(math.Float64bits(x*0x1p52), -52, 0)
}

// logReduced returns log(2^k0 * x + c), where ix holds the bits of the positive normal x and c is a
// correction of at most an ulp of x (k0 is 0 where c is not).
//
// With x = 2^k * z and t the table entry of z, r = z*t.inv - 1 is small and
//
//	log x = k*ln2 - log(t.inv) + log(1+r).
func logReduced(ix uint64, k0 int64, c float64) float64 {
	off := ix - logOff
	t := &logTable[off>>45&127]
	k := int64(off) >> 52
	iz := ix - off&(0xfff<<52)
	z := math.Float64frombits(iz)

	// t.inv has at most 17 bits, so both partial products are exact; so is the subtraction of 1.
	// The sum r is off by less than half its ulp, and rLo recovers that.
	zHi := math.Float64frombits(iz &^ (1<<26 - 1))
	a := float64(zHi*t.inv) - 1
	b := float64((z - zHi) * t.inv)
	if c != 0 {
		b += float64(float64(c*pow2(-k)) * t.inv)
	}
	r := a + b
	rLo := b - (r - a)

	kd := float64(k + k0)
	w := float64(kd*ln2Hi) + t.hi // exact, and 0 or larger than r
	hi := w + r
	lo := (w - hi) + r + (rLo + (t.lo + float64(kd*ln2Lo)))
	return hi + (lo + logTail(r))
}

// logTail returns log(1+r) - r for |r| < 0.004.
func logTail(r float64) float64 {
	r2 := float64(r * r)
	p := logC4 + float64(r*logC5) + float64(r2*(logC6+float64(r*logC7)))
	return float64(r2 * (logC2 + float64(r*logC3) + float64(r2*p)))
}
