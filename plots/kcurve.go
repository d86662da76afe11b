package plots

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/nearest"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "k-curve", Place: 3, Doc: "families of metrics by k",
			Fields: metricFields, Check: checkFamilies,
		},
		note:   "Mean over seeds [95% interval].",
		gather: ofMetrics(func(fig record.Figure, e *numbers.Evaluated) { numbers.MeasureFamilies(fig.Metrics, e) }),
		draw:   func(d *Data) (*draw.Figure, error) { return kCurveLines.figure(d, d.Figure.Metrics) },
		values: kCurveValues,
		lines:  &kCurveLines,
	})
}

// checkFamilies is the check of a figure whose metrics are families.
func checkFamilies(fig record.Figure, of record.Recorded) error {
	if len(fig.Metrics) == 0 {
		return noMetrics(fig)
	}
	for _, family := range fig.Metrics {
		if !slices.Contains(of.Families, family) {
			return wrongField("metrics", "figure %q: a k-curve has no metric %q; %sit draws %s", fig.Name, family, nearest.Hint(family, of.Families), strings.Join(of.Families, ", "))
		}
		if err := checkMetric(fig, fmt.Sprintf("%s@%d", family, of.K[0]), of); err != nil {
			return err
		}
	}
	return nil
}

// kCurveLines are each family of metrics, such as pass@k, by k at the last evaluated step.
// The panels of a page share the axis: k is the same thing in each, and a step may not be.
var kCurveLines = lineKind{
	none:     `a k-curve needs at least one family of metrics, such as "pass"; metrics is empty`,
	metric:   "metric of the family",
	describe: describeFamily,
	axis: func(family string, s *sheets.Sheet, all []numbers.Variant) horizontal {
		ks := numbers.MeasuredKs(family, all)
		if len(ks) == 0 {
			return horizontal{}
		}
		low, high := sheets.Apart(draw.Log2(ks[0]), draw.Log2(ks[len(ks)-1]))
		return horizontal{label: "k (answers per problem)", low: low, high: high, at: ks, ticks: draw.KTicks(ks, s.PanelWidth())}
	},
	points: func(v numbers.Variant, family string, axis horizontal) []sheets.Point {
		points := byK(v, family, axis.at)
		if v.Ceiling() {
			return across(points, axis)
		}
		return points
	},
	note: kNote,
}

// kNote says at which step the curves are. Of coverage@k it says what it is a share of: it
// may fall while k grows, which would look like a mistake.
func kNote(shown []numbers.Variant, families []string) string {
	note := sheets.LastStepNote(shown)
	if slices.Contains(families, "coverage") {
		note = draw.Sentences(note, "coverage@k: share of the min(k, existing) modes that k answers could find.")
	}
	return note
}

// byK is a family of metrics by k, at the variant's last step; x is log2(k).
func byK(v numbers.Variant, family string, ks []int) []sheets.Point {
	var line []sheets.Point
	for _, k := range ks {
		if at := v.Interval(fmt.Sprintf("%s@%d", family, k), v.Last()); at.N > 0 {
			line = append(line, sheets.Point{X: draw.Log2(k), At: at})
		}
	}
	return line
}

// kCurveValues are the means of each family by k at the last step.
func kCurveValues(d *Data) (Values, error) {
	shown, _ := numbers.Shorten(d.Variants)
	var out Values
	for _, family := range d.Figure.Metrics {
		ks := numbers.MeasuredKs(family, shown)
		if len(ks) == 0 {
			return nil, numbers.UnknownMetric("metric of the family", family, shown)
		}
		p := PanelValues{Title: describeFamily(family).Title(), Axis: "k", Columns: lineColumns(shown)}
		p.Low, p.High = sheets.Apart(draw.Log2(ks[0]), draw.Log2(ks[len(ks)-1]))
		for _, k := range ks {
			row := ValueRow{Name: fmt.Sprint(k), X: draw.Log2(k)}
			for _, v := range shown {
				row.Cells = append(row.Cells, atK(v, family, k, ks))
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out, nil
}

// atK is the family's metric at k. A ceiling that is known at one k alone has that value at
// all of them.
func atK(v numbers.Variant, family string, k int, ks []int) stats.Interval {
	if line := byK(v, family, ks); v.Ceiling() && len(line) == 1 {
		return line[0].At
	}
	return v.Interval(fmt.Sprintf("%s@%d", family, k), v.Last())
}
