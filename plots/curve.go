package plots

import (
	"gonum.org/v1/plot"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "curve", Place: 1, Doc: "metrics by training step",
			Fields: lineFields, Check: checkMetrics,
		},
		needs:  "a curve needs at least one metric",
		note:   "Mean over seeds [95% interval].",
		gather: ofMetrics(measureSteps),
		draw:   func(d *Data) (*draw.Figure, Values, error) { return curveLines.figure(d, d.Figure.Metrics) },
		lines:  &curveLines,
	})
}

var curveLines = lineKind{
	noun: "metric", describe: describe, label: "training step", rows: "training step",
	places: func(_ string, shown []numbers.Variant) []int { return stepsOf(shown) },
	scale:  func(step float64) float64 { return step },
	ticks: func(_ []int, s *sheets.Sheet) plot.Ticker {
		return draw.Ticks{Count: s.XTicks(), Whole: true}
	},
	value: func(v numbers.Variant, metric string, step int) stats.Interval { return v.Interval(metric, step) },
	level: func(v numbers.Variant) bool { return !v.Trains },
	note:  func([]numbers.Variant, []string) string { return "" },
}
