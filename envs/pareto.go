package envs

import "slices"

// ParetoFront returns the vectors that no other vector dominates, without
// repetition and in lexicographic order. u dominates v when u is at least v in
// every component and above it in one. The input is left as it is.
func ParetoFront(vectors [][]float64) [][]float64 {
	sorted := slices.Clone(vectors)
	slices.SortFunc(sorted, func(a, b []float64) int { return slices.Compare(a, b) })
	sorted = slices.CompactFunc(sorted, func(a, b []float64) bool { return slices.Equal(a, b) })
	var front [][]float64
	for i, v := range sorted {
		dominated := false
		// A vector that dominates v is lexicographically greater, so it comes later.
		for _, u := range sorted[i+1:] {
			if dominated = Covers(u, v); dominated {
				break
			}
		}
		if !dominated {
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
