package countdown

import (
	"fmt"
	"math/bits"

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

// owner is the split that the numbers belong to.
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
