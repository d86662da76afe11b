package maze

import (
	"cmp"
	"slices"

	"modebench/envs"
	"modebench/internal/each"
)

// A lanes value is a plan of how the routes of a drawing pass each other in the corridors.
type lanes struct {
	problem *Problem
	count   int
	shared  bool    // the routes of a group share a lane
	cell    float64 // side of a cell
	spacing float64 // between neighbouring lanes
	rising  float64 // -1: lanes lie side by side up to the right, 1: down to the right
}

const (
	usualCell  = 26.0
	roomyCell  = 36.0 // for many lanes
	fewLanes   = 5
	widestLane = 3.6
	corridor   = 0.66 // share of a cell that lanes may use
	tallest    = 486.0
)

// plan gives every route a lane, or every group if the routes are many. A lane is a fixed offset
// from the middle of the corridor, the same along the whole route, so that routes never cover
// each other. The offset goes across the diagonal from S to E, and the lanes are in the order in
// which their routes keep to its sides: then most bends are nested, and few lines cross.
func (p *Problem) plan(groups []*routeGroup) *lanes {
	l := &lanes{problem: p, rising: -1}
	from, to := p.geo.inside[p.start], p.geo.inside[p.exit]
	if int(to[0]-from[0])*int(to[1]-from[1]) < 0 {
		l.rising = 1
	}
	routes := 0
	for _, g := range groups {
		routes += len(g.routes)
	}
	l.shared = routes > maxLanes
	var bundles [][]*drawnRoute
	for _, g := range groups {
		if l.shared {
			bundles = append(bundles, g.routes)
			continue
		}
		for _, r := range g.routes {
			bundles = append(bundles, []*drawnRoute{r})
		}
	}
	slices.SortStableFunc(bundles, func(a, b []*drawnRoute) int { return cmp.Compare(l.drift(a), l.drift(b)) })
	for lane, bundle := range bundles {
		for _, r := range bundle {
			r.lane = lane
		}
	}
	l.count, l.cell, l.spacing = len(bundles), usualCell, widestLane
	if l.count > fewLanes {
		l.cell = roomyCell
	}
	l.cell = min(l.cell, tallest/float64(p.geo.size))
	if l.count > 1 {
		l.spacing = min(l.spacing, corridor*l.cell/float64(l.count-1))
	}
	return l
}

// drift is how far the routes keep to one side of the diagonal, on average.
func (l *lanes) drift(routes []*drawnRoute) float64 {
	sum, n := 0.0, 0
	for _, r := range routes {
		for _, cell := range r.cells {
			pos := l.problem.geo.inside[cell]
			sum += float64(l.rising*float64(pos[0])) + float64(pos[1])
			n++
		}
	}
	return sum / float64(n)
}

// pos is where a lane passes a cell.
func (l *lanes) pos(lane int, cell int16) [2]float64 {
	x, y := l.problem.place(cell, l.cell)
	shift := float64(l.spacing * (float64(lane) - float64(float64(l.count-1)/2)))
	return [2]float64{x + shift, y + float64(l.rising*shift)}
}

// end is pos, but level with the middle of a cell at an end of the route along the step there, so
// that the mark of S or E hides the tip.
func (l *lanes) end(lane int, cell, neighbour int16) [2]float64 {
	pos := l.pos(lane, cell)
	x, y := l.problem.place(cell, l.cell)
	if l.problem.geo.inside[cell][0] == l.problem.geo.inside[neighbour][0] {
		pos[0] = x
	} else {
		pos[1] = y
	}
	return pos
}

// draw adds the routes, those of the first groups last, so that they are on top.
func (l *lanes) draw(d *envs.Drawing, groups []*routeGroup) {
	for _, g := range slices.Backward(groups) {
		if l.shared {
			l.drawSteps(d, g)
		}
		for _, r := range slices.Backward(g.routes) {
			if !l.shared && len(r.cells) > 1 {
				d.Shapes = append(d.Shapes, envs.Shape{
					Kind: envs.Line, Role: envs.Route, Hue: g.hue, Points: l.path(r), Size: 0.85 * l.spacing, Answers: r.answers,
				})
			}
			for _, b := range r.bumps {
				d.Shapes = append(d.Shapes, l.bump(g, r, b))
			}
		}
	}
	for _, g := range slices.Backward(groups) {
		l.drawHeads(d, g)
		for _, r := range g.routes {
			if !r.arrived {
				last := r.cells[len(r.cells)-1]
				pos := l.pos(r.lane, last)
				d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Cross, Role: envs.Route, Hue: g.hue, Points: envs.Point(pos[0], pos[1]), Answers: r.answers})
			}
		}
	}
}

func (l *lanes) path(r *drawnRoute) [][2]float64 {
	last := len(r.cells) - 1
	points := each.Map(r.cells, func(cell int16) [2]float64 { return l.pos(r.lane, cell) })
	points[0] = l.end(r.lane, r.cells[0], r.cells[1])
	if r.arrived {
		points[last] = l.end(r.lane, r.cells[last], r.cells[last-1])
	}
	return rounded(points, 0.22*l.cell)
}

// rounded cuts the corners of a line along arcs.
func rounded(points [][2]float64, radius float64) [][2]float64 {
	sines := [...]float64{0, 0.309, 0.588, 0.809, 0.951, 1}
	out := [][2]float64{points[0]}
	for i := 1; i < len(points)-1; i++ {
		pos := points[i]
		in, next := unit(points[i-1], pos), unit(pos, points[i+1])
		if float64(in[0]*next[0])+float64(in[1]*next[1]) != 0 { // straight on, or back
			out = append(out, pos)
			continue
		}
		for j, sin := range sines {
			along, aside := radius*(sin-1), radius*(1-sines[len(sines)-1-j])
			out = append(out, [2]float64{
				pos[0] + float64(along*in[0]) + float64(aside*next[0]), pos[1] + float64(along*in[1]) + float64(aside*next[1]),
			})
		}
	}
	return append(out, points[len(points)-1])
}

// unit is the direction between two points along an axis.
func unit(from, to [2]float64) (d [2]float64) {
	for i := range d {
		switch x := to[i] - from[i]; {
		case x > 1e-6:
			d[i] = 1
		case x < -1e-6:
			d[i] = -1
		}
	}
	return d
}

// drawSteps draws the routes of a group in a single lane, each step with the answers that take
// it in either direction.
func (l *lanes) drawSteps(d *envs.Drawing, g *routeGroup) {
	shapes := shapeIndex{}
	for _, r := range g.routes {
		for i := 1; i < len(r.cells); i++ {
			from, to := r.cells[i-1], r.cells[i]
			shapes.mark(d, drawnStep{0, min(from, to), max(from, to)}, r.answers, func() envs.Shape {
				points := [][2]float64{l.pos(r.lane, from), l.pos(r.lane, to)}
				for j, cell := range [2]int16{from, to} {
					if cell == l.problem.start || cell == l.problem.exit {
						points[j] = l.end(r.lane, cell, [2]int16{to, from}[j])
					}
				}
				return envs.Shape{Kind: envs.Line, Role: envs.Route, Hue: g.hue, Points: points, Size: 0.85 * l.spacing}
			})
		}
	}
}

// A drawnStep is a step that routes share a shape on.
type drawnStep struct {
	lane     int
	from, to int16
}

// A shapeIndex holds the positions of the shapes of steps.
type shapeIndex map[drawnStep]int

// mark adds answers to the shape of a step, which it draws first if it is new.
func (shapes shapeIndex) mark(d *envs.Drawing, step drawnStep, answers []int, draw func() envs.Shape) {
	place, known := shapes[step]
	if !known {
		place = len(d.Shapes)
		shapes[step] = place
		d.Shapes = append(d.Shapes, draw())
	}
	s := &d.Shapes[place]
	s.Answers = each.Distinct(slices.Concat(s.Answers, answers))
}

// headEvery is how many steps from S lie between the arrow heads of a route.
const headEvery = 3

// drawHeads draws arrow heads: at the same steps in all lanes, after a route has turned back on
// itself, and at the entry to E.
func (l *lanes) drawHeads(d *envs.Drawing, g *routeGroup) {
	shapes := shapeIndex{}
	inside := l.problem.geo.inside
	for _, r := range g.routes {
		for i := 1; i < len(r.cells); i++ {
			s := drawnStep{r.lane, r.cells[i-1], r.cells[i]}
			start, from := inside[l.problem.start], inside[s.from]
			far := abs(int(from[0])-int(start[0])) + abs(int(from[1])-int(start[1]))
			last := r.arrived && i == len(r.cells)-1
			back := i > 1 && s.to == r.cells[i-2]
			if far%headEvery == headEvery-1 || last || back {
				shapes.mark(d, s, r.answers, func() envs.Shape {
					return envs.Shape{Kind: envs.Polygon, Role: envs.Route, Hue: g.hue, Points: l.head(s)}
				})
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

// head is an arrow head in the middle of a step.
func (l *lanes) head(s drawnStep) [][2]float64 {
	a, b := l.pos(s.lane, s.from), l.pos(s.lane, s.to)
	length := min(4.6, max(3.6, 1.5*l.spacing))
	along := unit(a, b)
	x, y := float64((a[0]+b[0])/2), float64((a[1]+b[1])/2)
	point := func(ahead, aside float64) [2]float64 {
		ahead, aside = float64(ahead*length), float64(aside*length)
		return [2]float64{x + float64(ahead*along[0]) - float64(aside*along[1]), y + float64(ahead*along[1]) + float64(aside*along[0])}
	}
	return [][2]float64{point(0.5, 0), point(-0.5, 0.42), point(-0.5, -0.42)}
}

// bump marks a step into a wall on the lane: a short stub up to the wall and a bar along it.
func (l *lanes) bump(g *routeGroup, r *drawnRoute, b bump) envs.Shape {
	x, y := l.problem.place(b.cell, l.cell)
	reach, length, axis := float64(0.5*l.cell)-1.4, 3.5, 0
	if b.move == up || b.move == down {
		axis = 1
	}
	if b.move == up || b.move == left {
		reach, length = -reach, -length
	}
	from := l.pos(r.lane, b.cell)
	to := from
	to[axis] = [2]float64{x, y}[axis] + reach
	from[axis] = to[axis] - length
	s := stub(from, to)
	s.Role, s.Hue, s.Answers = envs.Route, g.hue, r.answers
	return s
}

// stub is a line to a point with a bar across its end.
func stub(from, to [2]float64) envs.Shape {
	bar := [2]float64{2, 0}
	if from[1] == to[1] {
		bar = [2]float64{0, 2}
	}
	return envs.Shape{Kind: envs.Segments, Points: [][2]float64{from, to, {to[0] - bar[0], to[1] - bar[1]}, {to[0] + bar[0], to[1] + bar[1]}}}
}
