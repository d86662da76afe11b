package plots

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "path", Place: 5, Doc: "two metrics against each other during training, metrics = [x, y]: a line for each variant, with its name and its y where it ends",
			Fields: metricFields, Together: true, Check: checkPair,
		},
		note: "At the last evaluation: mean over seeds [95% interval].",
		gather: ofMetrics(func(fig record.Figure, e *numbers.Evaluated) {
			e.Thin()
			e.Measure(fig.Metrics)
		}),
		draw:   pathFigure,
		values: lastValues,
	})
}

// A path is where training takes a variant. What does not train has one point.
type path struct {
	name   string
	points [][2]stats.Interval
	look   draw.Look
}

func (p path) end() [2]stats.Interval { return p.points[len(p.points)-1] }

// pathName is what a line is called: in short, without the setting of a paper, where no other line
// is called so.
func pathName(v numbers.Variant, shown []numbers.Variant) string {
	short := sheets.Family(v.Method)
	of := 0
	for _, s := range shown {
		if sheets.Family(s.Method) == short {
			of++
		}
	}
	switch {
	case v.Called != v.Method || of > 1:
		return v.Called
	case short == numbers.BaseMethod:
		return "base policy"
	}
	return short
}

const (
	pathHigh = vg.Length(178)
	pathMark = vg.Length(2)
	pathEnd  = vg.Length(3.2)
	pathLine = vg.Length(1.6)
)

// pathFigure draws one panel in a column of a paper. It has no legend: a line has its name where it
// ends, so that the figure is read where a page shows it small.
func pathFigure(d *Data) (*draw.Figure, error) {
	metrics := d.Figure.Metrics
	if err := pairOf(metrics); err != nil {
		return nil, err
	}
	shown, common := numbers.Shorten(d.Variants)
	var paths []path
	var axes [2][]draw.Trace
	of := sheets.Looks(shown)
	for i, v := range shown {
		one := path{name: pathName(v, shown), look: of[i]}
		for _, step := range v.Steps {
			if x, y := v.Interval(metrics[0], step), v.Interval(metrics[1], step); x.N > 0 && y.N > 0 {
				one.points = append(one.points, [2]stats.Interval{x, y})
			}
		}
		if one.points == nil {
			continue
		}
		paths = append(paths, one)
		for axis := range axes {
			var trace draw.Trace
			for _, at := range one.points {
				trace.Points = append(trace.Points, draw.Point{Mean: at[axis].Mean, Low: at[axis].Mean, High: at[axis].Mean})
			}
			axes[axis] = append(axes[axis], trace)
		}
	}
	for _, metric := range metrics {
		if !slices.ContainsFunc(shown, func(v numbers.Variant) bool { return v.Interval(metric, v.Last()).N > 0 }) {
			return nil, numbers.UnknownMetric("metric", metric, shown)
		}
	}
	x, y := describe(metrics[0]), describe(metrics[1])
	left, right := x.Axis(draw.Reach(axes[0]))
	bottom, top := y.Axis(draw.Reach(axes[1]))
	top += (top - bottom) / 12 // a name above the highest mark
	p := draw.Panel()
	p.X.Label.Text = x.Title()
	p.X.Tick.Marker, p.Y.Tick.Marker = draw.Ticks{Count: 5, Whole: x.Whole}, draw.Ticks{Count: 5}
	draw.LabelY(p, y, pathHigh)
	draw.AddGrid(p)
	p.Add(draw.MarksRoom{}, paintPaths(paths, y))
	draw.SetRanges(p, left, right, bottom, top)
	width := draw.ColumnWidth
	blocks := append(draw.Heading(d.Figure.Title, width), draw.Tile([][]*plot.Plot{{p}}, width, pathHigh, 0, nil))
	note := draw.Sentences(common, "A small mark is an evaluation during training, a large one the last.", sheets.SeedNote(shown, false))
	return draw.NotedPage(width, note, blocks...), nil
}

// paintPaths draws lines, then their ends with intervals, then what they are called.
func paintPaths(paths []path, measure draw.Measure) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		place := func(at [2]stats.Interval) vg.Point { return vg.Point{X: x(at[0].Mean), Y: y(at[1].Mean)} }
		var taken []vg.Rectangle
		for _, one := range paths {
			var line []vg.Point
			for _, at := range one.points {
				line = append(line, place(at))
			}
			style := one.look.Line()
			style.Width = pathLine
			c.StrokeLines(style, line)
			taken = append(taken, along(line)...)
		}
		var tags []draw.Tag
		for _, one := range paths {
			mark := one.look.Mark
			if mark == nil {
				mark = draw.Marks[0]
			}
			for _, at := range one.points {
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: one.look.Color, Radius: pathMark, Shape: mark}, place(at))
			}
			end := one.end()
			sheets.PaintWhiskers(c, p, end[0], end[1], draw.LineStyle{Color: one.look.Color, Width: draw.WhiskerWidth})
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: one.look.Color, Radius: pathEnd, Shape: mark}, place(end))
			tags = append(tags, draw.Tag{
				At: place(end), Radius: pathEnd, Font: draw.PanelFont, Ink: sheets.InkOf(draw.GlyphStyle{Color: one.look.Color}),
				Texts: []string{one.name + ": " + measure.Format(end[1].Mean), one.name},
			})
		}
		for _, t := range draw.Place(tags, c.Rectangle, taken) {
			t.PaintLeader(c)
			t.PaintText(c)
		}
	}
}

// along are small boxes that cover a line, on which no text may lie.
func along(line []vg.Point) (out []vg.Rectangle) {
	const parts, half = 12, vg.Length(1.5)
	for i := range line[:len(line)-1] {
		for j := range parts + 1 {
			t := vg.Length(j) / parts
			at := vg.Point{X: line[i].X + vg.Length(t*(line[i+1].X-line[i].X)), Y: line[i].Y + vg.Length(t*(line[i+1].Y-line[i].Y))}
			out = append(out, vg.Rectangle{Min: vg.Point{X: at.X - half, Y: at.Y - half}, Max: vg.Point{X: at.X + half, Y: at.Y + half}})
		}
	}
	return out
}
