package cpu

import "math"

// exp returns e^x for x <= 71, with an error below 1 ulp (measured, see the tests),
// subnormal results included: they are rounded once more, to their own spacing.
// exp(0) is 1, exp(-Inf) is 0 and exp(NaN) is NaN; above 71 it is not defined.
//
// With n the integer nearest to x log2(e),
//
//	x = max(x, -104)
//	n = fma(x, log2E, expRound) - expRound
//	r = fma(n, -ln2Lo, fma(n, -ln2Hi, x))
//	p = c6; p = fma(p, r, c5) ... fma(p, r, c2), fma(p, r, 1), fma(p, r, 1)
//	e^x = (p 2^(n+24)) 2^-24
//
// where of the last two products only the second may have to be rounded. The low
// bits of the first fma's pattern are the exponent field of 2^(n+24).
func exp(x float32) float32 {
	if x < expLow { // NaN is let through
		x = expLow
	}
	shifted := fma32(x, log2E, expRound)
	n := shifted - expRound
	r := fma32(n, -ln2Lo, fma32(n, -ln2Hi, x))
	p := fma32(expC6, r, expC5)
	p = fma32(p, r, expC4)
	p = fma32(p, r, expC3)
	p = fma32(p, r, expC2)
	p = fma32(p, r, 1)
	p = fma32(p, r, 1)
	scale := math.Float32frombits(math.Float32bits(shifted) << 23)
	return float32(float32(p*scale) * expScale)
}

// log returns the natural logarithm of a positive normal float32, with an error below 1 ulp
// (measured, see the tests); log(1) is +0. log(NaN) is NaN; for other arguments it is not defined.
//
// With x = m 2^e, m from sqrt(1/2) (rounded down to a short pattern) to just below
// twice that, and f = m-1, exact:
//
//	q = c10; q = fma(q, f, c9) ... fma(q, f, c3)
//	q = fma(q, f, c2)
//	t = fma(f f, q, fma(e, ln2Lo, f))
//	log x = fma(e, ln2Hi, t) + (x - x)
//
// The last term is zero, or makes the result NaN.
func log(x float32) float32 {
	bits := math.Float32bits(x)
	e := int32(bits-logSplit) >> 23
	f := math.Float32frombits(bits-uint32(e)<<23) - 1
	q := fma32(logC10, f, logC9)
	q = fma32(q, f, logC8)
	q = fma32(q, f, logC7)
	q = fma32(q, f, logC6)
	q = fma32(q, f, logC5)
	q = fma32(q, f, logC4)
	q = fma32(q, f, logC3)
	q = fma32(q, f, logC2)
	t := fma32(float32(f*f), q, fma32(float32(e), ln2Lo, f))
	return fma32(float32(e), ln2Hi, t) + (x - x)
}

// sqrt is the square root, rounded to nearest: float64 has more than twice the bits
// of float32, so that rounding twice does no harm.
func sqrt(x float32) float32 {
	return float32(math.Sqrt(float64(x)))
}

// fma32 returns a*b + c, rounded once to float32, as the vector instructions do.
//
// The product is exact in float64 (48 bits). Its sum with c is rounded there and then to float32,
// and rounding twice goes wrong only where the first rounding hits the middle of two float32s,
// which the exact sum merely comes near. Such a middle ends in 28 zeros, so that any other sum can
// be converted as it is. Special values follow IEEE 754; which NaN a NaN is, is not laid down.
func fma32(a, b, c float32) float32 {
	s := float64(float64(a)*float64(b)) + float64(c)
	if math.Float64bits(s)<<36 != 0 {
		return float32(s)
	}
	return fmaMiddle(a, b, c)
}

// fmaMiddle is fma32 where the sum may be the middle of two float32s; of two
// subnormal ones too, which have fewer bits.
func fmaMiddle(a, b, c float32) float32 {
	// Knuth's two-sum: exactly, p + q = s + rest. Where s is infinite, rest is NaN.
	p, q := float64(float64(a)*float64(b)), float64(c)
	s := p + q
	t := s - p
	rest := (p - (s - t)) + (q - t)
	// One step of float64 towards the exact sum leaves the middle, on its side.
	switch {
	case rest > 0:
		s = math.Nextafter(s, math.Inf(1))
	case rest < 0:
		s = math.Nextafter(s, math.Inf(-1))
	}
	return float32(s)
}
