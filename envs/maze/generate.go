package maze

import (
	"math/bits"
	"math/rand/v2"

	"modebench/envs"
	"modebench/internal/rng"
)

// A generator draws mazes. It is scratch space: an attempt allocates nothing,
// and the next one overwrites it.
type generator struct {
	config   *Config
	geo      *geometry
	stream   rand.PCG
	cells    []byte
	near     []uint8 // open neighbours of each cell
	border   []uint8 // near, at the start
	list     []int16 // walls that may be opened
	queue    []int16
	toStart  []int16 // distances
	toExit   []int16
	distance []int16

	start, exit, gold, diamond int16 // the four corners
	budget                     int
	count                      [3]int // gold, diamond and lava cells

	python pythonRandom // of released mazes
}

// isBorder is more open neighbours than any cell has: the border looks like a
// wall that may never be opened.
const isBorder = 0x80

func newGenerator(c *Config, geo *geometry) *generator {
	n := geo.stride * geo.stride
	g := &generator{
		config: c, geo: geo,
		cells: make([]byte, n), near: make([]uint8, n), border: make([]uint8, n), list: make([]int16, 0, n),
		queue: make([]int16, n), toStart: make([]int16, n), toExit: make([]int16, n), distance: make([]int16, n),
	}
	for i := range g.border {
		g.border[i] = isBorder
	}
	for _, cell := range geo.inner {
		g.border[cell] = 0
	}
	return g
}

// attempt draws one maze by the rules of VPO app. A.1 and reports whether it is
// accepted. The draws come from a stream of their own.
func (g *generator) attempt(key rng.Key) bool {
	key.Seed(&g.stream)
	g.carve()
	g.inject()
	g.assign()
	return g.measure() && g.furnish()
}

// draw returns a uniform integer in [0, n). One word decides; the bias that remains is
// below n/2^64.
func (g *generator) draw(n int) int {
	high, _ := bits.Mul64(g.stream.Uint64(), uint64(n))
	return int(high)
}

func (g *generator) take() int16 {
	i, last := g.draw(len(g.list)), len(g.list)-1
	cell := g.list[i]
	g.list[i] = g.list[last]
	g.list = g.list[:last]
	return cell
}

// open turns a wall into an open cell, and lists each wall beside it that has
// got its wanted-th open neighbour.
func (g *generator) open(cell int16, wanted uint8) {
	g.cells[cell] = plainCell
	row := int16(g.geo.stride)
	for _, next := range [4]int16{cell - row, cell + row, cell - 1, cell + 1} {
		g.near[next]++
		if g.near[next] == wanted && g.cells[next] == wallCell {
			g.list = append(g.list, next)
		}
	}
}

// carve grows a spanning tree by Prim's algorithm from a uniform seed cell: the
// frontier is the set of walls that have had an open neighbour, and a frontier
// cell is opened if it has exactly one when its turn comes.
func (g *generator) carve() {
	for i := range g.cells {
		g.cells[i] = wallCell
	}
	copy(g.near, g.border)
	g.list = g.list[:0]
	g.open(g.geo.inner[g.draw(len(g.geo.inner))], 1)
	for len(g.list) > 0 {
		if cell := g.take(); g.near[cell] == 1 {
			g.open(cell, 1)
		}
	}
}

// inject opens further walls that have two or more open neighbours, each chosen
// uniformly among those there are at the time.
func (g *generator) inject() {
	for _, cell := range g.geo.inner { // the list is empty
		if g.cells[cell] == wallCell && g.near[cell] >= 2 {
			g.list = append(g.list, cell)
		}
	}
	for range g.between(g.geo.openings[0], g.geo.openings[1]) {
		if len(g.list) == 0 {
			return
		}
		g.open(g.take(), 2)
	}
}

// between draws a uniform integer from low to high, both included.
func (g *generator) between(low, high int) int { return low + g.draw(high-low+1) }

func (g *generator) assign() {
	c := &g.geo.corners
	ends, between := [2]int16{c[0], c[3]}, [2]int16{c[1], c[2]}
	if g.draw(2) == 1 {
		ends, between = [2]int16{c[1], c[2]}, [2]int16{c[0], c[3]}
	}
	first := g.draw(2)
	g.start, g.exit, g.gold, g.diamond = ends[0], ends[1], between[first], between[1-first]
	for _, cell := range c {
		g.cells[cell] = plainCell
	}
	g.cells[g.start], g.cells[g.exit], g.cells[g.geo.center] = startCell, exitCell, bonusCell
}

// measure finds the budget, and rejects a maze with a corner or the centre cut
// off, one whose budget pays for both corners, and one of too large a budget.
func (g *generator) measure() bool {
	geo := g.geo
	geo.flood(g.toStart, g.queue, g.cells, g.start, wallCell)
	for _, cell := range [...]int16{g.exit, g.gold, g.diamond, geo.center} {
		if g.toStart[cell] == unreached {
			return false
		}
	}
	geo.flood(g.toExit, g.queue, g.cells, g.exit, wallCell)
	geo.flood(g.distance, g.queue, g.cells, g.gold, wallCell)
	overGold := g.toStart[g.gold] + g.toExit[g.gold]
	overDiamond := g.toStart[g.diamond] + g.toExit[g.diamond]
	overBoth := g.distance[g.diamond] + g.toStart[g.gold] + g.toExit[g.diamond]
	if g.config.Source == "paper" {
		overBoth = min(overBoth, g.distance[g.diamond]+g.toStart[g.diamond]+g.toExit[g.gold])
	}
	g.budget = int(max(overGold, overDiamond)) + g.config.Slack
	return int(overBoth) > g.budget && g.budget <= geo.limit
}

// furnish places gold, diamonds and lava, and rejects a maze without room for
// them, or without a way from S to E that keeps to the budget and off the lava.
func (g *generator) furnish() bool {
	c := g.config
	g.count = [3]int{}
	for i, corner := range g.geo.corners {
		switch corner {
		case g.gold:
			g.count[0] = g.scatter(goldCell, g.geo.balls[i], c.ItemsMin, c.ItemsMax)
		case g.diamond:
			g.count[1] = g.scatter(diamondCell, g.geo.balls[i], c.ItemsMin, c.ItemsMax)
		}
	}
	g.count[2] = g.scatter(lavaCell, g.geo.lava, c.LavaMin, c.LavaMax)
	return g.count[0] != noRoom && g.count[1] != noRoom && g.count[2] != noRoom && g.safe()
}

// safe reports whether a way from S to E keeps to the budget and off the lava.
func (g *generator) safe() bool {
	g.geo.flood(g.distance, g.queue, g.cells, g.start, lavaCell)
	way := int(g.distance[g.exit])
	return way != unreached && way <= g.budget
}

// noRoom is returned by scatter in place of a count.
const noRoom = -1

// scatter makes low to high of the plain cells in an area cells of a kind, and returns how many.
func (g *generator) scatter(kind byte, area []int16, low, high int) int {
	free := g.list[:0]
	for _, cell := range area {
		if g.cells[cell] == plainCell {
			free = append(free, cell)
		}
	}
	n := g.between(low, high)
	if n > len(free) {
		return noRoom
	}
	for i := range n {
		j := i + g.draw(len(free)-i)
		free[i], free[j] = free[j], free[i]
		g.cells[free[i]] = kind
	}
	return n
}

func (e *Env) newProblem(id string, g *generator) *Problem {
	p := &Problem{
		env: e, geo: g.geo, id: id,
		cells: append([]byte(nil), g.cells...), items: make([]itemSet, len(g.cells)),
		start: g.start, exit: g.exit, corners: [2]int16{g.gold, g.diamond},
		budget: g.budget, shortest: int(g.toStart[g.exit]), count: g.count,
	}
	gold, diamond, lava := itemSet(1), itemSet(1)<<diamondShift, itemSet(1)<<lavaShift
	for _, cell := range g.geo.inner {
		switch p.cells[cell] {
		case goldCell:
			p.items[cell], gold = gold, gold<<1
		case diamondCell:
			p.items[cell], diamond = diamond, diamond<<1
		case lavaCell:
			p.items[cell], lava = lava, lava<<1
		case bonusCell:
			if e.config.Reward == "convex-bonus" {
				p.items[cell] = bonusBit
			}
		}
	}
	return p
}

// Problem implements envs.Env. Problems of the split ood are two cells larger on a side, with
// openings in proportion to the area; counts of items and the slack are the same.
func (e *Env) Problem(split envs.Split, index int) (envs.Problem, error) {
	geo := e.usual
	if split == envs.OOD {
		geo = e.larger
	}
	g := geo.pool.Get().(*generator)
	defer geo.pool.Put(g)
	attempt := g.attempt
	if e.config.Source == "released" {
		attempt = func(key rng.Key) bool {
			if seed, ok := e.released[split].seed(index, g); ok && e.config.EnvSeed == 0 {
				return g.release(uint64(seed))
			}
			return g.release(key.Rand().Uint64())
		}
	}
	return e.config.Find("maze", split, index, "mazes drawn kept the rules; fewer items, more openings or less slack leave more", func(key rng.Key) envs.Problem {
		if !attempt(key) {
			return nil
		}
		return e.newProblem(e.config.ID(split, index), g)
	})
}
