package drawtest

import (
	"math"
	"regexp"
	"strings"
)

// A Path is a path of an SVG: its style, and its corners on the page, y upwards.
type Path struct {
	Style  string
	Points [][2]float64
}

// Box is the rectangle around the path, y upwards.
func (p Path) Box() (left, right, bottom, top float64) {
	left, right, bottom, top = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, q := range p.Points {
		left, right = min(left, q[0]), max(right, q[0])
		bottom, top = min(bottom, q[1]), max(top, q[1])
	}
	return left, right, bottom, top
}

// Center is the middle of the box.
func (p Path) Center() (x, y float64) {
	left, right, bottom, top := p.Box()
	return (left + right) / 2, (bottom + top) / 2
}

var pathNumber = regexp.MustCompile(`[ML]([^MLZ]*)`)

// newPath reads the corners of a path on a page of that height.
func newPath(style, corners string, m affine, height float64) Path {
	p := Path{Style: style}
	for _, pair := range pathNumber.FindAllStringSubmatch(corners, -1) {
		xy := strings.FieldsFunc(pair[1], func(r rune) bool { return r == ',' || r == ' ' })
		x, y := Number(xy[0]), Number(xy[1])
		p.Points = append(p.Points, [2]float64{m.a*x + m.c*y + m.e, height - (m.b*x + m.d*y + m.f)})
	}
	return p
}
