package boardplot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/board/profile"
	"modebench/internal/input"
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

// radarNames are what capabilities are called around a radar, where there is no room for their
// titles.
var radarNames = map[string]string{
	"reach": "reach", "keep": "keep", "find": "find", "best-at-k": "best@k", "vector": "vectors", "without-labels": "no labels", "noisy-judge": "noise", "small-groups": "groups",
}

// radarDefault are the methods that are drawn where none is named: one of each family.
var radarDefault = []string{"grpo", "poly-epo", "grpo-div", "setpo+grpo", "pkpo", "vpo", "entropy-bonus", "evol-rl"}

// MostRadars is how many methods one figure of profiles may have.
const MostRadars = MostShown

// A radar is the profile of one method.
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
	of := sheets.Looks(shown)
	var panels []draw.Block
	for i, r := range rows {
		one := radar{axes: p.Capabilities, name: r.Method, look: of[i]}
		for _, s := range r.Scores {
			one.scores = append(one.scores, profile.Clipped(s))
		}
		panels = append(panels, one.block())
	}
	panels = append(panels, radarKey(p.Capabilities))
	const title = "What methods are capable of"
	blocks := draw.Heading(title, draw.PageWidth)
	for len(panels) > 0 {
		n := min(len(panels), radarColumns)
		blocks = append(blocks, beside(panels[:n], radarColumns))
		panels = panels[n:]
	}
	note := fmt.Sprintf("Means over %s. Each capability is a short task of its own, for which methods are tuned alone. In the middle is the base policy, and the outer ring is the exact optimum. Of best@k and of vectors the middle is one answer of the base policy.", draw.Counted(p.Seeds, "seed"))
	var same []string
	for _, r := range rows {
		if len(r.Same) > 0 {
			same = append(same, r.Method+" is also "+strings.Join(r.Same, ", "))
		}
	}
	if same != nil {
		note = draw.Sentences(note, "Methods with the same records at every capability are one: "+strings.Join(same, "; ")+".")
	}
	seen := fmt.Sprintf("A radar for each method, with a capability on each of %d axes from the base policy, 0, to the optimum, 1: %s.", len(p.Capabilities), sheets.List(len(rows), MostRadars, func(i int) string {
		return rows[i].Method + " (" + sheets.List(len(rows[i].Scores), len(p.Capabilities), func(j int) string {
			return cmp.Or(radarNames[p.Capabilities[j].Name], p.Capabilities[j].Name) + " " + sheets.Number(rows[i].Scores[j])
		}) + ")"
	}))
	return draw.NotedPage(draw.PageWidth, note, blocks...).Told(title, seen), nil
}

// radarRows are the rows of the methods to draw.
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
	if len(rows) == 0 && len(show) == 0 { // none of these
		rows = p.Rows[:min(MostRadars, len(p.Rows))]
	}
	if len(rows) == 0 {
		return nil, input.Errorf("there are no profiles to draw")
	}
	return rows, nil
}

// beside puts blocks of a height beside each other, in columns of a page.
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

// block is the radar with the name of its method above it.
func (r radar) block() draw.Block {
	return draw.Block{Height: radarHigh, Paint: func(c draw.Canvas) {
		web := webIn(c, len(r.axes))
		name := sheets.InkOf(r.look.Color)
		draw.Write(c, draw.PanelFont, name, web.at.X, c.Max.Y-0.9*draw.PanelFont.Size, 0.5, r.name)
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

// fill lays a light ground below the radar, from the middle to the means.
func (r radar) fill(c draw.Canvas, web web) {
	ground := draw.Mixed(r.look.Color, draw.White, 0.88)
	for _, run := range r.runs() {
		points := run.points(web, r.mean)
		if !run.whole {
			points = append(points, web.at)
		}
		draw.Polygon(c, ground, draw.LineStyle{}, points)
	}
}

// paintBand draws the intervals, a band between their ends.
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

// paintBase draws what the base policy has, a dashed line.
func (r radar) paintBase(c draw.Canvas, web web) {
	whole := run{n: len(r.axes), of: len(r.axes), whole: true}
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
	from, n, of int
	whole       bool // all of them
}

// runs are those of the radar.
func (r radar) runs() (out []run) {
	n := len(r.scores)
	has := func(i int) bool { return !math.IsNaN(r.scores[(i+n)%n].Mean) }
	for i := range n {
		if !has(i) || has(i-1) {
			continue
		}
		one := run{from: i, of: n}
		for has(i + one.n) {
			one.n++
		}
		out = append(out, one)
	}
	if out == nil && n > 0 && has(0) {
		return []run{{n: n, of: n, whole: true}}
	}
	return out
}

// points are places on the run's axes.
func (r run) points(web web, at func(i int) float64) (out []vg.Point) {
	for i := range r.n {
		axis := (r.from + i) % r.of
		out = append(out, web.point(axis, at(axis)))
	}
	return out
}

// paintCross marks a capability that the method has no score of.
func paintCross(c draw.Canvas, at vg.Point) {
	const half = 2.3
	style := draw.LineStyle{Color: draw.RGB(0x999999), Width: 1}
	c.StrokeLine2(style, at.X-half, at.Y-half, at.X+half, at.Y+half)
	c.StrokeLine2(style, at.X-half, at.Y+half, at.X+half, at.Y-half)
}
