package problem

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// mazeStage has the maze, and a layer for every route. The routes of a mode have a colour.
// An answer of which the mode alone is known has the route of a vector on the front, if one is
// of its mode.
func mazeStage(p envs.Problem, answers []Given) (*stage, error) {
	m, err := readMaze(p)
	if err != nil {
		return nil, err
	}
	witness := map[string]string{}
	for _, w := range m.front {
		witness[string(p.JudgeText(w.Answer).Mode)] = w.Answer
	}
	groups := map[draw.ModeKey]*routeGroup{}
	var ordered []*routeGroup
	routes := map[string]*mazeRoute{} // by the cells that they pass and the walls that they meet
	keyOf := func(a Given) (string, *mazeRoute) {
		text := a.Text
		if text == "" {
			text = witness[a.Mode]
		}
		r, err := m.walk(text)
		if text == "" || err != nil || len(r.moves) == 0 {
			return "", nil
		}
		return fmt.Sprint(r.moves), r
	}
	for _, a := range answers {
		key, r := keyOf(a)
		if key == "" || routes[key] != nil {
			continue
		}
		mode := draw.ModeKey{Name: a.Mode, Correct: a.Correct}
		if groups[mode] == nil {
			groups[mode] = &routeGroup{name: a.Mode, modes: 1, correct: a.Correct}
			ordered = append(ordered, groups[mode])
		}
		groups[mode].add(r)
		routes[key] = r
	}
	slices.SortStableFunc(ordered, func(a, b *routeGroup) int {
		switch {
		case a.correct == b.correct:
			return 0
		case a.correct:
			return -1
		}
		return 1
	})
	shown := shownGroups(ordered)
	plan := planLanes(m, shown)
	looks := map[*mazeRoute]draw.Look{}
	for _, g := range shown {
		for _, r := range g.routes {
			looks[r] = g.look
		}
	}
	width := max(draw.ColumnWidth, plan.width(m))
	board := m.block(lanePlan{cell: plan.cell}, width)
	s := &stage{width: width, blocks: []draw.Block{board, m.symbols(plan, width)}}
	s.blocks = append(s.blocks, layerNote(width, "The darker a route, the more often it was taken.", colourOfModes(shown))...)
	s.above = func(rects []vg.Rectangle, c draw.Canvas) { m.paintItems(m.canvas(plan, rects[0], c)) }
	s.placeGiven(answers, func(a Given) string { key, _ := keyOf(a); return key }, func(a Given) layerMaker {
		key, _ := keyOf(a)
		r := routes[key]
		return func(rects []vg.Rectangle) (func(c draw.Canvas), *vg.Point) {
			return func(c draw.Canvas) { plan.paintAlone(m.canvas(plan, rects[0], c), looks[r], r) }, nil
		}
	})
	return s, nil
}

// colourOfModes says what the colours of routes are.
func colourOfModes(shown []*routeGroup) string {
	text := "A mode has one colour"
	if slices.ContainsFunc(shown, func(g *routeGroup) bool { return g.correct && g.modes > 1 }) {
		text += "; dark grey: further correct modes"
	}
	if slices.ContainsFunc(shown, func(g *routeGroup) bool { return !g.correct }) {
		text += "; light grey: incorrect answers"
	}
	return text + "."
}

// canvas is where the cells of the maze are on a block.
func (m *mazeBoard) canvas(plan lanePlan, block vg.Rectangle, c draw.Canvas) boardCanvas {
	cols := vg.Length(len(m.grid[0]))
	return boardCanvas{Canvas: c, left: block.Min.X + (block.Size().X-plan.cell*cols)/2, top: block.Max.Y, cell: plan.cell}
}

// paintAlone draws one route with its marks.
func (l lanePlan) paintAlone(b boardCanvas, look draw.Look, r *mazeRoute) {
	l.paintRoute(b, look, r)
	for _, at := range r.bumps {
		l.paintBump(b, look, r, at)
	}
	l.paintHeads(b, &routeGroup{routes: []*mazeRoute{r}, look: look})
	if !r.arrived {
		paintCross(b.Canvas, look.Color, l.at(b, r, r.spots[len(r.spots)-1]))
	}
}
