package envs

import (
	"math/rand/v2"

	"modebench/internal/rng"
)

// Walk appends an answer to dst, from the state of the cursor on. Each token is drawn by the
// chances of the legal tokens, which add up to 1. chances gets the answer so far.
func Walk(dst []Token, c Cursor, r *rand.Rand, chances func(answer []Token) []float64) []Token {
	for !c.Done() {
		t := c.Legal()[rng.Choice(chances(dst), r.Float64())]
		if dst = append(dst, t); c.Push(t) != nil {
			break // not reached: the token is legal
		}
	}
	return dst
}

// After moves the cursor, which is at the start, behind a prefix. It returns false where no
// token follows: the prefix is not legal, or it ends the answer.
func After(c Cursor, prefix []Token) bool {
	for _, t := range prefix {
		if c.Push(t) != nil {
			return false
		}
	}
	return !c.Done()
}
