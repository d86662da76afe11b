package maze

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"modebench/envs"
)

// paperRules are the rules of VPO app. A.1 with the readings of the package
// comment, checked from the printed prompt alone.
func paperRules(s sheet, slack int) error {
	n := len(s.rows)
	for _, row := range s.rows {
		if len(row) != n {
			return fmt.Errorf("%d rows, one of %d cells", n, len(row))
		}
	}
	starts, exits, bonus := s.find('S'), s.find('E'), s.find('B')
	if len(starts) != 1 || len(exits) != 1 || len(bonus) != 1 || bonus[0] != (spot{n / 2, n / 2}) {
		return fmt.Errorf("S at %v, E at %v, B at %v; want one each, B in the centre", starts, exits, bonus)
	}
	start, exit := starts[0], exits[0]
	if start.r != 0 || start.c != 0 && start.c != n-1 || exit != (spot{n - 1, n - 1 - start.c}) {
		return fmt.Errorf("S at %v, E at %v; want S in a corner of the first row, E opposite", start, exit)
	}
	golds, diamonds, lavas := s.find('G'), s.find('D'), s.find('L')
	if s.counts != [3]int{len(golds), len(diamonds), len(lavas)} {
		return fmt.Errorf("the prompt counts %v items", s.counts)
	}
	for i, c := range s.counts {
		if c < 3 || c > 5 {
			return fmt.Errorf("%d items of kind %d, want 3 to 5", c, i)
		}
	}
	gold := spot{0, n - 1 - start.c}
	diamond := spot{n - 1, start.c}
	if !within(golds, gold) {
		gold, diamond = diamond, gold
	}
	if !within(golds, gold) || !within(diamonds, diamond) {
		return fmt.Errorf("gold %v and diamonds %v do not keep to a corner each", golds, diamonds)
	}
	for _, at := range lavas {
		if min(at.r, at.c) < 2 || max(at.r, at.c) > n-3 {
			return fmt.Errorf("lava at %v, want the strict interior", at)
		}
	}
	return s.measured(start, exit, gold, diamond, slack)
}

// within reports whether items lie within Manhattan distance 2 of a corner.
func within(items []spot, corner spot) bool {
	for _, at := range items {
		if max(at.r-corner.r, corner.r-at.r)+max(at.c-corner.c, corner.c-at.c) > 2 {
			return false
		}
	}
	return true
}

// measured checks the rules on distances.
func (s sheet) measured(start, exit, gold, diamond spot, slack int) error {
	fromStart, fromGold, fromDiamond := s.distances(start, "#"), s.distances(gold, "#"), s.distances(diamond, "#")
	for r := range s.rows {
		for c := range s.rows {
			if s.rows[r][c] != '#' && fromStart[r][c] < 0 {
				return fmt.Errorf("cell %d,%d (%c) is cut off", r, c, s.rows[r][c])
			}
		}
	}
	viaGold, viaDiamond := fromStart.to(gold)+fromGold.to(exit), fromStart.to(diamond)+fromDiamond.to(exit)
	viaBoth := fromGold.to(diamond) + min(fromStart.to(gold)+fromDiamond.to(exit), fromStart.to(diamond)+fromGold.to(exit))
	if s.budget != max(viaGold, viaDiamond)+slack {
		return fmt.Errorf("budget %d, want max(%d, %d) + %d", s.budget, viaGold, viaDiamond, slack)
	}
	if viaBoth <= s.budget {
		return fmt.Errorf("both corners take %d of %d steps", viaBoth, s.budget)
	}
	if safe := s.distances(start, "#L").to(exit); safe < 0 || safe > s.budget {
		return fmt.Errorf("off the lava E is %d steps away (-1: out of reach), budget %d", safe, s.budget)
	}
	// An opening closes at least one cycle. Fewer than 18 cycles are only right
	// when no wall with two open neighbours was left.
	if cycles, left := s.cycles(); cycles < 18 && left > 0 {
		return fmt.Errorf("%d independent cycles, want 18 or more from as many openings", cycles)
	}
	return nil
}

// cycles counts the independent cycles of a maze in one piece, and the walls
// that could still be opened.
func (s sheet) cycles() (cycles, left int) {
	cells, pairs := 0, 0
	for r := range s.rows {
		for c := range s.rows {
			open := 0
			for _, d := range around {
				if s.at(spot{r + d.r, c + d.c}) != '#' {
					open++
				}
			}
			if s.rows[r][c] != '#' {
				cells, pairs = cells+1, pairs+open
			} else if open >= 2 {
				left++
			}
		}
	}
	return pairs/2 - cells + 1, left
}

func TestPaperRules(t *testing.T) {
	const n = 10_000
	e := build(t, nil)
	falling := 0 // mazes from the north-west to the south-east
	seen := map[[3]int]int{}
	for i := range n / len(envs.Splits()) {
		for _, split := range envs.Splits() {
			s := readSheet(t, problem(t, e, split, i))
			if err := paperRules(s, 7); err != nil {
				t.Fatalf("%s/%d: %v\n%v", split, i, err, s)
			}
			if s.rows[0][0] == 'S' {
				falling++
			}
			seen[s.counts]++
		}
	}
	// Both diagonals are equally likely: four standard errors of n tosses.
	if d := math.Abs(float64(falling) - n/2); d > 4*math.Sqrt(n)/2 {
		t.Errorf("%d of %d mazes run from north-west to south-east", falling, n)
	}
	// All 27 triples of counts occur. They are not quite equally likely: mazes
	// without room for the items are rejected.
	for triple := range 27 {
		counts := [3]int{3 + triple/9, 3 + triple/3%3, 3 + triple%3}
		if share := float64(seen[counts]) / n; share < 0.02 || share > 0.055 {
			t.Errorf("share %.3f of the counts %v, want about 1/27", share, counts)
		}
	}
}

func TestPaperRulesWithMoreSlack(t *testing.T) {
	e := build(t, func(c *Config) { c.Slack = 11 })
	for i := range 1000 {
		s := readSheet(t, problem(t, e, envs.Train, i))
		if err := paperRules(s, 11); err != nil {
			t.Fatalf("train/%d: %v\n%v", i, err, s)
		}
	}
}

// TestRejection holds each rule that rejects against mazes drawn for it, from
// the north-west to the south-east, with the gold in the north-east.
func TestRejection(t *testing.T) {
	open := []string{".....", ".....", ".....", ".....", "....."}
	narrow := []string{"..##.", "...#.", ".....", ".....", "....."}
	for _, c := range []struct {
		reason string
		rows   []string
		slack  int
		limit  int
		items  int
		want   bool
	}{
		// Over one corner 8 steps, over both 16.
		{"an open maze, little slack", open, 7, 15, 3, true},
		{"a budget of exactly the tour of both corners", open, 8, 99, 3, false},
		{"a budget above the longest answer", open, 7, 14, 3, false},
		{"more gold than lies near a corner", open, 7, 99, 7, false},
		{"room for three items beside a corner", narrow, 3, 99, 3, true},
		{"room for three items beside a corner, four wanted", narrow, 3, 99, 4, false},
		{"the gold corner cut off", []string{"...#.", "...##", ".....", ".....", "....."}, 7, 99, 1, false},
		{"the diamond corner cut off", []string{".....", ".....", ".....", "##...", ".#..."}, 7, 99, 1, false},
		{"E cut off", []string{".....", ".....", ".....", "...##", "...#."}, 7, 99, 1, false},
		{"the centre cut off", []string{".....", "..#..", ".#.#.", "..#..", "....."}, 7, 99, 1, false},
	} {
		config := Default()
		config.Size, config.Slack, config.ItemsMin, config.ItemsMax, config.LavaMin, config.LavaMax = 5, c.slack, c.items, c.items, 0, 0
		geo := newGeometry(5, 5, c.slack)
		geo.limit = c.limit
		g := newGenerator(config, geo)
		for trial := range 20 {
			g.load(c.rows)
			g.stream.Seed(1, uint64(trial)) // where the items go
			if got := g.measure() && g.furnish(); got != c.want {
				t.Errorf("%s: accepted %v, want %v", c.reason, got, c.want)
				break
			}
		}
	}
}

// load puts a given maze in place of one drawn.
func (g *generator) load(rows []string) {
	for i := range g.cells {
		g.cells[i] = wallCell
	}
	for i, cell := range g.geo.inner {
		g.cells[cell] = rows[i/len(rows)][i%len(rows)]
	}
	c := g.geo.corners
	g.start, g.gold, g.diamond, g.exit = c[0], c[1], c[2], c[3]
	g.cells[g.start], g.cells[g.exit], g.cells[g.geo.center] = startCell, exitCell, bonusCell
}

// TestLavaMustBeAvoidable: a maze that only lava crosses is rejected, and so is
// one where the way around takes more than the budget.
func TestLavaMustBeAvoidable(t *testing.T) {
	config := Default()
	config.Size, config.ItemsMin, config.ItemsMax, config.LavaMin, config.LavaMax = 7, 1, 1, 1, 1
	// The middle column is a wall but for (3,2), where the lava goes; with a gap,
	// E, walled in from the west, is reached by the last row and round the east.
	wall := []string{"..#....", "..#....", "..#....", ".......", "..#....", "..#....", "..#...."}
	gap := []string{"..#....", "..#....", "..#....", ".......", "..#....", "..#.##.", "....#.."}
	for _, c := range []struct {
		reason string
		rows   []string
		budget int
		want   bool
	}{
		{"other ways are as short", slices.Repeat([]string{"......."}, 7), 12, true},
		{"all ways pass the one cell where lava can lie", wall, 99, false},
		{"a gap in the last row, the way by it just within the budget", gap, 16, true},
		{"a gap in the last row, the way by it a step too long", gap, 15, false},
	} {
		geo := newGeometry(7, 7, 1)
		geo.lava = []int16{geo.cell(3, 2)}
		g := newGenerator(config, geo)
		g.load(c.rows)
		g.stream.Seed(1, 1)
		g.budget = c.budget
		if got := g.furnish(); got != c.want {
			t.Errorf("%s: accepted %v, want %v", c.reason, got, c.want)
		}
	}
}

// interval is a share as a source rounds it, plus or minus half its last digit,
// widened by four standard errors of n trials.
func interval(share, half float64, n int) (low, high float64) {
	wide := 4 * math.Sqrt(share*(1-share)/float64(n))
	return share - half - wide, share + half + wide
}

// TestKnownFacts compares with the findings of an independent implementation over thousands
// of mazes.
func TestKnownFacts(t *testing.T) {
	const n = 4000
	e := build(t, nil)
	g := newGenerator(&e.config, e.usual)
	accepted := 0
	for i := range n {
		if g.attempt(envs.Draw{}.Key("maze").Str("facts").Int(uint64(i))) {
			accepted++
		}
	}
	budgets, fronts, best, direct := map[int]int{}, map[int]int{}, 0, 0
	classes := make([]int, n)
	for i := range n {
		p := problem(t, e, envs.Train, i)
		truth := p.Truth()
		budgets[p.budget]++
		fronts[len(truth.Front)]++
		classes[i] = len(truth.Modes)
		if truth.Best(e.Info().Weights) == 0.75 {
			best++
		}
		if p.shortest == 16 {
			direct++
		}
	}
	for _, c := range []struct {
		fact        string
		count       int
		share, half float64
	}{
		{"attempts accepted", accepted, 0.92, 0.005},
		{"the best uniform mean is 0.75", best, 0.96, 0.005},
		{"the front has 2 vectors", fronts[2], 0.53, 0.005},
		{"the front has 3 vectors", fronts[3], 0.41, 0.005},
	} {
		low, high := interval(c.share, c.half, n)
		if got := float64(c.count) / n; got < low || got > high {
			t.Errorf("%s in a share of %.4f, want %.4f to %.4f", c.fact, got, low, high)
		}
	}
	if share := float64(direct) / n; share < 0.999 {
		t.Errorf("S and E are 16 steps apart in %.4f of the mazes, want nearly all", share)
	}
	slices.Sort(classes)
	// The standard error of this median is about 3.
	if median := classes[n/2]; median < 247-12 || median > 247+12 {
		t.Errorf("median of %d route classes, want about 247", median)
	}
	most := 25
	for budget, count := range budgets {
		if budget%2 == 0 || budget < 23 || budget > 37 {
			t.Errorf("%d budgets of %d steps, want odd numbers of 23 to 37", count, budget)
		}
		if count > budgets[most] {
			most = budget
		}
	}
	if most != 25 {
		t.Errorf("most budgets are %d, want 25", most)
	}
	t.Logf("accepted %.4f, best 0.75 %.4f, fronts %v, budgets %v, median classes %d", float64(accepted)/n, float64(best)/n, fronts, budgets, classes[n/2])
}

// TestLimitDoesNotBite: no maze is rejected for its budget alone.
func TestLimitDoesNotBite(t *testing.T) {
	e := build(t, nil)
	for _, geo := range []*geometry{e.usual, e.larger} {
		g := newGenerator(&e.config, geo)
		limit := geo.limit
		geo.limit = math.MaxInt
		for i := range 5000 {
			if g.attempt(envs.Draw{}.Key("maze").Str("limit").Int(uint64(i))) && g.budget > limit {
				t.Errorf("size %d, attempt %d: budget %d, above the limit %d", geo.size, i, g.budget, limit)
			}
		}
	}
}

// TestAttemptsDoNotAllocate: the generator's speed rests on it.
func TestAttemptsDoNotAllocate(t *testing.T) {
	e := build(t, nil)
	g := newGenerator(&e.config, e.usual)
	i, key := uint64(0), envs.Draw{}.Key("maze")
	if n := testing.AllocsPerRun(200, func() { g.attempt(key.Int(i)); i++ }); n != 0 {
		t.Errorf("%v allocations an attempt", n)
	}
}
