package polynomial

import (
	"math"

	"modebench/envs"
)

// A plane is the part of the plane that a drawing shows.
type plane struct {
	low, high     [2]float64 // x and y
	left, top     float64    // in points
	width, height float64
}

// Shares and lengths of a plane.
const (
	planeShape   = 0.72 // height by width if x and y have scales of their own
	planeLeast   = 0.5  // and if they share a scale
	planeMost    = 1.0
	planeMargin  = 0.06 // around the pairs, as a share of their reach
	axisRoom     = 13.0 // for the labels below
	axisName     = 9.0
	captionRoom  = 24.0 // for the caption and the name of y
	contourSteps = 2.0  // distance of the points at which the relation is evaluated
)

// newPlane makes room for a window. Both axes have the same scale if that leaves the drawing a
// usual shape.
func newPlane(low, high [2]float64) *plane {
	f := &plane{low: low, high: high, top: captionRoom}
	for i := range 2 {
		if missing := float64((leastReach - (high[i] - low[i])) / 2); missing > 0 {
			f.low[i], f.high[i] = f.low[i]-missing, f.high[i]+missing
		}
		margin := float64(planeMargin * (f.high[i] - f.low[i]))
		f.low[i], f.high[i] = f.low[i]-margin, f.high[i]+margin
	}
	for _, v := range f.ticks(1) {
		f.left = max(f.left, envs.LabelWidth(numeral(v), letters)+4)
	}
	f.width = envs.DrawingWidth - f.left - axisName
	shape := (f.high[1] - f.low[1]) / (f.high[0] - f.low[0])
	switch {
	case shape < planeLeast && shape > planeLeast/2:
		f.widen(1, planeLeast/shape)
		shape = planeLeast
	case shape > planeMost && shape < 2*planeMost:
		f.widen(0, shape/planeMost)
		shape = planeMost
	case shape < planeLeast || shape > planeMost:
		shape = planeShape
	}
	f.height = f.width * shape
	return f
}

func (f *plane) widen(axis int, shift float64) {
	more := float64((shift - 1) * (f.high[axis] - f.low[axis]) / 2)
	f.low[axis], f.high[axis] = f.low[axis]-more, f.high[axis]+more
}

// ticks are round values along an axis, about 6 of y and 8 of x.
func (f *plane) ticks(axis int) []float64 {
	reach := f.high[axis] - f.low[axis]
	step := 1.0
	limit := float64(8 - 2*axis)
	for step > reach/limit {
		step /= 10
	}
	for step < reach/limit {
		for _, times := range [3]float64{2, 2.5, 2} {
			if step *= times; step >= reach/limit {
				break
			}
		}
	}
	var out []float64
	for i := math.Ceil(f.low[axis] / step); i <= math.Floor(f.high[axis]/step); i++ {
		out = append(out, float64(i*step)+0) // no minus zero
	}
	return out
}

func (f *plane) holds(pos [2]float64) bool {
	return f.low[0] <= pos[0] && pos[0] <= f.high[0] && f.low[1] <= pos[1] && pos[1] <= f.high[1]
}

func (f *plane) place(pos [2]float64) [][2]float64 {
	return envs.Point(
		f.left+float64(f.width*((pos[0]-f.low[0])/(f.high[0]-f.low[0]))),
		f.top+float64(f.height*((f.high[1]-pos[1])/(f.high[1]-f.low[1]))))
}

// drawAxes draws the grid with its labels outside, away from the curve, and the axes through the
// origin with their names at the ends.
func (f *plane) drawAxes(d *envs.Drawing) {
	right, bottom := f.left+f.width, f.top+f.height
	var grid [][2]float64
	for _, v := range f.ticks(0) {
		x := f.place([2]float64{v, 0})[0][0]
		grid = append(grid, [2]float64{x, f.top}, [2]float64{x, bottom})
		d.Write(envs.Plain, x, bottom+8, 0.5, numeral(v))
	}
	for _, v := range f.ticks(1) {
		y := f.place([2]float64{0, v})[0][1]
		grid = append(grid, [2]float64{f.left, y}, [2]float64{right, y})
		d.Write(envs.Plain, f.left-4, y, 1, numeral(v))
	}
	origin := f.place([2]float64{})[0]
	d.Shapes = append(d.Shapes,
		envs.Shape{Kind: envs.Segments, Role: envs.Faint, Hue: 1, Points: grid},
		envs.Shape{Kind: envs.Segments, Role: envs.Wall, Points: [][2]float64{{f.left, origin[1]}, {right, origin[1]}, {origin[0], f.top}, {origin[0], bottom}}})
	d.Write(envs.Plain, right+3, origin[1], 0, "x")
	d.Write(envs.Plain, origin[0], f.top-6, 0.5, "y")
}

// contour is the curve along which the relation holds, as the ends of short lines: a line crosses
// the edges of a square of a grid at whose ends P has different signs (marching squares).
func (f *plane) contour(q *relation) [][2]float64 {
	columns, rows := int(math.Ceil(f.width/contourSteps)), int(math.Ceil(f.height/contourSteps))
	corner := func(i, j int) [2]float64 {
		return [2]float64{
			f.low[0] + float64((f.high[0]-f.low[0])*float64(i)/float64(columns)),
			f.low[1] + float64((f.high[1]-f.low[1])*float64(j)/float64(rows)),
		}
	}
	values := make([][]float64, columns+1)
	for i := range values {
		for j := range rows + 1 {
			values[i] = append(values[i], q.near(corner(i, j)))
		}
	}
	var out [][2]float64
	for i := range columns {
		for j := range rows {
			around := [5][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}, {i, j}}
			var cut [][2]float64
			for k := range 4 {
				a, b := around[k], around[k+1]
				u, v := values[a[0]][a[1]], values[b[0]][b[1]]
				if u >= 0 != (v >= 0) {
					from, to, t := corner(a[0], a[1]), corner(b[0], b[1]), u/(u-v)
					pos := [2]float64{from[0] + float64(t*(to[0]-from[0])), from[1] + float64(t*(to[1]-from[1]))}
					cut = append(cut, f.place(pos)[0])
				}
			}
			middle := values[i][j] + values[i+1][j] + values[i+1][j+1] + values[i][j+1]
			if len(cut) == 4 && middle >= 0 != (values[i][j] >= 0) {
				cut = [][2]float64{cut[3], cut[0], cut[1], cut[2]}
			}
			out = append(out, cut...)
		}
	}
	return out
}

// near is P at a point.
func (q *relation) near(pos [2]float64) float64 {
	x, y := pos[0], pos[1]
	v := 0.0
	for i := maxDegree; i >= 0; i-- {
		v = float64(v*x) + float64(q.x[i])
	}
	return v + float64((float64(q.y)+float64(float64(q.xy)*x)+float64(float64(q.yy)*y))*y)
}
