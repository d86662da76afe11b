package coins

import (
	"math/rand/v2"
	"strconv"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/rng"
)

// Bounds of a problem, those of the split ood included.
const (
	maxKinds = 9
	maxCoins = 13
)

// The bounds of a split's problems.
type bounds struct {
	kinds     int // kinds of coins on offer
	limit     int // coins of a payment, at most
	low, high int // amounts
}

// A currency holds the parts that all problems share: the coins, their tokens, and the
// demonstrator's two numbers.
type currency struct {
	key      rng.Key // of the hash that deals problems to splits, and of the noise; problems name their draw
	values   []int   // of coins, ascending
	highest  int     // amount of all splits
	q, sigma float64
	layout   layout
}

// The tokens: the end of a payment, the coins in ascending order, and then the amounts
// from 1 on, which only prompts have.
const (
	endToken envs.Token = iota
	firstCoin
)

// vocabulary lists the words of all tokens. An amount has a sign of equality before
// it, which tells it from a coin.
func (m *currency) vocabulary() []string {
	words := append([]string{"end"}, each.Map(m.values, strconv.Itoa)...)
	for amount := 1; amount <= m.highest; amount++ {
		words = append(words, "="+strconv.Itoa(amount))
	}
	return words
}

func (m *currency) coin(kind int) envs.Token { return firstCoin + envs.Token(kind) }

func (m *currency) amount(n int) envs.Token {
	return firstCoin + envs.Token(len(m.values)+n-1)
}

// kind is the place of a token's coin among the values, or -1 if the token is not a coin.
func (m *currency) kind(token envs.Token) int {
	if token < firstCoin || int(token-firstCoin) >= len(m.values) {
		return -1
	}
	return int(token - firstCoin)
}

// word is the text of a token; a token that answers do not have is "?".
func (m *currency) word(token envs.Token) string {
	if token == endToken {
		return "end"
	}
	if kind := m.kind(token); kind >= 0 {
		return strconv.Itoa(m.values[kind])
	}
	return "?"
}

// draw draws the kinds of coins that a problem offers, in ascending order, and an
// amount. Each set of kinds is as likely, and so is each amount.
func (m *currency) draw(r *rand.Rand, in bounds) (coins []int, amount int) {
	coins = make([]int, 0, in.kinds)
	for kind := range m.values {
		if wanted := in.kinds - len(coins); r.IntN(len(m.values)-kind) < wanted {
			coins = append(coins, kind)
		}
	}
	return coins, in.low + r.IntN(in.high-in.low+1)
}
