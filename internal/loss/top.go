package loss

import "slices"

// AppendTop appends the places of the k likeliest tokens of a distribution, the likeliest
// first, from its probabilities and their logarithms. Of ties the first place counts. Tokens of
// probability 0 do not count, so that there may be fewer than k.
func AppendTop[F float32 | float64](dst []int, k int, p, logp []F) []int {
	none := len(dst)
	for j, x := range logp {
		if p[j] == 0 {
			continue
		}
		start := len(dst)
		for start > none && logp[dst[start-1]] < x {
			start--
		}
		if start-none >= k {
			continue
		}
		if len(dst)-none == k {
			dst = dst[:len(dst)-1]
		}
		dst = slices.Insert(dst, start, j)
	}
	return dst
}
