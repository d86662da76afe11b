package maze

import (
	"math/rand/v2"

	"modebench/envs"
	"modebench/internal/rng"
)

// The intents of a demonstration, as numbers of Problem.ways.
const (
	viaGold = iota
	viaDiamond
	straight
)

// Demonstrate implements envs.Problem: a walk that intends to go over the gold or the diamond
// corner (with probability detour, half each; the corner cell, not the nearest item) and then to E,
// or else straight to E. A move is drawn by a softmax at temperature tau over its progress: 1 if it
// shortens the way to where the walk is heading, and -1 if not, a bump into a wall included (a bump
// that counted as 0 would leave a quarter fewer walks that reach E). The walk ends at E, reached on
// purpose or not, or with the budget.
func (p *Problem) Demonstrate(r *rand.Rand) []envs.Token {
	p.findWays.Do(p.measureWays)
	intent := straight
	switch u, detour := r.Float64(), p.env.config.Detour; {
	case u < detour/2:
		intent = viaGold
	case u < detour:
		intent = viaDiamond
	}
	out := make([]envs.Token, 0, p.budget)
	c := cursor{problem: p, cell: p.start}
	for !c.Done() {
		t := p.drawMove(p.ways[intent], c.cell, r.Float64())
		c.move(t)
		out = append(out, t)
		if intent != straight && c.cell == p.corners[intent] {
			intent = straight
		}
	}
	return out
}

// drawMove draws by the uniform number u in [0, 1).
func (p *Problem) drawMove(way []int16, cell int16, u float64) envs.Token {
	var weights [4]float64
	for i, d := range p.geo.delta {
		weights[i] = p.env.astray
		if p.cells[cell+d] != wallCell && way[cell+d] < way[cell] {
			weights[i] = p.env.ahead
		}
	}
	return envs.Token(rng.Weighted(weights[:], u))
}

func (p *Problem) measureWays() {
	n := len(p.cells)
	room, queue := make([]int16, 3*n), make([]int16, n)
	for i, target := range [3]int16{p.corners[0], p.corners[1], p.exit} {
		p.ways[i] = room[i*n : (i+1)*n]
		p.geo.flood(p.ways[i], queue, p.cells, target, wallCell)
	}
}

// never is the log-probability of a move that a policy does not make: e to it is 0.
const never = -1000

// AppendBaseline implements envs.Baselined: a policy that is blind to walls and items. It
// tosses a coin between the two directions that lead towards E, or takes the only one left;
// if a wall is in its way, it stays put and tries again.
func (p *Problem) AppendBaseline(dst []float64, prefix []envs.Token) []float64 {
	c := cursor{problem: p, cell: p.start}
	for _, t := range prefix {
		c.move(t)
	}
	place, exit := p.geo.inside[c.cell], p.geo.inside[p.exit]
	for _, nearer := range [4]bool{up: exit[0] < place[0], down: exit[0] > place[0], left: exit[1] < place[1], right: exit[1] > place[1]} {
		if nearer {
			dst = append(dst, 0)
		} else {
			dst = append(dst, never)
		}
	}
	return dst
}
