package problem

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// The dashes of routes: no two of the first lanes share dashes or colour in a
// row, and all pairs differ.
var (
	manyColor  = draw.RGB(0x606060)
	wrongColor = draw.RGB(0xAAAAAA)
)

// routeLook is how the i-th of the modes is drawn.
func routeLook(i int) draw.Look {
	return draw.Look{Color: draw.RouteColors[i%len(draw.RouteColors)], Width: draw.LineWidth, Dashes: routeDashes[i%len(routeDashes)]}
}

// paint draws the routes, those of the first groups last, so that they are on top.
func (l lanePlan) paint(b boardCanvas, m *mazeBoard) {
	for _, g := range slices.Backward(l.groups) {
		if l.shared {
			l.paintFlow(b, m, g)
		}
		for _, r := range slices.Backward(g.routes) {
			if !l.shared {
				l.paintRoute(b, g.look, r)
			}
			for _, at := range r.bumps {
				l.paintBump(b, g.look, r, at)
			}
		}
	}
	for _, g := range slices.Backward(l.groups) {
		l.paintHeads(b, g)
		for _, r := range g.routes {
			if !r.arrived {
				paintCross(b.Canvas, g.look.Color, l.at(b, r, r.spots[len(r.spots)-1]))
			}
		}
	}
}

// at is where a route passes a spot.
func (l lanePlan) at(b boardCanvas, r *mazeRoute, s spot) vg.Point {
	return b.middle(s).Add(l.offset(r.lane))
}

// point is where the line of a route passes its i-th spot. At the ends it is
// level with the middle of the cell, so that the mark of S or E hides the tip.
func (l lanePlan) point(b boardCanvas, r *mazeRoute, i int) vg.Point {
	at, middle := l.at(b, r, r.spots[i]), b.middle(r.spots[i])
	last := len(r.spots) - 1
	if last == 0 || i > 0 && !(i == last && r.arrived) {
		return at
	}
	from, to := r.spots[max(i-1, 0)], r.spots[max(i, 1)]
	if from.row == to.row {
		at.X = middle.X
	} else {
		at.Y = middle.Y
	}
	return at
}

// paintRoute draws a route in its own lane.
func (l lanePlan) paintRoute(b boardCanvas, look draw.Look, r *mazeRoute) {
	if len(r.spots) < 2 {
		return
	}
	points := make([]vg.Point, len(r.spots))
	for i := range r.spots {
		points[i] = l.point(b, r, i)
	}
	points = rounded(points, 0.22*b.cell)
	width := l.stroke(r.times)
	l.casing(b, width, points)
	b.SetLineStyle(draw.LineStyle{Color: look.Color, Width: width, Dashes: look.Dashes})
	b.Stroke(draw.PathOf(points))
}

// casing is a white edge that lifts a line off those it crosses; where lanes are
// too close there is none.
func (l lanePlan) casing(b boardCanvas, width vg.Length, points []vg.Point) {
	if edge := min(width+1.4, 2*l.spacing-width-0.3); edge > width {
		b.SetLineStyle(draw.LineStyle{Color: draw.White, Width: edge})
		b.Stroke(draw.PathOf(points))
	}
}

// A stretch is a step between neighbouring cells, in either direction.
type stretch struct{ from, to spot }

// stretches counts the answers of the group's routes by step, in the order in
// which the steps come. A route that goes back over a step counts once.
func (g *routeGroup) stretches() (order []stretch, answers map[stretch]int) {
	answers = map[stretch]int{}
	for _, r := range g.routes {
		seen := map[stretch]bool{}
		for i := 1; i < len(r.spots); i++ {
			at := stretch{r.spots[i-1], r.spots[i]}
			if answers[stretch{at.to, at.from}] > 0 {
				at = stretch{at.to, at.from}
			}
			if seen[at] {
				continue
			}
			seen[at] = true
			if answers[at] == 0 {
				order = append(order, at)
			}
			answers[at] += r.times
		}
	}
	return order, answers
}

// flowEnds is where the line of a step runs in a lane. In the cells of S and E it
// ends level with their middle, like a route's.
func (l lanePlan) flowEnds(b boardCanvas, m *mazeBoard, lane int, at stretch) (from, to vg.Point) {
	from, to = b.middle(at.from).Add(l.offset(lane)), b.middle(at.to).Add(l.offset(lane))
	level := func(p *vg.Point, s spot) {
		switch middle := b.middle(s); {
		case s != m.start && s != m.exit:
		case at.from.row == at.to.row:
			p.X = middle.X
		default:
			p.Y = middle.Y
		}
	}
	level(&from, at.from)
	level(&to, at.to)
	return from, to
}

// paintFlow draws the routes of a group in one lane, each step as wide as answers
// take it.
func (l lanePlan) paintFlow(b boardCanvas, m *mazeBoard, g *routeGroup) {
	order, answers := g.stretches()
	for _, at := range order {
		from, to := l.flowEnds(b, m, g.routes[0].lane, at)
		n := answers[at]
		style := draw.LineStyle{Color: g.look.Color, Width: l.stroke(n), Dashes: fitted(g.look.Dashes, b.cell)}
		b.StrokeLine2(style, from.X, from.Y, to.X, to.Y)
		for _, joint := range []vg.Point{from, to} {
			draw.Polygon(b.Canvas, g.look.Color, draw.LineStyle{}, draw.Ring(joint, l.stroke(n)/2, 8, 0))
		}
	}
}

// fitted stretches dashes so that a whole number of them makes a step: then they
// go on from one step to the next.
func fitted(dashes []vg.Length, step vg.Length) []vg.Length {
	period := vg.Length(0)
	for _, d := range dashes {
		period += d
	}
	var out []vg.Length
	for _, d := range dashes {
		times := max(1, math.Round(float64(step/period)))
		out = append(out, d*step/(period*vg.Length(times)))
	}
	return out
}

// headEvery is how many steps from S lie between the arrow heads of a route.
const headEvery = 3

// paintHeads draws the arrow heads of a group's routes: at the same steps in all
// lanes, where a route has turned back on itself, and where it enters E.
func (l lanePlan) paintHeads(b boardCanvas, g *routeGroup) {
	drawn := map[[2]vg.Point]bool{}
	for _, r := range g.routes {
		for i := 1; i < len(r.spots); i++ {
			from, to := r.spots[i-1], r.spots[i]
			start := r.spots[0]
			far := int(math.Abs(float64(from.row-start.row)) + math.Abs(float64(from.col-start.col)))
			last := r.arrived && i == len(r.spots)-1
			back := i > 1 && to == r.spots[i-2]
			if far%headEvery != headEvery-1 && !last && !back {
				continue
			}
			ends := [2]vg.Point{l.at(b, r, from), l.at(b, r, to)}
			if !drawn[ends] {
				drawn[ends] = true
				l.paintHead(b, g.look, ends[0], ends[1])
			}
		}
	}
}

// paintHead draws an arrow head in the middle of a step.
func (l lanePlan) paintHead(b boardCanvas, look draw.Look, from, to vg.Point) {
	length := min(4.6, max(3.6, 1.5*l.spacing))
	along := vg.Point{X: (to.X - from.X) / b.cell, Y: (to.Y - from.Y) / b.cell}
	side := vg.Point{X: -along.Y, Y: along.X}
	tip := from.Add(to).Scale(0.5).Add(along.Scale(length / 2))
	back := tip.Sub(along.Scale(length))
	half := 0.42 * length
	draw.Polygon(b.Canvas, look.Color, draw.LineStyle{Color: draw.White, Width: 0.3}, []vg.Point{
		tip, back.Add(side.Scale(half)), back.Sub(side.Scale(half)),
	})
}

// paintBump marks a step into a wall where the lane meets it: a short stub up to
// the wall and a bar along it.
func (l lanePlan) paintBump(b boardCanvas, look draw.Look, r *mazeRoute, at bump) {
	const stub = vg.Length(3.5)
	to, middle := l.at(b, r, at.at), b.middle(at.at)
	reach := 0.5*b.cell - 1.4
	from := to
	if at.into.row == 0 {
		to.X = middle.X + reach*vg.Length(at.into.col)
		from.X = to.X - stub*vg.Length(at.into.col)
	} else {
		to.Y = middle.Y - reach*vg.Length(at.into.row)
		from.Y = to.Y + stub*vg.Length(at.into.row)
	}
	paintBump(b.Canvas, draw.LineStyle{Color: look.Color, Width: 0.8}, from, to)
}

func paintBump(c draw.Canvas, style draw.LineStyle, from, to vg.Point) {
	const half = vg.Length(2)
	c.StrokeLine2(style, from.X, from.Y, to.X, to.Y)
	if from.Y == to.Y {
		c.StrokeLine2(style, to.X, to.Y-half, to.X, to.Y+half)
	} else {
		c.StrokeLine2(style, to.X-half, to.Y, to.X+half, to.Y)
	}
}

// rounded cuts the corners of a line along arcs.
func rounded(points []vg.Point, radius vg.Length) []vg.Point {
	const pieces = 5
	out := []vg.Point{points[0]}
	for i := 1; i < len(points)-1; i++ {
		before, at, after := points[i-1], points[i], points[i+1]
		in, on := unit(before, at), unit(at, after)
		if in.X*on.X+in.Y*on.Y != 0 { // straight on, or back
			out = append(out, at)
			continue
		}
		middle := at.Sub(in.Scale(radius)).Add(on.Scale(radius))
		for j := range pieces + 1 {
			sin, cos := math.Sincos(math.Pi / 2 * float64(j) / pieces)
			out = append(out, middle.Sub(on.Scale(radius*vg.Length(cos))).Add(in.Scale(radius*vg.Length(sin))))
		}
	}
	return append(out, points[len(points)-1])
}

// unit is the direction from one point to another along an axis.
func unit(from, to vg.Point) vg.Point {
	sign := func(x vg.Length) vg.Length {
		switch {
		case x > 1e-6:
			return 1
		case x < -1e-6:
			return -1
		}
		return 0
	}
	return vg.Point{X: sign(to.X - from.X), Y: sign(to.Y - from.Y)}
}
