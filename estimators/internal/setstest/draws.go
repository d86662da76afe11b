package setstest

import (
	"math/big"
	"math/rand/v2"
)

// Modes draws the modes of a group, a letter each, '-' for none; kind chooses how rich.
func Modes(r *rand.Rand, size, kind int) string {
	letters := []string{"A", "AB", "AB-", "ABCDEFGH", "ABCDE---", "-"}[kind%6]
	modes := make([]byte, size)
	for i := range modes {
		modes[i] = letters[r.IntN(len(letters))]
	}
	return string(modes)
}

// Fractions draws rewards that are fractions of both signs, and as the nearest numbers.
func Fractions(r *rand.Rand, size int) (exact []*big.Rat, rounded []float64) {
	for range size {
		q := big.NewRat(int64(r.IntN(41)-20), int64(1+r.IntN(12)))
		f, _ := q.Float64()
		exact, rounded = append(exact, q), append(rounded, f)
	}
	return exact, rounded
}

// Mixed draws rewards that are exact fractions: of few values, or of many.
func Mixed(r *rand.Rand, size, kind int) (exact []*big.Rat, rounded []float64) {
	if kind%3 == 0 {
		return Fractions(r, size)
	}
	for range size {
		q := big.NewRat(int64(r.IntN(2)), 1)
		if kind%3 == 1 {
			q = big.NewRat(int64(r.IntN(4)-1), 3)
		}
		f, _ := q.Float64()
		exact, rounded = append(exact, q), append(rounded, f)
	}
	return exact, rounded
}
