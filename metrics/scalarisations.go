package metrics

import (
	"slices"

	"modebench/internal/rng"
)

// Scalarisations returns n draws of w ~ Dir(1), the uniform distribution on the
// simplex, in d >= 1 dimensions: the w of E_w[best@k] (VPO eq. 1, which trains on
// this distribution). They are always the same ones, and the first of a longer
// list too, so that all methods and runs share them.
//
// Every draw comes with its d-1 rotations, so that where d divides n all
// components weigh the same on average: ew_best@1 is then best@1 under uniform
// weights, exactly, and no component is favoured for k > 1 either. What is left of
// the error of a finite list is the same for all methods; intervals over seeds do
// not show it.
func Scalarisations(d, n int) [][]float64 {
	key := rng.New(0).Str("scalarisations").Int(uint64(d))
	out := make([][]float64, 0, max(0, n))
	var w []float64
	for i := range n {
		turn := 0
		if d > 0 {
			turn = i % d
		}
		if turn == 0 {
			w = make([]float64, max(0, d))
			rng.Dirichlet(key.Int(uint64(i)).Rand(), 1, w)
		}
		out = append(out, slices.Concat(w[turn:], w[:turn]))
	}
	return out
}
