package cpu

import "modebench/policies/internal/device"

// lanes are the accumulators of a sum over a row: element i belongs to lane i mod
// device.Lanes.
type lanes [device.Lanes]float32

// fold adds the lanes up: lane l and lane l+16, then lane l and lane l+8, and so on.
func (a *lanes) fold() float32 {
	for half := device.Lanes / 2; half > 0; half /= 2 {
		for l := range half {
			a[l] += a[l+half]
		}
	}
	return a[0]
}

// Gelu is, with a = max(x, -9) and b = min(a, 9),
//
//	y = a / (1 + exp(b fma(b b, geluCubic, geluLinear)))
//
// where exp's last product and the sum with 1 are each rounded. So y is x above 9,
// and -9 / (1 + exp(66.2)), about -1e-28, below -9. NaN stays NaN.
func (reference) Gelu(y, x []float32) {
	checkLength("x", x, len(y))
	for i := range y {
		a, b := geluClamp(x[i])
		y[i] = a / (1 + geluExp(b))
	}
}

// GeluBackward multiplies dx by the derivative, with b as in Gelu,
//
//	e = exp(b fma(b b, geluCubic, geluLinear));  s = 1 / (1 + e)
//	s fma(b fma(b b, geluSlope3, geluSlope), e s, 1)
//
// e s being 1-s without the cancellation. The derivative is worked out first, and
// then multiplied with dx.
func (reference) GeluBackward(dx, x []float32) {
	checkLength("x", x, len(dx))
	for i := range dx {
		_, b := geluClamp(x[i])
		e := geluExp(b)
		s := 1 / (1 + e)
		slope := float32(b * fma32(float32(b*b), geluSlope3, geluSlope))
		dx[i] *= float32(s * fma32(slope, float32(e*s), 1))
	}
}

// geluClamp returns a and b of Gelu. NaN is let through.
func geluClamp(x float32) (a, b float32) {
	if x < geluLow {
		x = geluLow
	}
	a, b = x, x
	if b > geluHigh {
		b = geluHigh
	}
	return a, b
}

// geluExp returns exp(-u) of Gelu, for an argument within the bounds.
func geluExp(b float32) float32 {
	return exp(float32(b * fma32(float32(b*b), geluCubic, geluLinear)))
}

// AdamW makes one step, as device.AdamW defines it.
func (reference) AdamW(p, g, m, v []float32, settings device.AdamW) {
	checkAdamW(p, g, m, v)
	for i := range p {
		grad := float32(settings.Scale * g[i])
		m[i] = fma32(settings.Beta1, m[i], float32(settings.Rest1*grad))
		v[i] = fma32(settings.Beta2, v[i], float32(float32(settings.Rest2*grad)*grad))
		step := float32(settings.Rate * (m[i] / fma32(sqrt(v[i]), settings.Root, settings.Eps)))
		p[i] -= fma32(settings.Decay, p[i], step)
	}
}

// SumSquares is the sum of squares: of each block of 1024 entries a row sum, and of
// these a float64 sum, in order. The last block may be shorter.
func (reference) SumSquares(x []float32) float64 {
	var sum float64
	for len(x) > 0 {
		block := x[:min(sumBlock, len(x))]
		var squares lanes
		for i, x := range block {
			l := i % device.Lanes
			squares[l] = fma32(x, x, squares[l])
		}
		sum += float64(squares.fold())
		x = x[len(block):]
	}
	return sum
}
