package countdown

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"

	"modebench/envs"
	"modebench/internal/rng"
)

// draw draws numbers and a target, and reports whether they belong to a split.
func (g *generator) draw(key rng.Key, split envs.Split) bool {
	c := &g.shape.env.config
	key.Seed(&g.stream)
	g.drawNumbers()
	g.target = int16(g.between(c.TargetMin, c.TargetMax))
	return split == envs.OOD || g.owner() == split
}

func (g *generator) drawNumbers() {
	s := g.shape
	for i := range s.n {
		number := int16(g.between(s.low, s.high))
		for ; i > 0 && g.numbers[i-1] > number; i-- {
			g.numbers[i] = g.numbers[i-1]
		}
		g.numbers[i] = number
	}
}

// accepted reports whether the target has as many modes as it must.
func (g *generator) accepted() bool {
	g.equal = neighbours(g.numbers[:g.shape.n])
	g.solve()
	modes := 0
	for _, x := range g.hits {
		if g.shape.image(x, g.equal).form() == x.form {
			modes++
		}
	}
	return modes >= g.shape.env.config.MinModes
}

// between draws a uniform integer from low to high, both included. One word decides; the
// bias that remains is below range/2^64.
func (g *generator) between(low, high int) int {
	high64, _ := bits.Mul64(g.stream.Uint64(), uint64(high-low+1))
	return low + int(high64)
}

func (g *generator) owner() envs.Split {
	key := g.shape.env.share
	for _, number := range g.numbers[:g.shape.n] {
		key = key.Int(uint64(number))
	}
	return envs.Owner(key.Uint64() >> 62)
}

// neighbours marks the numbers that equal the next number.
func neighbours(numbers []int16) uint8 {
	equal := uint8(0)
	for i := range len(numbers) - 1 {
		if numbers[i] == numbers[i+1] {
			equal |= 1 << i
		}
	}
	return equal
}

// Problem implements envs.Env.
func (e *Env) Problem(split envs.Split, index int) (envs.Problem, error) {
	if err := envs.CheckRequest(split, index); err != nil {
		return nil, err
	}
	s := e.usual
	if split == envs.OOD {
		s = e.harder()
	}
	g := s.pool.Get().(*generator)
	defer s.pool.Put(g)
	key := e.config.SplitKey("countdown", split).Str(string(split)).Int(uint64(index))
	belong := 0
	for draw := uint64(0); draw < mostDraws && belong < s.attempts; draw++ {
		if !g.draw(key.Int(draw), split) {
			continue
		}
		if g.accepted() {
			return newProblem(s, e.config.ID(split, index), g.numbers, g.target), nil
		}
		belong++
	}
	return nil, s.refuse(fmt.Sprintf("countdown %s/%d", split, index), split, belong)
}

// refuse is the error about a split, given how many of the draws belong to it.
func (s *shape) refuse(name string, split envs.Split, belong int) error {
	if belong == 0 {
		return fmt.Errorf("%s: no numbers from %d to %d belong to split %s; a wider range has some that do", name, s.low, s.high, split)
	}
	return fmt.Errorf("%s: none of the %d draws that belong to split %s had %d modes; fewer modes, or another range of numbers or targets, leave more",
		name, belong, split, s.env.config.MinModes)
}

// Lesson implements envs.Teacher. Numbers are drawn until they belong to the split pretrain and
// have targets with which they are a problem of that split; one pass over the values of all forms
// tells. Then expressions over them are drawn until one has such a target. So lessons are about the
// problems of the split and no others. Numbers with several targets are as likely as those with
// one; the targets of some numbers are drawn in proportion to how many right token answers they
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
