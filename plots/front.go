package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "front", Place: 9, Doc: "their rewards against the exact Pareto front",
			Fields: append([]string{"components"}, poolFields...), Answers: true, Check: checkPools(checkComponents),
		},
		note: poolsNote,
		gather: poolKind{front: true, keep: func(a *record.PoolAnswer) numbers.Answer {
			return numbers.Answer{Reward: a.Reward}
		}}.gather,
		draw: frontFigure,
	})
}

// checkComponents checks that a variant's rewards can be drawn in the components
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
func frontFigure(d *Data) (*draw.Figure, Values, error) {
	fig := d.Figure
	rows, views, columns, err := d.poolRows(4)
	if err != nil {
		return nil, nil, err
	}
	pairs, err := frontPairs(fig, views[0].variant)
	if err != nil {
		return nil, nil, err
	}
	if len(pairs) > 1 { // every pool has a row
		rows, columns = slices.Collect(slices.Chunk(views, 1)), len(pairs)
	}
	width := draw.PageWidth
	if columns == 1 {
		width = draw.ColumnWidth
	}
	if width = sheets.Width(fig, width); len(pairs) > 1 {
		err = wantRoom(fig, columns)
	}
	if err != nil {
		return nil, nil, err
	}
	each := width/vg.Length(columns) - 30
	var blocks []draw.Block
	var values Values
	for i, row := range rows {
		panels, heads := make([]*plot.Plot, columns), make([][2]string, columns)
		for j, view := range row {
			for k, pair := range pairs {
				f, err := newFrontPanel(view, pair)
				if err != nil {
					return nil, nil, err
				}
				values = append(values, f.values(view.head(fig.Steps)))
				col := j*len(pairs) + k
				panels[col] = f.plot()
				if i < len(rows)-1 && len(pairs) == 1 {
					panels[col].X.Label.Text = ""
				}
				if col > 0 && len(pairs) == 1 {
					panels[col].Y.Label.Text = ""
				}
				if k == 0 {
					heads[col] = [2]string{draw.ElidedIn(draw.PanelFont, view.head(fig.Steps), each), f.reached()}
				}
			}
		}
		blocks = append(blocks, poolBlock(panels, heads, width, min(each, poolHeight)))
	}
	note := draw.Sentences(poolNote(fig, views), "Under each name: how many vectors of the front the pool holds, and the share of its answers that are on the front.")
	return sheets.Page(fig, width, note, draw.Legend(frontLegend(), width), blocks...), values, nil
}

// frontPairs are the pairs of components that a pool has panels of: those that the figure names,
// or all.
func frontPairs(fig record.Figure, v *numbers.Variant) (pairs [][2]string, err error) {
	env, err := envOf(v)
	if err != nil {
		return nil, err
	}
	known, names := env.Info().Components, fig.Components
	if len(names) == 0 {
		names = known
	}
	all := strings.Join(known, ", ")
	for i, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("components names %q; those of %s are %s", name, v.Pools.Env.Name, all)
		}
		for _, second := range names[i+1:] {
			pairs = append(pairs, [2]string{name, second})
		}
	}
	if len(names) < 2 || len(names) > 3 {
		return nil, fmt.Errorf("a front is drawn in two or three components, not %d; %s has %s", len(names), v.Pools.Env.Name, all)
	}
	return pairs, nil
}

func newFrontPanel(view poolView, pair [2]string) (*frontPanel, error) {
	env, err := envOf(view.variant)
	if err != nil {
		return nil, err
	}
	known, front := env.Info().Components, view.variant.Pools.Front
	f := &frontPanel{view: view, names: pair}
	x, y := slices.Index(known, pair[0]), slices.Index(known, pair[1])
	if x < 0 || y < 0 {
		return nil, fmt.Errorf("variant %s: its rewards have no components %s and %s", view.variant.Label, pair[0], pair[1])
	}
	add := func(points []frontPoint, r []float64, onFront bool, times int) ([]frontPoint, error) {
		if len(r) <= max(x, y) {
			return nil, fmt.Errorf("variant %s: a reward of %d components, and %s has %s", view.variant.Label, len(r), view.variant.Pools.Env.Name, strings.Join(known, ", "))
		}
		for i := range points {
			if p := &points[i]; p.x == r[x] && p.y == r[y] && p.front == onFront {
				p.times += times
				return points, nil
			}
		}
		return append(points, frontPoint{r[x], r[y], onFront, times}), nil
	}
	for _, v := range front {
		if f.vectors, err = add(f.vectors, v, true, 0); err != nil {
			return nil, err
		}
	}
	for _, a := range view.pool.Answers {
		onFront := slices.ContainsFunc(front, func(v []float64) bool { return slices.Equal(v, a.Reward) })
		if f.answers, err = add(f.answers, a.Reward, onFront, 1); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(f.answers, func(a, b frontPoint) int { return b.times - a.times })
	return f, nil
}

// reached counts the vectors of the exact front that the answers reach, and gives the share of the
// answers that is on it.
func (f *frontPanel) reached() string {
	vectors, answers, front := 0, 0, f.view.variant.Pools.Front
	for _, v := range front {
		times := 0
		for _, a := range f.view.pool.Answers {
			if slices.Equal(a.Reward, v) {
				times++
			}
		}
		if answers += times; times > 0 {
			vectors++
		}
	}
	return fmt.Sprintf("%d of %s; %.0f%%", vectors, plural.Count(len(front), "vector"), 100*float64(answers)/float64(len(f.view.pool.Answers)))
}

// stairs are the front's vectors that no vector dominates in the two components alone,
// from left to right.
func (f *frontPanel) stairs() (out []frontPoint) {
	for _, p := range f.vectors {
		if !slices.ContainsFunc(f.vectors, func(q frontPoint) bool {
			return q.x >= p.x && q.y >= p.y && (q.x > p.x || q.y > p.y)
		}) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b frontPoint) int { return cmp.Compare(a.x, b.x) })
	return out
}

// plot is the panel. Shares are drawn from 0 to 1, with room for discs at the ends.
func (f *frontPanel) plot() *plot.Plot {
	p := draw.Panel()
	p.X.Label.Text, p.Y.Label.Text = f.names[0], f.names[1]
	p.X.Tick.Marker, p.Y.Tick.Marker = draw.Ticks{Count: 3}, draw.Ticks{Count: 3}
	left, right, bottom, top := 0.0, 1.0, 0.0, 1.0
	for _, q := range slices.Concat(f.vectors, f.answers) {
		left, right, bottom, top = min(left, q.x), max(right, q.x), min(bottom, q.y), max(top, q.y)
	}
	besideX, besideY := 0.12*(right-left), 0.12*(top-bottom)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = left-besideX, right+besideX, bottom-besideY, top+besideY
	draw.AddGrid(p)
	p.Add(draw.Painted(f.paint))
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

func (f *frontPanel) paint(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if stairs := f.stairs(); len(stairs) > 0 {
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
func discRadius(times, all int) vg.Length {
	return max(smallestDisc, largestDisc*vg.Length(math.Sqrt(float64(times)/float64(all))))
}

func paintDisc(c draw.Canvas, centre vg.Point, radius vg.Length, front bool) {
	fill := offFrontFill
	if front {
		fill = onFrontFill
	}
	draw.Polygon(c, fill, discEdge, draw.Ring(centre, radius, 32, 0))
}

// paintVector marks a vector of the front by a rhombus, with a white edge that shows on dark
// discs. Without an answer there, the rhombus is filled and hides the line.
func paintVector(c draw.Canvas, centre vg.Point, alone bool) {
	path := draw.PathOf(draw.Ring(centre, vectorRadius, 4, 0))
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

// values has a row for each place of the panel: how many answers are there, and whether
// they are on the exact front. Vectors of the front without answers have a row too.
func (f *frontPanel) values(head string) PanelValues {
	axis := f.names[0] + ", " + f.names[1]
	p := PanelValues{Title: head + ": " + axis, Axis: axis, Columns: []ValueColumn{{Label: "answers"}, {Label: "on the exact front"}}}
	points := slices.Clone(f.answers)
	for _, q := range f.vectors {
		if !slices.ContainsFunc(points, func(a frontPoint) bool { return a.front && a.x == q.x && a.y == q.y }) {
			points = append(points, q)
		}
	}
	n := len(f.view.pool.Answers)
	for _, q := range points[:min(len(points), maxRows)] {
		onFront := 0.0
		if q.front {
			onFront = 1
		}
		p.Rows = append(p.Rows, ValueRow{
			Name:  strconv.FormatFloat(q.x, 'g', 4, 64) + ", " + strconv.FormatFloat(q.y, 'g', 4, 64),
			Cells: []stats.Interval{exactly(n, float64(q.times)), exactly(n, onFront)},
		})
	}
	return p
}
