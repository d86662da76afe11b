package maze

import (
	"math/bits"
	"slices"
	"sync"

	"modebench/envs"
)

// The released code draws mazes from Python's random.Random, by these rules if they differ
// from the paper's (vpo_tasks/maze.py, _build_maze):
//
//   - The frontier is a list in which a wall is as often as it got an open neighbour.
//   - The walls that may become openings are listed once, before the first opening.
//   - A tour of both corners is over the gold first.
//   - Fewer free cells of a zone than the most items lower the number that is drawn; too few
//     for lava lower it after the draw.
//   - It takes ways over a corner of up to 90 steps. Here more than 4(size-1) reject, as ever;
//     its mazes have at most 26.
//
// train/0 to train/999 and test/0 to test/99 are the mazes of its two files: of the seeds from 42
// and from 4242 that its rules accept. Other problems, and those of other draws, are by the same
// rules of seeds of our own, of 64 random bits.

// A file is one of the released files.
type file struct {
	sync.Mutex
	mazes int   // that it holds
	next  int   // the seed to try next
	end   int   // of the seeds to try
	seeds []int // accepted ones, as far as they were asked for
}

func newFiles() map[envs.Split]*file {
	return map[envs.Split]*file{envs.Train: {mazes: 1000, next: 42, end: 4242}, envs.Test: {mazes: 100, next: 4242, end: 8442}}
}

// seed is that of a maze of the file; ok is false past its end. Seeds that refuse are bounded, so
// that files share none, and parameters that no maze satisfies end.
func (f *file) seed(index int, g *generator) (seed int, ok bool) {
	if f == nil || index >= f.mazes {
		return 0, false
	}
	f.Lock()
	defer f.Unlock()
	for len(f.seeds) <= index && f.next < f.end {
		if g.release(uint64(f.next)) {
			f.seeds = append(f.seeds, f.next)
		}
		f.next++
	}
	if len(f.seeds) <= index {
		return 0, false
	}
	return f.seeds[index], true
}

// release draws the maze of a seed as the released code does, and reports whether it is accepted.
func (g *generator) release(seed uint64) bool {
	g.python.seed(seed)
	g.grow()
	g.cycle()
	g.place()
	return g.measure() && g.fill()
}

// grow is _prims_maze.
func (g *generator) grow() {
	for i := range g.cells {
		g.cells[i] = wallCell
	}
	copy(g.near, g.border)
	g.list = g.list[:0]
	row := g.python.below(g.geo.size)
	g.list = append(g.list, g.geo.cell(row, g.python.below(g.geo.size)))
	for first := true; len(g.list) > 0; first = false {
		i := 0
		if !first {
			i = g.python.below(len(g.list))
		}
		cell := g.list[i]
		g.list = slices.Delete(g.list, i, i+1)
		if !first && (g.cells[cell] != wallCell || g.near[cell] != 1) {
			continue
		}
		g.cells[cell] = plainCell
		for _, d := range g.geo.delta {
			next := cell + d
			g.near[next]++
			if g.cells[next] == wallCell && g.near[next] < isBorder {
				g.list = append(g.list, next)
			}
		}
	}
}

// cycle is _add_cycles.
func (g *generator) cycle() {
	openings := g.python.between(g.geo.openings[0], g.geo.openings[1])
	for _, cell := range g.geo.inner { // the list is empty
		if g.cells[cell] == wallCell && g.near[cell] >= 2 {
			g.list = append(g.list, cell)
		}
	}
	shuffle(&g.python, g.list)
	for _, cell := range g.list[:min(openings, len(g.list))] {
		g.cells[cell] = plainCell
	}
}

func (g *generator) place() {
	c := &g.geo.corners
	between := []int16{c[1], c[2]}
	g.start, g.exit = c[0], c[3]
	if g.python.below(2) == 1 {
		g.start, g.exit, between = c[1], c[2], []int16{c[0], c[3]}
	}
	shuffle(&g.python, between)
	g.gold, g.diamond = between[0], between[1]
	for _, cell := range c {
		g.cells[cell] = plainCell
	}
	g.cells[g.start], g.cells[g.exit], g.cells[g.geo.center] = startCell, exitCell, bonusCell
}

// fill places gold, diamonds and lava, and rejects as furnish does.
func (g *generator) fill() bool {
	c := g.config
	gold, diamonds := g.plain(g.gold), g.plain(g.diamond)
	if min(len(gold), len(diamonds)) < c.ItemsMin {
		return false
	}
	g.count[0] = g.python.between(c.ItemsMin, min(c.ItemsMax, len(gold)))
	g.count[1] = g.python.between(c.ItemsMin, min(c.ItemsMax, len(diamonds)))
	g.mark(goldCell, gold, g.count[0])
	g.mark(diamondCell, diamonds, g.count[1])
	free := g.free(g.geo.lava)
	g.count[2] = min(g.python.between(c.LavaMin, c.LavaMax), len(free))
	g.mark(lavaCell, free, g.count[2])
	return g.safe()
}

// plain lists the plain cells near a corner.
func (g *generator) plain(corner int16) []int16 {
	return g.free(g.geo.balls[slices.Index(g.geo.corners[:], corner)])
}

// free lists the plain cells of an area.
func (g *generator) free(area []int16) []int16 {
	return slices.DeleteFunc(slices.Clone(area), func(cell int16) bool { return g.cells[cell] != plainCell })
}

// mark makes n of the listed cells cells of a kind: random.sample, which draws from a list that
// it shortens or, if few of many are drawn, again where a cell was drawn before.
func (g *generator) mark(kind byte, list []int16, n int) {
	small := 21
	if n > 5 {
		small += 64 // 4 to the power of log4 3n, rounded up: n is at most 8
	}
	for i := range n {
		if len(list) > small {
			j := g.python.below(len(list))
			for g.cells[list[j]] == kind {
				j = g.python.below(len(list))
			}
			g.cells[list[j]] = kind
			continue
		}
		j, last := g.python.below(len(list)-i), len(list)-i-1
		g.cells[list[j]] = kind
		list[j] = list[last]
	}
}

// A pythonRandom draws the integers of Python's random.Random: the Mersenne Twister MT19937
// (Matsumoto and Nishimura, ACM TOMACS 8, 1998; seeded by their init_by_array of 2002), of whose
// words the uppermost bits are drawn until they are below the bound.
type pythonRandom struct {
	words [624]uint32
	used  int
}

// seed is random.Random(seed).
func (r *pythonRandom) seed(seed uint64) {
	w, n := &r.words, len(r.words)
	w[0] = 19650218
	for i := 1; i < n; i++ {
		w[i] = 1812433253*(w[i-1]^w[i-1]>>30) + uint32(i)
	}
	key := []uint32{uint32(seed), uint32(seed >> 32)}
	if key[1] == 0 {
		key = key[:1]
	}
	i := 1
	step := func(factor, add uint32) {
		w[i] = (w[i] ^ (w[i-1]^w[i-1]>>30)*factor) + add
		if i++; i == n {
			w[0], i = w[n-1], 1
		}
	}
	for k := range n {
		j := k % len(key)
		step(1664525, key[j]+uint32(j))
	}
	for range n - 1 {
		step(1566083941, -uint32(i))
	}
	w[0] = 1 << 31
	r.used = n
}

// next is a word of 32 bits.
func (r *pythonRandom) next() uint32 {
	w, n := &r.words, len(r.words)
	if r.used == n {
		for i := range n {
			y := w[i]&(1<<31) | w[(i+1)%n]&(1<<31-1)
			w[i] = w[(i+397)%n] ^ y>>1 ^ -(y&1)&0x9908b0df
		}
		r.used = 0
	}
	y := w[r.used]
	r.used++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// below is random.randrange(n), for n from 1 to 2^31.
func (r *pythonRandom) below(n int) int {
	shift := 32 - bits.Len(uint(n))
	for {
		if x := int(r.next() >> shift); x < n {
			return x
		}
	}
}

// between is random.randint.
func (r *pythonRandom) between(low, high int) int { return low + r.below(high-low+1) }

// shuffle is random.shuffle.
func shuffle(r *pythonRandom, xs []int16) {
	for i := len(xs) - 1; i > 0; i-- {
		j := r.below(i + 1)
		xs[i], xs[j] = xs[j], xs[i]
	}
}
