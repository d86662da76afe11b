package cpu

import "math"

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
