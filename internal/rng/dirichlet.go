package rng

import (
	"math/rand/v2"
	"slices"
)

// Dirichlet fills w with a draw from the symmetric Dirichlet distribution
// Dir(alpha, ..., alpha), alpha >= 0.01 (below, gamma variates underflow and the
// draw may take forever): entries of 0 or more that add up to 1. At
// alpha = 1, which is uniform on the simplex, they are the lengths into which
// len(w)-1 uniform points cut [0, 1] (Devroye, Non-Uniform Random Variate
// Generation, 1986, ch. V.2); points are multiples of 2^-53, so the lengths are
// exact and so is their sum. Else they are gamma variates over their sum.
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
	cuts := w[:len(w)-1]
	for i := range cuts {
		cuts[i] = unit(r.Uint64())
	}
	slices.Sort(cuts)
	last := 0.0
	for i, cut := range cuts {
		w[i] = cut - last
		last = cut
	}
	w[len(cuts)] = 1 - last
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
