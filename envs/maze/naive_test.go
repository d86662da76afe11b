package maze

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// naive is the generator written down the way VPO app. A.1 words it: cells by
// row and column, neighbours counted whenever they are asked for, the frontier
// searched before each addition, the walls that may be opened listed anew after
// each opening. Its draws are its own, so it gives other mazes of the same
// distribution.
type naive struct {
	r     *rand.Rand
	cells [][]byte
}

func (g *naive) sheet() sheet {
	var s sheet
	for _, row := range g.cells {
		s.rows = append(s.rows, string(row))
	}
	return s
}

func (g *naive) isOpen(at spot) bool {
	return at.r >= 0 && at.c >= 0 && at.r < len(g.cells) && at.c < len(g.cells) && g.cells[at.r][at.c] != '#'
}

func (g *naive) openNeighbours(at spot) int {
	n := 0
	for _, d := range around {
		if g.isOpen(spot{at.r + d.r, at.c + d.c}) {
			n++
		}
	}
	return n
}

func (g *naive) walls(least int) []spot {
	var out []spot
	for r := range g.cells {
		for c := range g.cells {
			if at := (spot{r, c}); !g.isOpen(at) && g.openNeighbours(at) >= least {
				out = append(out, at)
			}
		}
	}
	return out
}

func (g *naive) carve(n, openings int) {
	g.cells = nil
	for range n {
		g.cells = append(g.cells, slices.Repeat([]byte{'#'}, n))
	}
	frontier := []spot{}
	open := func(at spot) {
		g.cells[at.r][at.c] = '.'
		for _, d := range around {
			to := spot{at.r + d.r, at.c + d.c}
			if to.r >= 0 && to.c >= 0 && to.r < n && to.c < n && !g.isOpen(to) && !slices.Contains(frontier, to) {
				frontier = append(frontier, to)
			}
		}
	}
	open(spot{g.r.IntN(n), g.r.IntN(n)})
	for len(frontier) > 0 {
		i := g.r.IntN(len(frontier))
		at := frontier[i]
		frontier = slices.Delete(frontier, i, i+1)
		if g.openNeighbours(at) == 1 {
			open(at)
		}
	}
	for range openings {
		walls := g.walls(2)
		if len(walls) == 0 {
			return
		}
		at := walls[g.r.IntN(len(walls))]
		g.cells[at.r][at.c] = '.'
	}
}

// maze draws one default maze; ok reports whether it is accepted.
func (g *naive) maze() (s sheet, ok bool) {
	const n, low, high = 9, 3, 5
	g.carve(n, 18+g.r.IntN(11))
	start, exit := spot{0, 0}, spot{n - 1, n - 1}
	gold, diamond := spot{0, n - 1}, spot{n - 1, 0}
	if g.r.IntN(2) == 1 {
		start, exit, gold, diamond = gold, diamond, start, exit
	}
	if g.r.IntN(2) == 1 {
		gold, diamond = diamond, gold
	}
	for _, at := range []spot{start, exit, gold, diamond} {
		g.cells[at.r][at.c] = '.'
	}
	g.cells[start.r][start.c], g.cells[exit.r][exit.c], g.cells[n/2][n/2] = 'S', 'E', 'B'
	s = g.sheet()
	fromStart, fromGold, fromExit := s.distances(start, "#"), s.distances(gold, "#"), s.distances(exit, "#")
	for _, at := range []spot{exit, gold, diamond, {n / 2, n / 2}} {
		if fromStart.to(at) < 0 {
			return s, false
		}
	}
	budget := 7 + max(fromStart.to(gold)+fromExit.to(gold), fromStart.to(diamond)+fromExit.to(diamond))
	if fromGold.to(diamond)+min(fromStart.to(gold)+fromExit.to(diamond), fromStart.to(diamond)+fromExit.to(gold)) <= budget {
		return s, false
	}
	for _, kind := range []byte{'G', 'D', 'L'} {
		var free []spot
		for r := range n {
			for c := range n {
				at := spot{r, c}
				fits := kind == 'G' && within([]spot{at}, gold) || kind == 'D' && within([]spot{at}, diamond) ||
					kind == 'L' && min(r, c) >= 2 && max(r, c) <= 6
				if fits && g.cells[r][c] == '.' {
					free = append(free, at)
				}
			}
		}
		count := low + g.r.IntN(high-low+1)
		if count > len(free) {
			return s, false
		}
		for _, i := range g.r.Perm(len(free))[:count] {
			g.cells[free[i].r][free[i].c] = kind
		}
	}
	s = g.sheet()
	s.budget = budget
	safe := s.distances(start, "#L").to(exit)
	return s, safe >= 0 && safe <= budget
}

// tallies count what a generator's mazes are like.
type tallies struct {
	accepted int
	features [4]map[int]int // budget, open cells, cycles, gold + 10 diamonds + 100 lava
}

func (f *tallies) add(s sheet) {
	f.accepted++
	cycles, _ := s.cycles()
	walls := len(s.find('#'))
	items := len(s.find('G')) + 10*len(s.find('D')) + 100*len(s.find('L'))
	for i, x := range []int{s.budget, walls, cycles, items} {
		if f.features[i] == nil {
			f.features[i] = map[int]int{}
		}
		f.features[i][x]++
	}
}

// TestGeneratorAgainstNaive compares the distributions of the two generators by the visible
// features of mazes: two-sample chi-square tests.
func TestGeneratorAgainstNaive(t *testing.T) {
	const n = 5000
	var fast, slow tallies
	e := build(t, nil)
	g := newGenerator(&e.config, e.usual)
	for i := range uint64(n) {
		if g.attempt(envs.Draw{}.Key("maze").Str("naive").Int(i)) {
			fast.add(readSheet(t, e.newProblem("", g)))
		}
		if s, ok := (&naive{r: rng.New(77).Int(i).Rand()}).maze(); ok {
			slow.add(s)
		}
	}
	p := float64(fast.accepted+slow.accepted) / (2 * n)
	if d := math.Abs(float64(fast.accepted-slow.accepted)) / n; d > 4*math.Sqrt(2*p*(1-p)/n) {
		t.Errorf("accepted %d and %d of %d", fast.accepted, slow.accepted, n)
	}
	for i, name := range []string{"budget", "walls", "cycles", "counts of items"} {
		chi, freedom := twoSample(fast.features[i], slow.features[i])
		t.Logf("%s: chi-square %.1f with %v degrees of freedom", name, chi, freedom)
		if chi-freedom > 4*math.Sqrt(2*freedom) {
			t.Errorf("%s: chi-square %.1f with %v degrees of freedom\nfast  %v\nnaive %v", name, chi, freedom, fast.features[i], slow.features[i])
		}
	}
}

// twoSample compares two histograms of about the same size; values met fewer
// than twenty times are left out.
func twoSample(a, b map[int]int) (chi, freedom float64) {
	for x, n := range a {
		if both := float64(n + b[x]); both >= 20 {
			d := float64(n - b[x])
			chi += d * d / both
			freedom++
		}
	}
	return chi, freedom - 1
}
