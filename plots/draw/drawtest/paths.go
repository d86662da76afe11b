package drawtest

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
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

// Paths reads the paths of an SVG back.
func Paths(t *testing.T, d Drawing) []Path {
	t.Helper()
	var out []Path
	decoder := xml.NewDecoder(bytes.NewReader(d.Bytes))
	maps := []affine{{a: 1, d: 1}}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			at := map[string]string{}
			for _, a := range token.Attr {
				at[a.Name.Local] = a.Value
			}
			m := maps[len(maps)-1].then(transform(at["transform"]))
			maps = append(maps, m)
			if token.Name.Local != "path" {
				continue
			}
			p := Path{Style: at["style"]}
			for _, pair := range pathNumber.FindAllStringSubmatch(at["d"], -1) {
				xy := strings.FieldsFunc(pair[1], func(r rune) bool { return r == ',' || r == ' ' })
				x, y := Number(xy[0]), Number(xy[1])
				p.Points = append(p.Points, [2]float64{m.a*x + m.c*y + m.e, d.Height - (m.b*x + m.d*y + m.f)})
			}
			out = append(out, p)
		case xml.EndElement:
			maps = maps[:len(maps)-1]
		}
	}
}
