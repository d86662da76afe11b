package maze

import "modebench/envs"

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
