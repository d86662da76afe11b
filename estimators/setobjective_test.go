package estimators

import "math/big"

// exactly are the objectives in exact fractions, written down from their names; a
// rollout is correct where its reward is above 0, as in groupOf.
var exactly = map[string]func(set []int, rewards []*big.Rat, modes string) *big.Rat{
	"polychromic": func(set []int, rewards []*big.Rat, modes string) *big.Rat {
		return mul(exactMean(set, rewards), ratio(distinct(set, modes), len(set)))
	},
	"polychromic-ppo": func(set []int, rewards []*big.Rat, modes string) *big.Rat {
		d := distinct(set, modes)
		if d == 1 {
			d = 0
		}
		return mul(exactMean(set, rewards), ratio(d, len(set)))
	},
	"polychromic-max": func(set []int, rewards []*big.Rat, modes string) *big.Rat {
		return mul(exactBest(set, rewards, 1), ratio(distinct(set, modes), len(set)))
	},
	"mean": func(set []int, rewards []*big.Rat, _ string) *big.Rat { return exactMean(set, rewards) },
	"max":  func(set []int, rewards []*big.Rat, _ string) *big.Rat { return exactBest(set, rewards, 1) },
	"min":  func(set []int, rewards []*big.Rat, _ string) *big.Rat { return exactBest(set, rewards, -1) },
	"distinct": func(set []int, _ []*big.Rat, modes string) *big.Rat {
		return ratio(distinct(set, modes), len(set))
	},
	"distinct-correct": func(set []int, rewards []*big.Rat, modes string) *big.Rat {
		var right []int
		for _, i := range set {
			if rewards[i].Sign() > 0 {
				right = append(right, i)
			}
		}
		return ratio(distinct(right, modes), len(set))
	},
	"pass": func(set []int, rewards []*big.Rat, _ string) *big.Rat {
		return ratio(min(1, correctIn(set, rewards)), 1)
	},
	"all": func(set []int, rewards []*big.Rat, _ string) *big.Rat {
		return ratio(correctIn(set, rewards)/len(set), 1)
	},
	"majority": func(set []int, rewards []*big.Rat, _ string) *big.Rat {
		if c := correctIn(set, rewards); c > len(set)-c {
			return ratio(1, 1)
		}
		return ratio(0, 1)
	},
}

func ratio(a, b int) *big.Rat { return big.NewRat(int64(a), int64(b)) }

func mul(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }

func exactMean(set []int, rewards []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, i := range set {
		total.Add(total, rewards[i])
	}
	return total.Mul(total, ratio(1, len(set)))
}

func exactBest(set []int, rewards []*big.Rat, sign int) *big.Rat {
	best := rewards[set[0]]
	for _, i := range set {
		if rewards[i].Cmp(best) == sign {
			best = rewards[i]
		}
	}
	return best
}

func correctIn(set []int, rewards []*big.Rat) int {
	c := 0
	for _, i := range set {
		if rewards[i].Sign() > 0 {
			c++
		}
	}
	return c
}

// exactMarginal is Poly-EPO eq. 8 over all sets in exact fractions: f of every set,
// the mean over the sets that hold i, less the mean over all.
func exactMarginal(objective string, rewards []*big.Rat, modes string, n int) []float64 {
	size := len(rewards)
	all, held := new(big.Rat), make([]*big.Rat, size)
	for i := range held {
		held[i] = new(big.Rat)
	}
	sets, holds := 0, 0
	eachSet(size, n, func(set []int) {
		f := exactly[objective](set, rewards, modes)
		all.Add(all, f)
		sets++
		for _, i := range set {
			held[i].Add(held[i], f)
			if i == 0 {
				holds++
			}
		}
	})
	mean := mul(all, ratio(1, sets))
	out := make([]float64, size)
	for i, h := range held {
		out[i], _ = new(big.Rat).Sub(mul(h, ratio(1, holds)), mean).Float64()
	}
	return out
}
