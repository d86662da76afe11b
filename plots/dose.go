package plots

import (
	"errors"
	"fmt"
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
			Fields: append(slices.Clone(pairFields), "panel"), Check: checkDoses,
		},
		note:   lastNote,
		gather: ofMetrics(numbers.MeasureLast),
		draw:   doseFigure,
	})
}

// checkDoses is the check of a figure of two metrics by a field: some method has several values.
func checkDoses(fig record.Figure, recorded record.Recorded) error {
	if err := checkPair(fig, recorded); err != nil {
		return err
	}
	if curves, _ := dosesOf(shownVariants(fig, recorded)); len(curves) == 0 {
		return fmt.Errorf("figure %q: %w", fig.Name, errNoDoses)
	}
	return nil
}

var errNoDoses = errors.New("no method has several values of a field")

// A doseCurve is a method at several values of fields, in the order of the spec.
type doseCurve struct {
	name     string
	variants []numbers.Variant
}

func dosesOf(shown []numbers.Variant) (curves []doseCurve, single []numbers.Variant) {
	for _, v := range shown {
		i := slices.IndexFunc(curves, func(c doseCurve) bool { return c.name == v.Name })
		if i < 0 {
			i, curves = len(curves), append(curves, doseCurve{name: v.Name})
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

func axes(v numbers.Variant, part func(record.Axis) string) string {
	var words []string
	for _, a := range v.Axes {
		words = append(words, part(a))
	}
	return strings.Join(words, " ")
}

func (c doseCurve) title() string {
	return c.name + ": " + axes(c.variants[0], func(a record.Axis) string { return a.Field })
}

// dots are the variants of the curve that have both metrics, each with its value as its name.
func (c doseCurve) dots(metrics []string) (out []sheets.Dot) {
	for _, v := range c.variants {
		d := dotOf(v, metrics, draw.Look{Color: sheets.Look(sheets.StyleKey(v)).Color, Mark: draw.Marks[0]})
		d.Name = axes(v, func(a record.Axis) string { return a.Value })
		if d.Measured() {
			out = append(out, d)
		}
	}
	return out
}

// otherDose is the mark of the other curves: a square, which takes far less of a file than a
// circle.
var otherDose = draw.Look{Color: sheets.OtherLook.Color, Mark: draw.Marks[1]}

const (
	doseMark   = vg.Length(2.2) // radius
	doseRing   = vg.Length(4.2)
	doseHeight = vg.Length(112)
)

// doseFigure draws a panel for each curve. The variants with a single value are in all panels, and
// so are the other curves, in grey.
func doseFigure(d *Data) (*draw.Figure, Values, error) {
	metrics := d.Figure.Metrics
	if err := wantPair(metrics); err != nil {
		return nil, nil, err
	}
	curves, single := dosesOf(d.Variants)
	if len(curves) == 0 {
		return nil, nil, errNoDoses
	}
	if err := wantMeasured(metrics, d.Variants); err != nil {
		return nil, nil, err
	}
	sheet := sheets.New(d.Figure, single, len(curves))
	sheet.Width, sheet.Height = draw.PageWidth, doseHeight
	sheet.Fit(len(curves), draw.EvenColumns(len(curves), 4))
	var dots, alone []sheets.Dot
	for i, v := range single {
		dot := dotOf(v, metrics, draw.Look{Color: draw.Black, Mark: draw.Marks[i%len(draw.Marks)]})
		sheet.Looks[i], sheet.Drawn[i] = dot.Look, dot.Measured()
		alone = append(alone, dot)
	}
	var each [][]sheets.Dot
	for _, c := range curves {
		each = append(each, c.dots(metrics))
	}
	x, y := doseAxes(metrics, slices.Concat(slices.Concat(each...), alone))
	x, y, err := limited(d.Figure, x, y, append(each, alone)...)
	if err != nil {
		return nil, nil, err
	}
	for i, curve := range each {
		each[i] = slices.DeleteFunc(curve, func(dot sheets.Dot) bool { return !dot.Measured() })
		dots = append(dots, each[i]...)
	}
	x.Ticks, y.Ticks = sheet.XTicks()+1, 4
	for i, c := range curves {
		p := sheets.PairPanel(x, y, paintDose(dots, alone, each[i], c.ringed(d.Figure)))
		p.Title.Text, p.Title.Padding, p.Title.TextStyle.Font = c.title(), 3, draw.PanelFont
		if d.Figure.Width > 0 {
			p.Title.Text = strings.Join(draw.Wrap(draw.PanelFont, c.title(), sheet.PanelWidth()), "\n")
		}
		if i < len(curves)-sheet.Columns {
			p.X.Label.Text = ""
		}
		if sheet.Add(p, y.Measure); i%sheet.Columns > 0 {
			p.Y.Label.Text = ""
		}
	}
	note := "Each panel has one method at several values of a field, joined in their order. Grey: the others. Black: what has one value."
	if len(d.Figure.Panel) > 0 {
		note += " A ring: the value of the source."
	}
	cut := slices.ContainsFunc(dots, func(dot sheets.Dot) bool { return dot.CutOff(x, y) })
	return sheet.Page(draw.Sentences(note, sheets.LastStepNote(d.Variants), sheets.WhiskerNote(d.Variants, cut))), lastValues(d), nil
}

func (c doseCurve) ringed(fig record.Figure) (out []string) {
	for _, v := range c.variants {
		if slices.Contains(fig.Panel, v.Label) {
			out = append(out, axes(v, func(a record.Axis) string { return a.Value }))
		}
	}
	return out
}

// doseAxes have the ranges of the means. A share is not drawn from 0 to 1, since neighbouring
// values would coincide.
func doseAxes(metrics []string, dots []sheets.Dot) (x, y sheets.Axis) {
	var xs, ys []stats.Interval
	for _, d := range dots {
		xs, ys = append(xs, d.X), append(ys, d.Y)
	}
	mx, my := describe(metrics[0]), describe(metrics[1])
	mx.Share, my.Share = false, false
	return sheets.MeansAxis(mx, xs), sheets.MeansAxis(my, ys)
}

// paintDose draws all curves in grey, one curve, the variants with a single value, and values.
func paintDose(all, alone, curve []sheets.Dot, ringed []string) draw.Painted {
	return func(c draw.Canvas, p *plot.Plot) {
		for _, d := range all {
			d.Look = otherDose
			d.PaintMark(c, p, doseMark-0.9)
		}
		var line []vg.Point
		for _, d := range curve {
			line = append(line, d.Place(c, p))
			d.PaintWhiskers(c, p, draw.Mixed(d.Look.Color, draw.White, 0.5), draw.WhiskerWidth)
		}
		if len(curve) > 0 {
			c.StrokeLines(draw.LineStyle{Color: curve[0].Look.Color, Width: draw.LineWidth}, line)
		}
		var taken []vg.Rectangle
		for _, d := range alone {
			if d.Measured() {
				d.PaintMark(c, p, doseMark)
				taken = append(taken, draw.Around(d.Place(c, p), doseMark))
			}
		}
		var tags []draw.Tag
		for i, d := range curve {
			d.PaintMark(c, p, doseMark)
			radius := doseMark
			if slices.Contains(ringed, d.Name) {
				radius = doseRing
				ring := draw.Ring(line[i], doseRing, 24, 0)
				c.StrokeLines(draw.LineStyle{Color: d.Look.Color, Width: draw.WhiskerWidth}, append(ring, ring[0]))
			}
			tags = append(tags, draw.Tag{At: line[i], Radius: radius, Texts: []string{d.Name}, Font: draw.SmallFont, Ink: draw.Black})
		}
		draw.PaintTags(c, tags, taken)
	}
}
