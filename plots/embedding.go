package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// A principalPlane is the two directions in which embeddings vary most.
type principalPlane struct {
	mean   []float64
	axes   [2][]float64 // unit vectors; the largest entry of each is positive
	shares [2]float64   // of the variance
}

// principal finds the plane by orthogonal iteration on the covariance, from a fixed
// start and in a fixed order, so that equal embeddings give the same plane.
func principal(points [][]float64) principalPlane {
	d := len(points[0])
	p := principalPlane{mean: make([]float64, d)}
	for _, x := range points {
		for i, v := range x {
			p.mean[i] += v / float64(len(points))
		}
	}
	cov := make([]float64, d*d)
	trace := 0.0
	for _, x := range points {
		for i := range d {
			for j := range d {
				cov[i*d+j] += float64((x[i]-p.mean[i])*(x[j]-p.mean[j])) / float64(len(points))
			}
		}
	}
	for i := range d {
		trace += cov[i*d+i]
	}
	for k := range p.axes {
		p.axes[k] = make([]float64, d)
		for i := range d {
			p.axes[k][i] = 1 / float64(1+(i+k*i*i)%(d+1))
		}
	}
	const rounds = 400
	for range rounds {
		for k := range p.axes {
			p.axes[k] = times(cov, p.axes[k])
		}
		p.orthonormalise()
	}
	for k, axis := range p.axes {
		if trace > 0 {
			p.shares[k] = inner(axis, times(cov, axis)) / trace
		}
		largest := 0
		for i := range axis {
			if math.Abs(axis[i]) > math.Abs(axis[largest])+1e-9 {
				largest = i
			}
		}
		if axis[largest] < 0 {
			for i := range axis {
				axis[i] = -axis[i]
			}
		}
	}
	return p
}

// orthonormalise makes the axes orthogonal unit vectors; one along which nothing varies
// becomes 0.
func (p *principalPlane) orthonormalise() {
	along := inner(p.axes[0], p.axes[0])
	if along > 0 {
		by := inner(p.axes[0], p.axes[1]) / along
		for i := range p.axes[1] {
			p.axes[1][i] -= float64(by * p.axes[0][i])
		}
	}
	for k := range p.axes {
		norm := math.Sqrt(inner(p.axes[k], p.axes[k]))
		for i := range p.axes[k] {
			if norm < 1e-12 {
				p.axes[k][i] = 0
			} else {
				p.axes[k][i] /= norm
			}
		}
	}
}

func times(m, v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = inner(m[i*len(v):(i+1)*len(v)], v)
	}
	return out
}

func inner(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// of is where an embedding lies on the plane.
func (p principalPlane) of(x []float64) (float64, float64) {
	centred := make([]float64, len(x))
	for i := range x {
		centred[i] = x[i] - p.mean[i]
	}
	return inner(p.axes[0], centred), inner(p.axes[1], centred)
}

// mapModes is how many correct modes have a mark of their own.
const mapModes = 6

// mapFigure shows the embeddings of pools on one plane, which is fitted to all of them:
// a row for every variant, a column for every step.
func mapFigure(fig record.Figure, shown []*pooled) (*draw.Figure, error) {
	steps := fig.Steps
	rows, err := viewRows(shown, steps, draw.EvenColumns(len(shown), 4))
	if err != nil {
		return nil, err
	}
	plane, points, err := planeOf(slices.Concat(rows...))
	if err != nil {
		return nil, err
	}
	ranked := rankedModes(slices.Concat(rows...))
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range points {
		a, b := plane.of(x)
		low, high = min(low, a, b), max(high, a, b)
	}
	room := 0.1*(high-low) + 1e-3
	blocks := draw.Heading(fig.Title, draw.PageWidth)
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	each := draw.PageWidth/vg.Length(columns) - 20
	for i, row := range rows {
		panels, heads := make([]*plot.Plot, columns), make([]string, columns)
		for j, v := range row {
			p := mapPanel(v, plane, ranked)
			draw.SetRanges(p, low-room, high+room, low-room, high+room)
			if i == len(rows)-1 {
				p.X.Label.Text = fmt.Sprintf("PC 1 (%.0f%%)", 100*plane.shares[0])
			}
			if j == 0 {
				p.Y.Label.Text = fmt.Sprintf("PC 2 (%.0f%%)", 100*plane.shares[1])
			}
			panels[j], heads[j] = p, draw.ElidedIn(draw.PanelFont, v.head(steps), each)
		}
		blocks = append(blocks, draw.Tile([][]*plot.Plot{panels}, draw.PageWidth, min(each, 118), draw.HeadLine+3, func(c draw.Canvas, col int) {
			draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, c.Min.Y+4, 0, heads[col])
		}))
	}
	blocks = append(blocks, draw.Legend(mapLegend(ranked), draw.PageWidth))
	note := draw.Sentences(poolNote(fig, slices.Concat(rows...)), fmt.Sprintf("The plane in which the answers of all panels vary most, with its shares of their variance; at most %d answers a panel. Larger: several answers in one place.", record.MaxEmbedded))
	return draw.Page(draw.PageWidth, append(blocks, draw.Paragraphs(draw.SmallFont, draw.Subtle, draw.PageWidth, note)...)...), nil
}

// planeOf is the plane of the embeddings of all pools, and those embeddings.
func planeOf(views []poolView) (principalPlane, [][]float64, error) {
	var points [][]float64
	for _, v := range views {
		for _, a := range v.pool.Answers {
			if a.Embedding == nil {
				continue
			}
			x := wide(a.Embedding)
			if len(points) > 0 && len(x) != len(points[0]) {
				return principalPlane{}, nil, fmt.Errorf("variant %s has embeddings of %d numbers, others of %d: one map cannot show both", v.of.variant.Label, len(x), len(points[0]))
			}
			points = append(points, x)
		}
	}
	if len(points) == 0 {
		return principalPlane{}, nil, errors.New("none of the answers kept has an embedding")
	}
	return principal(points), points, nil
}

// wide is an embedding in double precision.
func wide(embedding []float32) []float64 {
	out := make([]float64, len(embedding))
	for i, e := range embedding {
		out[i] = float64(e)
	}
	return out
}

// quarters are four evaluations that all variants that train have, from first to last.
func quarters(shown []*pooled) []int {
	var common []int
	for _, p := range shown {
		switch {
		case !p.variant.Trains:
		case common == nil:
			common = slices.Clone(p.steps)
		default:
			common = slices.DeleteFunc(common, func(step int) bool { return p.pools[step] == nil })
		}
	}
	var out []int
	for _, share := range []float64{0, 0.25, 0.5, 1} {
		if len(common) > 0 {
			if step := common[int(math.Round(share*float64(len(common)-1)))]; !slices.Contains(out, step) {
				out = append(out, step)
			}
		}
	}
	return out
}

// rankedModes are the correct modes with most answers in all panels, in that order.
func rankedModes(views []poolView) []string {
	counts := map[string]int{}
	for _, v := range views {
		for _, a := range v.pool.Answers {
			if a.Correct && a.Mode != "" {
				counts[a.Mode]++
			}
		}
	}
	modes := make([]string, 0, len(counts))
	for mode := range counts {
		modes = append(modes, mode)
	}
	slices.SortFunc(modes, func(a, b string) int {
		switch {
		case counts[a] != counts[b]:
			return counts[b] - counts[a]
		case draw.Before(a, b):
			return -1
		}
		return 1
	})
	return modes[:min(len(modes), mapModes)]
}

// markOf is how an answer is drawn; it says so by its rank among the modes, mapModes for
// other correct ones and one more for incorrect ones.
func markOf(rank int) draw.GlyphStyle {
	switch {
	case rank > mapModes:
		return draw.GlyphStyle{Color: draw.RGB(0x9A9A9A), Radius: 1.7, Shape: draw.CrossGlyph{}}
	case rank == mapModes:
		return draw.GlyphStyle{Color: draw.RestColor, Radius: 2, Shape: draw.Corners{N: 24, Turn: 0}}
	}
	return draw.GlyphStyle{Color: draw.RouteColors[rank], Radius: 2.4, Shape: draw.Marks[rank]}
}

func rankOf(a *record.PoolAnswer, ranked []string) int {
	if !a.Correct {
		return mapModes + 1
	}
	if i := slices.Index(ranked, a.Mode); i >= 0 {
		return i
	}
	return mapModes
}

// mapPanel draws a pool: incorrect answers below.
func mapPanel(v poolView, on principalPlane, ranked []string) *plot.Plot {
	type mark struct {
		x, y  float64
		rank  int
		times int
	}
	var all []mark
	for i := range v.pool.Answers {
		a := &v.pool.Answers[i]
		if a.Embedding == nil {
			continue
		}
		x, y := on.of(wide(a.Embedding))
		rank := rankOf(a, ranked)
		if at := slices.IndexFunc(all, func(m mark) bool {
			return m.rank == rank && math.Abs(m.x-x) < 1e-9 && math.Abs(m.y-y) < 1e-9
		}); at >= 0 {
			all[at].times++
			continue
		}
		all = append(all, mark{x, y, rank, 1})
	}
	slices.SortStableFunc(all, func(a, b mark) int { return b.rank - a.rank })
	p := draw.Panel()
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(draw.Painted(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for _, m := range all {
			style := markOf(m.rank)
			style.Radius *= vg.Length(min(2.2, math.Pow(float64(m.times), 0.25)))
			c.DrawGlyphNoClip(style, vg.Point{X: x(m.x), Y: y(m.y)})
		}
	}))
	return p
}

func mapLegend(ranked []string) []draw.Entry {
	glyph := func(text string, rank int) draw.Entry {
		return draw.Entry{Text: text, Paint: func(c draw.Canvas) { c.DrawGlyphNoClip(markOf(rank), c.Center()) }}
	}
	var out []draw.Entry
	for i := range ranked {
		out = append(out, glyph(rankText(i, ranked), i))
	}
	if len(ranked) == mapModes {
		out = append(out, glyph(rankText(mapModes, ranked), mapModes))
	}
	return append(out, glyph(rankText(mapModes+1, ranked), mapModes+1))
}
