package envs

import "slices"

// ParetoFront returns the vectors that no other vector dominates, without
// repetition and in lexicographic order. u dominates v when u is at least v in
// every component and above it in one. The input is left as it is.
func ParetoFront(vectors [][]float64) [][]float64 {
	sorted := slices.Clone(vectors)
	slices.SortFunc(sorted, slices.Compare[[]float64])
	sorted = slices.CompactFunc(sorted, slices.Equal[[]float64])
	var front [][]float64
	for i, v := range sorted {
		// A vector that dominates v is lexicographically greater, so it comes later.
		if !slices.ContainsFunc(sorted[i+1:], func(u []float64) bool { return Covers(u, v) }) {
			front = append(front, slices.Clone(v))
		}
	}
	return front
}

// Covers reports whether u is at least v in every component.
func Covers(u, v []float64) bool {
	for j := range v {
		if u[j] < v[j] {
			return false
		}
	}
	return true
}

// UniformWeights is the default w*: 1/d for each of d components.
func UniformWeights(d int) []float64 {
	w := make([]float64, d)
	for i := range w {
		w[i] = 1 / float64(d)
	}
	return w
}
