package plots

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/plot"

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
			Name: "gain", Place: 6, Doc: "what training adds to its base policy: the gain in y, seed by seed, against the base policy's x, metrics = [x, y], or against its x less a second metric, metrics = [x, less, y]; a mark for each method from each base policy",
			Fields: slices.Concat(metricFields, []string{"x", "y"}, sizeFields), Check: checkGain,
		},
		note:   lastNote,
		gather: ofMetrics(measureScores),
		draw:   gainFigure,
	})
}

// measureScores works out the metrics of each seed at the last step. A metric that some seed
// lacks is left out.
func measureScores(fig record.Figure, e *numbers.Evaluated) {
	e.KeepLast()
	for _, metric := range slices.Compact(slices.Sorted(slices.Values(fig.Metrics))) {
		var xs []float64
		for _, seed := range e.Evals {
			if x, ok := seed[e.Last()].Metrics[metric]; ok {
				xs = append(xs, x)
			}
		}
		if len(xs) == len(e.Evals) {
			e.Scores = append(e.Scores, numbers.Scores{Metric: metric, Values: xs})
		}
	}
}

// checkGain is the check of a figure of gains: some variant has its base policy in the spec.
func checkGain(fig record.Figure, recorded record.Recorded) error {
	if err := wantGain(fig.Metrics); err != nil {
		return wrongField("metrics", "figure %q: %w", fig.Name, err)
	}
	if err := checkMetrics(fig, recorded); err != nil {
		return err
	}
	shown := shownVariants(fig, recorded)
	for _, v := range shown {
		if _, ok := baseOf(v, shown); ok {
			return nil
		}
	}
	return fmt.Errorf("figure %q: no variant is trained from a base policy that the spec has too", fig.Name)
}

func wantGain(metrics []string) error {
	if n := len(metrics); n != 2 && n != 3 {
		return fmt.Errorf("a gain shows metrics = [x, y] or [x, less, y], and metrics has %d", n)
	}
	return nil
}

// baseOf is the base policy that a variant is trained from: all of its axes have the variant's
// values, and of several such policies it has most axes. Those without a label of their own come first: the
// spec may measure another, labelled one in a different way.
func baseOf(v numbers.Variant, shown []numbers.Variant) (base numbers.Variant, ok bool) {
	if !v.Trains {
		return base, false
	}
	for _, b := range shown {
		same := b.Method == numbers.BaseMethod
		for _, a := range b.Axes {
			value, has := v.Value(a.Field)
			same = same && has && value == a.Value
		}
		more := len(b.Axes) - len(base.Axes)
		if same && (!ok || more > 0 || more == 0 && b.Name == b.Method && base.Name != base.Method) {
			base, ok = b, true
		}
	}
	return base, ok
}

// gains are the variants that have a base policy and all metrics: the base policy's value, and the
// gain of training. The seeds of both count.
func gains(metrics []string, variants, shown []numbers.Variant) (out []sheets.Dot) {
	y := metrics[len(metrics)-1]
	for _, v := range variants {
		base, ok := baseOf(v, shown)
		if !ok {
			continue
		}
		before, after, had := bySeed(base, y), bySeed(v, y), bySeed(base, metrics[0])
		less := map[int]float64{}
		if len(metrics) == 3 {
			less = bySeed(base, metrics[1])
		}
		if len(before) == 0 || len(after) == 0 || len(had) == 0 || len(metrics) == 3 && len(less) == 0 {
			continue
		}
		xs, ys := map[int][]float64{}, map[int][]float64{} // by draw of problems
		for i, seed := range v.Seeds {
			if _, shared := before[seed]; shared {
				unit := v.Unit(i)
				xs[unit] = append(xs[unit], had[seed]-less[seed])
				ys[unit] = append(ys[unit], after[seed]-before[seed])
			}
		}
		if len(ys) > 0 {
			out = append(out, sheets.Dot{Name: v.Label, X: overUnits(xs), Y: overUnits(ys)})
		}
	}
	return out
}

// bySeed is a metric of each seed, by its number; empty if the variant lacks it.
func bySeed(v numbers.Variant, metric string) map[int]float64 {
	out := map[int]float64{}
	for i, x := range v.ScoresOf(metric) {
		out[v.Seeds[i]] = x
	}
	return out
}

// overUnits is the mean over replicated values, with its interval: over seeds, or over draws of
// problems with the mean of their seeds.
func overUnits(values map[int][]float64) stats.Interval {
	groups := each.Map(slices.Sorted(maps.Keys(values)), func(unit int) []float64 { return values[unit] })
	return stats.HierarchicalInterval(groups)
}

// A contender is a method at all its settings.
type contender struct {
	numbers.Variant                   // the first of them, by its name in the figure
	all             []numbers.Variant // its settings
}

// contenders groups the variants by method, in the order in which they come.
func contenders(shown []numbers.Variant) ([]contender, error) {
	rows, err := combine([]string{"method"}, shown)
	if err != nil {
		return nil, err
	}
	var out []contender
	index := map[int]int{}
	for i, v := range shown {
		row := rows.places[i]
		place, known := index[row]
		if !known {
			place = len(out)
			index[row] = place
			v.Called = rows.Values[row][0]
			out = append(out, contender{Variant: v})
		}
		out[place].all = append(out[place].all, shown[i])
	}
	return out, nil
}

// gainFigure draws a mark for each method from each base policy, and a line where training adds
// nothing.
func gainFigure(d *Data) (*draw.Figure, Values, error) {
	metrics := d.Figure.Metrics
	if err := wantGain(metrics); err != nil {
		return nil, nil, err
	}
	for _, metric := range metrics {
		if !slices.ContainsFunc(d.Variants, func(v numbers.Variant) bool { return v.ScoresOf(metric) != nil }) {
			return nil, nil, numbers.UnknownMetric("metric", metric, d.Variants)
		}
	}
	all, err := contenders(d.Variants)
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(c contender) bool { return len(gains(metrics, c.all, d.Variants)) == 0 })
	if len(all) == 0 {
		return nil, nil, errors.New("no variant that is shown is trained from a base policy that is shown too, with a seed in common")
	}
	heads := each.Map(all, func(c contender) numbers.Variant { return c.Variant })
	sheet := sheets.New(d.Figure, heads, 1)
	sheet.Height = min(sheet.PanelWidth(), pairHeight)
	x := sheets.Axis{Measure: draw.Measure{Label: "base policy: " + describe(metrics[0]).Label}, Ticks: sheet.XTicks()}
	if len(metrics) == 3 {
		x.Label += " less " + describe(metrics[1]).Label
	}
	y := sheets.Axis{Measure: draw.Measure{Label: "gain in " + describe(metrics[len(metrics)-1]).Label}, Ticks: 6}
	values := PanelValues{Axis: "method", Columns: []ValueColumn{{Label: x.Label}, {Label: y.Label}}}
	var dots []sheets.Dot
	var xs, ys []draw.Trace
	for i, c := range all {
		look := &sheet.Looks[i]
		look.Dashes, look.Width = nil, draw.WhiskerWidth // its lines are whiskers
		sheet.Drawn[i] = true
		for _, dot := range gains(metrics, c.all, d.Variants) {
			dot.Look = *look
			dots = append(dots, dot)
			xs, ys = append(xs, traceOf(dot.X)), append(ys, traceOf(dot.Y))
			values.Rows = append(values.Rows, ValueRow{Name: dot.Name, Cells: []stats.Interval{dot.X, dot.Y}})
		}
	}
	x.Low, x.High = x.Axis(draw.Reach(xs))
	y.Low, y.High = y.Axis(draw.Reach(ys))
	y.Low, y.High = min(y.Low, 0), max(y.High, 0)
	if x, y, err = limited(d.Figure, x, y, dots); err != nil {
		return nil, nil, err
	}
	dots = slices.DeleteFunc(dots, func(dot sheets.Dot) bool { return !dot.Measured() })
	sheet.Add(sheets.PairPanel(x, y, paintGains(dots)), y.Measure)
	cut := slices.ContainsFunc(dots, func(dot sheets.Dot) bool { return dot.CutOff(x, y) })
	note := draw.Sentences("A mark is a method from one base policy; differences are within seeds.", sheets.LastStepNote(d.Variants), sheets.WhiskerNote(d.Variants, cut))
	return sheet.Page(note), Values{values}, nil
}

// traceOf is an interval as a line of one point.
func traceOf(value stats.Interval) draw.Trace {
	return draw.Trace{Points: []draw.Point{{Mean: value.Mean, Low: value.Low, High: value.High}}}
}

func paintGains(dots []sheets.Dot) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		_, y := p.Transforms(&c)
		if p.Y.Min <= 0 && p.Y.Max >= 0 {
			c.StrokeLine2(draw.LineStyle{Color: draw.Black, Width: draw.WhiskerWidth}, c.Min.X, y(0), c.Max.X, y(0))
		}
		for _, d := range dots {
			d.PaintWhiskers(c, p, d.Look.Color, draw.WhiskerWidth)
		}
		for _, d := range dots {
			d.PaintMark(c, p, scatterMark)
		}
	}
}
