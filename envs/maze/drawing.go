package maze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/plural"
)

// Shares of a cell.
const (
	itemRadius = 0.24
	endRadius  = 0.38
	leastCell  = 15.0 // the least cell in points whose items have room for numbers
)

// Drawing implements envs.Pictured: the maze with the routes of the answers in it, coloured by
// mode, and a table of the modes. Without answers the routes are one for each vector of the
// exact Pareto front.
func (p *Problem) Drawing(answers ...envs.Attempt) envs.Drawing {
	truth := p.Truth()
	groups := p.routesOfFront()
	if len(answers) > 0 {
		groups = p.routesOf(answers)
	}
	shown := shownGroups(groups)
	l := p.plan(shown)
	side := float64(float64(p.geo.size) * l.cell)
	d := &envs.Drawing{Width: side, Height: side, Least: min(1, leastCell/l.cell)}
	d.Title = fmt.Sprintf("maze %s: %d × %d, budget %d, shortest way out %d", p.id, p.geo.size, p.geo.size, p.budget, p.shortest)
	p.drawGround(d, l.cell)
	l.draw(d, shown)
	p.drawItems(d, l.cell)
	p.explain(d, shown)
	if len(answers) > 0 {
		d.Table = p.answerTable(shown)
		d.Note = lineNote(l, shown)
	} else {
		d.Table = frontTable(shown, len(truth.Front))
		d.Note = "Lines: for each reward vector one shortest route that reaches it."
	}
	d.Note += " Rewards: (completion, gold, diamond, lava avoided). Modes: numbers of the items stepped on."
	return *d
}

func lineNote(l *lanes, shown []*routeGroup) string {
	note := "Lines: one for each different route."
	if l.shared {
		note = "Lines: the routes of a mode share a lane."
	}
	if slices.ContainsFunc(shown, func(g *routeGroup) bool { return g.hue == envs.OtherModes }) {
		note += " Dark grey: further correct modes."
	}
	if slices.ContainsFunc(shown, func(g *routeGroup) bool { return !g.correct }) {
		note += " Light grey: incorrect answers."
	}
	return note
}

func (p *Problem) place(cell int16, size float64) (x, y float64) {
	pos := p.geo.inside[cell]
	return float64(size * (float64(pos[1]) + 0.5)), float64(size * (float64(pos[0]) + 0.5))
}

func (p *Problem) drawGround(d *envs.Drawing, size float64) {
	half := float64(size / 2)
	tile := func(kind byte, role envs.Role, hue int) {
		for _, cell := range p.geo.inner {
			if x, y := p.place(cell, size); p.cells[cell] == kind {
				d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Polygon, Role: role, Hue: hue, Points: envs.Box(x-half, y-half, x+half, y+half)})
			}
		}
	}
	tile(lavaCell, envs.Faint, 2)
	var grid [][2]float64
	for i := 1; i < p.geo.size; i++ {
		pos := float64(size * float64(i))
		grid = append(grid, [2]float64{0, pos}, [2]float64{d.Width, pos}, [2]float64{pos, 0}, [2]float64{pos, d.Height})
	}
	d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Segments, Role: envs.Faint, Hue: 1, Points: grid})
	tile(wallCell, envs.Wall, 0)
	d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Line, Role: envs.Wall, Points: envs.Frame(0, 0, d.Width, d.Height)})
}

// drawnItems are the kinds of items in the order of the legend.
var drawnItems = []struct {
	kind byte
	name string
}{{goldCell, "gold (G)"}, {diamondCell, "diamond (D)"}, {lavaCell, "lava (L)"}, {bonusCell, "bonus (without effect)"}}

// drawItems draws the items, with the numbers that they have in the names of modes, and the two
// ends. They hide the routes.
func (p *Problem) drawItems(d *envs.Drawing, size float64) {
	for _, item := range drawnItems {
		number := 0
		for _, cell := range p.geo.inner {
			if p.cells[cell] != item.kind {
				continue
			}
			x, y := p.place(cell, size)
			d.Shapes = append(d.Shapes, itemShape(item.kind, x, y, itemRadius*size))
			if number++; item.kind != bonusCell && size >= leastCell {
				d.Write(envs.Tint, x, y, 0.5, strconv.Itoa(number))
			}
		}
	}
	for i, cell := range [2]int16{p.start, p.exit} {
		x, y := p.place(cell, size)
		d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Circle, Role: envs.Wall, Hue: 1, Points: envs.Point(x, y), Size: endRadius * size})
		if size >= leastCell {
			d.Write(envs.Wall, x, y, 0.5, "SE"[i:i+1])
		}
	}
}

// The outlines of items, around their middle.
var (
	rhombus  = [][2]float64{{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}}
	triangle = [][2]float64{{0, -1.38}, {1.3, 0.87}, {-1.3, 0.87}}
	star     = [][2]float64{
		{0, -1.2}, {0.296, -0.408}, {1.141, -0.371}, {0.479, 0.156}, {0.705, 0.971}, {0, 0.504},
		{-0.705, 0.971}, {-0.479, 0.156}, {-1.141, -0.371}, {-0.296, -0.408},
	}
)

// itemShape is the symbol of an item: a coin, a rhombus, a triangle, or the outline of a star.
func itemShape(kind byte, x, y, radius float64) envs.Shape {
	s := envs.Shape{Kind: envs.Polygon, Role: envs.Tint}
	outline := rhombus
	switch kind {
	case goldCell:
		return envs.Shape{Kind: envs.Circle, Role: envs.Tint, Hue: 1, Points: envs.Point(x, y), Size: radius}
	case lavaCell:
		outline, s.Hue = triangle, 6
	case bonusCell:
		outline, s.Hue = star, -1
	}
	for _, pos := range outline {
		s.Points = append(s.Points, [2]float64{x + float64(radius*pos[0]), y + float64(radius*pos[1])})
	}
	return s
}

// explain adds the legend of the items in the maze and of the marks that its routes bear.
func (p *Problem) explain(d *envs.Drawing, shown []*routeGroup) {
	for _, item := range drawnItems {
		if slices.Contains(p.cells, item.kind) {
			d.Legend = append(d.Legend, envs.Entry{Sample: itemShape(item.kind, 0, 0, 3.6), Text: item.name})
		}
	}
	bumped, lost := false, false
	for _, g := range shown {
		for _, r := range g.routes {
			bumped = bumped || len(r.bumps) > 0
			lost = lost || !r.arrived
		}
	}
	if bumped {
		d.Legend = append(d.Legend, envs.Entry{Sample: stub([2]float64{-3, 0}, [2]float64{3, 0}), Text: "step into a wall"})
	}
	if lost {
		d.Legend = append(d.Legend, envs.Entry{Sample: envs.Shape{Kind: envs.Cross, Points: envs.Point(0, 0)}, Text: "ends before E"})
	}
}

func frontTable(shown []*routeGroup, vectors int) *envs.Table {
	t := &envs.Table{Caption: "Exact Pareto front: " + plural.Count(vectors, "reward vector"), Heads: []string{"reward", "moves", "mode of the route"}}
	for _, g := range shown {
		t.Rows = append(t.Rows, envs.Row{Role: envs.Route, Hue: g.hue, Texts: []string{rewardText(g.reward), g.lengths(), g.name}})
	}
	return t
}

// answerTable lists the modes of the answers. Those on the exact front are marked.
func (p *Problem) answerTable(shown []*routeGroup) *envs.Table {
	t := &envs.Table{Heads: []string{"mode", "reward", "on front", "routes", "moves"}}
	correct := 0
	for _, g := range shown {
		front := ""
		if g.correct {
			correct += g.modes
			if slices.ContainsFunc(p.truth.Front, func(r []float64) bool { return slices.Equal(r, g.reward) }) {
				front = "yes"
			}
		}
		t.Rows = append(t.Rows, envs.Row{
			Role: envs.Route, Hue: g.hue, Answers: g.answers,
			Texts: []string{g.name, rewardText(g.reward), front, strconv.Itoa(len(g.routes)), g.lengths()},
		})
	}
	t.Caption = plural.Count(correct, "correct mode") + " among the answers"
	return t
}

// lengths is the range of the routes' numbers of steps: "16", "16–22".
func (g *routeGroup) lengths() string {
	low, high := g.routes[0].steps, 0
	for _, r := range g.routes {
		low, high = min(low, r.steps), max(high, r.steps)
	}
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d–%d", low, high)
}

// rewardText writes a reward vector with at most two decimals: "(1, 0.33, 0, 1)".
func rewardText(r []float64) string {
	if r == nil {
		return ""
	}
	words := each.Map(r, func(x float64) string {
		return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
	})
	return "(" + strings.Join(words, ", ") + ")"
}
