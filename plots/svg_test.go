package plots

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

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/experiments/record"
)

// A drawing is what a test sees of an SVG.
type drawing struct {
	bytes         []byte
	width, height float64
	texts         []drawnText
	fills         []string // style of every path
}

// A drawnText is a text and its box on the page, y upwards.
type drawnText struct {
	text                     string
	left, right, bottom, top float64
}

func (d drawing) has(text string) bool {
	return slices.ContainsFunc(d.texts, func(t drawnText) bool { return t.text == text })
}

func (d drawing) find(t *testing.T, text string) drawnText {
	t.Helper()
	for _, found := range d.texts {
		if found.text == text {
			return found
		}
	}
	t.Fatalf("the figure has no text %q", text)
	return drawnText{}
}

// joined is all text of the figure, broken lines put together.
func (d drawing) joined() string {
	var parts []string
	for _, t := range d.texts {
		parts = append(parts, t.text)
	}
	return strings.Join(parts, " ")
}

// paths counts the paths whose style holds a piece of text.
func (d drawing) paths(style string) int {
	n := 0
	for _, s := range d.fills {
		if strings.Contains(s, style) {
			n++
		}
	}
	return n
}

// drawSVG draws a figure and reads the SVG back.
func drawSVG(t *testing.T, run *record.Run, fig record.Figure) drawing {
	t.Helper()
	f, err := Draw(run, fig)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := f.WriteSVG(&buf); err != nil {
		t.Fatal(err)
	}
	return parseSVG(t, buf.Bytes())
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
		var v []float64
		for _, arg := range strings.Split(call[2], ",") {
			v = append(v, number(arg))
		}
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

func number(s string) float64 {
	v, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(s), "ptx"), 64)
	if err != nil {
		panic(fmt.Sprintf("%q is no number", s))
	}
	return v
}

var fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)

// parseSVG fails the test when the document is not well-formed.
func parseSVG(t *testing.T, data []byte) drawing {
	t.Helper()
	d := drawing{bytes: data}
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
				d.width, d.height = number(at["width"]), number(at["height"])
			case "path":
				if strings.ContainsAny(at["d"], "AQC") {
					t.Error("a path is not of straight lines alone: the canvas settles no other coordinates")
				}
				d.fills = append(d.fills, at["style"])
			case "text":
				size := number(fontSize.FindStringSubmatch(at["style"])[1])
				d.texts = append(d.texts, box(maps[len(maps)-1], number(at["x"]), number(at["y"]), number(at["textLength"]), size, d.height))
			}
		case xml.EndElement:
			maps = maps[:len(maps)-1]
			open = false
		case xml.CharData:
			if open {
				d.texts[len(d.texts)-1].text += string(token)
			}
		}
	}
}

// box is the area that the letters of a text cover: from a little below the
// baseline to the height of capitals.
func box(m affine, x, y, length, size, height float64) drawnText {
	b := drawnText{left: math.Inf(1), right: math.Inf(-1), bottom: math.Inf(1), top: math.Inf(-1)}
	for _, corner := range [][2]float64{{x, y + 0.2*size}, {x + length, y + 0.2*size}, {x, y - 0.72*size}, {x + length, y - 0.72*size}} {
		px, py := m.a*corner[0]+m.c*corner[1]+m.e, height-(m.b*corner[0]+m.d*corner[1]+m.f)
		b.left, b.right = min(b.left, px), max(b.right, px)
		b.bottom, b.top = min(b.bottom, py), max(b.top, py)
	}
	return b
}

// checkTexts finds texts that leave the page, overlap or are too small.
func checkTexts(t *testing.T, d drawing) {
	t.Helper()
	const slack = 0.3
	for i, a := range d.texts {
		if a.left < -slack || a.right > d.width+slack || a.bottom < -slack || a.top > d.height+slack {
			t.Errorf("text %q leaves the page: %+v on %g x %g", a.text, a, d.width, d.height)
		}
		for _, b := range d.texts[:i] {
			if a.left < b.right-slack && b.left < a.right-slack && a.bottom < b.top-slack && b.bottom < a.top-slack {
				t.Errorf("texts %q and %q overlap", b.text, a.text)
			}
		}
	}
	for _, m := range fontSize.FindAllSubmatch(d.bytes, -1) {
		if size := number(string(m[1])); size < 8 {
			t.Errorf("a text is %g pt high", size)
		}
	}
}

// What another last bit changes in a number between two decimals, the page, its
// paths, texts and moves do not show.
func TestLastBitsDoNotShow(t *testing.T) {
	page := func(x float64) string {
		at := vg.Point{X: vg.Length(x), Y: vg.Length(x)}
		f := &Figure{width: at.X, height: at.Y, paint: func(c draw.Canvas) {
			path := pathOf([]vg.Point{at, {}, at})
			c.Fill(path)
			c.SetLineWidth(1)
			c.Stroke(path)
			c.Translate(at)
			write(c, smallFont, black, at.X, at.Y, 0, "x")
		}}
		var buf bytes.Buffer
		if err := f.WriteSVG(&buf); err != nil {
			t.Fatal(err)
		}
		return buf.String()
	}
	for _, x := range []float64{123.455, 123.445, 358.725, 139.625, 18.1235, 9.87655} {
		want := page(x)
		for _, other := range []float64{math.Nextafter(x, 0), math.Nextafter(x, 1000), x - 1e-11, x + 1e-11} {
			if got := page(other); got != want {
				t.Errorf("%v and %v are drawn differently:\n%s\n%s", other, x, got, want)
			}
		}
	}
}
