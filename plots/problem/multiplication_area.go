package problem

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// A cutSide is a side of an area model that is cut as an operand is. What is added is drawn
// end to end. What is taken away is drawn past the operand's own length, over the end of the
// piece that it is taken from.
type cutSide struct {
	length vg.Length // of the operand
	equal  bool      // the pieces are copies of one
	added  []piece
	taken  []piece
	broken vg.Length // middle of a gap for pieces that are not drawn, 0 for none
}

// A piece is a part of a side.
type piece struct {
	from, to vg.Length
	value    int64
	odd      bool // neighbours have different shades
}

// reach is where the side ends, what is taken away included.
func (s cutSide) reach() vg.Length {
	if n := len(s.taken); n > 0 {
		return s.taken[n-1].to
	}
	return s.length
}

// A sideScale says how long the pieces of a side are. To scale a 3 beside a 340
// would be a hairline, so a piece has a least length, and the square roots of the
// numbers share the rest.
type sideScale struct {
	length vg.Length
	least  func(term int) vg.Length // of a piece that is added
	taken  func(term int) vg.Length // of one that is taken away
}

// cut divides a side into the operand's terms.
func (c operandCut) cut(scale sideScale) cutSide {
	if c.factors {
		return c.strips(scale.length)
	}
	s := cutSide{length: scale.length}
	away, last := vg.Length(0), 0 // what is taken away is over the end of the last piece
	for i, x := range c.terms {
		if x > 0 {
			last = i
		} else {
			away += scale.taken(i)
		}
	}
	least := func(i int) vg.Length {
		if i == last {
			return scale.least(i) + away
		}
		return scale.least(i)
	}
	free, roots := scale.length+away, 0.0
	for i, x := range c.terms {
		if x > 0 {
			free -= least(i)
			roots += math.Sqrt(float64(x))
		}
	}
	at := vg.Length(0)
	for i, x := range c.terms {
		if x > 0 {
			to := at + least(i) + vg.Length(max(free, 0)*vg.Length(math.Sqrt(float64(x))/roots))
			s.added = append(s.added, piece{at, to, x, len(s.added)%2 == 1})
			at = to
		}
	}
	at -= away
	s.length = at
	for i, x := range c.terms {
		if x < 0 {
			s.taken = append(s.taken, piece{from: at, to: at + scale.taken(i), value: x})
			at += scale.taken(i)
		}
	}
	return s
}

// takenTerms is how many terms are taken away.
func (c operandCut) takenTerms() int {
	n := 0
	for _, x := range c.terms {
		if x < 0 {
			n++
		}
	}
	return n
}

// Equal strips that the eye can count; of more the first and the last are drawn.
const (
	maxStrips   = 10
	firstStrips = 4
	lastStrips  = 2
	gapStrips   = 2 // width of the gap
)

// strips cuts a side into equal parts, as many as the smallest factor says.
func (c operandCut) strips(length vg.Length) cutSide {
	s := cutSide{length: length, equal: true}
	n := int(slices.Min(c.terms))
	if n <= maxStrips {
		step := length / vg.Length(n)
		for i := range n {
			s.added = append(s.added, piece{from: step * vg.Length(i), to: step * vg.Length(i+1)})
		}
		return s
	}
	step := length / (firstStrips + gapStrips + lastStrips)
	for i := range firstStrips + lastStrips {
		from := step * vg.Length(i)
		if i >= firstStrips {
			from += step * gapStrips
		}
		s.added = append(s.added, piece{from: from, to: from + step})
	}
	s.broken = step * (firstStrips + gapStrips/2.0)
	return s
}

// copyGap is the gap between equal parts.
const copyGap = vg.Length(1.8)

// The colours of an area model.
var (
	areaFills  = [2]color.NRGBA{draw.Mixed(draw.Sky, draw.White, 0.62), draw.Mixed(draw.Sky, draw.White, 0.25)}
	areaCut    = draw.LineStyle{Color: draw.RGB(0x303030), Width: 0.45}
	areaEdge   = draw.LineStyle{Color: draw.Black, Width: 0.9}
	edgeShare  = vg.Length(0.3) // of a narrow rectangle, at most
	takenFill  = draw.Mixed(draw.Red, draw.White, 0.82)
	takenHatch = draw.LineStyle{Color: draw.Red, Width: 0.5}
	takenEdge  = draw.LineStyle{Color: draw.Red, Width: 0.6, Dashes: []vg.Length{2, 1.3}}
)

// An area is an area model: the first operand runs down, the second one to the
// right, from the upper left corner.
type area struct {
	corner       vg.Point
	down, across cutSide
}

// box is the rectangle between two pieces.
func (a area) box(down, across piece) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: a.corner.X + across.from, Y: a.corner.Y - down.to},
		Max: vg.Point{X: a.corner.X + across.to, Y: a.corner.Y - down.from},
	}
}

// paint draws the tiles, then what is taken away from them, then the edge of the
// product's rectangle, or of the equal rectangles that it is made of.
func (a area) paint(c draw.Canvas) {
	var fills [2]vg.Path
	var cuts vg.Path
	for _, d := range a.down.added {
		for _, x := range a.across.added {
			box := a.box(a.down.apart(d), a.across.apart(x))
			shade := 0
			if d.odd != x.odd {
				shade = 1
			}
			fills[shade] = append(fills[shade], box.Path()...)
			cuts = append(cuts, box.Path()...)
		}
	}
	for i, path := range fills {
		c.SetColor(areaFills[i])
		c.Fill(path)
	}
	c.SetLineStyle(areaCut)
	c.Stroke(cuts)
	a.paintTaken(c)
	a.paintBroken(c)
	var edges vg.Path
	width := areaEdge.Width
	for _, d := range a.down.copies() {
		for _, x := range a.across.copies() {
			edges = append(edges, a.box(d, x).Path()...)
			width = min(width, edgeShare*(d.to-d.from), edgeShare*(x.to-x.from))
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: areaEdge.Color, Width: width})
	c.Stroke(edges)
}

// copies are the equal parts that a side consists of, or all of it.
func (s cutSide) copies() []piece {
	if !s.equal {
		return []piece{{to: s.length}}
	}
	var out []piece
	for _, p := range s.added {
		out = append(out, s.apart(p))
	}
	return out
}

// apart leaves a gap between the copies of a factorisation, so that they do not
// look like summands.
func (s cutSide) apart(p piece) piece {
	if !s.equal {
		return p
	}
	gap := min(copyGap, (p.to-p.from)/3) / 2
	if p.from > 0 {
		p.from += gap
	}
	if p.to < s.length-1e-6 {
		p.to -= gap
	}
	return p
}

// paintTaken draws the strips that are taken away, hatched; the corner where two
// cross, which is added again, is hatched in both directions.
func (a area) paintTaken(c draw.Canvas) {
	var fill, hatch, edge vg.Path
	add := func(box vg.Rectangle, rising bool) {
		fill = append(fill, box.Path()...)
		edge = append(edge, box.Path()...)
		hatch = append(hatch, hatched(box, rising)...)
	}
	for _, d := range a.down.taken {
		add(a.box(d, piece{to: a.across.reach()}), true)
	}
	for _, x := range a.across.taken {
		add(a.box(piece{to: a.down.reach()}, x), false)
	}
	if fill == nil {
		return
	}
	c.SetColor(takenFill)
	c.Fill(fill)
	c.SetLineStyle(takenHatch)
	c.Stroke(hatch)
	c.SetLineStyle(takenEdge)
	c.Stroke(edge)
}

// hatchStep is the distance of hatching lines along an edge.
const hatchStep = vg.Length(2.6)

// hatched is a box's hatching: lines that rise or fall to the right.
func hatched(box vg.Rectangle, rising bool) vg.Path {
	var path vg.Path
	size := box.Size()
	for at := hatchStep / 2; at < size.X+size.Y; at += hatchStep {
		// From the left or lower edge to the upper or right one.
		from := vg.Point{X: max(0, at-size.Y), Y: min(at, size.Y)}
		to := vg.Point{X: min(at, size.X), Y: max(0, at-size.X)}
		if rising {
			from.Y, to.Y = size.Y-from.Y, size.Y-to.Y
		}
		path.Move(box.Min.Add(from))
		path.Line(box.Min.Add(to))
	}
	return path
}

// paintBroken draws dots where strips are left out. Where they are left out both downwards
// and across, the dots are where the gaps cross.
func (a area) paintBroken(c draw.Canvas) {
	middle := vg.Point{X: a.corner.X + a.across.length/2, Y: a.corner.Y - a.down.length/2}
	dots := func(at vg.Point, step vg.Point) {
		for i := range 3 {
			draw.Polygon(c, draw.Black, draw.LineStyle{}, draw.Ring(at.Add(step.Scale(vg.Length(i-1))), 0.7, 8, 0))
		}
	}
	gap := vg.Point{X: a.corner.X + a.across.broken, Y: a.corner.Y - a.down.broken}
	const step = vg.Length(2.4)
	switch down, across := a.down.broken > 0, a.across.broken > 0; {
	case down && across:
		dots(gap, vg.Point{X: step, Y: -step})
	case down:
		dots(vg.Point{X: middle.X, Y: gap.Y}, vg.Point{Y: step})
	case across:
		dots(vg.Point{X: gap.X, Y: middle.Y}, vg.Point{X: step})
	}
}
