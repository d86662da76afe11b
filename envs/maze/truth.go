package maze

import (
	"math"
	"slices"
	"strings"

	"modebench/envs"
)

// Truth implements envs.Problem. Modes are the item sets, lava included, of the
// routes that reach E within the budget; Solutions counts the move sequences that
// end with the step onto E, or is -1 where an int64 does not hold their number.
func (p *Problem) Truth() envs.Truth {
	p.findTruth.Do(p.computeTruth)
	return p.truth
}

func (p *Problem) computeTruth() {
	s, _ := p.env.search.Get().(*search)
	if s == nil {
		s = &search{}
	}
	defer p.env.search.Put(s)
	s.run(p)
	p.truth.Modes = s.modes()
	p.truth.Solutions = p.solutions()
	// Of the routes with the same gold and diamond counts only those with the
	// least lava can lie on the front.
	var least [(maxItems + 1) * (maxItems + 1)]int
	var vectors [][]float64
	for _, at := range s.exits {
		golds, diamonds, lavas := s.states[at].items.tally()
		if l := &least[golds*(maxItems+1)+diamonds]; *l == 0 || lavas+1 < *l {
			*l = lavas + 1
		}
	}
	for i, l := range least {
		if l > 0 {
			vector := p.reward(i/(maxItems+1), i%(maxItems+1), l-1)
			vectors = append(vectors, vector[:])
		}
	}
	p.truth.Front = envs.ParetoFront(vectors)
	for _, vector := range p.truth.Front {
		p.routes = append(p.routes, route{vector, p.AnswerText(s.witness([components]float64(vector)))})
	}
}

// modes names the item sets of all routes that reach E, in ascending order, gold
// in the lowest bits. The names share one string.
func (s *search) modes() []envs.Mode {
	s.sets = s.sets[:0]
	for _, at := range s.exits {
		s.sets = append(s.sets, s.states[at].items)
	}
	slices.Sort(s.sets)
	s.text = s.text[:0]
	for _, set := range s.sets {
		s.text = append(set.appendMode(s.text, true), '\n')
	}
	rest := string(s.text)
	modes := make([]envs.Mode, len(s.sets))
	for i := range modes {
		var mode string
		mode, rest, _ = strings.Cut(rest, "\n")
		modes[i] = envs.Mode(mode)
	}
	return modes
}

// solutions counts the move sequences that reach E with their last step, within the budget:
// a sum over steps of the number of unfinished sequences that are on each cell. Sequences
// that can no longer reach E are dropped, so that no number summed exceeds the result, and
// an overflow means that the result does not fit either.
func (p *Problem) solutions() int64 {
	n := len(p.cells)
	room, queue := make([]int16, n), make([]int16, n)
	p.geo.flood(room, queue, p.cells, p.exit, wallCell)
	counts, next := make([]uint64, n), make([]uint64, n)
	counts[p.start] = 1
	var total, bits uint64 // bits: those of all numbers
	row := int16(p.geo.stride)
	for left := p.budget - 1; left >= 0; left-- {
		clear(next)
		for _, cell := range p.geo.inner {
			count := counts[cell]
			if count == 0 || cell == p.exit {
				continue
			}
			for _, to := range [4]int16{cell - row, cell + row, cell - 1, cell + 1} {
				if p.cells[to] == wallCell {
					to = cell
				}
				if int(room[to]) <= left {
					next[to] += count
					bits |= next[to]
				}
			}
		}
		total += next[p.exit]
		if bits |= total; bits > math.MaxInt64 {
			return -1
		}
		counts, next = next, counts
	}
	return int64(total)
}
