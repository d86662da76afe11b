package exact

import "math"

// Log1p returns log(1+x), accurate also where 1+x would lose x, with an error
// below 0.54 ulp (measured, see the tests; the bound to rely on is 1 ulp).
//
//	Log1p(+Inf) = +Inf
//	Log1p(±0) = ±0
//	Log1p(-1) = -Inf
//	Log1p(x < -1) = NaN
//	Log1p(NaN) = NaN
//
// Method: that of Log; 1+x is carried as a rounded value and its exact rest.
func Log1p(x float64) float64 {
	switch {
	case -0x1p-9 <= x && x < 0x1p-8:
		// The cell around 1 needs no reduction: r is x itself.
		return x + logTail(x)
	case -1 < x && x < 1:
		u := 1 + x
		return logReduced(math.Float64bits(u), 0, x-(u-1))
	case 1 <= x && x < 0x1p54:
		u := 1 + x
		return logReduced(math.Float64bits(u), 0, 1-(u-x))
	case x >= 0x1p54:
		return Log(x) // the 1 is below a thousandth of an ulp of the result
	case x == -1:
		return math.Inf(-1)
	}
	return math.NaN()
}

// Expm1 returns e^x - 1, accurate also where e^x is close to 1, with an error
// below 0.55 ulp (measured, see the tests; the bound to rely on is 1 ulp).
//
//	Expm1(+Inf) = +Inf
//	Expm1(-Inf) = -1
//	Expm1(±0) = ±0
//	Expm1(NaN) = NaN
//	Expm1(x) = +Inf for x > 709.782712893384 (overflow)
//
// Method: that of Exp. With s the table's power of two and p = exp(r)-1 the result is (s-1) + p +
// (s-1)*p, whose large terms are added with their rounding errors.
func Expm1(x float64) float64 {
	switch {
	case x < -40:
		return -1 // e^-40 is far below half an ulp of 1
	case !(x < expFast):
		return Exp(x) // so is 1 against e^700; and NaN
	case x == 0:
		return x // for the sign
	}
	n, r, rLo := expReduce(x)
	t := &expTable[n&127]
	s := math.Float64frombits(t.bits + n<<45)
	d := s - 1
	var dLo float64 // d + dLo is s-1 exactly
	if s >= 1 {
		dLo = (s - d) - 1
	} else {
		dLo = s - (d + 1)
	}
	// Close to 0 the error counts against r, not against 1: hence one more
	// term of the series, and tail*r.
	r3 := float64(float64(r*r) * r)
	q := t.tail + (rLo + float64(t.tail*r)) + (expTail(r) + float64(float64(r3*r3)*expC6))
	// d is 0 or, the neighbouring cells being a whole step away, larger than
	// r: so (d-hi)+r is exactly what hi lost.
	hi := d + r
	return hi + ((d - hi) + r + (dLo + (q + float64(d*(r+q)))))
}

// PowInt returns x^n by binary exponentiation. For n >= 0 it rounds at most n-1 times as far as
// error growth goes: the relative error is at most 1.01*(n-1)*2^-53 for n < 10^13, as for n-1
// successive multiplications. A negative n takes the reciprocal first and has at most
// 1.01*(2|n|-1)*2^-53. Both hold as long as the result is a normal number; a result that is
// subnormal may have lost further bits, and one out of range is 0 or an infinity of the right sign.
//
//	PowInt(x, 0) = 1 for every x, NaN included
//	PowInt(±0, n < 0) = ±Inf for odd n, +Inf for even n
//	PowInt(±Inf, n < 0) = ±0 for odd n, +0 for even n
//	PowInt(NaN, n != 0) = NaN
//
// There is no Pow for fractional exponents: its error could not be bounded by 1 ulp without a
// longer logarithm. Exp(y*Log(x)) serves where a relative error of |y*log(x)| * 2^-52 does.
func PowInt(x float64, n int) float64 {
	// The magnitude as unsigned: -n would overflow for the lowest int.
	m := uint(n)
	if n < 0 {
		m = -m
		// Inverting the base and not the result: x^|n| may overflow where x^n
		// is still a (subnormal) number.
		x = 1 / x
	}
	p := 1.0
	for {
		if m&1 != 0 {
			p = float64(p * x)
		}
		if m >>= 1; m == 0 {
			return p
		}
		x = float64(x * x)
	}
}

// CosPi returns cos(pi x) for x in [0, 1], with an error below 2^-52; NaN outside.
//
//	CosPi(0) = 1
//	CosPi(1/2) = 0
//	CosPi(1) = -1
//
// Method: symmetries bring the angle into [0, pi/4], where the Taylor series of
// cosine or sine ends below half a unit of the last place. It is for schedules of a
// few calls a step, and made to be the same everywhere, not to be fast.
func CosPi(x float64) float64 {
	switch {
	case !(x >= 0 && x <= 1):
		return math.NaN()
	case x > 0.5:
		return -CosPi(1 - x) // exact: 1-x has no rounding error for x in [1/2, 1]
	case x > 0.25:
		y := math.Pi * (0.5 - x)
		return y * taylor(float64(y*y), 2)
	}
	y := math.Pi * x
	return taylor(float64(y*y), 1)
}

// taylor is sum over n of (-1)^n z^n k! / (2n+k-1)! for k = 1 (the cosine of the
// root of z) or k = 2 (its sine over the root), for z up to (pi/4)^2.
func taylor(z float64, k int) float64 {
	s := 1.0
	for n := 11; n >= 1; n-- {
		m := 2*n + k - 1
		s = 1 - float64(s*z/float64(m*(m-1)))
	}
	return s
}
