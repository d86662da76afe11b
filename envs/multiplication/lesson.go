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
	out := make([]envs.Token, 0, p.format.limit)
	c := cursor{problem: p}
	for side := range p.shown {
		for _, t := range p.choose(side, c.sides[0].class == bare, r.Float64()) {
			c.take(t)
			out = append(out, t)
		}
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
func (p *Problem) choose(side int, bare bool, u float64) []envs.Token {
	sum := 0.0
	fits := func(x *shown) bool { return side == 0 || !bare || x.kind != plain }
	for i := range p.shown[side] {
		if x := &p.shown[side][i]; fits(x) {
			sum += x.weight
		}
	}
	u = float64(u * sum)
	var last []envs.Token
	for i := range p.shown[side] {
		x := &p.shown[side][i]
		if !fits(x) {
			continue
		}
		if last = x.tokens; u < x.weight {
			break
		}
		u -= x.weight
	}
	return last
}
