package plots

import (
	"fmt"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "curve", Place: 1, Doc: "metrics by training step",
			Fields: metricFields, Check: checkMetrics,
		},
		note: "Mean over seeds [95% interval].",
		gather: ofMetrics(func(fig record.Figure, e *evaluated) {
			e.thin()
			e.measure(fig.Metrics)
		}),
		draw:   func(d *Data) (*draw.Figure, error) { return curveLines.figure(d, d.Figure.Metrics) },
		values: curveValues,
		lines:  &curveLines,
	})
}

// curveLines are each metric by training step.
var curveLines = lineKind{
	none:     "a curve needs at least one metric; metrics is empty",
	metric:   "metric",
	describe: describe,
	axis: func(_ string, s *sheet, _ []Variant) horizontal {
		first, last := stepRange(s.shown)
		low, high := apart(float64(first), float64(last))
		return horizontal{label: "training step", low: low, high: high, ticks: draw.Ticks{Count: s.xTicks(), Whole: true}}
	},
	points: func(v Variant, metric string, axis horizontal) []point {
		points := v.history(metric)
		if v.Trains {
			return points
		}
		return across(points, axis)
	},
	note: func([]Variant, []string) string { return "" },
}

// curveValues are the means of each metric by training step.
func curveValues(d *Data) (Values, error) {
	shown, _ := shorten(d.Variants)
	first, last := stepRange(shown)
	low, high := apart(float64(first), float64(last))
	steps := listed(shown)
	var out Values
	for _, metric := range d.Figure.Metrics {
		p := PanelValues{Title: describe(metric).Title(), Axis: "training step", Low: low, High: high, Columns: lineColumns(shown)}
		for _, step := range steps {
			row := ValueRow{Name: fmt.Sprint(step), X: float64(step)}
			for _, v := range shown {
				at := step
				if !v.Trains && len(v.Steps) == 1 { // it has the same value at all of them
					at = v.Steps[0]
				}
				row.Cells = append(row.Cells, v.interval(metric, at))
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out, nil
}
