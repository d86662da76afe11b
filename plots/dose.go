package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

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
			Name: "dose", Place: 6, Doc: "what a field of each method does to two metrics after training, metrics = [x, y]: a panel and a curve for each method with several values of a field, beside the variants with one",
			Fields: append(slices.Clone(metricFields), "panel"), Together: true, Check: checkDoses,
		},
		note:   "At the last evaluation: mean over seeds [95% interval].",
		gather: ofMetrics(numbers.MeasureLast),
		draw:   doseFigure,
		values: lastValues,
	})
}

// checkDoses is the check of a figure of two metrics by a field: some method has several values.
func checkDoses(fig record.Figure, of record.Recorded) error {
	if err := checkPair(fig, of); err != nil {
		return err
	}
	var shown []numbers.Variant
	for _, v := range of.Variants {
		if fig.Shows(v.Variant) {
			shown = append(shown, numbers.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Axes: v.Axes, Trains: v.Trains})
		}
	}
	if curves, _ := dosesOf(shown); len(curves) == 0 {
		return fmt.Errorf("figure %q: no method has several values of a field", fig.Name)
	}
	return nil
}

// A doseCurve is a method at several values of fields, in the order of the spec.
type doseCurve struct {
	name     string
	variants []numbers.Variant
}

// dosesOf are the curves, and the variants that stand alone.
func dosesOf(shown []numbers.Variant) (curves []doseCurve, single []numbers.Variant) {
	at := map[string]int{}
	for _, v := range shown {
		i, known := at[v.Name]
		if !known {
			i = len(curves)
			at[v.Name] = i
			curves = append(curves, doseCurve{name: v.Name})
		}
		curves[i].variants = append(curves[i].variants, v)
	}
	curves = slices.DeleteFunc(curves, func(c doseCurve) bool {
		if len(c.variants) == 1 {
			single = append(single, c.variants[0])
		}
		return len(c.variants) == 1
	})
	return curves, single
}

// field is what the curve is over, and values are that of each variant.
func (c doseCurve) field() (field string, values []string) {
	var fields []string
	for _, a := range c.variants[0].Axes {
		fields = append(fields, a.Field)
	}
	for _, v := range c.variants {
		var of []string
		for _, a := range v.Axes {
			of = append(of, a.Value)
		}
		values = append(values, strings.Join(of, " "))
	}
	return strings.Join(fields, " "), values
}

// A dosed variant is a point of a panel.
type dosed struct {
	x, y stats.Interval
	tag  string // its value; "": none
	look draw.Look
	ring bool
}

// otherDose is the mark of the others: a square, which takes far less of a file than a circle.
var otherDose = draw.Marks[1]

const (
	doseMark   = vg.Length(2.2) // radius
	doseRing   = vg.Length(4.2)
	doseHeight = vg.Length(112)
)

// doseFigure draws a panel for each curve. The variants that stand alone are in all panels, and so
// are the others, in grey.
func doseFigure(d *Data) (*draw.Figure, error) {
	metrics := d.Figure.Metrics
	if err := pairOf(metrics); err != nil {
		return nil, err
	}
	curves, single := dosesOf(d.Variants)
	if len(curves) == 0 {
		return nil, errors.New("no method has several values of a field")
	}
	for _, metric := range metrics {
		if !slices.ContainsFunc(d.Variants, func(v numbers.Variant) bool { return v.Interval(metric, v.Last()).N > 0 }) {
			return nil, numbers.UnknownMetric("metric", metric, d.Variants)
		}
	}
	sheet := sheets.New(d.Figure, single, len(curves))
	sheet.Width, sheet.Columns, sheet.Height = draw.PageWidth, draw.EvenColumns(len(curves), 4), doseHeight
	at := func(v numbers.Variant) dosed {
		return dosed{x: v.Interval(metrics[0], v.Last()), y: v.Interval(metrics[1], v.Last()), ring: slices.Contains(d.Figure.Panel, v.Label)}
	}
	var alone []dosed
	for i, v := range single {
		one := at(v)
		one.look = draw.Look{Color: draw.Black, Mark: draw.Marks[i%len(draw.Marks)]}
		sheet.Looks[i], sheet.Drawn[i] = one.look, one.x.N > 0 && one.y.N > 0
		alone = append(alone, one)
	}
	var of [][]dosed
	var everything []dosed
	for _, c := range curves {
		_, values := c.field()
		var points []dosed
		for i, v := range c.variants {
			one := at(v)
			one.tag, one.look = values[i], draw.Look{Color: sheets.Look(sheets.StyleKey(v)).Color, Mark: draw.Marks[0]}
			if one.x.N > 0 && one.y.N > 0 {
				points = append(points, one)
			}
		}
		of = append(of, points)
		everything = append(everything, points...)
	}
	x, y := describe(metrics[0]), describe(metrics[1])
	all := append(slices.Clone(everything), alone...)
	left, right := doseRange(x, all, func(p dosed) stats.Interval { return p.x })
	bottom, top := doseRange(y, all, func(p dosed) stats.Interval { return p.y })
	cut := slices.ContainsFunc(everything, func(p dosed) bool { return sheets.CutOff(p.x, left, right) || sheets.CutOff(p.y, bottom, top) })
	for i, c := range curves {
		field, _ := c.field()
		p := draw.Panel()
		p.Title.Text, p.Title.Padding, p.Title.TextStyle.Font = c.name+": "+field, 3, draw.PanelFont
		p.X.Tick.Marker, p.Y.Tick.Marker = draw.Ticks{Count: sheet.XTicks() + 1, Whole: x.Whole}, draw.Ticks{Count: 4, Whole: y.Whole}
		if i >= len(curves)-sheet.Columns {
			p.X.Label.Text = x.Title()
		}
		draw.AddGrid(p)
		p.Add(draw.MarksRoom{}, paintDose(everything, alone, of[i]))
		draw.SetRanges(p, left, right, bottom, top)
		if sheet.Add(p, y); i%sheet.Columns > 0 {
			p.Y.Label.Text = ""
		}
	}
	note := "Each panel has one method at several values of a field, joined in their order. Grey: the others. Black: what has one value."
	if len(d.Figure.Panel) > 0 {
		note += " A ring: the value of the source."
	}
	return sheet.Page(draw.Sentences(note, sheets.LastStepNote(d.Variants), sheets.WhiskerNote(d.Variants, cut))), nil
}

// doseRange is the axis of a metric: the range of the means. A share is not drawn from 0 to 1,
// since neighbouring values would coincide.
func doseRange(m draw.Measure, points []dosed, of func(dosed) stats.Interval) (low, high float64) {
	var traces []draw.Trace
	for _, p := range points {
		if at := of(p); at.N > 0 {
			traces = append(traces, draw.Trace{Points: []draw.Point{{Mean: at.Mean, Low: at.Mean, High: at.Mean}}})
		}
	}
	m.Share = false
	return m.Axis(draw.Reach(traces))
}

// paintDose draws the others, the curve, the variants that stand alone, and values.
func paintDose(everything, alone, own []dosed) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		place := func(d dosed) vg.Point { return vg.Point{X: x(d.x.Mean), Y: y(d.y.Mean)} }
		for _, d := range everything {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: sheets.OtherLook.Color, Radius: doseMark - 0.9, Shape: otherDose}, place(d))
		}
		var line []vg.Point
		for _, d := range own {
			line = append(line, place(d))
			sheets.PaintWhiskers(c, p, d.x, d.y, draw.LineStyle{Color: draw.Mixed(d.look.Color, draw.White, 0.5), Width: draw.WhiskerWidth})
		}
		if len(own) > 0 {
			c.StrokeLines(draw.LineStyle{Color: own[0].look.Color, Width: draw.LineWidth}, line)
		}
		var taken []vg.Rectangle
		for _, d := range alone {
			if d.x.N == 0 || d.y.N == 0 {
				continue
			}
			at := place(d)
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: d.look.Color, Radius: doseMark, Shape: d.look.Mark}, at)
			taken = append(taken, vg.Rectangle{Min: vg.Point{X: at.X - doseMark, Y: at.Y - doseMark}, Max: vg.Point{X: at.X + doseMark, Y: at.Y + doseMark}})
		}
		var tags []draw.Tag
		for _, d := range own {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: d.look.Color, Radius: doseMark, Shape: draw.Marks[0]}, place(d))
			radius := doseMark
			if d.ring {
				radius = doseRing
				c.StrokeLines(draw.LineStyle{Color: d.look.Color, Width: draw.WhiskerWidth}, ringAround(place(d)))
			}
			tags = append(tags, draw.Tag{At: place(d), Radius: radius, Texts: []string{d.tag}, Font: draw.SmallFont, Ink: draw.Black})
		}
		for _, t := range draw.Place(tags, c.Rectangle, taken) {
			t.PaintLeader(c)
			t.PaintText(c)
		}
	}
}

// ringAround is a circle around a mark, as straight lines.
func ringAround(at vg.Point) (line []vg.Point) {
	const parts = 24
	for i := range parts + 1 {
		turn := 2 * math.Pi * float64(i) / parts
		line = append(line, vg.Point{X: at.X + doseRing*vg.Length(math.Cos(turn)), Y: at.Y + doseRing*vg.Length(math.Sin(turn))})
	}
	return line
}
