package problem

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// A mazeBoard holds the fields of a maze problem.
type mazeBoard struct {
	grid             []string // rows, one character a cell
	start, exit      spot
	budget, shortest int // steps
	front            []mazeWitness
}

// A mazeWitness is an entry of the field "routes": a route for a reward vector of
// the exact Pareto front.
type mazeWitness struct {
	Reward []float64 `json:"reward"`
	Answer string    `json:"answer"`
}

// The characters of a grid.
const (
	startCell   = 'S'
	exitCell    = 'E'
	goldCell    = 'G'
	diamondCell = 'D'
	lavaCell    = 'L'
	bonusCell   = 'B'
	wallCell    = '#'
	plainCell   = '.'
)

// readMaze reads and checks the problem's fields.
func readMaze(p envs.Problem) (*mazeBoard, error) {
	m := &mazeBoard{start: spot{-1, -1}, exit: spot{-1, -1}}
	for _, field := range []struct {
		name string
		out  any
	}{{"grid", &m.grid}, {"budget", &m.budget}, {"shortest", &m.shortest}, {"routes", &m.front}} {
		if err := readField(p, field.name, field.out); err != nil {
			return nil, err
		}
	}
	if len(m.grid) == 0 || m.grid[0] == "" {
		return nil, errors.New("the grid has no cells to draw")
	}
	for row, line := range m.grid {
		if len(line) != len(m.grid[0]) {
			return nil, fmt.Errorf("row %d of the grid has %d cells, want %d as in row 1", row+1, len(line), len(m.grid[0]))
		}
		for col := range len(line) {
			if err := m.place(spot{row, col}, line[col]); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case m.start.row < 0 || m.exit.row < 0:
		return nil, errors.New("the grid lacks its start S or its exit E")
	case m.budget < 1:
		return nil, fmt.Errorf("the budget is %d steps, want at least 1", m.budget)
	}
	return m, nil
}

// place notes where the grid has its ends, and refuses what cannot be drawn.
func (m *mazeBoard) place(at spot, cell byte) error {
	end := &m.start
	switch cell {
	case startCell:
	case exitCell:
		end = &m.exit
	case goldCell, diamondCell, lavaCell, bonusCell, wallCell, plainCell:
		return nil
	default:
		return fmt.Errorf("row %d, column %d of the grid holds %q; cells are S, E, G, D, L, B, # and %c", at.row+1, at.col+1, cell, plainCell)
	}
	if end.row >= 0 {
		return fmt.Errorf("row %d, column %d of the grid holds a second %c", at.row+1, at.col+1, cell)
	}
	*end = at
	return nil
}

// A routeGroup is what has a line of the table: the routes of one mode, of one
// vector of the front, or of several modes that share a line.
type routeGroup struct {
	name    string // the mode
	modes   int    // how many share the line
	reward  []float64
	correct bool
	answers int
	routes  []*mazeRoute // the different ones, in the order of the answers
	look    draw.Look
}

// add counts an answer, whose route may have been seen before.
func (g *routeGroup) add(route *mazeRoute) {
	g.answers++
	for _, other := range g.routes {
		if slices.Equal(other.moves, route.moves) {
			other.times++
			return
		}
	}
	route.times = 1
	g.routes = append(g.routes, route)
}

// What a picture of a maze can show apart.
const (
	maxOwnLanes   = 10 // different routes that have a lane each, and modes that then have a line
	maxFlowModes  = 7  // correct modes that have a lane each where there are more routes
	maxWrongModes = 3  // incorrect modes with a line of their own
)

// routesOf counts the different routes.
func routesOf(groups []*routeGroup) int {
	n := 0
	for _, g := range groups {
		n += len(g.routes)
	}
	return n
}

// rewardText writes a reward vector with at most two decimals: "(1, 0.33, 0, 1)".
func rewardText(r []float64) string {
	if r == nil {
		return ""
	}
	words := make([]string, len(r))
	for i, x := range r {
		text := strconv.FormatFloat(x, 'f', 2, 64)
		words[i] = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// A boardCanvas is a canvas with a maze's cells on it.
type boardCanvas struct {
	draw.Canvas
	left, top, cell vg.Length
}

// middle is the middle of a cell.
func (b boardCanvas) middle(s spot) vg.Point {
	return vg.Point{X: b.left + b.cell*(vg.Length(s.col)+0.5), Y: b.top - b.cell*(vg.Length(s.row)+0.5)}
}

// fillCell paints a cell.
func (b boardCanvas) fillCell(s spot, fill color.NRGBA) {
	x, y := b.left+b.cell*vg.Length(s.col), b.top-b.cell*vg.Length(s.row)
	b.SetColor(fill)
	b.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y - b.cell}, Max: vg.Point{X: x + b.cell, Y: y}}.Path())
}

// A spot is a cell of a grid: row and column from the upper left corner.
type spot struct{ row, col int }

func (s spot) plus(d spot) spot { return spot{s.row + d.row, s.col + d.col} }

// mazeMoves are the words of an answer and where they lead.
var mazeMoves = map[string]spot{"UP": {-1, 0}, "DOWN": {1, 0}, "LEFT": {0, -1}, "RIGHT": {0, 1}}

// A mazeRoute is where an answer leads.
type mazeRoute struct {
	moves   []spot // the steps that counted, bumps included
	spots   []spot // S, then where each step that moved led
	bumps   []bump // the different ones
	arrived bool
	times   int // answers that go this way
	lane    int
}

// A bump is a step into a wall or the border.
type bump struct{ at, into spot }

// walk follows an answer as the rules say: a step into a wall or the border does not move,
// and the route ends at E or with the budget.
func (m *mazeBoard) walk(answer string) (*mazeRoute, error) {
	r := &mazeRoute{spots: []spot{m.start}}
	at := m.start
	for i, word := range strings.Fields(answer) {
		move, ok := mazeMoves[word]
		if !ok {
			return nil, fmt.Errorf("word %d, %.40q, is no move; moves are UP, DOWN, LEFT, RIGHT", i+1, word)
		}
		if r.arrived || len(r.moves) == m.budget {
			continue
		}
		r.moves = append(r.moves, move)
		if next := at.plus(move); m.open(next) {
			at = next
			r.spots = append(r.spots, at)
			r.arrived = at == m.exit
		} else if b := (bump{at, move}); !slices.Contains(r.bumps, b) {
			r.bumps = append(r.bumps, b)
		}
	}
	return r, nil
}

// open says whether a route can stand on a spot.
func (m *mazeBoard) open(s spot) bool {
	return s.row >= 0 && s.row < len(m.grid) && s.col >= 0 && s.col < len(m.grid[0]) && m.grid[s.row][s.col] != wallCell
}
