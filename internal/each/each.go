// Package each maps lists.
package each

import "slices"

// Of returns f of each value, nil of an empty list.
func Of[T, U any](values []T, f func(T) U) []U {
	out := slices.Grow([]U(nil), len(values))
	for _, v := range values {
		out = append(out, f(v))
	}
	return out
}
