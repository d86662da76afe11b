package plots

import (
	"math"
	"slices"

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
			Name: "bars", Place: 5, Doc: "metrics after training",
			Fields: slices.Concat(metricFields, sizeFields), Check: checkMetrics,
		},
		needs:  "bars need at least one metric",
		note:   lastNote,
		gather: ofMetrics(numbers.MeasureLast),
		draw:   barsFigure,
	})
}

// A metricBars is a panel of bars: a metric of every variant after training.
type metricBars struct {
	m         draw.Measure
	values    []stats.Interval // by variant; N is 0 if it lacks the metric
	looks     []draw.Look
	low, high float64 // ends of the axis
}

const (
	metricLine  = vg.Length(13) // height of a variant's row
	metricBar   = vg.Length(7.5)
	metricGap   = vg.Length(12) // between panels
	nameWidest  = vg.Length(130)
	metricTicks = vg.Length(14) // ticks and their labels
	leastBars   = 1.8 * vg.Inch // of a panel in a figure of its own width, a share of the names included
)

// barsFigure shows metrics at the last evaluated step, a row for every variant and a
// panel for every metric: the mean over seeds as a bar, its interval as a whisker, and
// the mean in figures.
func barsFigure(d *Data) (*draw.Figure, Values, error) {
	fig := d.Figure
	shown, common := numbers.Shorten(d.Variants)
	if err := wantMeasured(fig.Metrics, shown); err != nil {
		return nil, nil, err
	}
	var panels []metricBars
	cut := false
	looks := sheets.Looks(shown)
	for _, metric := range fig.Metrics {
		b := newMetricBars(metric, shown, looks)
		for i, value := range b.values {
			cut = cut || !shown[i].Ceiling() && sheets.CutOff(value, b.low, b.high)
		}
		panels = append(panels, b)
	}
	width, columns := draw.PageWidth, 3
	switch len(panels) {
	case 1:
		width, columns = draw.ColumnWidth, 1
	case 2, 4:
		columns = 2
	}
	if slices.ContainsFunc(shown, func(v numbers.Variant) bool { return draw.TextWidth(draw.SmallFont, v.Called) > nameWidest/2 }) {
		width = draw.PageWidth
	}
	width, columns = sheets.Width(fig, width), draw.EvenColumns(len(panels), min(columns, sheets.Fitting(fig, leastBars)))
	var blocks []draw.Block
	for part := range slices.Chunk(panels, columns) {
		blocks = append(blocks, barsBlock(shown, part, columns, width))
	}
	note := draw.Sentences(common, sheets.LastStepNote(shown), sheets.WhiskerNote(shown, cut))
	return sheets.Page(fig, width, note, draw.Block{}, blocks...), lastValues(d), nil
}

func newMetricBars(metric string, shown []numbers.Variant, looks []draw.Look) metricBars {
	b := metricBars{m: describe(metric), looks: looks}
	low, high := math.Inf(1), math.Inf(-1)
	bandLow, bandHigh := low, high
	for _, v := range shown {
		value := v.AtLast(metric)
		b.values = append(b.values, value)
		if value.N == 0 {
			continue
		}
		low, high = min(low, value.Mean), max(high, value.Mean)
		if draw.Bounded(value.Low, value.High) && !v.Ceiling() {
			bandLow, bandHigh = min(bandLow, value.Low), max(bandHigh, value.High)
		}
	}
	if b.m.InUnit(low, high) {
		b.high = 1
		return b
	}
	// A bar begins at 0. No whisker reaches further from the bars than they do from 0.
	far := max(high, -low, 0)
	b.low, b.high = min(low, max(bandLow, low-far), 0), max(high, min(bandHigh, high+far), 0)
	if low >= 0 {
		b.low = 0
	}
	if b.low == b.high {
		b.high = 1
	}
	step := draw.NiceStep((b.high - b.low) / 3)
	b.low, b.high = math.Floor(b.low/step+1e-9)*step, math.Ceil(b.high/step-1e-9)*step
	return b
}

// barsBlock draws panels beside each other, the names of the variants on the left.
func barsBlock(shown []numbers.Variant, panels []metricBars, columns int, width vg.Length) draw.Block {
	names := each.Largest(shown, func(v numbers.Variant) vg.Length { return min(draw.TextWidth(draw.SmallFont, v.Called), nameWidest) })
	each := (width - names - draw.CellGap - metricGap*vg.Length(columns-1)) / vg.Length(columns)
	titles, lines := make([][]string, len(panels)), 0
	for i, b := range panels {
		titles[i] = b.m.Lines(draw.PanelFont, each)
		lines = max(lines, len(titles[i]))
	}
	head := vg.Length(lines)*draw.Leading(draw.PanelFont) + 3
	rows := metricLine * vg.Length(len(shown))
	return draw.Block{Height: head + rows + metricTicks, Paint: func(c draw.Canvas) {
		top := c.Max.Y - head
		for i, v := range shown {
			line := draw.TextLine(top-metricLine*vg.Length(i+1), top-metricLine*vg.Length(i))
			draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+names, line, 1, draw.Elided(v.Called, names))
		}
		for i, b := range panels {
			left := c.Min.X + names + draw.CellGap + (each+metricGap)*vg.Length(i)
			first := top + 3 + vg.Length(len(titles[i]))*draw.Leading(draw.PanelFont)
			draw.WriteLines(c, draw.PanelFont, draw.Black, left, first, 0, titles[i])
			b.paint(c, left, left+each, top)
		}
	}}
}

func (b metricBars) text(value stats.Interval) string {
	if value.N == 0 {
		return "n/a"
	}
	return b.m.Format(value.Mean)
}

// paint draws the bars of a panel between left and right, the first row below top, with the means
// at the right.
func (b metricBars) paint(c draw.Canvas, left, right, top vg.Length) {
	room := each.Largest(b.values, func(value stats.Interval) vg.Length { return draw.TextWidth(draw.SmallFont, b.text(value)) })
	end := right - (room + draw.CellGap)
	bottom := top - metricLine*vg.Length(len(b.values))
	x := func(v float64) vg.Length { return left + vg.Length((v-b.low)/(b.high-b.low))*(end-left) }
	axis := draw.LineStyle{Color: draw.Black, Width: 0.5}
	for _, tick := range (draw.Ticks{Count: 4, Whole: b.m.Whole}).Ticks(b.low, b.high) {
		c.StrokeLine2(draw.LineStyle{Color: draw.Faint, Width: 0.5}, x(tick.Value), bottom, x(tick.Value), top)
		c.StrokeLine2(axis, x(tick.Value), bottom-3, x(tick.Value), bottom)
		draw.Write(c, draw.SmallFont, draw.Black, x(tick.Value), bottom-4-0.9*draw.SmallFont.Size, 0.5, tick.Label)
	}
	c.StrokeLine2(axis, left, bottom, end, bottom)
	for i, value := range b.values {
		high := top - metricLine*vg.Length(i)
		ink := draw.Black
		if value.N == 0 {
			ink = draw.Subtle
		} else {
			b.paintBar(c, b.looks[i], value, high-metricLine/2, x)
		}
		draw.Write(c, draw.SmallFont, ink, right, draw.TextLine(high-metricLine, high), 1, b.text(value))
	}
	c.StrokeLine2(axis, x(0), bottom, x(0), top)
}

// paintBar draws a bar and its whisker: light, so that the whisker shows on it, and in
// grey too. A ceiling is an outline.
func (b metricBars) paintBar(c draw.Canvas, l draw.Look, value stats.Interval, mid vg.Length, x func(float64) vg.Length) {
	fill, edge := draw.Mixed(l.Color, draw.White, 0.5), draw.LineStyle{Color: l.Color, Width: 0.8}
	switch {
	case l.Exact:
		fill, edge = draw.White, draw.LineStyle{Color: draw.Black, Width: 0.8, Dashes: draw.CeilingDashes[0]}
	case l.Color == draw.Black: // the base policy
		fill = draw.PlainColors[0]
	}
	from, to := x(0), x(min(max(value.Mean, b.low), b.high))
	draw.Polygon(c, fill, edge, draw.Box(from, mid-metricBar/2, to, mid+metricBar/2))
	if l.Exact || !draw.Bounded(value.Low, value.High) {
		return
	}
	draw.Whisker(c, draw.LineStyle{Color: draw.Black, Width: draw.WhiskerWidth}, value.Low, value.High, b.low, b.high, func(v float64, aside vg.Length) vg.Point {
		return vg.Point{X: x(v), Y: mid + aside}
	})
}
