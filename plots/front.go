package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "front", Place: 9, Doc: "their rewards against the exact Pareto front",
			Fields: append([]string{"components"}, answerFields...), Answers: true, Check: checkPools(checkComponents),
		},
		note: poolsNote,
		gather: poolKind{front: true, keep: func(a *record.PoolAnswer) numbers.Answer {
			return numbers.Answer{Reward: a.Reward}
		}}.gather,
		draw:   frontFigure,
		values: frontValues,
	})
}

// checkComponents is the check that a variant's rewards can be drawn in the components
// that the figure names.
func checkComponents(fig record.Figure, v record.RecordedVariant) error {
	for i, name := range fig.Components {
		if !slices.Contains(v.Components, name) || slices.Contains(fig.Components[:i], name) {
			return wrongField("components", "figure %q: entry %d: got %q, want each once, of those of %s: %s", fig.Name, i, name, v.Env, strings.Join(v.Components, ", "))
		}
	}
	n := len(fig.Components)
	if fig.Components == nil {
		n = len(v.Components)
	}
	if n < 2 || n > 3 {
		return fmt.Errorf("figure %q: a front is drawn in two or three components of the reward, not %d; %s has %s", fig.Name, n, v.Env, strings.Join(v.Components, ", "))
	}
	return nil
}

// A frontPanel is a pool against the exact front, in two components of the reward.
type frontPanel struct {
	view    poolView
	x, y    int // numbers of the components
	names   [2]string
	vectors []frontPoint // of the exact front; times is 0
	answers []frontPoint // the largest first
}

// A frontPoint is a point of a panel and how many answers are there.
type frontPoint struct {
	x, y  float64
	front bool // they are on the exact front, in all components
	times int
}

var (
	onFrontFill  = draw.Blue
	offFrontFill = draw.RGB(0xF3C98B)
	frontLine    = draw.LineStyle{Color: draw.Black, Width: 0.9}
	discEdge     = draw.LineStyle{Color: draw.Black, Width: 0.4}
)

const (
	largestDisc  = vg.Length(9)
	smallestDisc = vg.Length(1.7)
	vectorRadius = vg.Length(4)
)

// frontFigure shows the reward vectors of pools of answers against the exact Pareto
// front of the problem, a panel for every pool and pair of components.
func frontFigure(d *Data) (*draw.Figure, error) {
	fig := d.Figure
	shown, err := d.answering()
	if err != nil {
		return nil, err
	}
	pairs, err := frontPairs(fig, shown)
	if err != nil {
		return nil, err
	}
	rows, err := viewRows(shown, fig.Steps, draw.EvenColumns(len(shown), 4))
	if err != nil {
		return nil, err
	}
	if len(pairs) > 1 { // they stand beside each other, and every pool has a row
		var single [][]poolView
		for _, v := range slices.Concat(rows...) {
			single = append(single, []poolView{v})
		}
		rows = single
	}
	width, most := draw.PageWidth, 0
	for _, row := range rows {
		most = max(most, len(row)*len(pairs))
	}
	if most == 1 {
		width = draw.ColumnWidth
	}
	blocks := draw.Heading(fig.Title, width)
	for i, row := range rows {
		b, err := frontRow(fig, row, pairs, most, width, i == len(rows)-1)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	blocks = append(blocks, draw.Legend(frontLegend(), width))
	note := draw.Sentences(poolNote(fig, slices.Concat(rows...)), "Under each name: how many vectors of the front the pool holds, and the share of its answers that are on the front.")
	return draw.NotedPage(width, note, blocks...), nil
}

// frontPairs are the pairs of components that a pool has panels of.
func frontPairs(fig record.Figure, shown []numbers.Variant) ([][2]string, error) {
	names, err := frontComponents(fig, shown)
	if err != nil {
		return nil, err
	}
	var pairs [][2]string
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			pairs = append(pairs, [2]string{names[i], names[j]})
		}
	}
	return pairs, nil
}

// frontComponents are the components that the figure names, or all.
func frontComponents(fig record.Figure, shown []numbers.Variant) ([]string, error) {
	env, err := envOf(&shown[0])
	if err != nil {
		return nil, err
	}
	known := env.Info().Components
	names := fig.Components
	if len(names) == 0 {
		names = known
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("components names %q; those of %s are %s", name, shown[0].Pools.Env.Name, strings.Join(known, ", "))
		}
	}
	if len(names) < 2 || len(names) > 3 {
		return nil, fmt.Errorf("a front is drawn in two or three components, not %d; %s has %s", len(names), shown[0].Pools.Env.Name, strings.Join(known, ", "))
	}
	return names, nil
}

// frontRow draws a row of pools.
func frontRow(fig record.Figure, row []poolView, pairs [][2]string, columns int, width vg.Length, last bool) (draw.Block, error) {
	panels := make([]*plot.Plot, columns)
	heads := make([][]string, columns)
	each := width/vg.Length(columns) - 30
	for i, view := range row {
		for j, pair := range pairs {
			f, err := newFrontPanel(view, pair)
			if err != nil {
				return draw.Block{}, err
			}
			at := i*len(pairs) + j
			panels[at] = f.plot()
			if !last && len(pairs) == 1 {
				panels[at].X.Label.Text = ""
			}
			if at > 0 && len(pairs) == 1 {
				panels[at].Y.Label.Text = ""
			}
			if j == 0 {
				heads[at] = []string{draw.ElidedIn(draw.PanelFont, view.head(fig.Steps), each), view.onFront()}
			}
		}
	}
	const head = 2*draw.HeadLine + 4
	return draw.Tile([][]*plot.Plot{panels}, width, min(each, 118), head, func(c draw.Canvas, col int) {
		if heads[col] == nil {
			return
		}
		draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, c.Min.Y+draw.HeadLine+5, 0, heads[col][0])
		draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X, c.Min.Y+5, 0, heads[col][1])
	}), nil
}

func newFrontPanel(view poolView, pair [2]string) (*frontPanel, error) {
	env, err := envOf(view.of)
	if err != nil {
		return nil, err
	}
	f := &frontPanel{view: view, names: pair}
	f.x, f.y = slices.Index(env.Info().Components, pair[0]), slices.Index(env.Info().Components, pair[1])
	if f.x < 0 || f.y < 0 {
		return nil, fmt.Errorf("variant %s: its rewards have no components %s and %s", view.of.Label, pair[0], pair[1])
	}
	for _, r := range slices.Concat(view.of.Pools.Front, view.rewards()) {
		if len(r) <= max(f.x, f.y) {
			return nil, fmt.Errorf("variant %s: a reward of %d components, and %s has %s", view.of.Label, len(r), view.of.Pools.Env.Name, strings.Join(env.Info().Components, ", "))
		}
	}
	add := func(to *[]frontPoint, r []float64, on bool, times int) {
		for i := range *to {
			if p := &(*to)[i]; p.x == r[f.x] && p.y == r[f.y] && p.front == on {
				p.times += times
				return
			}
		}
		*to = append(*to, frontPoint{r[f.x], r[f.y], on, times})
	}
	for _, v := range view.of.Pools.Front {
		add(&f.vectors, v, true, 0)
	}
	for _, a := range view.pool.Answers {
		on := slices.ContainsFunc(view.of.Pools.Front, func(v []float64) bool { return slices.Equal(v, a.Reward) })
		add(&f.answers, a.Reward, on, 1)
	}
	slices.SortStableFunc(f.answers, func(a, b frontPoint) int { return b.times - a.times })
	return f, nil
}

// stairs are the front's vectors that no other dominates in the two components alone,
// from left to right.
func (f *frontPanel) stairs() []frontPoint {
	var out []frontPoint
	for _, p := range f.vectors {
		if !slices.ContainsFunc(f.vectors, func(q frontPoint) bool {
			return q.x >= p.x && q.y >= p.y && (q.x > p.x || q.y > p.y)
		}) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b frontPoint) int {
		if a.x < b.x {
			return -1
		}
		return 1
	})
	return out
}

// plot is the panel. Shares are drawn from 0 to 1, with room for discs at the ends.
func (f *frontPanel) plot() *plot.Plot {
	p := draw.Panel()
	p.X.Label.Text, p.Y.Label.Text = f.names[0], f.names[1]
	p.X.Tick.Marker, p.Y.Tick.Marker = draw.Ticks{Count: 3}, draw.Ticks{Count: 3}
	left, right := f.ends(func(q frontPoint) float64 { return q.x })
	bottom, top := f.ends(func(q frontPoint) float64 { return q.y })
	draw.SetRanges(p, left, right, bottom, top)
	draw.AddGrid(p)
	p.Add(draw.Painted(f.paint))
	draw.SetRanges(p, left, right, bottom, top)
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

// ends is the range of an axis.
func (f *frontPanel) ends(at func(frontPoint) float64) (low, high float64) {
	low, high = 0, 1
	for _, q := range append(slices.Clone(f.vectors), f.answers...) {
		low, high = min(low, at(q)), max(high, at(q))
	}
	room := 0.12 * (high - low)
	return low - room, high + room
}

func (f *frontPanel) paint(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	stairs := f.stairs()
	if len(stairs) > 0 {
		line := []vg.Point{{X: c.Min.X, Y: y(stairs[0].y)}}
		for i, q := range stairs {
			line = append(line, vg.Point{X: x(q.x), Y: y(q.y)})
			below := c.Min.Y
			if i+1 < len(stairs) {
				below = y(stairs[i+1].y)
			}
			line = append(line, vg.Point{X: x(q.x), Y: below})
		}
		c.SetLineStyle(frontLine)
		c.Stroke(draw.PathOf(line))
	}
	for _, q := range f.answers {
		paintDisc(c, vg.Point{X: x(q.x), Y: y(q.y)}, discRadius(q.times, len(f.view.pool.Answers)), q.front)
	}
	for _, q := range f.vectors {
		paintVector(c, vg.Point{X: x(q.x), Y: y(q.y)}, !slices.ContainsFunc(f.answers, func(a frontPoint) bool { return a.x == q.x && a.y == q.y }))
	}
}

// discRadius makes the area of a disc proportional to its share of the answers.
func discRadius(times, of int) vg.Length {
	return max(smallestDisc, largestDisc*vg.Length(math.Sqrt(float64(times)/float64(of))))
}

func paintDisc(c draw.Canvas, at vg.Point, radius vg.Length, front bool) {
	fill := offFrontFill
	if front {
		fill = onFrontFill
	}
	draw.Polygon(c, fill, discEdge, draw.Ring(at, radius, 32, 0))
}

// paintVector marks a vector of the front by a rhombus, with a white edge that shows on dark
// discs. Where no answer is, the rhombus is filled and hides the line.
func paintVector(c draw.Canvas, at vg.Point, alone bool) {
	path := draw.PathOf(draw.Ring(at, vectorRadius, 4, 0))
	path.Close()
	if alone {
		c.SetColor(draw.White)
		c.Fill(path)
	}
	for _, style := range []draw.LineStyle{{Color: draw.White, Width: 2.4}, frontLine} {
		c.SetLineStyle(style)
		c.Stroke(path)
	}
}

func frontLegend() []draw.Entry {
	disc := func(text string, front bool) draw.Entry {
		return draw.Entry{Text: text, Paint: func(c draw.Canvas) { paintDisc(c, c.Center(), 4, front) }}
	}
	return []draw.Entry{
		disc("answers on the exact front", true),
		disc("other answers", false),
		{Text: "vector of the exact front", Paint: func(c draw.Canvas) { paintVector(c, c.Center(), true) }},
		{Text: "the front in these two components", Paint: func(c draw.Canvas) {
			mid := c.Center()
			c.SetLineStyle(frontLine)
			c.Stroke(draw.PathOf([]vg.Point{{X: c.Min.X, Y: c.Max.Y - 2}, {X: mid.X, Y: c.Max.Y - 2}, {X: mid.X, Y: c.Min.Y + 2}, {X: c.Max.X, Y: c.Min.Y + 2}}))
		}},
		{Text: "area: share of the pool", Paint: func(c draw.Canvas) {
			mid := c.Center()
			for i, share := range []float64{0.02, 0.08, 0.25} {
				draw.Polygon(c, draw.White, discEdge, draw.Ring(vg.Point{X: c.Min.X + vg.Length(2+8*i), Y: mid.Y}, largestDisc*vg.Length(math.Sqrt(share)), 32, 0))
			}
		}},
	}
}

// frontValues have a row for each place of a panel: how many answers are there, and whether
// they are on the exact front. Vectors of the front without answers have a row too.
func frontValues(d *Data) (Values, error) {
	fig := d.Figure
	shown, err := d.answering()
	if err != nil {
		return nil, err
	}
	views, err := poolViews(fig, shown)
	if err != nil {
		return nil, err
	}
	pairs, err := frontPairs(fig, shown)
	if err != nil {
		return nil, err
	}
	var out Values
	for _, v := range views {
		for _, pair := range pairs {
			f, err := newFrontPanel(v, pair)
			if err != nil {
				return nil, err
			}
			p := PanelValues{
				Title: v.head(fig.Steps) + ": " + pair[0] + ", " + pair[1], Axis: pair[0] + ", " + pair[1],
				Columns: []ValueColumn{{Label: "answers"}, {Label: "on the exact front"}},
			}
			points := slices.Clone(f.answers)
			for _, q := range f.vectors {
				if !slices.ContainsFunc(points, func(a frontPoint) bool { return a.front && a.x == q.x && a.y == q.y }) {
					points = append(points, q)
				}
			}
			for _, q := range points[:min(len(points), maxRows)] {
				on := 0.0
				if q.front {
					on = 1
				}
				n := len(v.pool.Answers)
				p.Rows = append(p.Rows, ValueRow{
					Name:  strconv.FormatFloat(q.x, 'g', 4, 64) + ", " + strconv.FormatFloat(q.y, 'g', 4, 64),
					Cells: []stats.Interval{exactly(n, float64(q.times)), exactly(n, on)},
				})
			}
			out = append(out, p)
		}
	}
	return out, nil
}
