package plots

import (
	"hash/fnv"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/experiments/record"
)

// The palette of Okabe and Ito. Its yellow is too light for a line on white and
// fills areas only; lines have a wine red and a grey in its place.
var (
	blue   = rgb(0x0072B2)
	orange = rgb(0xE69F00)
	green  = rgb(0x009E73)
	red    = rgb(0xD55E00)
	sky    = rgb(0x56B4E9)
	purple = rgb(0xCC79A7)
	yellow = rgb(0xF0E442)
	wine   = rgb(0x882255)
	grey   = rgb(0x777777)

	black  = rgb(0x000000)
	white  = rgb(0xFFFFFF)
	faint  = rgb(0xE4E4E4) // grid lines
	subtle = rgb(0x555555) // notes
)

// lineColors are the colours of methods that methodColors does not name.
var lineColors = []color.NRGBA{blue, orange, green, red, sky, purple, wine, grey}

// methodColors fixes a colour for the methods of the built-in experiments, so that a
// method looks the same wherever no other of the figure has the same.
var methodColors = map[string]color.NRGBA{
	"grpo": red, "dr-grpo": orange, "grpo-div": purple, "poly-epo": green, "setpo+grpo": blue,
	"gspo": orange, "dapo": purple, "setpo+gspo": sky, "setpo+dapo": green, "r1-zero-div": wine,
	"set-rl": sky, "pass-n": wine,
	"vpo": blue, "multi-rlvr": green, "random-w": sky, "max-at-k": orange, "maxrl": purple, "gdpo": wine, "goal-conditioned": orange,
	"pkpo": sky, "passk-training": green,
	"sd-e2": blue, "grpo-cfl": orange, "grpo-cfee": green,
	"evol-rl": blue, "ttrl": red, "em-rl-token": orange, "em-rl-sequence": purple, "self-consistency": green,
	"reinforce": grey, "rloo": wine, "reinforce++": sky, "remax": purple, "opo": orange,
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xFF}
}

// family is a method without a paper's own setting of it ("@setpo").
func family(method string) string {
	name, _, _ := strings.Cut(method, "@")
	return name
}

// methodColor is the colour of a method's family where no other of the figure has the
// same (colorsOf).
func methodColor(method string) color.NRGBA {
	name := family(method)
	if name == baseMethod || name == optimumMethod {
		return black
	}
	if c, ok := methodColors[name]; ok {
		return c
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return lineColors[h.Sum32()%uint32(len(lineColors))]
}

// colorsOf gives each family of methods in a figure a colour: its own, unless one before
// it has that, and then the first of lineColors that none has. Colours that are fixed go
// before those that follow from a name. Only where all of lineColors are taken two
// families share one, and differ in dashes and marks.
func colorsOf(shown []sample) map[string]color.NRGBA {
	var families []string
	for _, s := range shown {
		if name := family(s.variant.Method); !slices.Contains(families, name) {
			families = append(families, name)
		}
	}
	slices.SortStableFunc(families, func(a, b string) int {
		_, fixedA := methodColors[a]
		_, fixedB := methodColors[b]
		switch {
		case fixedA == fixedB:
			return 0
		case fixedA:
			return -1
		}
		return 1
	})
	of, taken := map[string]color.NRGBA{}, map[color.NRGBA]bool{}
	var late []string
	for _, name := range families {
		of[name] = methodColor(name)
		if taken[of[name]] && of[name] != black { // what does not train is black, all of it
			late = append(late, name)
		}
		taken[of[name]] = true
	}
	for _, name := range late {
		for _, c := range lineColors {
			if !taken[c] {
				of[name], taken[c] = c, true
				break
			}
		}
	}
	return of
}

// A look is how a variant is drawn.
type look struct {
	color  color.NRGBA
	width  vg.Length // of the line
	dashes []vg.Length
	mark   draw.GlyphDrawer // nil: none
	exact  bool             // a ceiling: no band
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: l.width, Dashes: l.dashes}
}

const (
	lineWidth    = vg.Length(1.2)
	ceilingWidth = vg.Length(0.8)
)

// What does not train has no mark, and dashes of its own: stillDashes for a base
// policy, dots for an exact optimum, which is a ceiling and not a competitor. Six
// dashes and seven marks have no common factor, so 42 lines that do train pass
// before a pair returns.
var (
	stillDashes   = [][]vg.Length{{4, 2.5}, {9, 2.5, 2.5, 2.5}, {2, 2}, {12, 3}}
	ceilingDashes = [][]vg.Length{{0.8, 1.6}, {0.8, 3.2}, {2.4, 1.6, 0.8, 1.6}}

	dashes = [][]vg.Length{nil, {7, 2}, {1.3, 1.5}, {6, 1.8, 1.3, 1.8}, {2.5, 1.5}, {8, 1.5, 1.3, 1.5, 1.3, 1.5}}
	marks  = []draw.GlyphDrawer{corners{24, 0}, corners{4, math.Pi / 4}, corners{3, math.Pi / 2}, corners{4, 0}, corners{3, -math.Pi / 2}, corners{5, math.Pi / 2}, corners{6, 0}}
)

// The methods that are no training: the policy before it, and the best that any
// policy could do.
const (
	baseMethod    = "base"
	optimumMethod = "optimum"
)

// looks gives every variant its look: the method sets the colour, variants of
// one method run from dark to light, and dash and mark follow the order.
func looks(shown []sample) []look {
	of := map[string]int{}
	for _, s := range shown {
		of[s.variant.Method]++
	}
	colors, seen := colorsOf(shown), map[string]int{}
	out := make([]look, len(shown))
	trained, still, ceilings := 0, 0, 0
	for i, s := range shown {
		method := s.variant.Method
		shade := shaded(colors[family(method)], seen[method], of[method])
		seen[method]++
		switch {
		case isCeiling(s.variant):
			out[i] = look{color: shade, width: ceilingWidth, dashes: ceilingDashes[ceilings%len(ceilingDashes)], exact: true}
			ceilings++
		case !s.variant.Trains:
			out[i] = look{color: shade, width: lineWidth, dashes: stillDashes[still%len(stillDashes)]}
			still++
		default:
			out[i] = look{color: shade, width: lineWidth, dashes: dashes[trained%len(dashes)], mark: marks[trained%len(marks)]}
			trained++
		}
	}
	return out
}

// isCeiling says whether the variant is an exact optimum.
func isCeiling(v record.Variant) bool { return v.Method == optimumMethod }

// ceiling says whether the sample is an exact optimum.
func (s sample) ceiling() bool { return isCeiling(s.variant) }

// ceilingsLast puts the exact optima behind what is measured against them, where
// readers of a table look for a ceiling.
func ceilingsLast[S interface{ ceiling() bool }](shown []S) []S {
	var out, last []S
	for _, s := range shown {
		if s.ceiling() {
			last = append(last, s)
		} else {
			out = append(out, s)
		}
	}
	return append(out, last...)
}

// shaded is the i-th of n shades of a colour, the colour itself when n is 1.
func shaded(c color.NRGBA, i, n int) color.NRGBA {
	if n == 1 {
		return c
	}
	t := float64(i)/float64(n-1)*0.85 - 0.35
	if t < 0 {
		return mixed(c, black, -t)
	}
	return mixed(c, white, t)
}

// mixed goes from a (t = 0) to b (t = 1).
func mixed(a, b color.NRGBA, t float64) color.NRGBA {
	at := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.NRGBA{R: at(a.R, b.R), G: at(a.G, b.G), B: at(a.B, b.B), A: 0xFF}
}

// translucent is the colour of a band around a line. The more lines share a
// panel, the fainter.
func (l look) translucent(lines int) color.NRGBA {
	c := l.color
	c.A = 0x38
	if lines > 8 {
		c.A = 0x18
	}
	return c
}

// corners is a filled regular polygon with a thin white edge, which lifts it off
// the line it sits on. (A disc is one with many corners: gonum's canvases do not
// agree on arcs.)
type corners struct {
	n    int
	turn float64 // angle of the first corner
}

// DrawGlyph draws a regular polygon around pt.
func (k corners) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	radius := sty.Radius * 1.2
	if k.n > 6 {
		radius = sty.Radius // round shapes look larger
	}
	var p vg.Path
	for i := range k.n {
		sin, cos := math.Sincos(k.turn + 2*math.Pi*float64(i)/float64(k.n))
		at := vg.Point{X: pt.X + radius*vg.Length(cos), Y: pt.Y + radius*vg.Length(sin)}
		if i == 0 {
			p.Move(at)
		} else {
			p.Line(at)
		}
	}
	p.Close()
	c.SetColor(sty.Color)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: white, Width: 0.4})
	c.Stroke(p)
}
