package plots

import (
	"fmt"

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
			Fields: metricFields, Together: true, Check: checkPair,
		},
		note:   "At the last evaluation: mean over seeds [95% interval].",
		gather: ofMetrics(numbers.MeasureLast),
		draw:   scatterFigure,
		values: lastValues,
	})
}

// checkPair is the check of a figure of two metrics.
func checkPair(fig record.Figure, of record.Recorded) error {
	if err := pairOf(fig.Metrics); err != nil {
		return wrongField("metrics", "figure %q: %w", fig.Name, err)
	}
	return checkMetrics(fig, of)
}

func pairOf(metrics []string) error {
	if len(metrics) != 2 {
		return fmt.Errorf("a scatter shows two metrics, x and then y, and metrics has %d", len(metrics))
	}
	return nil
}

// scatterFigure shows two metrics after training: a mark for every variant, with its intervals
// as whiskers. What does not train has no mark but a line across the panel for each metric, as
// it has in panels of lines: marks are read against those.
func scatterFigure(d *Data) (*draw.Figure, error) {
	metrics := d.Figure.Metrics
	if err := pairOf(metrics); err != nil {
		return nil, err
	}
	shown, common := numbers.Shorten(d.Variants)
	sheet := sheets.New(d.Figure, shown, 1)
	const tallest = 220
	sheet.Height = min(sheet.PanelWidth(), tallest)
	var axes [2]scatterAxis
	for i, metric := range metrics {
		var err error
		if axes[i], err = newScatterAxis(metric, sheet); err != nil {
			return nil, err
		}
	}
	x, y := axes[0], axes[1]
	all := make([]scattered, len(shown))
	cut := false
	for i, v := range shown {
		s := scattered{x: v.Interval(metrics[0], v.Last()), y: v.Interval(metrics[1], v.Last()), look: sheet.Looks[i]}
		if s.look.Width = draw.WhiskerWidth; s.look.Mark != nil {
			s.look.Dashes = nil // its lines are whiskers
		}
		sheet.Looks[i] = s.look
		cut = cut || s.whiskers() && (sheets.CutOff(s.x, x.low, x.high) || sheets.CutOff(s.y, y.low, y.high))
		all[i] = s
	}
	p := draw.Panel()
	p.X.Label.Text = x.Title()
	p.X.Tick.Marker = draw.Ticks{Count: sheet.XTicks(), Whole: x.Whole}
	p.Y.Tick.Marker = draw.Ticks{Count: 6, Whole: y.Whole}
	draw.AddGrid(p)
	p.Add(draw.MarksRoom{}, paintScatter(all))
	draw.SetRanges(p, x.low, x.high, y.low, y.high)
	sheet.Add(p, y.Measure)
	return sheet.Page(draw.Sentences(common, sheets.LastStepNote(shown), sheet.Absences(), sheets.WhiskerNote(shown, cut))), nil
}

// A scatterAxis is the axis of a metric.
type scatterAxis struct {
	draw.Measure
	low, high float64
}

func newScatterAxis(metric string, s *sheets.Sheet) (scatterAxis, error) {
	a := scatterAxis{Measure: describe(metric)}
	traces := s.Traces(a.Measure, func(v numbers.Variant) []sheets.Point {
		if at := v.Interval(metric, v.Last()); at.N > 0 {
			return []sheets.Point{{At: at}}
		}
		return nil
	})
	if len(traces) == 0 {
		return a, numbers.UnknownMetric("metric", metric, s.Shown)
	}
	a.low, a.high = a.Axis(draw.Reach(traces))
	return a, nil
}

// A scattered variant is a mark where it trains and has both metrics, else a line for each
// metric that it has.
type scattered struct {
	x, y stats.Interval // N is 0 where it has no such metric
	look draw.Look
}

const scatterMark = vg.Length(2.6) // radius

func (s scattered) both() bool     { return s.x.N > 0 && s.y.N > 0 }
func (s scattered) marked() bool   { return s.both() && s.look.Mark != nil }
func (s scattered) whiskers() bool { return s.both() && !s.look.Exact }

// paintScatter draws lines below whiskers, and those below marks.
func paintScatter(all []scattered) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		for _, s := range all {
			if !s.marked() {
				s.paintLines(c, p)
			}
		}
		for _, s := range all {
			if s.whiskers() {
				s.paintWhiskers(c, p)
			}
		}
		x, y := p.Transforms(&c)
		for _, s := range all {
			if s.marked() {
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: s.look.Color, Radius: scatterMark, Shape: s.look.Mark}, vg.Point{X: x(s.x.Mean), Y: y(s.y.Mean)})
			}
		}
	}
}

func (s scattered) paintLines(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if s.x.N > 0 {
		c.StrokeLine2(s.look.Line(), x(s.x.Mean), c.Min.Y, x(s.x.Mean), c.Max.Y)
	}
	if s.y.N > 0 {
		c.StrokeLine2(s.look.Line(), c.Min.X, y(s.y.Mean), c.Max.X, y(s.y.Mean))
	}
}

func (s scattered) paintWhiskers(c draw.Canvas, p *plot.Plot) {
	sheets.PaintWhiskers(c, p, s.x, s.y, draw.LineStyle{Color: s.look.Color, Width: draw.WhiskerWidth})
}
