package envs

import (
	"math/rand/v2"

	"modebench/internal/exact"
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

// Demonstrate draws an answer of at most limit tokens from a demonstrator that is known by its
// prior: a function that appends the log-probability of each legal token in a state.
func Demonstrate[C Cursor](c C, limit int, r *rand.Rand, prior func(dst []float64, c C) []float64) []Token {
	var logits, chances []float64
	return Walk(make([]Token, 0, limit), c, r, func([]Token) []float64 {
		logits = prior(logits[:0], c)
		chances = append(chances[:0], logits...)
		exact.Softmax(chances, logits)
		return chances
	})
}

// AppendPrior is Priored.AppendPrior, given a cursor at the start and the prior in a state.
func AppendPrior[C Cursor](dst []float64, c C, prefix []Token, prior func(dst []float64, c C) []float64) []float64 {
	if !After(c, prefix) {
		return dst
	}
	return prior(dst, c)
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

// AppendCounted appends the prior of a demonstrator that draws a share q of its moves from the
// correct answers, given how many of these each of n legal tokens leads to:
//
//	log((1-q)/n + q count/total) + sigma N(0, 1)
//
// or log(1/n) + sigma N(0, 1) if all counts are 0.
func AppendCounted(dst []float64, counts []int64, q, sigma float64, noise *rand.Rand) []float64 {
	total := sum(counts)
	for _, count := range counts {
		share := 1 / float64(len(counts))
		if total > 0 {
			share = float64((1-q)*share) + float64(q*(float64(count)/float64(total)))
		}
		dst = append(dst, exact.Log(share)+float64(sigma*rng.Normal(noise)))
	}
	return dst
}

// DrawCorrect appends a correct answer, each as likely as any other, from the state of a cursor on.
// counts appends how many correct answers each legal token leads to, and below draws a number from
// 0 to n-1.
func DrawCorrect[C Cursor](dst []Token, c C, counts func(dst []int64, c C) []int64, below func(n int64) int64) []Token {
	var room []int64
	for !c.Done() {
		room = counts(room[:0], c)
		choice, place := below(sum(room)), 0
		for choice >= room[place] {
			choice -= room[place]
			place++
		}
		t := c.Legal()[place]
		if dst = append(dst, t); c.Push(t) != nil {
			break // not reached: the token is legal
		}
	}
	return dst
}

func sum(counts []int64) (total int64) {
	for _, count := range counts {
		total += count
	}
	return total
}
