package rng

import (
	"math"
	"math/rand/v2"

	"modebench/internal/exact"
)

// Uniform returns the next uniform of the stream: a multiple of 2^-53 in
// [0, 1). It takes one 64-bit word and uses its top 53 bits, so every value is
// exact and the same everywhere.
func Uniform(p *rand.PCG) float64 {
	return unit(p.Uint64())
}

// unit maps a random word to a multiple of 2^-53 in [0, 1).
func unit(w uint64) float64 {
	// Exact, so fusing it into a caller's sum would change nothing; rounding it
	// all the same keeps disassembly free of fused instructions to explain.
	return float64(float64(w>>11) * 0x1p-53)
}

// Normal returns a standard normal variate by Marsaglia's polar method
// (Marsaglia and Bray, SIAM Review 6, 1964). It takes an even, random number
// of words from r (2.55 on average) and keeps nothing between calls: the
// second variate of the pair is dropped, so that the draw depends on the
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

// Exponential returns a variate of the exponential distribution with mean 1 by
// inversion, -log(1-u), from one word of r. The result lies in [0, 36.74] (u is
// at most 1-2^-53); it is never negative zero.
func Exponential(r *rand.Rand) float64 {
	// 1-u is exact. Subtracting from zero instead of negating turns u = 0 into
	// +0.
	return 0 - exact.Log(1-unit(r.Uint64()))
}
