package countdown

import (
	"cmp"
	"slices"

	"modebench/envs"
)

// Truth implements envs.Problem. Modes are in the order of the forms that represent them.
// Solutions counts the variants of correct answers without signs.
func (p *Problem) Truth() envs.Truth {
	p.findTruth.Do(p.computeTruth)
	return p.truth
}

// front is that of every problem: each has a solution. It is shared.
var front = [][]float64{right}

func (p *Problem) computeTruth() {
	g := p.shape.pool.Get().(*generator)
	defer p.shape.pool.Put(g)
	g.numbers, g.target, g.equal = p.numbers, p.target, p.equal
	g.solve()
	found := make([]counted, len(g.hits))
	c := census{problem: p}
	for i, x := range g.hits {
		found[i] = counted{p.strategy(x), c.strings(x)}
	}
	slices.SortFunc(found, func(a, b counted) int { return cmp.Compare(a.code(), b.code()) })
	s := p.newModeWriter()
	defer modeWriters.Put(s)
	var ends []int // of the texts of modes
	for i := 0; i < len(found); {
		mode, strings := found[i].part, int64(0)
		for ; i < len(found) && found[i].part == mode; i++ {
			strings += found[i].strings
		}
		s.write(mode)
		ends = append(ends, len(s.text))
		p.solutions = append(p.solutions, solution{Variants: strings / p.orders(mode.slots)})
	}
	text, from := string(s.text), 0
	p.truth = envs.Truth{Modes: make([]envs.Mode, len(ends)), Front: front}
	for i := range p.solutions {
		solution := &p.solutions[i]
		solution.Answer = text[from:ends[i]]
		solution.Mode = envs.Mode(solution.Answer)
		p.truth.Modes[i] = solution.Mode
		p.truth.Solutions += solution.Variants
		from = ends[i]
	}
}

// A counted part represents its mode, and counts the expressions over slots, times the ways
// to exchange equal slots, that come from one form of its class.
type counted struct {
	part
	strings int64
}

// orders is in how many ways slots of equal numbers can be told apart: the
// expressions over slots that are one over numbers.
func (p *Problem) orders(set slots) int64 {
	ways, row := int64(1), int64(1)
	for rest := within(set, p.equal); rest != 0; rest >>= 1 {
		if row++; rest&1 == 0 {
			row = 1
		}
		ways *= row
	}
	return ways
}

// listed bounds the solutions that Fields and Picture list: with six numbers there are thousands.
const listed = 100

// Fields implements envs.Problem: "numbers", "target", and "solutions", up to 100 modes of correct
// answers in the order of the truth, each with an answer and the number of its variants.
func (p *Problem) Fields() map[string]any {
	p.Truth()
	return map[string]any{"numbers": p.given(), "target": p.target, "solutions": p.solutions[:min(listed, len(p.solutions))]}
}
