// Package drawtest reads drawings back, for tests of drawing code.
package drawtest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/internal/each"
	"modebench/plots/draw"
)

// All are the texts of the figure that equal a text.
func (d Drawing) All(text string) []Text {
	return each.Where(d.Texts, func(t Text) bool { return t.Text == text })
}

// Middle is the middle of the box.
func (t Text) Middle() (x, y float64) { return (t.Left + t.Right) / 2, (t.Bottom + t.Top) / 2 }

// WantTexts looks for texts in a drawing.
func WantTexts(t *testing.T, d Drawing, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.Joined(), text) {
			t.Errorf("the picture lacks %q: %s", text, d.Joined())
		}
	}
}

// WantLabels looks for whole texts in a drawing, with nothing before or after them.
func WantLabels(t *testing.T, d Drawing, labels ...string) {
	t.Helper()
	for _, label := range labels {
		if !d.Has(label) {
			t.Errorf("the picture has no label %q: %s", label, d.Joined())
		}
	}
}

// Read writes a figure as SVG and reads that.
func Read(t *testing.T, f *draw.Figure) Drawing {
	t.Helper()
	var buf bytes.Buffer
	if err := f.WriteSVG(&buf); err != nil {
		t.Fatal(err)
	}
	return Parse(t, buf.Bytes())
}

// A Drawing holds the parts of an SVG that tests read.
type Drawing struct {
	Bytes         []byte
	Width, Height float64
	Texts         []Text
	Drawn         []Path // in the order of the file
}

// A Text is a text and its box on the page, y upwards.
type Text struct {
	Text                     string
	Left, Right, Bottom, Top float64
}

// Has reports whether the drawing has a text.
func (d Drawing) Has(text string) bool {
	return slices.ContainsFunc(d.Texts, func(t Text) bool { return t.Text == text })
}

// Find is the first place of a text; a drawing without it fails the test.
func (d Drawing) Find(t *testing.T, text string) Text {
	t.Helper()
	for _, found := range d.Texts {
		if found.Text == text {
			return found
		}
	}
	t.Fatalf("the figure has no text %q", text)
	return Text{}
}

// Joined is all text of the figure, broken lines put together.
func (d Drawing) Joined() string {
	return strings.Join(each.Map(d.Texts, func(t Text) string { return t.Text }), " ")
}

// Paths counts the paths whose style holds a piece of text.
func (d Drawing) Paths(style string) int {
	return each.Count(d.Drawn, func(p Path) bool { return strings.Contains(p.Style, style) })
}

// An affine map of the plane: x' = a x + c y + e, y' = b x + d y + f.
type affine struct{ a, b, c, d, e, f float64 }

func (m affine) then(n affine) affine {
	return affine{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

var transformCall = regexp.MustCompile(`(\w+)\(([^)]*)\)`)

func transform(s string) affine {
	m := affine{a: 1, d: 1}
	for _, call := range transformCall.FindAllStringSubmatch(s, -1) {
		v := each.Map(strings.Split(call[2], ","), Number)
		switch call[1] {
		case "translate":
			m = m.then(affine{a: 1, d: 1, e: v[0], f: v[1]})
		case "scale":
			m = m.then(affine{a: v[0], d: v[1]})
		case "rotate":
			sin, cos := math.Sincos(v[0] * math.Pi / 180)
			m = m.then(affine{a: cos, b: sin, c: -sin, d: cos})
		}
	}
	return m
}

// Number reads a number with its unit.
func Number(s string) float64 {
	v, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(s), "ptx"), 64)
	if err != nil {
		panic(fmt.Sprintf("%q is no number", s))
	}
	return v
}

var fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)

// Parse fails the test when the document is not well-formed.
func Parse(t *testing.T, data []byte) Drawing {
	t.Helper()
	d := Drawing{Bytes: data}
	decoder := xml.NewDecoder(bytes.NewReader(data))
	maps := []affine{{a: 1, d: 1}}
	open := false
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return d
		}
		if err != nil {
			t.Fatalf("the SVG is not XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			at := map[string]string{}
			for _, a := range token.Attr {
				at[a.Name.Local] = a.Value
			}
			maps = append(maps, maps[len(maps)-1].then(transform(at["transform"])))
			open = token.Name.Local == "text"
			switch token.Name.Local {
			case "svg":
				d.Width, d.Height = Number(at["width"]), Number(at["height"])
			case "path":
				if strings.ContainsAny(at["d"], "AQC") {
					t.Error("a path is not of straight lines alone: the canvas rounds no other coordinates")
				}
				d.Drawn = append(d.Drawn, newPath(at["style"], at["d"], maps[len(maps)-1], d.Height))
			case "text":
				size := Number(fontSize.FindStringSubmatch(at["style"])[1])
				d.Texts = append(d.Texts, box(maps[len(maps)-1], Number(at["x"]), Number(at["y"]), Number(at["textLength"]), size, d.Height))
			}
		case xml.EndElement:
			maps = maps[:len(maps)-1]
			open = false
		case xml.CharData:
			if open {
				d.Texts[len(d.Texts)-1].Text += string(token)
			}
		}
	}
}

// box is the area that the letters of a text cover: from a little below the
// baseline to the height of capitals.
func box(m affine, x, y, length, size, height float64) Text {
	b := Text{Left: math.Inf(1), Right: math.Inf(-1), Bottom: math.Inf(1), Top: math.Inf(-1)}
	for _, corner := range [][2]float64{{x, y + 0.2*size}, {x + length, y + 0.2*size}, {x, y - 0.72*size}, {x + length, y - 0.72*size}} {
		px, py := m.a*corner[0]+m.c*corner[1]+m.e, height-(m.b*corner[0]+m.d*corner[1]+m.f)
		b.Left, b.Right = min(b.Left, px), max(b.Right, px)
		b.Bottom, b.Top = min(b.Bottom, py), max(b.Top, py)
	}
	return b
}

// CheckTexts finds texts that leave the page, overlap or are too small.
func CheckTexts(t *testing.T, d Drawing) {
	t.Helper()
	const slack = 0.3
	for i, a := range d.Texts {
		if a.Left < -slack || a.Right > d.Width+slack || a.Bottom < -slack || a.Top > d.Height+slack {
			t.Errorf("text %q leaves the page: %+v on %g x %g", a.Text, a, d.Width, d.Height)
		}
		for _, b := range d.Texts[:i] {
			if a.Left < b.Right-slack && b.Left < a.Right-slack && a.Bottom < b.Top-slack && b.Bottom < a.Top-slack {
				t.Errorf("texts %q and %q overlap", b.Text, a.Text)
			}
		}
	}
	for _, m := range fontSize.FindAllSubmatch(d.Bytes, -1) {
		if size := Number(string(m[1])); size < 8 {
			t.Errorf("a text is %g pt high", size)
		}
	}
}

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
