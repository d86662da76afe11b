package plots

import (
	"errors"
	"fmt"
	"maps"
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
			Name: "gain", Place: 6, Doc: "what training adds to its base policy: the gain in y, seed by seed, against the base policy's x, metrics = [x, y], or against its x less a second metric, metrics = [x, less, y]; a mark for each method from each base policy",
			Fields: metricFields, Together: true, Check: checkGain,
		},
		note:   "At the last evaluation: mean over seeds [95% interval].",
		gather: ofMetrics(measureScores),
		draw:   gainFigure,
		values: gainValues,
	})
}

// checkGain is the check of a figure of gains: some variant has its base policy in the spec.
func checkGain(fig record.Figure, of record.Recorded) error {
	if err := gainOf(fig.Metrics); err != nil {
		return wrongField("metrics", "figure %q: %w", fig.Name, err)
	}
	if err := checkMetrics(fig, of); err != nil {
		return err
	}
	var shown []numbers.Variant
	for _, v := range of.Variants {
		if fig.Shows(v.Variant) {
			shown = append(shown, numbers.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Axes: v.Axes, Trains: v.Trains})
		}
	}
	for _, v := range shown {
		if _, ok := baseOf(v, shown); ok {
			return nil
		}
	}
	return fmt.Errorf("figure %q: no variant is trained from a base policy that the spec has too", fig.Name)
}

func gainOf(metrics []string) error {
	if n := len(metrics); n != 2 && n != 3 {
		return fmt.Errorf("a gain shows metrics = [x, y] or [x, less, y], and metrics has %d", n)
	}
	return nil
}

// baseOf is the base policy that a variant is trained from: the one whose axes all have the
// variant's values, and of several the one with most axes.
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
		if same && (!ok || len(b.Axes) > len(base.Axes)) {
			base, ok = b, true
		}
	}
	return base, ok
}

// A gained variant is a mark: what its base policy has, and what training adds to that.
type gained struct {
	v    numbers.Variant
	x, y stats.Interval
	look draw.Look
}

// gains are the variants of a method that have a base policy and all metrics. The seeds that
// both have count.
func gains(metrics []string, of []numbers.Variant, shown []numbers.Variant) (out []gained) {
	y := metrics[len(metrics)-1]
	for _, v := range of {
		base, ok := baseOf(v, shown)
		if !ok {
			continue
		}
		before, after := bySeed(base, y), bySeed(v, y)
		had, less := bySeed(base, metrics[0]), map[int]float64{}
		if len(metrics) == 3 {
			less = bySeed(base, metrics[1])
		}
		if len(before) == 0 || len(after) == 0 || len(had) == 0 || len(metrics) == 3 && len(less) == 0 {
			continue
		}
		xs, ys := map[int][]float64{}, map[int][]float64{} // by draw of problems
		for i, seed := range v.Seeds {
			if _, both := before[seed]; both {
				unit := seed
				if v.Draws != nil {
					unit = v.Draws[i]
				}
				xs[unit] = append(xs[unit], had[seed]-less[seed])
				ys[unit] = append(ys[unit], after[seed]-before[seed])
			}
		}
		if len(ys) > 0 {
			out = append(out, gained{v: v, x: overUnits(xs), y: overUnits(ys)})
		}
	}
	return out
}

// bySeed is a metric of each seed, by its number; empty where the variant has none.
func bySeed(v numbers.Variant, metric string) map[int]float64 {
	out := map[int]float64{}
	for i, x := range v.ScoresOf(metric) {
		out[v.Seeds[i]] = x
	}
	return out
}

// overUnits is the mean over what was replicated, with its interval: seeds, or draws of problems
// with the mean of their seeds.
func overUnits(values map[int][]float64) stats.Interval {
	var groups [][]float64
	for _, unit := range slices.Sorted(maps.Keys(values)) {
		groups = append(groups, values[unit])
	}
	return stats.HierarchicalInterval(groups)
}

// A gainLine is an entry of the legend: the marks of a method.
type gainLine struct {
	head  numbers.Variant
	marks []gained
}

// gainLines are the methods that have marks, as a legend has them.
func gainLines(d *Data) (lines []gainLine, err error) {
	all, err := contenders(record.Figure{}, d.Variants)
	for _, c := range all {
		if marks := gains(d.Figure.Metrics, c.all, d.Variants); len(marks) > 0 {
			lines = append(lines, gainLine{c.Variant, marks})
		}
	}
	if err == nil && len(lines) == 0 {
		err = errors.New("no variant that is shown is trained from a base policy that is shown too, with a seed in common")
	}
	return lines, err
}

// gainFigure draws a mark for each method from each base policy, and a line where training adds
// nothing.
func gainFigure(d *Data) (*draw.Figure, error) {
	metrics := d.Figure.Metrics
	if err := gainOf(metrics); err != nil {
		return nil, err
	}
	for _, metric := range metrics {
		if !slices.ContainsFunc(d.Variants, func(v numbers.Variant) bool { return v.ScoresOf(metric) != nil }) {
			return nil, numbers.UnknownMetric("metric", metric, d.Variants)
		}
	}
	lines, err := gainLines(d)
	if err != nil {
		return nil, err
	}
	var heads []numbers.Variant
	for _, l := range lines {
		heads = append(heads, l.head)
	}
	sheet := sheets.New(d.Figure, heads, 1)
	const tallest = 220
	sheet.Height = min(sheet.PanelWidth(), tallest)
	var marks []gained
	for i, l := range lines {
		sheet.Looks[i].Dashes, sheet.Looks[i].Width = nil, draw.WhiskerWidth // its lines are whiskers
		sheet.Drawn[i] = true
		for _, g := range l.marks {
			g.look = sheet.Looks[i]
			marks = append(marks, g)
		}
	}
	x, y := draw.Measure{Label: hadTitle(metrics)}, draw.Measure{Label: gainTitle(metrics)}
	left, right := gainRange(x, marks, func(g gained) stats.Interval { return g.x })
	low, high := gainRange(y, marks, func(g gained) stats.Interval { return g.y })
	low, high = min(low, 0), max(high, 0)
	p := draw.Panel()
	p.X.Label.Text = x.Title()
	p.X.Tick.Marker, p.Y.Tick.Marker = draw.Ticks{Count: sheet.XTicks()}, draw.Ticks{Count: 6}
	draw.AddGrid(p)
	p.Add(draw.MarksRoom{}, paintGains(marks))
	draw.SetRanges(p, left, right, low, high)
	sheet.Add(p, y)
	cut := slices.ContainsFunc(marks, func(g gained) bool { return sheets.CutOff(g.x, left, right) || sheets.CutOff(g.y, low, high) })
	return sheet.Page(draw.Sentences("A mark is a method from one base policy; differences are within seeds.", sheets.LastStepNote(d.Variants), sheets.WhiskerNote(d.Variants, cut))), nil
}

// hadTitle and gainTitle are the names of the axes.
func hadTitle(metrics []string) string {
	title := "base policy: " + describe(metrics[0]).Label
	if len(metrics) == 3 {
		title += " less " + describe(metrics[1]).Label
	}
	return title
}

func gainTitle(metrics []string) string {
	return "gain in " + describe(metrics[len(metrics)-1]).Label
}

// gainRange is an axis that holds all whiskers.
func gainRange(m draw.Measure, marks []gained, of func(gained) stats.Interval) (low, high float64) {
	var traces []draw.Trace
	for _, g := range marks {
		at := of(g)
		traces = append(traces, draw.Trace{Points: []draw.Point{{Mean: at.Mean, Low: at.Low, High: at.High}}})
	}
	return m.Axis(draw.Reach(traces))
}

func paintGains(marks []gained) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		c.StrokeLine2(draw.LineStyle{Color: draw.Black, Width: draw.WhiskerWidth}, c.Min.X, y(0), c.Max.X, y(0))
		for _, g := range marks {
			sheets.PaintWhiskers(c, p, g.x, g.y, draw.LineStyle{Color: g.look.Color, Width: draw.WhiskerWidth})
		}
		for _, g := range marks {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: g.look.Color, Radius: scatterMark, Shape: g.look.Mark}, vg.Point{X: x(g.x.Mean), Y: y(g.y.Mean)})
		}
	}
}

// gainValues are the two numbers of each mark.
func gainValues(d *Data) (Values, error) {
	lines, err := gainLines(d)
	if err != nil {
		return nil, err
	}
	metrics := d.Figure.Metrics
	p := PanelValues{Axis: "method", Columns: []ValueColumn{{Label: hadTitle(metrics)}, {Label: gainTitle(metrics)}}}
	for _, l := range lines {
		for _, g := range l.marks {
			p.Rows = append(p.Rows, ValueRow{Name: g.v.Label, Cells: []stats.Interval{g.x, g.y}})
		}
	}
	return Values{p}, nil
}
