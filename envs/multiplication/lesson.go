package multiplication

import (
	"math/rand/v2"

	"modebench/envs"
)

// Lesson implements envs.Teacher: the answer that the demonstrator means to write on
// problem number index of the split pretrain, without its slips and lapses, which leave one
// answer in five right.
func (e *Env) Lesson(index, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	return envs.PretrainLesson(e, index, n, func(p *Problem) []envs.Token { return p.teach(r) })
}

// teach draws an expression that the demonstrator knows for each operand, and
// works the rest out.
func (p *Problem) teach(r *rand.Rand) []envs.Token {
	p.findShown.Do(p.know)
	first := p.choose(0, false, r.Float64())
	return p.finish(first, p.choose(1, first.kind == plain, r.Float64()))
}

// finish is the right answer with an expression for each operand.
func (p *Problem) finish(expressions ...*shown) []envs.Token {
	out := make([]envs.Token, 0, p.format.limit)
	c := cursor{problem: p}
	for _, x := range expressions {
		for _, t := range x.tokens {
			c.take(t)
		}
		out = append(out, x.tokens...)
	}
	for !c.Done() {
		t := c.right()
		c.take(t)
		out = append(out, t)
	}
	return out
}

// choose draws one of the known expressions for an operand by u in [0, 1). The
// second operand is not left plain if the first one is.
func (p *Problem) choose(side int, afterPlain bool, u float64) (last *shown) {
	sum := 0.0
	fits := func(x *shown) bool { return !afterPlain || x.kind != plain }
	for i := range p.shown[side] {
		if x := &p.shown[side][i]; fits(x) {
			sum += x.weight
		}
	}
	u = float64(u * sum)
	for i := range p.shown[side] {
		x := &p.shown[side][i]
		if !fits(x) {
			continue
		}
		if last = x; u < x.weight {
			break
		}
		u -= x.weight
	}
	return last
}
