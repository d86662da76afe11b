package problem

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// A field holds the values of a function at the corners of a grid of squares:
// rows+1 rows of columns+1 values.
type field struct {
	columns, rows int
	values        []float64
}

// zeros finds the lines along which the function is zero, by marching squares: a
// line crosses the edges of squares at whose ends the function has different
// signs, and goes straight through a square. Points are in units of the grid.
func (f field) zeros() [][][2]float64 {
	links := make([][2]int, 2*len(f.values)) // edges that an edge is linked to, plus 1
	link := func(a, b int) {
		for _, ends := range [2][2]int{{a, b}, {b, a}} {
			if l := &links[ends[0]]; l[0] == 0 {
				l[0] = ends[1] + 1
			} else {
				l[1] = ends[1] + 1
			}
		}
	}
	for j := range f.rows {
		for i := range f.columns {
			f.cross(i, j, link)
		}
	}
	var lines [][][2]float64
	seen := make([]bool, len(links))
	for _, closed := range []bool{false, true} { // first the lines that have ends
		for e, l := range links {
			if l[0] == 0 || seen[e] || !closed && l[1] != 0 {
				continue
			}
			line := f.follow(e, links, seen)
			if closed {
				line = append(line, line[0])
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// corner is the number of a corner. The edges that lead from it to the right and
// up have twice that number, and one more.
func (f field) corner(i, j int) int { return j*(f.columns+1) + i }

// cross links the edges of a square that a line crosses.
func (f field) cross(i, j int, link func(a, b int)) {
	a, b, c, d := f.corner(i, j), f.corner(i+1, j), f.corner(i+1, j+1), f.corner(i, j+1)
	edges := [4]int{2 * a, 2*b + 1, 2 * d, 2*a + 1} // below, right, above, left
	var cut []int
	for k, ends := range [4][2]int{{a, b}, {b, c}, {d, c}, {a, d}} {
		if f.positive(ends[0]) != f.positive(ends[1]) {
			cut = append(cut, edges[k])
		}
	}
	switch len(cut) {
	case 2:
		link(cut[0], cut[1])
	case 4:
		// Two lines; the middle tells which corners they separate.
		middle := f.values[a] + f.values[b] + f.values[c] + f.values[d]
		if middle >= 0 == f.positive(a) {
			link(edges[0], edges[1])
			link(edges[2], edges[3])
		} else {
			link(edges[0], edges[3])
			link(edges[1], edges[2])
		}
	}
}

func (f field) positive(corner int) bool { return f.values[corner] >= 0 }

// follow goes from edge to edge and returns where the line crosses them.
func (f field) follow(e int, links [][2]int, seen []bool) [][2]float64 {
	var line [][2]float64
	for next := e; next >= 0; {
		e, next = next, -1
		seen[e] = true
		line = append(line, f.crossing(e))
		for _, l := range links[e] {
			if l > 0 && !seen[l-1] {
				next = l - 1
				break
			}
		}
	}
	return line
}

// crossing is where a line crosses an edge: between values of different signs
// the function is taken to be linear.
func (f field) crossing(e int) [2]float64 {
	from := e / 2
	to := from + 1
	at := [2]float64{float64(from % (f.columns + 1)), float64(from / (f.columns + 1))}
	if e%2 == 1 {
		to = from + f.columns + 1
	}
	t := f.values[from] / (f.values[from] - f.values[to])
	at[e%2] += t
	return at
}

// straightened leaves out points of a line that lie less than tolerance from the
// line without them (Douglas and Peucker).
func straightened(points []vg.Point, tolerance vg.Length) []vg.Point {
	last := len(points) - 1
	if last < 2 {
		return points
	}
	far, most := 0, tolerance
	for i := 1; i < last; i++ {
		if d := offLine(points[i], points[0], points[last]); d > most {
			far, most = i, d
		}
	}
	if far == 0 {
		return []vg.Point{points[0], points[last]}
	}
	out := straightened(points[:far+1], tolerance)
	return append(out[:len(out)-1:len(out)-1], straightened(points[far:], tolerance)...)
}

// offLine is how far a point lies from the line through two others, or from
// these where they are one.
func offLine(p, a, b vg.Point) vg.Length {
	along, to := b.Sub(a), p.Sub(a)
	length := vg.Length(math.Hypot(float64(along.X), float64(along.Y)))
	if length == 0 {
		return vg.Length(math.Hypot(float64(to.X), float64(to.Y)))
	}
	return vg.Length(math.Abs(float64((vg.Length(along.X*to.Y) - vg.Length(along.Y*to.X)) / length)))
}
