package plots

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "path", Place: 5, Doc: "two metrics against each other during training, metrics = [x, y]: a line for each variant, with its name and its y where it ends",
			Fields: pairFields, Check: checkPair,
		},
		note:   lastNote,
		gather: ofMetrics(measureSteps),
		draw:   pathFigure,
	})
}

// pathName is the name of a line: in short, without the setting of a paper, unless another line
// has the same short name.
func pathName(v numbers.Variant, shown []numbers.Variant) string {
	short, alike := sheets.Family(v.Method), 0
	for _, s := range shown {
		if sheets.Family(s.Method) == short {
			alike++
		}
	}
	switch {
	case v.Called != v.Method || alike > 1:
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

// pathFigure draws one panel in a column of a paper. It has no legend: a line has its name at its
// end, so that the figure can be read on a page that shows it small.
func pathFigure(d *Data) (*draw.Figure, Values, error) {
	metrics := d.Figure.Metrics
	if err := wantPair(metrics); err != nil {
		return nil, nil, err
	}
	shown, common := numbers.Shorten(d.Variants)
	if err := wantMeasured(metrics, shown); err != nil {
		return nil, nil, err
	}
	var paths [][]sheets.Dot // where training takes a variant
	var xs, ys []stats.Interval
	for i, look := range sheets.Looks(shown) {
		var path []sheets.Dot
		if look.Mark == nil {
			look.Mark = draw.Marks[0]
		}
		for _, step := range shown[i].Steps {
			dot := sheets.Dot{X: shown[i].Interval(metrics[0], step), Y: shown[i].Interval(metrics[1], step), Name: pathName(shown[i], shown), Look: look}
			if dot.Measured() {
				path, xs, ys = append(path, dot), append(xs, dot.X), append(ys, dot.Y)
			}
		}
		if path != nil {
			paths = append(paths, path)
		}
	}
	measure := describe(metrics[1])
	x, y := sheets.MeansAxis(describe(metrics[0]), xs), sheets.MeansAxis(measure, ys)
	y.High += (y.High - y.Low) / 12 // a name above the highest mark
	x, y, err := limited(d.Figure, x, y, paths...)
	if err != nil {
		return nil, nil, err
	}
	for i, path := range paths {
		paths[i] = slices.DeleteFunc(path, func(dot sheets.Dot) bool { return !dot.Measured() })
	}
	paths = slices.DeleteFunc(paths, func(path []sheets.Dot) bool { return len(path) == 0 })
	x.Ticks, y.Ticks, y.Whole = 5, 5, false
	p := sheets.PairPanel(x, y, paintPaths(paths, measure))
	draw.LabelY(p, measure, pathHigh)
	width := sheets.Width(d.Figure, draw.ColumnWidth)
	note := draw.Sentences(common, "A small mark is an evaluation during training, a large one the last.", sheets.SeedNote(shown, false))
	return sheets.Page(d.Figure, width, note, draw.Block{}, draw.Tile([][]*plot.Plot{{p}}, width, pathHigh, 0, nil)), lastValues(d), nil
}

func paintPaths(paths [][]sheets.Dot, measure draw.Measure) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		var taken []vg.Rectangle
		for _, path := range paths {
			line := each.Map(path, func(d sheets.Dot) vg.Point { return d.Place(c, p) })
			style := path[0].Look.Line()
			style.Width = pathLine
			c.StrokeLines(style, line)
			taken = append(taken, along(line)...)
		}
		var tags []draw.Tag
		for _, path := range paths {
			for _, d := range path {
				d.PaintMark(c, p, pathMark)
			}
			end := path[len(path)-1]
			end.PaintWhiskers(c, p, end.Look.Color, draw.WhiskerWidth)
			end.PaintMark(c, p, pathEnd)
			tags = append(tags, draw.Tag{
				At: end.Place(c, p), Radius: pathEnd, Font: draw.PanelFont, Ink: sheets.InkOf(end.Look.Color),
				Texts: []string{end.Name + ": " + measure.Format(end.Y.Mean), end.Name},
			})
		}
		draw.PaintTags(c, tags, taken)
	}
}

// along are small boxes that cover a line, on which no text may lie.
func along(line []vg.Point) (out []vg.Rectangle) {
	const parts, half = 12, vg.Length(1.5)
	for i, to := range line[1:] {
		from := line[i]
		for j := range parts + 1 {
			t := vg.Length(j) / parts
			out = append(out, draw.Around(vg.Point{X: from.X + vg.Length(t*(to.X-from.X)), Y: from.Y + vg.Length(t*(to.Y-from.Y))}, half))
		}
	}
	return out
}
