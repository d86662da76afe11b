package plots

import (
	"cmp"
	"fmt"
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
			Name: "scatter", Place: 5, Doc: "one metric against another after training, metrics = [x, y]",
			Fields: pairFields, Check: checkPair,
		},
		note:   lastNote,
		gather: ofMetrics(numbers.MeasureLast),
		draw:   scatterFigure,
	})
}

func checkPair(fig record.Figure, recorded record.Recorded) error {
	if err := wantPair(fig.Metrics); err != nil {
		return wrongField("metrics", "figure %q: %w", fig.Name, err)
	}
	return checkMetrics(fig, recorded)
}

func wantPair(metrics []string) error {
	if len(metrics) != 2 {
		return fmt.Errorf("a scatter shows two metrics, x and then y, and metrics has %d", len(metrics))
	}
	return nil
}

// pairHeight is the largest height of a panel of two metrics.
const pairHeight = vg.Length(220)

const scatterMark = vg.Length(2.6) // radius

// scatterFigure shows two metrics after training: a mark for every variant, with its intervals
// as whiskers. A variant that does not train has a line across the panel for each metric in place of a
// mark, as in panels of lines: marks are read against those.
func scatterFigure(d *Data) (*draw.Figure, Values, error) {
	if err := wantPair(d.Figure.Metrics); err != nil {
		return nil, nil, err
	}
	shown, common := numbers.Shorten(d.Variants)
	sheet := sheets.New(d.Figure, shown, 1)
	sheet.Height = min(sheet.PanelWidth(), pairHeight)
	var axes [2]sheets.Axis
	for i, metric := range d.Figure.Metrics {
		m := describe(metric)
		traces := sheet.Traces(m, func(v numbers.Variant) []sheets.Point {
			if value := v.AtLast(metric); value.N > 0 {
				return []sheets.Point{{At: value}}
			}
			return nil
		})
		if len(traces) == 0 {
			return nil, nil, numbers.UnknownMetric("metric", metric, shown)
		}
		axes[i].Measure = m
		axes[i].Low, axes[i].High = m.Axis(draw.Reach(traces))
	}
	dots := make([]sheets.Dot, len(shown))
	for i, v := range shown {
		look := &sheet.Looks[i]
		if look.Width = draw.WhiskerWidth; look.Mark != nil {
			look.Dashes = nil // its lines are whiskers
		}
		dots[i] = dotOf(v, d.Figure.Metrics, *look)
	}
	x, y, err := limited(d.Figure, axes[0], axes[1], dots)
	if err != nil {
		return nil, nil, err
	}
	x.Ticks, y.Ticks = sheet.XTicks(), 6
	cut := slices.ContainsFunc(dots, func(dot sheets.Dot) bool { return dot.Measured() && !dot.Look.Exact && dot.CutOff(x, y) })
	sheet.Add(sheets.PairPanel(x, y, paintScatter(dots)), y.Measure)
	note := draw.Sentences(common, sheets.LastStepNote(shown), sheet.Absences(), sheets.WhiskerNote(shown, cut))
	return sheet.Page(note), lastValues(d), nil
}

// limited gives axes the limits of a figure, and takes the values beyond them from its dots: of a mark both.
func limited(fig record.Figure, x, y sheets.Axis, dots ...[]sheets.Dot) (sheets.Axis, sheets.Axis, error) {
	var xs, ys []stats.Interval
	for _, d := range slices.Concat(dots...) {
		xs, ys = append(xs, d.X), append(ys, d.Y)
	}
	x, wrongX := x.Limited(fig, "x", xs)
	y, wrongY := y.Limited(fig, "y", ys)
	for _, list := range dots {
		for i, d := range list {
			list[i].X, list[i].Y = x.Shown(d.X), y.Shown(d.Y)
			if d.Measured() && d.Look.Mark != nil && !list[i].Measured() {
				list[i].X.N, list[i].Y.N = 0, 0
			}
		}
	}
	return x, y, cmp.Or(wrongX, wrongY)
}

// dotOf has two metrics of a variant after training.
func dotOf(v numbers.Variant, metrics []string, look draw.Look) sheets.Dot {
	return sheets.Dot{X: v.AtLast(metrics[0]), Y: v.AtLast(metrics[1]), Look: look}
}

// paintScatter draws lines below whiskers, and those below marks.
func paintScatter(dots []sheets.Dot) draw.Painted {
	marked := func(d sheets.Dot) bool { return d.Measured() && d.Look.Mark != nil }
	return func(c draw.Canvas, p *plot.Plot) {
		for _, d := range dots {
			place := d.Place(c, p)
			if d.X.N > 0 && !marked(d) {
				c.StrokeLine2(d.Look.Line(), place.X, c.Min.Y, place.X, c.Max.Y)
			}
			if d.Y.N > 0 && !marked(d) {
				c.StrokeLine2(d.Look.Line(), c.Min.X, place.Y, c.Max.X, place.Y)
			}
		}
		for _, d := range dots {
			if d.Measured() && !d.Look.Exact {
				d.PaintWhiskers(c, p, d.Look.Color, draw.WhiskerWidth)
			}
		}
		for _, d := range dots {
			if marked(d) {
				d.PaintMark(c, p, scatterMark)
			}
		}
	}
}
