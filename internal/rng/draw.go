package rng

import (
	"math"
	"math/rand/v2"

	"modebench/internal/exact"
)

// Uniform returns the next uniform of the stream: a multiple of 2^-53 in [0, 1). It takes one
// 64-bit word and uses its top 53 bits, so every value is exact and the same everywhere.
func Uniform(p *rand.PCG) float64 {
	return unit(p.Uint64())
}

// unit maps a random word to a multiple of 2^-53 in [0, 1).
func unit(w uint64) float64 {
	// Exact, so fusing it into a caller's sum would change nothing; rounding it
	// all the same keeps disassembly free of fused instructions to explain.
	return float64(float64(w>>11) * 0x1p-53)
}

// Normal returns a standard normal variate by Marsaglia's polar method (Marsaglia and Bray, SIAM
// Review 6, 1964). It takes an even, random number of words from r (2.55 on average) and keeps
// nothing between calls: the second variate of the pair is dropped, so that the draw depends on the
// position in the stream only. The result is finite.
//
// rand.Rand.NormFloat64 is no substitute: its slow path calls math.Exp and
// math.Log, whose bits depend on the CPU.
func Normal(r *rand.Rand) float64 {
	for {
		u := float64(2*unit(r.Uint64())) - 1
		v := float64(2*unit(r.Uint64())) - 1
		s := float64(u*u) + float64(v*v)
		if s >= 1 || s == 0 {
			continue
		}
		return float64(u * math.Sqrt(-2*exact.Log(s)/s))
	}
}

// Gamma returns a variate of the gamma distribution with that shape and scale 1, by the squeeze of
// Marsaglia and Tsang (ACM TOMS 26, 2000); the mean is shape. Shapes below 1 are drawn as a variate
// of shape + 1 times u^(1/shape) (section 6 there); where shape is far below 1 that can underflow
// to 0. It takes a random number of words from r and keeps nothing between calls. The result is
// never negative; a shape that is not above 0 gives NaN.
func Gamma(r *rand.Rand, shape float64) float64 {
	if !(shape > 0) {
		return math.NaN()
	}
	if shape < 1 {
		// 1-u is never 0. The product is rounded here, since it may be inlined into a sum.
		boost := exact.Exp(exact.Log(1-unit(r.Uint64())) / shape)
		return float64(marsagliaTsang(r, shape+1) * boost)
	}
	return marsagliaTsang(r, shape)
}

// marsagliaTsang is Gamma for shapes of 1 and more.
func marsagliaTsang(r *rand.Rand, shape float64) float64 {
	d := shape - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := Normal(r)
		w := float64(c * x) // v = (1+w)^3
		if w <= -1 {
			continue
		}
		v := float64(float64((1+w)*(1+w)) * (1 + w))
		u := unit(r.Uint64())
		square := float64(x * x)
		if u < 1-float64(0.0331*float64(square*square)) {
			return float64(d * v)
		}
		// log u < x^2/2 + d (1 - v + log v), without the cancellation of 1 - v
		// against log v where w is small.
		rest := float64(3*(exact.Log1p(w)-w-float64(w*w))) - float64(float64(w*w)*w)
		if exact.Log(u) < float64(square/2)+float64(d*rest) {
			return float64(d * v)
		}
	}
}

// Choice inverts a distribution: the entry of chances, which add up to 1, that u in [0, 1)
// falls on.
func Choice(chances []float64, u float64) int {
	last := len(chances) - 1
	for i, q := range chances[:last] {
		if u -= q; u < 0 {
			return i
		}
	}
	return last
}

// Weighted returns an entry of weights in proportion to it, by u in [0, 1).
func Weighted(weights []float64, u float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	return Choice(weights, float64(u*sum))
}

// Dirichlet fills w with a draw from the symmetric Dirichlet distribution Dir(alpha, ..., alpha),
// alpha >= 0.01 (below, gamma variates underflow and the draw may take forever): entries of 0 or
// more that add up to 1. At alpha = 1, which is uniform on the simplex, they are the lengths into
// which len(w)-1 uniform points cut [0, 1] (Devroye, Non-Uniform Random Variate Generation, 1986,
// ch. V.2); points are multiples of 2^-53, so the lengths are exact and so is their sum. Else they
// are gamma variates over their sum.
func Dirichlet(r *rand.Rand, alpha float64, w []float64) {
	switch {
	case len(w) == 0:
	case alpha == 1:
		spacings(r, w)
	default:
		gammas(r, alpha, w)
	}
}

func spacings(r *rand.Rand, w []float64) {
	for i := range w[:len(w)-1] {
		w[i] = unit(r.Uint64())
	}
	gaps(w)
}

func gammas(r *rand.Rand, alpha float64, w []float64) {
	sum := 0.0
	for sum == 0 { // all variates 0: possible, but hardly ever happens
		for j := range w {
			w[j] = Gamma(r, alpha)
			sum += w[j]
		}
	}
	for j := range w {
		w[j] /= sum
	}
}
