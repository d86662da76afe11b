package maze

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
)

// build makes an environment from the defaults, changed.
func build(t testing.TB, change func(*Config)) *Env {
	t.Helper()
	return envtest.Build[*Env](t, Default(), change)
}

func problem(t testing.TB, e *Env, split envs.Split, index int) *Problem {
	t.Helper()
	return envtest.Problem[*Problem](t, e, split, index)
}

// variants are the parameter sets that the tests of this package run over.
var variants = []struct {
	name   string
	change func(*Config)
}{
	{"default", nil},
	{"slack 11", func(c *Config) { c.Slack = 11 }},
	{"size 5, without lava", func(c *Config) {
		c.Size, c.OpeningsMin, c.OpeningsMax, c.ItemsMin, c.ItemsMax, c.LavaMin, c.LavaMax, c.Slack = 5, 2, 6, 1, 2, 0, 0, 2
	}},
	{"size 7", func(c *Config) {
		c.Size, c.OpeningsMin, c.OpeningsMax, c.LavaMin, c.LavaMax, c.Slack = 7, 8, 14, 1, 2, 4
	}},
	{"size 11, all the items there can be", func(c *Config) {
		c.Size, c.OpeningsMin, c.OpeningsMax, c.ItemsMin, c.ItemsMax, c.LavaMin, c.LavaMax = 11, 60, 80, 6, 6, 8, 8
	}},
	{"no openings", func(c *Config) { c.OpeningsMin, c.OpeningsMax, c.ItemsMin, c.LavaMin, c.Slack = 0, 0, 1, 0, 0 }},
	{"a careful demonstrator", func(c *Config) { c.Tau, c.Detour = 0.01, 1 }},
	{"as released", func(c *Config) { c.Source, c.Reward = "released", "convex-bonus" }},
}

// A sheet is a maze as its prompt prints it. Checks of the package work on sheets, so that
// they share no code with it.
type sheet struct {
	rows   []string // without blanks
	budget int
	counts [3]int // gold, diamond, lava, as the prompt states them
	convex bool   // the reward is convex-bonus, which no prompt states
}

var (
	budgetLine = regexp.MustCompile(`You have (\d+) steps\.`)
	countLine  = regexp.MustCompile(`there are (\d+) gold, (\d+) diamond, (\d+) lava and 1 bonus cells`)
)

func readSheet(t testing.TB, p envs.Problem) sheet {
	t.Helper()
	text := p.PromptText()
	_, rest, _ := strings.Cut(text, "Grid:\n")
	grid, _, _ := strings.Cut(rest, "\n\n")
	s := sheet{convex: p.(*Problem).env.config.Reward == "convex-bonus"}
	for line := range strings.SplitSeq(grid, "\n") {
		s.rows = append(s.rows, strings.ReplaceAll(line, " ", ""))
	}
	budget, counts := budgetLine.FindStringSubmatch(text), countLine.FindStringSubmatch(text)
	if budget == nil || counts == nil {
		t.Fatalf("the prompt states no budget or no counts:\n%s", text)
	}
	s.budget, _ = strconv.Atoi(budget[1])
	for i := range s.counts {
		s.counts[i], _ = strconv.Atoi(counts[i+1])
	}
	return s
}

type spot struct{ r, c int }

func (s sheet) at(p spot) byte {
	if p.r < 0 || p.c < 0 || p.r >= len(s.rows) || p.c >= len(s.rows) {
		return '#'
	}
	return s.rows[p.r][p.c]
}

// find lists the spots of a kind in reading order.
func (s sheet) find(kind byte) []spot {
	var out []spot
	for r := range s.rows {
		for c := range s.rows {
			if s.rows[r][c] == kind {
				out = append(out, spot{r, c})
			}
		}
	}
	return out
}

var compass = map[string]spot{"UP": {-1, 0}, "DOWN": {1, 0}, "LEFT": {0, -1}, "RIGHT": {0, 1}}

var around = [4]spot{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}

// A chart holds distances; -1 is out of reach.
type chart [][]int

func (c chart) to(p spot) int { return c[p.r][p.c] }

// distances is a breadth-first search that keeps off some kinds of cells.
func (s sheet) distances(from spot, avoid string) chart {
	dist := make(chart, len(s.rows))
	for r := range dist {
		dist[r] = slices.Repeat([]int{-1}, len(s.rows))
	}
	dist[from.r][from.c] = 0
	for layer := []spot{from}; len(layer) > 0; {
		var next []spot
		for _, at := range layer {
			for _, d := range around {
				to := spot{at.r + d.r, at.c + d.c}
				if !strings.ContainsRune(avoid, rune(s.at(to))) && dist.to(to) < 0 {
					dist[to.r][to.c] = dist.to(at) + 1
					next = append(next, to)
				}
			}
		}
		layer = next
	}
	return dist
}

// handmade is an environment with room for every number of items.
var handmade = sync.OnceValue(func() *Env {
	e := &Env{config: *Default()}
	e.config.ItemsMin, e.config.ItemsMax, e.config.LavaMin, e.config.LavaMax = 1, maxItems, 0, maxLava
	return e
})

// draw makes a problem of rows in the prompt's characters. The first G and the first D mark
// the corners of the demonstrator.
func draw(rows []string, budget int) *Problem {
	size := len(rows)
	e := &Env{config: handmade().config, ahead: 2, astray: 0.5}
	e.usual = newGeometry(size, size, 0)
	e.larger = e.usual
	g := newGenerator(&e.config, e.usual)
	for i := range g.cells {
		g.cells[i] = wallCell
	}
	g.budget = budget
	for r, row := range rows {
		for c := range row {
			cell := e.usual.cell(r, c)
			g.cells[cell] = row[c]
			switch row[c] {
			case startCell:
				g.start = cell
			case exitCell:
				g.exit = cell
			case goldCell:
				g.gold = cell
				g.count[0]++
			case diamondCell:
				g.diamond = cell
				g.count[1]++
			case lavaCell:
				g.count[2]++
			}
		}
	}
	e.usual.flood(g.toStart, g.queue, g.cells, g.start, wallCell)
	return e.newProblem("drawn", g)
}

// tokens reads an answer.
func tokens(t testing.TB, text string) []envs.Token {
	t.Helper()
	var out []envs.Token
	for _, word := range strings.Fields(text) {
		switch word {
		case "UP":
			out = append(out, 0)
		case "DOWN":
			out = append(out, 1)
		case "LEFT":
			out = append(out, 2)
		case "RIGHT":
			out = append(out, 3)
		default:
			t.Fatalf("%q is no move", word)
		}
	}
	return out
}

// An outcome is the simulator's result for a route.
type outcome struct {
	reward  []float64
	correct bool
	mode    string
	visited map[spot]bool
}

// simulate follows a route over the printed maze by the words of VPO app. A.1.
func (s sheet) simulate(words []string) outcome {
	at := s.find('S')[0]
	out := outcome{reward: []float64{0, 0, 0, 0}, visited: map[spot]bool{at: true}}
	for i, word := range words {
		if i == s.budget || s.at(at) == 'E' {
			break
		}
		if to := (spot{at.r + compass[word].r, at.c + compass[word].c}); s.at(to) != '#' {
			at = to
			out.visited[at] = true
		}
	}
	out.correct = s.at(at) == 'E'
	out.mode = "unfinished"
	if out.correct {
		out.mode = "exit"
	}
	for _, kind := range "GDL" {
		for number, item := range s.find(byte(kind)) {
			if out.visited[item] {
				out.mode += fmt.Sprintf(" %c%d", kind, number+1)
			}
		}
	}
	if s.convex && out.visited[s.find('B')[0]] {
		out.mode += " B"
	}
	if out.correct {
		out.reward = s.rewardOf(out.mode)
	}
	return out
}
