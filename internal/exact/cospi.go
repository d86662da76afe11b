package exact

import "math"

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
