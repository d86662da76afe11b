package draw

import "math"

// mantissa is how many bits a float64 has beside the leading one.
const mantissa = 52

// Round rounds numbers in place to that many bits of mantissa beside the leading one, 1 to 52: to
// the nearest, ties to even. Exponents keep the range of float64, so a small number does not
// vanish. An infinity or a NaN stays.
func Round(xs []float64, bits int) {
	drop := mantissa - bits
	if drop == 0 {
		return
	}
	for i, x := range xs {
		if x-x != 0 {
			continue
		}
		// Half of the dropped unit, less one if the number below is even, is added; an overflow of
		// the mantissa raises the exponent, as it should.
		b := math.Float64bits(x)
		b += uint64(1)<<(drop-1) - 1 + b>>drop&1
		xs[i] = math.Float64frombits(b &^ (uint64(1)<<drop - 1))
	}
}
