package metrics

import "modebench/internal/rng"

// Scalarisations returns n draws of w ~ Dir(1), the uniform distribution on the
// simplex, in d >= 1 dimensions. They
// are always the same ones, and the first of a longer list too, so that all
// methods and runs share them. They are the w of E_w[best@k] (VPO eq. 1, which
// trains on this distribution).
func Scalarisations(d, n int) [][]float64 {
	key := rng.New(0).Str("scalarisations").Int(uint64(d))
	out := make([][]float64, 0, max(0, n))
	for i := range n {
		r := key.Int(uint64(i)).Rand()
		w := make([]float64, max(0, d))
		rng.Dirichlet(r, 1, w)
		out = append(out, w)
	}
	return out
}
