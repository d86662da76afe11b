// Package each has the loops over lists that package slices lacks.
package each

import (
	"cmp"
	"slices"
)

// Map returns f of each value, nil for an empty list.
func Map[T, U any](values []T, f func(T) U) []U {
	out := slices.Grow([]U(nil), len(values))
	for _, v := range values {
		out = append(out, f(v))
	}
	return out
}

// Where returns the values that fit, nil if none does.
func Where[T any](values []T, fits func(T) bool) (out []T) {
	for _, v := range values {
		if fits(v) {
			out = append(out, v)
		}
	}
	return out
}

// Distinct returns the values in their order, each once.
func Distinct[T comparable](values []T) (out []T) {
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// Below returns the numbers from 0 to n-1.
func Below(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Largest is the largest size of a value, at least 0.
func Largest[T any, N cmp.Ordered](values []T, size func(T) N) (largest N) {
	for _, v := range values {
		largest = max(largest, size(v))
	}
	return largest
}

// Count is how many values fit.
func Count[T any](values []T, fits func(T) bool) (n int) {
	for _, v := range values {
		if fits(v) {
			n++
		}
	}
	return n
}
