package maze

import (
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
)

// Picture implements envs.Problem: the maze with the routes drawn in as lines from cell to cell,
// then one line per route with its moves, reward and mode. A single route is drawn with arrows; of
// several, a stretch carries the number of its route, or a double line where routes share it. Moves
// that bump into a wall show in the count only.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	var b strings.Builder
	fmt.Fprintf(&b, "maze %s: %dx%d, %d steps (shortest route %d), %d gold, %d diamond, %d lava\n",
		p.id, p.geo.size, p.geo.size, p.budget, p.shortest, p.count[0], p.count[1], p.count[2])
	c := p.newCanvas()
	for i, answer := range answers {
		c.trace(i, answer)
	}
	c.label(len(answers) == 1)
	edge := strings.Repeat("─", len(c.rows[0])+2)
	b.WriteString("┌" + edge + "┐\n")
	for _, row := range c.rows {
		b.WriteString("│ " + string(row) + " │\n")
	}
	b.WriteString("└" + edge + "┘\n")
	for i, answer := range answers {
		b.WriteString(p.caption(i, answer) + "\n")
	}
	return b.String()
}

func (p *Problem) caption(number int, answer []envs.Token) string {
	v := p.Judge(answer)
	if v.Err != nil {
		return fmt.Sprintf("%3s: does not parse: %v", routeName(number), v.Err)
	}
	r := p.route(answer)
	words := each.Map(v.Reward, func(x float64) string { return fmt.Sprintf("%.3g", x) })
	line := fmt.Sprintf("%3s: %2d moves", routeName(number), r.steps)
	if bumps := r.steps - len(r.cells) + 1; bumps > 0 {
		line += fmt.Sprintf(", %d into walls", bumps)
	}
	if ignored := len(answer) - r.steps; ignored > 0 {
		line += fmt.Sprintf(", %d more ignored", ignored)
	}
	return fmt.Sprintf("%s; reward (%s), mean %.3g; %s", line, strings.Join(words, ", "),
		v.Scalar(envs.UniformWeights(components)), v.Mode)
}

// routeName is the number of a route as captions spell it.
func routeName(number int) string { return fmt.Sprint(number + 1) }

// Positions on a canvas: a cell is one character, with three between it and
// the next in its row, and one between rows.
const (
	acrossPitch = 4
	downPitch   = 2
)

// A canvas is a maze being drawn.
type canvas struct {
	problem *Problem
	rows    [][]rune
	// Routes over the joint to the right of each cell and over that below it:
	// which (one number, or shared), and in which directions.
	joints [2][]joint
}

type joint struct {
	route             int // number from 1; 0: none
	shared            bool
	forward, backward bool // rightwards or downwards, and against it
}

func (p *Problem) newCanvas() *canvas {
	size := p.geo.size
	c := &canvas{problem: p}
	for r := range downPitch*(size-1) + 1 {
		row := make([]rune, acrossPitch*(size-1)+1)
		for x := range row {
			row[x] = p.background(r, x)
		}
		c.rows = append(c.rows, row)
	}
	c.joints = [2][]joint{make([]joint, len(p.cells)), make([]joint, len(p.cells))}
	return c
}

// background is the character at a position before any route: walls are solid
// blocks, also between two or four of them.
func (p *Problem) background(y, x int) rune {
	row, col := y/downPitch, x/acrossPitch
	cell := p.geo.cell(row, col)
	kind := rune(p.cells[cell])
	between, below := x%acrossPitch != 0, y%downPitch != 0
	solid := kind == wallCell
	if between {
		solid = solid && p.cells[cell+1] == wallCell
	}
	if below {
		solid = solid && p.cells[cell+int16(p.geo.stride)] == wallCell
	}
	if between && below {
		solid = solid && p.cells[cell+int16(p.geo.stride)+1] == wallCell
	}
	switch {
	case solid:
		return '█'
	case between || below:
		return ' '
	case kind == plainCell:
		return '·'
	}
	return kind
}

func (c *canvas) trace(number int, answer []envs.Token) {
	p := c.problem
	if p.Judge(answer).Err != nil {
		return
	}
	cells := p.route(answer).cells
	for i, to := range cells[1:] {
		from, axis := cells[i], 0
		if max(from, to)-min(from, to) > 1 {
			axis = 1 // from row to row
		}
		j := &c.joints[axis][min(from, to)]
		j.shared = j.shared || j.route != 0 && j.route != number+1
		j.route = number + 1
		j.forward = j.forward || to > from
		j.backward = j.backward || to < from
	}
}

func (c *canvas) label(arrows bool) {
	p := c.problem
	for r := range p.geo.size {
		for col := range p.geo.size {
			cell := p.geo.cell(r, col)
			y, x := downPitch*r, acrossPitch*col
			if j := c.joints[0][cell]; j.route > 0 {
				copy(c.rows[y][x+1:], j.across(arrows))
			}
			if j := c.joints[1][cell]; j.route > 0 {
				copy(c.rows[y+1][max(0, x-1):], j.down(arrows, x == 0))
			}
		}
	}
}

// across is the joint between two cells of a row: three characters.
func (j joint) across(arrows bool) []rune {
	switch {
	case arrows && j.forward && j.backward:
		return []rune("←─→")
	case arrows && j.forward:
		return []rune("──→")
	case arrows:
		return []rune("←──")
	case j.shared:
		return []rune("═══")
	}
	name := routeName(j.route - 1)
	return []rune([...]string{"─" + name + "─", "─" + name, name}[min(len(name), 3)-1])[:3]
}

// down is the joint between two rows, from one character left of the cells on; in the first column
// there is no such character, and names of two digits begin right below the cell.
func (j joint) down(arrows, first bool) []rune {
	name := []rune(routeName(j.route - 1))
	switch {
	case arrows && j.forward && j.backward:
		name = []rune("↕")
	case arrows && j.forward:
		name = []rune("↓")
	case arrows:
		name = []rune("↑")
	case j.shared:
		name = []rune("║")
	}
	if !first && len(name) < 3 {
		name = append([]rune{' '}, name...)
	}
	return name[:min(3, len(name))]
}
