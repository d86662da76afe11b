package maze

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// paretoOf applies the definition to every pair.
func paretoOf(vectors [][]float64) [][]float64 {
	var front [][]float64
	for _, v := range vectors {
		beaten := slices.ContainsFunc(vectors, func(u []float64) bool {
			least, above := true, false
			for j := range u {
				least, above = least && u[j] >= v[j], above || u[j] > v[j]
			}
			return least && above
		})
		if !beaten && !slices.ContainsFunc(front, func(u []float64) bool { return slices.Equal(u, v) }) {
			front = append(front, v)
		}
	}
	slices.SortFunc(front, slices.Compare[[]float64])
	return front
}

// known is the truth with the modes in alphabetical order.
func known(p *Problem) envs.Truth {
	truth := p.Truth()
	truth.Modes = append([]envs.Mode(nil), truth.Modes...) // nil for none
	slices.Sort(truth.Modes)
	return truth
}

// everyRoute simulates all move sequences of a maze up to its budget.
func everyRoute(s sheet) envs.Truth {
	truth, vectors, modes := envs.Truth{}, [][]float64(nil), map[string]bool{}
	words := []string{}
	var extend func()
	extend = func() {
		if out := s.simulate(words); out.correct {
			truth.Solutions++
			if !modes[out.mode] {
				modes[out.mode] = true
				truth.Modes = append(truth.Modes, envs.Mode(out.mode))
				vectors = append(vectors, out.reward)
			}
			return
		}
		if len(words) == s.budget {
			return
		}
		for _, word := range []string{"UP", "DOWN", "LEFT", "RIGHT"} {
			words = append(words, word)
			extend()
			words = words[:len(words)-1]
		}
	}
	extend()
	slices.Sort(truth.Modes)
	truth.Front = paretoOf(vectors)
	return truth
}

func TestTruthAgainstEveryRoute(t *testing.T) {
	for _, c := range []struct {
		reason string
		rows   []string
		budget int
	}{
		{"no way to any item", []string{"SG#", ".##", "E#D"}, 6},
		{"E beside S: routes end early", []string{"SE.", "G..", "..D"}, 7},
		{"an item on the only way", []string{"SGE", "##.", "..D"}, 6},
		{"lava that may be crossed or not", []string{"S.G", ".L.", "D.E"}, 7},
		{"both corners within the budget", []string{"S.G", "...", "D.E"}, 8},
		{"a budget below every route", []string{"S.G", "...", "D.E"}, 3},
		{"a budget of exactly the shortest route", []string{"S.G", "...", "D.E"}, 4},
		{"items in a row are passed again on the way back", []string{"S.E", "G#.", "GGD"}, 8},
		{"all around is lava", []string{"LLL", "LSL", "GED"}, 6},
		{"the bonus tile is a plain cell", []string{"S#G", ".B.", "D#E"}, 8},
		{"S is passed again", []string{"GSD", ".#.", ".E."}, 8},
		{"a corner with three items", []string{"S.GG", ".L.G", "...#", "D..E"}, 8},
	} {
		p := draw(c.rows, c.budget)
		s := sheet{rows: c.rows, budget: c.budget}
		if d := cmp.Diff(everyRoute(s), known(p)); d != "" {
			t.Errorf("%s (-every route +truth):\n%s", c.reason, d)
		}
	}
}

// TestTruthOfSmallMazes does the same with mazes by the generator, whose budget is cut to a
// number of routes that can be listed.
func TestTruthOfSmallMazes(t *testing.T) {
	e := build(t, func(c *Config) {
		c.Size, c.OpeningsMin, c.OpeningsMax, c.ItemsMin, c.ItemsMax, c.LavaMin, c.LavaMax, c.Slack = 5, 2, 8, 1, 3, 0, 0, 0
	})
	for i := range 3 {
		p := problem(t, e, envs.Train, i)
		s := readSheet(t, p)
		p.budget, s.budget = 8, 8
		if d := cmp.Diff(everyRoute(s), known(p)); d != "" {
			t.Errorf("%d, %v (-every route +truth):\n%s", i, s, d)
		}
	}
}

// A slowTruth is the reference: a breadth-first search over every (cell, gold
// and diamonds collected, lava stepped on), cell by cell, without compression and
// without dropping anything. It works on the printed grid.
type slowTruth struct {
	modes  []envs.Mode
	front  [][]float64
	fewest map[string]int // steps of the shortest route to each class
}

func (s sheet) slow() slowTruth {
	kinds := "GDL"
	if s.convex {
		kinds += "B"
	}
	var items []spot
	var names []string
	for i := range kinds {
		for number, at := range s.find(kinds[i]) {
			items = append(items, at)
			names = append(names, strings.Replace(fmt.Sprintf("%c%d", kinds[i], number+1), "B1", "B", 1))
		}
	}
	n := len(s.rows)
	bit := make([]int, n*n)
	for i, at := range items {
		bit[at.r*n+at.c] = 1 << i
	}
	type node struct{ at, set int }
	start := s.find('S')[0]
	seen := make([]bool, n*n<<len(items))
	layer := []node{{start.r*n + start.c, 0}}
	out := slowTruth{fewest: map[string]int{}}
	var vectors [][]float64
	for steps := 0; steps <= s.budget; steps++ {
		var next []node
		for _, now := range layer {
			here := spot{now.at / n, now.at % n}
			if s.at(here) == 'E' {
				words := []string{"exit"}
				for i, name := range names {
					if now.set&(1<<i) != 0 {
						words = append(words, name)
					}
				}
				mode := strings.Join(words, " ")
				out.modes = append(out.modes, envs.Mode(mode))
				out.fewest[mode] = steps
				vectors = append(vectors, s.rewardOf(mode))
				continue
			}
			for _, d := range around {
				to := spot{here.r + d.r, here.c + d.c}
				if s.at(to) == '#' {
					continue
				}
				at := to.r*n + to.c
				then := node{at, now.set | bit[at]}
				if key := then.set*n*n + at; !seen[key] {
					seen[key] = true
					next = append(next, then)
				}
			}
		}
		layer = next
	}
	slices.Sort(out.modes)
	out.front = paretoOf(vectors)
	return out
}

// TestTruthAgainstSlowSearch covers mazes of every kind, with the witnesses: a
// route of each front vector that is as short as any.
func TestTruthAgainstSlowSearch(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		n := 12
		if e.config.LavaMax == maxLava {
			n = 1 // the reference takes half a second
		}
		if v.change == nil {
			n = 60
		}
		if testing.Short() {
			n = (n + 5) / 6
		}
		for _, split := range []envs.Split{envs.Train, envs.OOD} {
			for i := range n {
				p := problem(t, e, split, i)
				s := readSheet(t, p)
				slow, truth := s.slow(), known(p)
				if d := cmp.Diff(slow.modes, truth.Modes); d != "" {
					t.Fatalf("%s, %s/%d: modes (-reference +truth):\n%s", v.name, split, i, d)
				}
				if d := cmp.Diff(slow.front, truth.Front); d != "" {
					t.Fatalf("%s, %s/%d: front (-reference +truth):\n%s", v.name, split, i, d)
				}
				if err := checkWitnesses(p, s, slow); err != nil {
					t.Fatalf("%s, %s/%d: %v", v.name, split, i, err)
				}
			}
			n = min(n, 3)
			if v.change == nil && !testing.Short() {
				n = 10
			}
		}
	}
}

func checkWitnesses(p *Problem, s sheet, slow slowTruth) error {
	routes := p.Fields()["routes"].([]route)
	if len(routes) != len(slow.front) {
		return fmt.Errorf("%d routes for %d front vectors", len(routes), len(slow.front))
	}
	for i, r := range routes {
		words := strings.Fields(r.Answer)
		out := s.simulate(words)
		if !slices.Equal(r.Reward, slow.front[i]) || !slices.Equal(out.reward, r.Reward) {
			return fmt.Errorf("route %d for %v says %v and earns %v", i, slow.front[i], r.Reward, out.reward)
		}
		fewest := math.MaxInt
		for mode, steps := range slow.fewest {
			if slices.Equal(s.rewardOf(mode), r.Reward) {
				fewest = min(fewest, steps)
			}
		}
		if len(words) != fewest {
			return fmt.Errorf("route %d for %v takes %d steps, want %d", i, r.Reward, len(words), fewest)
		}
		if bare := s.simulate(words[:len(words)-1]); bare.correct {
			return fmt.Errorf("route %d goes on after E", i)
		}
	}
	return nil
}

// rewardOf is the reward of a finished route of a mode.
func (s sheet) rewardOf(mode string) []float64 {
	var share [3]float64
	for i, kind := range []string{" G", " D", " L"} {
		if all := len(s.find(kind[1])); all > 0 {
			share[i] = float64(strings.Count(mode, kind)) / float64(all)
		}
	}
	r := []float64{1, share[0], share[1], 1 - share[2]}
	if s.convex {
		for i, x := range r {
			r[i] = x * x
			if strings.HasSuffix(mode, " B") {
				r[i] = min(1, 1.5*(x*x))
			}
		}
	}
	return r
}

// countRoutes counts by big integers, step by step, without dropping anything.
func (s sheet) countRoutes() *big.Int {
	now := map[spot]*big.Int{s.find('S')[0]: big.NewInt(1)}
	total := new(big.Int)
	for range s.budget {
		next := map[spot]*big.Int{}
		for at, count := range now {
			for _, d := range around {
				to := spot{at.r + d.r, at.c + d.c}
				if s.at(to) == '#' {
					to = at
				}
				if s.at(to) == 'E' {
					total.Add(total, count)
					continue
				}
				if next[to] == nil {
					next[to] = new(big.Int)
				}
				next[to].Add(next[to], count)
			}
		}
		now = next
	}
	return total
}

// TestSolutions compares with big integers, on both sides of the limit of an int64.
func TestSolutions(t *testing.T) {
	check := func(name string, p *Problem, s sheet) {
		want := int64(-1)
		if n := s.countRoutes(); n.IsInt64() {
			want = n.Int64()
		}
		if got := p.Truth().Solutions; got != want {
			t.Errorf("%s: %d solutions, want %d", name, got, want)
		}
	}
	rows := []string{"S...G", ".#.#.", "..B..", ".#...", "D..#E"}
	beyond := 0
	for budget := 7; budget <= 60; budget++ {
		p := draw(rows, budget)
		check(fmt.Sprint("5x5, budget ", budget), p, sheet{rows: rows, budget: budget})
		if p.Truth().Solutions < 0 {
			beyond++
		}
	}
	if beyond == 0 || beyond > 50 {
		t.Errorf("%d of 54 budgets have too many solutions for an int64; the test should see both sides", beyond)
	}
	for _, v := range variants {
		e := build(t, v.change)
		for i := range 4 {
			for _, split := range []envs.Split{envs.Test, envs.OOD} {
				p := problem(t, e, split, i)
				check(fmt.Sprint(v.name, ", ", p.ID()), p, readSheet(t, p))
			}
		}
	}
}

// TestShortest: Fields and problem agree with a search over the printed grid.
func TestShortest(t *testing.T) {
	e := build(t, func(c *Config) { c.OpeningsMin, c.OpeningsMax, c.Slack = 0, 4, 3 })
	for i := range 50 {
		p := problem(t, e, envs.Train, i)
		s := readSheet(t, p)
		want := s.distances(s.find('S')[0], "#").to(s.find('E')[0])
		if p.shortest != want || p.Fields()["shortest"] != want || p.Fields()["budget"] != s.budget {
			t.Errorf("%d: shortest %d, fields %v; want %d", i, p.shortest, p.Fields(), want)
		}
	}
}

// TestSearchIsReused: scratch from a large maze leaves nothing behind in a small
// one, nor the other way round.
func TestSearchIsReused(t *testing.T) {
	large := build(t, variants[4].change)
	small := build(t, variants[2].change)
	s := &search{}
	for i := range 3 {
		for _, e := range []*Env{large, small} {
			p := problem(t, e, envs.Train, i)
			s.run(p)
			if d := cmp.Diff(p.Truth().Modes, s.modes()); d != "" {
				t.Fatalf("%d, size %d (-fresh +reused):\n%s", i, p.geo.size, d)
			}
		}
	}
}
