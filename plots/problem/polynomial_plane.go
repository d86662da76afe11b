package problem

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// A plane is the part of the plane that a picture shows.
type plane struct {
	low, high     [2]float64 // x and y
	width, height vg.Length
	left, bottom  vg.Length // room for labels
}

// Sizes of a plane.
const (
	planeShape   = 0.72 // height by width where x and y have scales of their own
	planeLeast   = 0.5  // and where they share one
	planeMost    = 1.0
	planeMargin  = 0.06 // around what is shown, as a share of it
	leastReach   = 4.0  // least size of the window
	axisNameRoom = vg.Length(9)
)

// newPlane makes room for a window. Both axes have the same scale where that
// leaves the picture a usual shape.
func newPlane(low, high [2]float64) plane {
	p := plane{low: low, high: high}
	for i := range 2 {
		if missing := leastReach - (high[i] - low[i]); missing > 0 {
			p.low[i], p.high[i] = p.low[i]-missing/2, p.high[i]+missing/2
		}
		margin := float64(planeMargin * (p.high[i] - p.low[i])) // what is inside may depend on the last bit
		p.low[i], p.high[i] = p.low[i]-margin, p.high[i]+margin
	}
	for _, tick := range p.ticks(1) {
		p.left = max(p.left, draw.TextWidth(draw.SmallFont, tick.Label))
	}
	p.left += 4
	p.bottom = draw.Leading(draw.SmallFont) + 3
	p.width = draw.ColumnWidth - p.left - axisNameRoom
	shape := (p.high[1] - p.low[1]) / (p.high[0] - p.low[0])
	switch {
	case shape < planeLeast && shape > planeLeast/2:
		p.widen(1, planeLeast/shape)
		shape = planeLeast
	case shape > planeMost && shape < 2*planeMost:
		p.widen(0, shape/planeMost)
		shape = planeMost
	case shape < planeLeast || shape > planeMost:
		shape = planeShape
	}
	p.height = p.width * vg.Length(shape)
	return p
}

// widen makes the window larger along an axis.
func (p *plane) widen(axis int, by float64) {
	more := (by - 1) * (p.high[axis] - p.low[axis]) / 2
	p.low[axis], p.high[axis] = p.low[axis]-more, p.high[axis]+more
}

// ticks marks round values along an axis.
func (p *plane) ticks(axis int) []plot.Tick {
	return draw.Ticks{Count: 8 - 2*axis}.Ticks(p.low[axis], p.high[axis])
}

// holds says whether a pair lies in the window.
func (p *plane) holds(q curvePair) bool {
	return p.low[0] <= q.x && q.x <= p.high[0] && p.low[1] <= q.y && q.y <= p.high[1]
}

// at is where a point of the plane lies, from the lower left corner of the window.
// It says which dots run into each other, so it may not depend on the processor:
// the conversions keep a product from being fused with a sum.
func (p *plane) at(x, y float64) vg.Point {
	return vg.Point{
		X: vg.Length(p.width * vg.Length((x-p.low[0])/(p.high[0]-p.low[0]))),
		Y: vg.Length(p.height * vg.Length((y-p.low[1])/(p.high[1]-p.low[1]))),
	}
}

// A planeCanvas is a canvas with a plane on it.
type planeCanvas struct {
	draw.Canvas // of the window alone
	plane
}

// at is where a point of the plane lies on the page.
func (c planeCanvas) at(x, y float64) vg.Point { return c.Min.Add(c.plane.at(x, y)) }

// block draws the plane: grid and axes, the curve, the correct pairs, those with
// decimals being dots, and the pairs given.
func (p plane) block(t *curveTask, dots []curvePair) draw.Block {
	height := axisNameRoom + p.height + p.bottom
	return draw.Block{Height: height, Paint: func(page draw.Canvas) {
		c := p.on(page)
		c.paintAxes()
		c.paintCurve(t)
		c.paintPairs(t.pairs, dots)
		c.paintGiven(t.given)
	}}
}

// on is the plane on a block of a page.
func (p plane) on(page draw.Canvas) planeCanvas {
	c := planeCanvas{Canvas: page, plane: p}
	c.Min = vg.Point{X: page.Min.X + p.left, Y: page.Max.Y - axisNameRoom - p.height}
	c.Max = c.Min.Add(vg.Point{X: p.width, Y: p.height})
	return c
}

var (
	gridLine  = draw.LineStyle{Color: draw.Faint, Width: 0.5}
	originals = draw.LineStyle{Color: draw.RGB(0x404040), Width: 0.8}
	curveLine = draw.LineStyle{Color: draw.Mixed(draw.Blue, draw.White, 0.45), Width: 1.1}
)

// paintAxes draws the grid with its labels outside, where no curve runs through
// them, and the axes through the origin with their names at the ends.
func (c planeCanvas) paintAxes() {
	for _, tick := range c.ticks(0) {
		x := c.at(tick.Value, 0).X
		c.StrokeLine2(gridLine, x, c.Min.Y, x, c.Max.Y)
		draw.Write(c.Canvas, draw.SmallFont, draw.Black, x, c.Min.Y-3-0.75*draw.SmallFont.Size, 0.5, tick.Label)
	}
	for _, tick := range c.ticks(1) {
		y := c.at(0, tick.Value).Y
		c.StrokeLine2(gridLine, c.Min.X, y, c.Max.X, y)
		draw.Write(c.Canvas, draw.SmallFont, draw.Black, c.Min.X-4, y-0.35*draw.SmallFont.Size, 1, tick.Label)
	}
	origin := c.at(0, 0)
	c.StrokeLine2(originals, c.Min.X, origin.Y, c.Max.X, origin.Y)
	c.StrokeLine2(originals, origin.X, c.Min.Y, origin.X, c.Max.Y)
	draw.Write(c.Canvas, draw.LabelFont, draw.Black, c.Max.X+3, origin.Y-0.25*draw.LabelFont.Size, 0, "x")
	draw.Write(c.Canvas, draw.LabelFont, draw.Black, origin.X, c.Max.Y+3, 0.5, "y")
}

// contourStep is the distance of the points where the relation is evaluated.
const contourStep = vg.Length(1.5)

// paintCurve draws where the relation holds.
func (c planeCanvas) paintCurve(t *curveTask) {
	f := field{
		columns: int(math.Ceil(float64(c.width / contourStep))),
		rows:    int(math.Ceil(float64(c.height / contourStep))),
	}
	for j := range f.rows + 1 {
		y := c.low[1] + (c.high[1]-c.low[1])*float64(j)/float64(f.rows)
		for i := range f.columns + 1 {
			x := c.low[0] + (c.high[0]-c.low[0])*float64(i)/float64(f.columns)
			f.values = append(f.values, t.value(x, y))
		}
	}
	c.SetLineStyle(curveLine)
	for _, line := range f.zeros() {
		points := make([]vg.Point, len(line))
		for i, p := range line {
			points[i] = c.Min.Add(vg.Point{ // unfused: it decides which points stay
				X: vg.Length(c.width * vg.Length(p[0]/float64(f.columns))),
				Y: vg.Length(c.height * vg.Length(p[1]/float64(f.rows))),
			})
		}
		c.Stroke(draw.PathOf(straightened(points, 0.03)))
	}
}

// Radii of the marks of pairs.
const (
	wholeRadius   = vg.Length(2.5)
	decimalRadius = vg.Length(1.3)
	givenRadius   = vg.Length(4)
)

func paintWhole(c draw.Canvas, at vg.Point) {
	draw.Polygon(c, draw.Blue, draw.LineStyle{Color: draw.White, Width: 0.4}, draw.Ring(at, wholeRadius, 12, 0))
}

func paintDecimal(c draw.Canvas, at vg.Point) {
	draw.Polygon(c, draw.Blue, draw.LineStyle{}, draw.Ring(at, decimalRadius, 8, 0))
}

func paintGiven(c draw.Canvas, at vg.Point) {
	for _, style := range []draw.LineStyle{{Color: draw.White, Width: 2.4}, {Color: draw.Black, Width: 1.1}} {
		path := draw.PathOf(draw.Ring(at, givenRadius, 20, 0))
		path.Close()
		c.SetLineStyle(style)
		c.Stroke(path)
	}
}

// thinFrom is how many dots a picture shows one by one. A curve can have thousands.
const thinFrom = 300

// dots are the correct pairs with decimals that are drawn: all that the window
// holds, or of more than thinFrom those that differ to the eye.
func (p *plane) dots(pairs []curvePair) (drawn []curvePair, thinned bool) {
	var inside []curvePair
	for _, q := range pairs {
		if q.decimals > 0 && p.holds(q) {
			inside = append(inside, q)
		}
	}
	if len(inside) <= thinFrom {
		return inside, false
	}
	var at []vg.Point
	for _, q := range inside {
		if here := p.at(q.x, q.y); !hidden(here, at) {
			drawn, at = append(drawn, q), append(at, here)
		}
	}
	return drawn, len(drawn) < len(inside)
}

// paintPairs draws the correct pairs: the dots, then the whole numbers.
func (c planeCanvas) paintPairs(pairs, dots []curvePair) {
	var path vg.Path // one for all, which keeps an SVG small
	for _, q := range dots {
		dot := draw.PathOf(draw.Ring(c.at(q.x, q.y), decimalRadius, 6, 0))
		dot.Close()
		path = append(path, dot...)
	}
	c.SetColor(draw.Blue)
	c.Fill(path)
	for _, q := range pairs {
		if q.decimals == 0 && c.holds(q) {
			paintWhole(c.Canvas, c.at(q.x, q.y))
		}
	}
}

// hidden says whether a dot would all but hide behind one of the last. There are a
// few last ones, as a curve has branches.
func hidden(at vg.Point, drawn []vg.Point) bool {
	const branches = 4
	for _, other := range drawn[max(0, len(drawn)-branches):] {
		to := at.Sub(other)
		if math.Hypot(float64(to.X), float64(to.Y)) < 1.4*decimalRadius.Points() {
			return true
		}
	}
	return false
}

// paintGiven marks the pairs given, with their number where one was given several
// times and there is room beside it.
func (c planeCanvas) paintGiven(given []curvePair) {
	var taken []vg.Rectangle
	for _, q := range given {
		if c.holds(q) {
			at := c.at(q.x, q.y)
			taken = append(taken, around(at, vg.Point{X: givenRadius, Y: givenRadius}))
			if q.wrong {
				paintCross(c.Canvas, draw.Red, at)
			} else {
				paintGiven(c.Canvas, at)
			}
		}
	}
	for _, q := range given {
		if q.times < 2 || !c.holds(q) {
			continue
		}
		text := strconv.Itoa(q.times)
		half := vg.Point{X: draw.TextWidth(draw.SmallFont, text)/2 + 0.5, Y: 0.4 * draw.SmallFont.Size}
		for _, way := range []vg.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
			middle := c.at(q.x, q.y).Add(vg.Point{X: way.X * (givenRadius + half.X + 1), Y: way.Y * (givenRadius + half.Y + 1)})
			label := around(middle, half)
			if !within(label, c.Rectangle) || slices.ContainsFunc(taken, func(r vg.Rectangle) bool { return overlap(r, label) }) {
				continue
			}
			taken = append(taken, label)
			c.SetColor(draw.White)
			c.Fill(label.Path())
			draw.Write(c.Canvas, draw.SmallFont, draw.Black, middle.X, middle.Y-0.35*draw.SmallFont.Size, 0.5, text)
			break
		}
	}
}

// around is the box with that middle and half that size.
func around(at, half vg.Point) vg.Rectangle {
	return vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}
}

func within(r, of vg.Rectangle) bool {
	return of.Min.X <= r.Min.X && r.Max.X <= of.Max.X && of.Min.Y <= r.Min.Y && r.Max.Y <= of.Max.Y
}

func overlap(r, s vg.Rectangle) bool {
	return r.Min.X < s.Max.X && s.Min.X < r.Max.X && r.Min.Y < s.Max.Y && s.Min.Y < r.Max.Y
}
