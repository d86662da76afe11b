// Package setstest has what tests of methods over sets of answers are held to: sets by
// enumeration and objectives by definition, in exact fractions. It knows nothing of
// estimators, so tests inside package estimators import it too.
package setstest

import (
	"math/big"
	"math/rand/v2"

	"modebench/internal/each"
)

// EachSet calls visit with every n-subset of 0..size-1 in lexicographic order; the slice is reused.
func EachSet(size, n int, visit func(set []int)) {
	set := make([]int, n)
	var grow func(next, filled int)
	grow = func(next, filled int) {
		if filled == n {
			visit(set)
			return
		}
		for i := next; i <= size-(n-filled); i++ {
			set[filled] = i
			grow(i+1, filled+1)
		}
	}
	grow(0, 0)
}

// Distinct counts the modes in a set; '-' is no mode.
func Distinct(set []int, modes string) int {
	var counted [256]bool
	count := 0
	for _, i := range set {
		if m := modes[i]; m != '-' && !counted[m] {
			counted[m] = true
			count++
		}
	}
	return count
}

// Exactly are the objectives in exact fractions, written down from their names; a
// rollout is correct where its reward is above 0, as in the groups of batchtest.
var Exactly = map[string]func(set []int, rewards []*big.Rat, modes string) *big.Rat{
	"polychromic": func(set []int, rewards []*big.Rat, modes string) *big.Rat {
		return Mul(exactMean(set, rewards), Ratio(Distinct(set, modes), len(set)))
	},
	"polychromic-ppo": func(set []int, rewards []*big.Rat, modes string) *big.Rat {
		d := Distinct(set, modes)
		if d == 1 {
			d = 0
		}
		return Mul(exactMean(set, rewards), Ratio(d, len(set)))
	},
	"polychromic-max": func(set []int, rewards []*big.Rat, modes string) *big.Rat {
		return Mul(Best(set, rewards, 1), Ratio(Distinct(set, modes), len(set)))
	},
	"mean": func(set []int, rewards []*big.Rat, _ string) *big.Rat { return exactMean(set, rewards) },
	"max":  func(set []int, rewards []*big.Rat, _ string) *big.Rat { return Best(set, rewards, 1) },
	"min":  func(set []int, rewards []*big.Rat, _ string) *big.Rat { return Best(set, rewards, -1) },
	"distinct": func(set []int, _ []*big.Rat, modes string) *big.Rat {
		return Ratio(Distinct(set, modes), len(set))
	},
	"distinct-correct": func(set []int, rewards []*big.Rat, modes string) *big.Rat {
		right := each.Where(set, func(i int) bool { return rewards[i].Sign() > 0 })
		return Ratio(Distinct(right, modes), len(set))
	},
	"pass": func(set []int, rewards []*big.Rat, _ string) *big.Rat {
		return Ratio(min(1, correctIn(set, rewards)), 1)
	},
	"all": func(set []int, rewards []*big.Rat, _ string) *big.Rat {
		return Ratio(correctIn(set, rewards)/len(set), 1)
	},
	"majority": func(set []int, rewards []*big.Rat, _ string) *big.Rat {
		if c := correctIn(set, rewards); c > len(set)-c {
			return Ratio(1, 1)
		}
		return Ratio(0, 1)
	},
}

// Ratio is a/b.
func Ratio(a, b int) *big.Rat { return big.NewRat(int64(a), int64(b)) }

// Mul is x times y, and leaves both as they are.
func Mul(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }

func exactMean(set []int, rewards []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, i := range set {
		total.Add(total, rewards[i])
	}
	return total.Mul(total, Ratio(1, len(set)))
}

// Best is the largest reward of a set that is not empty, or with sign -1 the smallest.
func Best(set []int, rewards []*big.Rat, sign int) *big.Rat {
	best := rewards[set[0]]
	for _, i := range set {
		if rewards[i].Cmp(best) == sign {
			best = rewards[i]
		}
	}
	return best
}

func correctIn(set []int, rewards []*big.Rat) int {
	return each.Count(set, func(i int) bool { return rewards[i].Sign() > 0 })
}

// Marginal is Poly-EPO eq. 8 over all sets in exact fractions: f of every set,
// the mean over the sets that hold i, less the mean over all.
func Marginal(objective string, rewards []*big.Rat, modes string, n int) []float64 {
	size := len(rewards)
	all, held := new(big.Rat), make([]*big.Rat, size)
	for i := range held {
		held[i] = new(big.Rat)
	}
	sets, holds := 0, 0
	EachSet(size, n, func(set []int) {
		f := Exactly[objective](set, rewards, modes)
		all.Add(all, f)
		sets++
		for _, i := range set {
			held[i].Add(held[i], f)
			if i == 0 {
				holds++
			}
		}
	})
	mean := Mul(all, Ratio(1, sets))
	out := make([]float64, size)
	for i, h := range held {
		out[i], _ = new(big.Rat).Sub(Mul(h, Ratio(1, holds)), mean).Float64()
	}
	return out
}

// Chance is C(a, k) / C(b, k), 0 where k > a.
func Chance(a, k, b int) float64 {
	x, _ := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(a), int64(k)), new(big.Int).Binomial(int64(b), int64(k))).Float64()
	return x
}

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
