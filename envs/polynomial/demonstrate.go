package polynomial

import (
	"math/rand/v2"
	"slices"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// findChoices lists the easiest x that are part of a correct pair.
func (p *Problem) findChoices() {
	p.curve.easiest(func(x int64) bool {
		if _, n := p.curve.solve(x); n > 0 {
			tokens := p.env.literal(make([]envs.Token, 0, p.env.longest()+1), x)
			p.choices = append(p.choices, choice{x, append(tokens, comma), p.env.weights[len(p.choices)]})
		}
		return len(p.choices) < len(p.env.weights)
	})
}

// chances appends the demonstrator's probability of each legal token. c is the cursor and
// number the tokens of the number under way. With probability slip it takes any legal
// token; otherwise it continues the number that it means to write.
//
// It means to write one of its choices of x, the n-th in proportion to 1/n^skew, and beside it the
// y that is right, each of two as likely; where no writable y is right, one rounded towards zero. A
// slip on the way does not make it think again: a number for x that is no choice any more ends as
// soon as it may, and y goes on, place by place, as though nothing had happened. So a slip in x
// gives another x with its own right y, and one in y mostly a wrong digit.
func (p *Problem) chances(dst []float64, c *cursor, number []envs.Token) []float64 {
	p.lazyChoices.Do(p.findChoices)
	var meant [answerTokens]float64
	var sum float64
	if c.part == writingX {
		sum = p.meanX(&meant, number)
	} else {
		sum = p.meanY(&meant, c, number)
	}
	legal := c.Legal()
	if sum == 0 {
		// Nothing that it means to write can follow: it ends, if it may here.
		likely := legal
		if mark := legal[len(legal)-1:]; mark[0] >= comma {
			likely = mark
		}
		for _, t := range likely {
			meant[t]++
			sum++
		}
	}
	slip := p.env.config.Slip
	for _, t := range legal {
		dst = append(dst, slip/float64(len(legal))+float64((1-slip)*(meant[t]/sum)))
	}
	return dst
}

// meanX adds up the weights of the choices that begin with a number, by the token that comes next.
func (p *Problem) meanX(meant *[answerTokens]float64, number []envs.Token) (sum float64) {
	for _, c := range p.choices {
		if len(c.tokens) > len(number) && slices.Equal(c.tokens[:len(number)], number) {
			meant[c.tokens[len(number)]] += c.weight
			sum += c.weight
		}
	}
	return sum
}

// meanY does the same for y, which has one or two numbers to write.
func (p *Problem) meanY(meant *[answerTokens]float64, c *cursor, number []envs.Token) (sum float64) {
	ys, n := p.curve.near(int64(c.x))
	var next [2]envs.Token
	var begins [2]bool // the number so far is the beginning of this one
	var room [maxNumber + 1]envs.Token
	for i, y := range ys[:n] {
		tokens := append(p.env.literal(room[:0], y), end)
		next[i] = end
		if len(number) < len(tokens) {
			next[i] = tokens[len(number)]
			begins[i] = slices.Equal(tokens[:len(number)], number)
		}
	}
	legal := c.Legal()
	lost := begins == [2]bool{}
	for i := range n {
		if (begins[i] || lost) && slices.Contains(legal, next[i]) {
			meant[next[i]]++
			sum++
		}
	}
	return sum
}

// AppendPrior implements envs.Priored. It depends on the cursor's key alone.
func (p *Problem) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	c := cursor{grammar: &p.env.grammar}
	if !envs.After(&c, prefix) {
		return dst
	}
	n := len(dst)
	dst = p.chances(dst, &c, prefix[slices.Index(prefix, comma)+1:])
	for i := n; i < len(dst); i++ {
		dst[i] = exact.Log(dst[i])
	}
	return dst
}

// Demonstrate implements envs.Problem: a draw from the prior.
func (p *Problem) Demonstrate(r *rand.Rand) []envs.Token {
	c := cursor{grammar: &p.env.grammar}
	var room [answerTokens]float64
	return envs.Walk(make([]envs.Token, 0, 2*p.env.longest()+2), &c, r, func(answer []envs.Token) []float64 {
		return p.chances(room[:0], &c, answer[slices.Index(answer, comma)+1:])
	})
}

// Lesson implements envs.Teacher: the answer that the demonstrator means to write on
// problem number index of the split pretrain, without its slips. It is always right, as its
// choices of x are parts of correct pairs.
func (e *Env) Lesson(index, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	return envs.PretrainLesson(e, index, n, func(p *Problem) []envs.Token { return p.teach(r) })
}

// teach draws a correct pair: an x as the demonstrator does, and one of the y that
// are right beside it.
func (p *Problem) teach(r *rand.Rand) []envs.Token {
	x := p.chooseX(r)
	ys, n := p.curve.solve(x)
	g := &p.env.grammar
	out := append(g.literal(make([]envs.Token, 0, 2*g.longest()+2), x), comma)
	return append(g.literal(out, ys[r.IntN(n)]), end)
}

const maxChoices = 64

// chooseX draws one of the choices. It draws as if there were as many as there may be, since counting
// them can mean to try every x. If there are fewer, it draws again among these.
func (p *Problem) chooseX(r *rand.Rand) int64 {
	var room [maxChoices]int64
	xs := room[:0]
	place := rng.Weighted(p.env.weights, r.Float64())
	p.curve.easiest(func(x int64) bool {
		if _, n := p.curve.solve(x); n > 0 {
			xs = append(xs, x)
		}
		return len(xs) <= place
	})
	if place >= len(xs) {
		place = rng.Weighted(p.env.weights[:len(xs)], r.Float64())
	}
	return xs[place]
}
