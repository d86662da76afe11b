package countdown

import (
	"math/rand/v2"
	"strconv"

	"modebench/envs"
)

// Lesson implements envs.Teacher. Numbers are drawn until they belong to the split
// pretrain and have targets with which they are a problem of that split; one pass
// over the values of all forms tells. Then expressions over them are drawn until
// one has such a target. So lessons are about the problems of the split and no
// others. Numbers with several targets are as likely as those with one; the targets
// of some numbers are drawn in proportion to how many right token answers they
// have; and given the problem, each of these is as likely.
//
// The index plays no part: a problem is named by its numbers and its target.
func (e *Env) Lesson(_, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	s := e.usual
	g := s.pool.Get().(*generator)
	defer s.pool.Put(g)
	g.stream.Seed(r.Uint64(), r.Uint64())
	var modes tallies
	belong := 0
	for draw := 0; draw < mostDraws && belong < s.attempts; draw++ {
		g.drawNumbers()
		if g.owner() != envs.Pretrain {
			continue
		}
		belong++
		if g.count(&modes); !modes.some(e) {
			continue
		}
		w := writer{generator: g}
		if !w.find(func(v int64) bool { return modes.accept(e, v) }) {
			continue
		}
		g.target = int16(w.value)
		p := newProblem(s, g.name(), g.numbers, g.target)
		answers := make([][]envs.Token, n)
		for i := range answers {
			if i == 0 || w.find(func(v int64) bool { return v == int64(p.target) }) {
				answers[i] = w.tokens()
			} else {
				answers[i] = w.uniform(p)
			}
		}
		return p, answers, nil
	}
	return nil, nil, s.refuse("countdown", envs.Pretrain, belong)
}

// name is the ID of a problem of a lesson: "pretrain/2,3,5,7=24".
func (g *generator) name() string {
	id := append(make([]byte, 0, 48), envs.Pretrain...)
	separator := byte('/')
	for _, number := range g.numbers[:g.shape.n] {
		id = strconv.AppendInt(append(id, separator), int64(number), 10)
		separator = ','
	}
	return string(strconv.AppendInt(append(id, '='), int64(g.target), 10))
}

// tallies are the modes of correct answers that each target has.
type tallies [largest + 1]uint16

// accept reports whether numbers and a target are a problem.
func (c *tallies) accept(e *Env, target int64) bool {
	return target >= int64(e.config.TargetMin) && target <= int64(e.config.TargetMax) && int(c[target]) >= e.config.MinModes
}

// some reports whether the numbers have such a target.
func (c *tallies) some(e *Env) bool {
	for target := e.config.TargetMin; target <= e.config.TargetMax; target++ {
		if int(c[target]) >= e.config.MinModes {
			return true
		}
	}
	return false
}

// count counts the modes of all targets for the numbers drawn.
func (g *generator) count(c *tallies) {
	s := g.shape
	*c = tallies{}
	g.equal = neighbours(g.numbers[:s.n])
	g.fill()
	for i, f := range s.algebra[s.n].forms {
		a, b := g.values[s.offset[f.left]+int32(f.a)], g.values[s.offset[s.full&^f.left]+int32(f.b)]
		g.note(c, part{form: uint32(i), slots: s.full}, f.op.join(a, b))
	}
	if s.env.config.AtMostOnce {
		for set := slots(1); set < s.full; set++ {
			if s.leftmost(set, g.equal) {
				for i, v := range g.over(set) {
					g.note(c, part{form: uint32(i), slots: set}, v)
				}
			}
		}
	}
}

// note adds a form to the tallies, under its value or the negative of it, unless another
// form represents its mode.
func (g *generator) note(c *tallies, x part, v value) {
	if v.den == 0 {
		return
	}
	num, den := abs(v.num), abs(v.den)
	target := num / den
	if target*den != num || target > largest {
		return
	}
	if g.equal == 0 || g.shape.image(x, g.equal).form() == x.form {
		c[target]++
	}
}
