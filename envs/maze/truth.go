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
	// Of the routes with the same gold and diamond counts, and the bonus or not, only
	// those with the least lava can lie on the front.
	const kinds = maxItems + 1
	var least [2 * kinds * kinds]int
	var vectors [][]float64
	for _, at := range s.exits {
		golds, diamonds, lavas, bonus := s.states[at].items.tally()
		if l := &least[(bonus*kinds+golds)*kinds+diamonds]; *l == 0 || lavas+1 < *l {
			*l = lavas + 1
		}
	}
	for i, l := range least {
		if l > 0 {
			vector := p.reward(i/kinds%kinds, i%kinds, l-1, i/(kinds*kinds))
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

// A search finds the item sets that routes from S to E can step on within the
// budget, and a shortest route for each.
//
// It works on the maze compressed to its special cells: S, E and the cells with an item or lava. An
// edge joins two of them that a way over plain cells joins (S counts as plain once it is left, E
// ends a route), and its length is that of the shortest such way. Then states (items stepped on,
// special cell) are taken in the order of their distance from S, and dropped when the way on to E
// exceeds the budget. A cell may be passed again, so every route of the maze has a walk over states
// that is no longer and steps on the same items, and conversely.
//
// A search is scratch space, reused from one problem to the next.
type search struct {
	problem *Problem
	nodes   []int16 // cell of each special cell: S, the items, E
	number  []int8  // of the special cell that a cell is, or plain or blocked
	edges   [][]edge
	scrap   []edge
	toExit  []int16 // of each cell
	dist    []int16
	from    []int16 // neighbour that a cell was reached over
	queue   []int16

	states  []state
	exits   []int32   // states at E
	buckets [][]int32 // states by distance; entries that were improved since are stale
	table   []int32   // open-addressed: 1 + state by (items, node); 0 is free

	sets []itemSet
	text []byte
}

// Numbers of cells that are not special. S is plain, too: only the search begins there.
const (
	plain   = -1
	blocked = -2 // a wall
)

type edge struct {
	items  itemSet // added by its end
	length int16
	needed int16 // length, and the way on from its end to E
	to     int8  // special cell
}

type state struct {
	items itemSet
	node  int8
	steps int16
	prev  int32 // the state before; -1 at S
}

func (s *search) run(p *Problem) {
	s.compress(p)
	s.buckets = append(s.buckets, make([][]int32, max(0, p.budget+1-len(s.buckets)))...)
	for i := range s.buckets {
		s.buckets[i] = s.buckets[i][:0]
	}
	s.states, s.exits = s.states[:0], s.exits[:0]
	if s.table == nil {
		s.table = make([]int32, 1<<12)
	}
	clear(s.table)
	s.reach(0, 0, 0, -1)
	last := int8(len(s.nodes) - 1)
	for steps := int16(0); int(steps) <= p.budget; steps++ {
		// Lengths are positive, so the bucket does not grow while it is read.
		for _, at := range s.buckets[steps] {
			current := s.states[at]
			if current.steps != steps {
				continue // stale
			}
			if current.node == last {
				s.exits = append(s.exits, at)
				continue
			}
			for _, e := range s.edges[current.node] {
				if int(steps+e.needed) <= p.budget {
					s.reach(current.items|e.items, e.to, steps+e.length, at)
				}
			}
		}
	}
}

func (s *search) reach(items itemSet, node int8, steps int16, prev int32) {
	slot := s.slot(items, node)
	index := s.table[slot] - 1
	switch {
	case index < 0:
		index = int32(len(s.states))
		s.states = append(s.states, state{items, node, steps, prev})
		s.table[slot] = index + 1
		if 2*len(s.states) > len(s.table) {
			s.table = make([]int32, 2*len(s.table))
			for i, st := range s.states {
				s.table[s.slot(st.items, st.node)] = int32(i) + 1
			}
		}
	case steps < s.states[index].steps:
		s.states[index].steps, s.states[index].prev = steps, prev
	default:
		return
	}
	s.buckets[steps] = append(s.buckets[steps], index)
}

// slot is the index in the table where a state is or belongs.
func (s *search) slot(items itemSet, node int8) int {
	mask := len(s.table) - 1
	key := uint32(items)<<5 | uint32(node)
	slot := int(key*0x9e3779b1>>8) & mask
	for {
		index := s.table[slot] - 1
		if index < 0 || s.states[index].items == items && s.states[index].node == node {
			return slot
		}
		slot = (slot + 1) & mask
	}
}

// compress finds the special cells and the edges between them.
func (s *search) compress(p *Problem) {
	s.problem = p
	n := len(p.cells)
	s.number = slices.Grow(s.number[:0], n)[:n]
	for _, list := range []*[]int16{&s.toExit, &s.dist, &s.from, &s.queue} {
		*list = slices.Grow((*list)[:0], n)[:n]
	}
	s.nodes = append(s.nodes[:0], p.start)
	for cell, kind := range p.cells {
		s.number[cell] = plain
		if kind == wallCell {
			s.number[cell] = blocked
		}
	}
	for _, cell := range p.geo.inner {
		if p.items[cell] != 0 {
			s.number[cell] = int8(len(s.nodes))
			s.nodes = append(s.nodes, cell)
		}
	}
	s.number[p.exit] = int8(len(s.nodes))
	s.nodes = append(s.nodes, p.exit)
	p.geo.flood(s.toExit, s.queue, p.cells, p.exit, wallCell)
	s.edges = append(s.edges, make([][]edge, max(0, len(s.nodes)-len(s.edges)))...)
	for node, cell := range s.nodes[:len(s.nodes)-1] {
		s.edges[node] = s.explore(s.edges[node][:0], cell)
	}
}

// explore appends the edges of the special cell at a place. On its way it fills
// from, by which trace finds back.
func (s *search) explore(edges []edge, cell int16) []edge {
	p := s.problem
	dist, from, queue := s.dist, s.from, s.queue
	copy(dist, p.geo.blank)
	dist[cell] = 0
	queue[0] = cell
	row := int16(p.geo.stride)
	for head, tail := 0, 1; head < tail; head++ {
		cell := queue[head]
		farther := dist[cell] + 1
		for _, next := range [4]int16{cell - row, cell + row, cell - 1, cell + 1} {
			node := s.number[next]
			if dist[next] != unreached || node == blocked {
				continue
			}
			dist[next], from[next] = farther, cell
			if node != plain {
				edges = append(edges, edge{p.items[next], farther, farther + s.toExit[next], node})
				continue
			}
			queue[tail] = next
			tail++
		}
	}
	return edges
}

// witness returns a shortest route to E with the given reward. Of several the
// lowest item set decides, and then the order in which the search meets states.
func (s *search) witness(reward [components]float64) []envs.Token {
	best := int32(-1)
	for _, at := range s.exits {
		st := s.states[at]
		if s.problem.reward(st.items.tally()) != reward {
			continue
		}
		if best < 0 || st.steps < s.states[best].steps || st.steps == s.states[best].steps && st.items < s.states[best].items {
			best = at
		}
	}
	out := make([]envs.Token, s.states[best].steps)
	for index := best; s.states[index].prev >= 0; index = s.states[index].prev {
		after, before := s.states[index], s.states[s.states[index].prev]
		s.trace(out[before.steps:after.steps], s.nodes[before.node], s.nodes[after.node])
	}
	return out
}

// trace writes the moves of an edge, the last one first.
func (s *search) trace(moves []envs.Token, a, b int16) {
	s.scrap = s.explore(s.scrap[:0], a)
	for i := len(moves) - 1; i >= 0; i-- {
		before := s.from[b]
		moves[i] = envs.Token(slices.Index(s.problem.geo.delta[:], b-before))
		b = before
	}
}
