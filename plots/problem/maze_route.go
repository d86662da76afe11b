package problem

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// A lanePlan says how the routes of a picture pass each other in the corridors.
type lanePlan struct {
	groups  []*routeGroup
	lanes   int
	shared  bool      // the routes of a group share a lane
	cell    vg.Length // side of a cell
	spacing vg.Length // between neighbouring lanes
	across  spot      // the direction in which lanes lie side by side
}

const (
	usualCell  = vg.Length(26)
	roomyCell  = vg.Length(36) // where many lanes need room
	fewLanes   = 5
	widestLane = vg.Length(3.6)
	corridor   = 0.66 // share of a cell that lanes may use
	tallest    = vg.Length(500)
)

// planLanes gives every route a lane, or every group one where the routes are
// many. A lane is a fixed offset from the middle of the corridor, the same along
// the whole route, so that routes never cover each other. The offset goes
// across the diagonal from S to E, and the lanes are in the order in which their
// routes keep to its sides: then most bends are nested, and few lines cross.
func planLanes(m *mazeBoard, groups []*routeGroup) lanePlan {
	plan := lanePlan{groups: groups, across: spot{-1, 1}}
	if (m.exit.row-m.start.row)*(m.exit.col-m.start.col) < 0 {
		plan.across = spot{1, 1}
	}
	plan.shared = routesOf(groups) > maxOwnLanes
	var bundles [][]*mazeRoute
	for _, g := range groups {
		if plan.shared {
			bundles = append(bundles, g.routes)
			continue
		}
		for _, r := range g.routes {
			bundles = append(bundles, []*mazeRoute{r})
		}
	}
	slices.SortStableFunc(bundles, func(a, b []*mazeRoute) int {
		switch x, y := plan.drift(a), plan.drift(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for lane, bundle := range bundles {
		for _, r := range bundle {
			r.lane = lane
		}
	}
	plan.lanes = len(bundles)
	plan.measure(m)
	return plan
}

// drift is how far the routes keep to one side of the diagonal, on average.
func (l lanePlan) drift(routes []*mazeRoute) float64 {
	sum, n := 0, 0
	for _, r := range routes {
		for _, s := range r.spots {
			sum += s.row*l.across.row + s.col*l.across.col
			n++
		}
	}
	return float64(sum) / float64(n)
}

// measure sets the size of the cells and the distance of the lanes.
func (l *lanePlan) measure(m *mazeBoard) {
	l.cell = usualCell
	if l.lanes > fewLanes {
		l.cell = roomyCell
	}
	l.cell = min(l.cell, draw.PageWidth/vg.Length(len(m.grid[0])), tallest/vg.Length(len(m.grid)))
	l.spacing = widestLane
	if l.lanes > 1 {
		l.spacing = min(l.spacing, corridor*l.cell/vg.Length(l.lanes-1))
	}
}

func (l lanePlan) width(m *mazeBoard) vg.Length { return l.cell * vg.Length(len(m.grid[0])) }

// offset is where a lane lies beside the middle of a corridor, y upwards.
func (l lanePlan) offset(lane int) vg.Point {
	by := l.spacing * (vg.Length(lane) - vg.Length(l.lanes-1)/2)
	return vg.Point{X: by * vg.Length(l.across.col), Y: -by * vg.Length(l.across.row)}
}

// stroke is the width of a line that n answers share: wider the more they are,
// but no wider than the lane.
func (l lanePlan) stroke(n int) vg.Length {
	usual := min(draw.LineWidth, 0.55*l.spacing)
	return min(usual*vg.Length(1+0.45*math.Log2(float64(n))), max(usual, 0.85*l.spacing))
}

// note says how to read the lines.
func (l lanePlan) note(given bool) string {
	several := false
	for _, g := range l.groups {
		for _, r := range g.routes {
			several = several || r.times > 1
		}
	}
	switch {
	case l.lanes == 0:
		return ""
	case !given:
		return "Lines: for each reward vector one shortest route that reaches it."
	case l.shared:
		return "Lines: the routes of one mode share a lane; the wider a line, the more answers go that way."
	case several:
		return "Lines: one for each different route; the wider, the more answers."
	}
	return "Lines: one for each different route."
}
