package plots

import (
	"fmt"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "curve", Place: 1, Doc: "metrics by training step",
			Fields: metricFields, Check: checkMetrics,
		},
		note: "Mean over seeds [95% interval].",
		gather: ofMetrics(func(fig record.Figure, e *numbers.Evaluated) {
			e.Thin()
			e.Measure(fig.Metrics)
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
	axis: func(_ string, s *sheets.Sheet, _ []numbers.Variant) horizontal {
		first, last := stepRange(s.Shown)
		low, high := sheets.Apart(float64(first), float64(last))
		return horizontal{label: "training step", low: low, high: high, ticks: draw.Ticks{Count: s.XTicks(), Whole: true}}
	},
	points: func(v numbers.Variant, metric string, axis horizontal) []sheets.Point {
		points := history(v, metric)
		if v.Trains {
			return points
		}
		return across(points, axis)
	},
	note: func([]numbers.Variant, []string) string { return "" },
}

// curveValues are the means of each metric by training step.
func curveValues(d *Data) (Values, error) {
	shown, _ := numbers.Shorten(d.Variants)
	first, last := stepRange(shown)
	low, high := sheets.Apart(float64(first), float64(last))
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
				row.Cells = append(row.Cells, v.Interval(metric, at))
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out, nil
}

// history is a metric by training step; no points where no evaluation has it.
func history(v numbers.Variant, metric string) []sheets.Point {
	var line []sheets.Point
	for _, step := range v.Steps {
		if at := v.Interval(metric, step); at.N > 0 {
			line = append(line, sheets.Point{X: float64(step), At: at})
		}
	}
	return line
}
