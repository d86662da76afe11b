package polynomial

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/plural"
)

type spot struct {
	pos      [2]float64 // x and y
	decimals int        // of the number that has more
	right    bool
	answers  []int
}

// Radii of marks, in points.
const (
	wholeRadius   = 2.5
	decimalRadius = 1.3
	givenRadius   = 4.0
	letters       = 8.0
)

// Drawing implements envs.Pictured: the plane around the easiest correct pairs, with the curve
// that the relation describes, the pairs on it, and the pairs that were given.
func (p *Problem) Drawing(answers ...envs.Attempt) envs.Drawing {
	spots := p.correctSpots()
	f := newPlane(window(spots))
	d := &envs.Drawing{Title: fmt.Sprintf("polynomial %s: %s", p.id, &p.relation), Width: envs.DrawingWidth, Height: f.top + f.height + axisRoom}
	f.drawAxes(d)
	d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Segments, Role: envs.Curve, Points: f.contour(&p.relation)})
	dots, wholes, thinned := f.sorted(spots)
	for i, some := range [2][]spot{dots, wholes} {
		for _, s := range some {
			d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Circle, Role: envs.Curve, Points: f.place(s.pos), Size: [2]float64{decimalRadius, wholeRadius}[i]})
		}
	}
	given, outside := f.given(answers)
	f.drawGiven(d, given)
	inside := each.Count(spots, func(s spot) bool { return f.holds(s.pos) })
	caption := plural.Count(len(spots), "correct pair")
	if inside < len(spots) {
		caption += fmt.Sprintf(", %d of them in the picture", inside)
	}
	d.Write(envs.Head, 0, 5, 0, caption)
	explain(d, len(wholes), inside-len(wholes), given)
	d.Note = "Every correct pair that can be written is a mode."
	if thinned {
		d.Note += " Dots that would cover each other are drawn once."
	}
	if outside > 0 {
		d.Note += fmt.Sprintf(" Outside the picture: %s given.", plural.Count(outside, "pair"))
	}
	return *d
}

func explain(d *envs.Drawing, wholes, decimals int, given []spot) {
	circle := func(radius float64) envs.Shape {
		return envs.Shape{Kind: envs.Circle, Role: envs.Curve, Points: envs.Point(0, 0), Size: radius}
	}
	entries := []struct {
		n int
		envs.Entry
	}{
		{wholes, envs.Entry{Sample: circle(wholeRadius), Text: "whole numbers: " + plural.Count(wholes, "pair")}},
		{decimals, envs.Entry{Sample: circle(decimalRadius), Text: "decimals: " + plural.Count(decimals, "pair")}},
		{0, envs.Entry{Sample: envs.Shape{Kind: envs.Ring, Points: envs.Point(0, 0), Size: givenRadius}, Text: "given, correct"}},
		{0, envs.Entry{Sample: envs.Shape{Kind: envs.Cross, Role: envs.Wrong, Points: envs.Point(0, 0)}, Text: "given, incorrect"}},
	}
	for _, s := range given {
		e := &entries[3]
		if s.right {
			e = &entries[2]
		}
		e.n++
		e.Answers = append(e.Answers, s.answers...)
	}
	for _, e := range entries {
		if e.n > 0 {
			d.Legend = append(d.Legend, e.Entry)
		}
	}
}

func (p *Problem) correctSpots() []spot {
	unit := p.curve.unit
	var out []spot
	for x, y := range p.curve.pairs() {
		s := spot{pos: [2]float64{float64(x) / float64(unit), float64(y) / float64(unit)}, right: true}
		for step := unit; x%step != 0 || y%step != 0; step /= 10 {
			s.decimals++
		}
		out = append(out, s)
	}
	return out
}

// given are the pairs of the answers within the window, and how many are outside.
func (f *plane) given(answers []envs.Attempt) (spots []spot, outside int) {
	pos := map[envs.Mode]int{}
	for i, a := range answers {
		place, known := pos[a.Mode]
		if !known {
			s := spot{right: a.Correct}
			if _, err := fmt.Sscanf(string(a.Mode), "x=%g, y=%g", &s.pos[0], &s.pos[1]); err != nil {
				continue
			}
			if !f.holds(s.pos) {
				outside++
				continue
			}
			place = len(spots)
			pos[a.Mode] = place
			spots = append(spots, s)
		}
		spots[place].answers = append(spots[place].answers, i)
	}
	return spots, outside
}

// drawGiven marks the pairs given, each with a count at a free side, or above.
func (f *plane) drawGiven(d *envs.Drawing, given []spot) {
	const reach = givenRadius + 5
	var taken [][2]float64
	for _, s := range given {
		taken = append(taken, f.place(s.pos)[0])
		mark := envs.Shape{Kind: envs.Ring, Points: f.place(s.pos), Size: givenRadius, Answers: s.answers}
		if !s.right {
			mark.Kind, mark.Role = envs.Cross, envs.Wrong
		}
		d.Shapes = append(d.Shapes, mark)
	}
	for _, s := range given {
		middle := f.place(s.pos)[0]
		place := [2]float64{middle[0], middle[1] - reach}
		if place[1] < f.top+4 {
			place[1] = middle[1] + reach
		}
		for _, way := range [][2]float64{{reach, 0}, {-reach, 0}, {0, -reach}, {0, reach}} {
			pos := [2]float64{middle[0] + way[0], middle[1] + way[1]}
			within := pos[0] > f.left+4 && pos[0] < f.left+f.width-4 && pos[1] > f.top+4 && pos[1] < f.top+f.height-4
			if within && !slices.ContainsFunc(taken, func(o [2]float64) bool {
				return math.Abs(o[0]-pos[0]) < givenRadius+4 && math.Abs(o[1]-pos[1]) < givenRadius+3
			}) {
				place = pos
				break
			}
		}
		taken = append(taken, place)
		d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Count, Role: envs.Faint, Points: envs.Point(place[0], place[1]), Size: letters, Align: 0.5, Answers: s.answers})
	}
}

// thinFrom is how many dots a drawing shows one by one. A curve can have thousands.
const thinFrom = 300

// sorted are the pairs in the window with decimals and without. Of more than thinFrom with
// decimals those remain that differ to the eye.
func (f *plane) sorted(spots []spot) (dots, wholes []spot, thinned bool) {
	for _, s := range spots {
		switch {
		case !f.holds(s.pos):
		case s.decimals == 0:
			wholes = append(wholes, s)
		default:
			dots = append(dots, s)
		}
	}
	if len(dots) <= thinFrom {
		return dots, wholes, false
	}
	const branches = 4 // of a curve: a dot can hide behind one of the last few
	var few []spot
	for _, s := range dots {
		pos := f.place(s.pos)[0]
		if !slices.ContainsFunc(few[max(0, len(few)-branches):], func(o spot) bool {
			to := f.place(o.pos)[0]
			return max(math.Abs(to[0]-pos[0]), math.Abs(to[1]-pos[1])) < 1.4*decimalRadius
		}) {
			few = append(few, s)
		}
	}
	return few, wholes, len(few) < len(dots)
}

// Limits of the window.
const (
	smallWorld = 60  // a curve whose pairs lie within a square of this size is shown whole
	easyPairs  = 15  // correct pairs that are in it, but for those far off:
	farOff     = 2.5 // times as far as the usual ones among them
	usualShare = 0.6
	leastReach = 4.0 // least size of the window
)

// window chooses the part of the plane to show: the origin and the easiest pairs, those with few
// decimals and small numbers, or all pairs if they lie close together, as on a circle. Some of
// the easiest may be far off, as on a hyperbola: they would make the rest too small to see.
func window(spots []spot) (low, high [2]float64) {
	low, high = reachOf(spots)
	if high[0]-low[0] <= smallWorld && high[1]-low[1] <= smallWorld {
		return low, high
	}
	easy := slices.Clone(spots)
	size := func(s spot) float64 { return math.Abs(s.pos[0]) + math.Abs(s.pos[1]) }
	slices.SortStableFunc(easy, func(a, b spot) int { return cmp.Or(a.decimals-b.decimals, cmp.Compare(size(a), size(b))) })
	easy = easy[:min(len(easy), easyPairs)]
	var limits [2]float64
	for i := range limits {
		sizes := each.Map(easy, func(s spot) float64 { return math.Abs(s.pos[i]) })
		slices.Sort(sizes)
		limits[i] = max(leastReach/2, farOff*sizes[int(usualShare*float64(len(sizes)))])
	}
	return reachOf(slices.DeleteFunc(easy, func(s spot) bool { return math.Abs(s.pos[0]) > limits[0] || math.Abs(s.pos[1]) > limits[1] }))
}

// reachOf is the least rectangle that holds the origin and the pairs.
func reachOf(spots []spot) (low, high [2]float64) {
	for _, s := range spots {
		for i := range 2 {
			low[i], high[i] = min(low[i], s.pos[i]), max(high[i], s.pos[i])
		}
	}
	return low, high
}

func numeral(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
