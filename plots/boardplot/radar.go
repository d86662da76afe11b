package boardplot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/board/profile"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// Measures of the figure of profiles.
const (
	radarColumns = 3
	radarRadius  = vg.Length(47) // of the ring of 1
	radarHigh    = vg.Length(133)
	radarMark    = vg.Length(2.1)
	radarLabels  = vg.Length(4) // from the ring to the names of capabilities
)

// radarNames are short names of capabilities: there is no room for titles around a radar.
var radarNames = map[string]string{
	"reach": "reach", "keep": "keep", "find": "find", "best-at-k": "best@k", "vector": "vectors", "without-labels": "no labels", "noisy-judge": "noise", "small-groups": "groups",
}

// radarDefault are the methods that are drawn by default: one of each family.
var radarDefault = []string{"grpo", "poly-epo", "grpo-div", "setpo+grpo", "pkpo", "vpo", "entropy-bonus", "evol-rl"}

// MostRadars is how many methods one figure of profiles may have.
const MostRadars = MostShown

type radar struct {
	axes   []profile.Axis
	scores []stats.Interval // from 0 to 1; NaN where the method was not run
	name   string
	look   draw.Look
}

// Radars draws the profiles of the named methods, at most eight: a radar for each, with a
// capability on each axis, and a key. With none named they are one of each family, as far as
// there are profiles of these. A method whose profile is not there is an error.
func Radars(p *profile.Profiles, show []string) (*draw.Figure, error) {
	rows, err := radarRows(p, show)
	if err != nil {
		return nil, err
	}
	var shown []numbers.Variant
	for _, r := range rows {
		shown = append(shown, numbers.Variant{Label: r.Method, Name: r.Method, Method: r.Method, Called: r.Method, Trains: true})
	}
	looks := sheets.Looks(shown)
	var panels []draw.Block
	for i, r := range rows {
		panel := radar{axes: p.Capabilities, name: r.Method, look: looks[i]}
		for _, s := range r.Scores {
			panel.scores = append(panel.scores, profile.Clipped(s))
		}
		panels = append(panels, panel.block())
	}
	panels = append(panels, radarKey(p.Capabilities))
	const title = "What methods are capable of"
	blocks := draw.Heading(title, draw.PageWidth)
	for part := range slices.Chunk(panels, radarColumns) {
		blocks = append(blocks, beside(part, radarColumns))
	}
	note := fmt.Sprintf("Means over %s. Each capability is a short task of its own, for which methods are tuned alone. In the middle is the base policy, and the outer ring is the exact optimum. Of best@k and of vectors the middle is one answer of the base policy.", plural.Count(p.Seeds, "seed"))
	note = draw.Sentences(note, sameNote("at every capability", rows, func(r profile.Row) (string, []string) { return r.Method, r.Same }))
	text := fmt.Sprintf("A radar for each method, with a capability on each of %d axes from the base policy, 0, to the optimum, 1: %s.", len(p.Capabilities), sheets.List(len(rows), MostRadars, func(i int) string {
		return rows[i].Method + " (" + sheets.List(len(rows[i].Scores), len(p.Capabilities), func(j int) string {
			return cmp.Or(radarNames[p.Capabilities[j].Name], p.Capabilities[j].Name) + " " + sheets.Number(rows[i].Scores[j])
		}) + ")"
	}))
	return draw.NotedPage(draw.PageWidth, note, blocks...).Told(title, text), nil
}

func radarRows(p *profile.Profiles, show []string) ([]profile.Row, error) {
	var rows []profile.Row
	add := func(name string) bool {
		i := slices.IndexFunc(p.Rows, func(r profile.Row) bool { return r.Method == name || slices.Contains(r.Same, name) })
		if i >= 0 && !slices.ContainsFunc(rows, func(r profile.Row) bool { return r.Method == p.Rows[i].Method }) {
			rows = append(rows, p.Rows[i])
		}
		return i >= 0
	}
	for _, name := range show {
		if !add(name) {
			return nil, input.Errorf("there is no profile of %q to draw", name)
		}
	}
	if len(rows) > MostRadars {
		return nil, input.Errorf("%d profiles to draw, want at most %d: one for each colour", len(rows), MostRadars)
	}
	if len(show) == 0 {
		for _, name := range radarDefault {
			add(name)
		}
	}
	if len(rows) == 0 && len(show) == 0 {
		rows = p.Rows[:min(MostRadars, len(p.Rows))]
	}
	if len(rows) == 0 {
		return nil, input.Errorf("there are no profiles to draw")
	}
	return rows, nil
}

func beside(blocks []draw.Block, columns int) draw.Block {
	return draw.Block{Height: radarHigh, Paint: func(c draw.Canvas) {
		width := (c.Max.X - c.Min.X) / vg.Length(columns)
		for i, b := range blocks {
			part := c
			part.Min.X = c.Min.X + width*vg.Length(i)
			part.Max.X = part.Min.X + width
			b.Paint(part)
		}
	}}
}

func (r radar) block() draw.Block {
	return draw.Block{Height: radarHigh, Paint: func(c draw.Canvas) {
		web := webIn(c, len(r.axes))
		name := sheets.InkOf(r.look.Color)
		draw.Write(c, draw.PanelFont, name, web.centre.X, c.Max.Y-0.9*draw.PanelFont.Size, 0.5, r.name)
		r.fill(c, web)
		web.paint(c)
		r.paintBase(c, web)
		r.paintBand(c, web)
		for _, run := range r.runs() {
			line := run.points(web, r.mean)
			if run.whole {
				line = append(line, line[0])
			}
			c.StrokeLines(draw.LineStyle{Color: r.look.Color, Width: draw.LineWidth}, line)
		}
		for i, s := range r.scores {
			ink := draw.Subtle
			if math.IsNaN(s.Mean) {
				paintCross(c, web.point(i, 0.88))
				ink = draw.Mixed(draw.Subtle, draw.White, 0.4)
			} else {
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: r.look.Color, Radius: radarMark, Shape: draw.Corners{N: 24}}, web.point(i, s.Mean))
			}
			web.label(c, i, radarNames[r.axes[i].Name], ink)
		}
	}}
}

func (r radar) mean(i int) float64 { return r.scores[i].Mean }

func (r radar) fill(c draw.Canvas, web web) {
	ground := draw.Mixed(r.look.Color, draw.White, 0.88)
	for _, run := range r.runs() {
		points := run.points(web, r.mean)
		if !run.whole {
			points = append(points, web.centre)
		}
		draw.Polygon(c, ground, draw.LineStyle{}, points)
	}
}

func (r radar) paintBand(c draw.Canvas, web web) {
	band := r.look.Color
	band.A = 0x48
	for _, run := range r.runs() {
		high := run.points(web, func(i int) float64 { return r.scores[i].High })
		low := run.points(web, func(i int) float64 { return r.scores[i].Low })
		slices.Reverse(low)
		c.SetColor(band)
		if !run.whole {
			path := draw.PathOf(append(high, low...))
			path.Close()
			c.Fill(path)
			continue
		}
		path := draw.PathOf(high)
		path.Close()
		hole := draw.PathOf(low) // the other way round, which leaves it out
		hole.Close()
		c.Fill(append(path, hole...))
	}
}

func (r radar) paintBase(c draw.Canvas, web web) {
	whole := run{n: len(r.axes), all: len(r.axes), whole: true}
	for _, a := range r.axes {
		if math.IsNaN(a.Base.Mean) {
			return
		}
	}
	line := whole.points(web, func(i int) float64 { return profile.Clipped(r.axes[i].Base).Mean })
	c.StrokeLines(baseLine, append(line, line[0]))
}

var baseLine = draw.LineStyle{Color: draw.Black, Width: 0.8, Dashes: []vg.Length{2.2, 1.6}}

// A run is neighbouring axes on which a method has scores.
type run struct {
	from, n, all int
	whole        bool // all of them
}

func (r radar) runs() (out []run) {
	n := len(r.scores)
	has := func(i int) bool { return !math.IsNaN(r.scores[(i+n)%n].Mean) }
	for i := range n {
		if !has(i) || has(i-1) {
			continue
		}
		stretch := run{from: i, all: n}
		for has(i + stretch.n) {
			stretch.n++
		}
		out = append(out, stretch)
	}
	if out == nil && n > 0 && has(0) {
		return []run{{n: n, all: n, whole: true}}
	}
	return out
}

func (r run) points(web web, score func(i int) float64) (out []vg.Point) {
	for i := range r.n {
		axis := (r.from + i) % r.all
		out = append(out, web.point(axis, score(axis)))
	}
	return out
}

// paintCross marks a capability that the method has no score of.
func paintCross(c draw.Canvas, p vg.Point) {
	const half = 2.3
	style := draw.LineStyle{Color: draw.RGB(0x999999), Width: 1}
	c.StrokeLine2(style, p.X-half, p.Y-half, p.X+half, p.Y+half)
	c.StrokeLine2(style, p.X-half, p.Y+half, p.X+half, p.Y-half)
}

// A web is the axes of a radar: the first points up and the others follow clockwise.
type web struct {
	centre vg.Point
	n      int
}

func webIn(c draw.Canvas, n int) web {
	return web{centre: vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Min.Y + radarRadius + radarLabels + draw.SmallFont.Size}, n: n}
}

func (w web) angle(i int) float64 { return math.Pi/2 - 2*math.Pi*float64(i)/float64(w.n) }

func (w web) point(i int, score float64) vg.Point { return w.along(i, radarRadius*vg.Length(score)) }

func (w web) along(i int, far vg.Length) vg.Point {
	sin, cos := math.Sincos(w.angle(i))
	return vg.Point{X: w.centre.X + far*vg.Length(cos), Y: w.centre.Y + far*vg.Length(sin)}
}

func (w web) paint(c draw.Canvas) {
	thin := draw.LineStyle{Color: draw.RGB(0xD4D4D4), Width: 0.5}
	for i := range w.n {
		to := w.point(i, 1)
		c.StrokeLine2(thin, w.centre.X, w.centre.Y, to.X, to.Y)
	}
	for quarter := 1; quarter <= 4; quarter++ {
		style := thin
		if quarter == 4 {
			style = draw.LineStyle{Color: draw.RGB(0xA0A0A0), Width: 0.7}
		}
		var ring []vg.Point
		for i := range w.n + 1 {
			ring = append(ring, w.point(i%w.n, float64(quarter)/4))
		}
		c.StrokeLines(style, ring)
	}
}

func (w web) label(c draw.Canvas, i int, name string, ink color.Color) {
	p := w.along(i, radarRadius+radarLabels)
	sin, cos := math.Sincos(w.angle(i))
	draw.Write(c, draw.SmallFont, ink, p.X, p.Y-0.36*draw.SmallFont.Size*vg.Length(1-sin), vg.Length(1-cos)/2, name)
}

// radarKey explains the names around a radar, and its lines.
func radarKey(axes []profile.Axis) draw.Block {
	return draw.Block{Height: radarHigh, Paint: func(c draw.Canvas) {
		const line, sample = vg.Length(10.2), vg.Length(18)
		names := each.Largest(axes, func(a profile.Axis) vg.Length { return draw.TextWidth(draw.SmallFont, radarNames[a.Name]) })
		left, y := c.Min.X+12, c.Max.Y-0.9*draw.PanelFont.Size
		for _, a := range axes {
			draw.Write(c, draw.SmallFont, draw.Black, left+names, y, 1, radarNames[a.Name])
			draw.Write(c, draw.SmallFont, draw.Subtle, left+names+6, y, 0, a.Title)
			y -= line
		}
		y -= 5
		half := 0.35 * draw.SmallFont.Size
		for _, k := range []struct {
			text  string
			paint func(x, y vg.Length)
		}{
			{"mean and 95% interval", func(x, y vg.Length) {
				band := draw.Grey
				band.A = 0x48
				draw.Polygon(c, band, draw.LineStyle{}, draw.Box(x, y-3, x+sample, y+3))
				c.StrokeLine2(draw.LineStyle{Color: draw.Grey, Width: draw.LineWidth}, x, y, x+sample, y)
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: draw.Grey, Radius: radarMark, Shape: draw.Corners{N: 24}}, vg.Point{X: x + sample/2, Y: y})
			}},
			{"base policy, 64 answers", func(x, y vg.Length) { c.StrokeLine2(baseLine, x, y, x+sample, y) }},
			{"cannot enter", func(x, y vg.Length) { paintCross(c, vg.Point{X: x + sample/2, Y: y}) }},
		} {
			k.paint(left+4, y+half)
			draw.Write(c, draw.SmallFont, draw.Subtle, left+4+sample+6, y, 0, k.text)
			y -= line + 1
		}
	}}
}
