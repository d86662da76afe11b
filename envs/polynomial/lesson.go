package polynomial

import (
	"math/rand/v2"

	"modebench/envs"
	"modebench/internal/rng"
)

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

// chooseX draws one of the choices. The one drawn of as many as there may be is
// looked for first, since to find out how many there are can mean to try every x.
// If there are fewer, the draw is made again among those that there are.
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
