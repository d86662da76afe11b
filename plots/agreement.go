package plots

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "agreement", Place: 7, Doc: "how far other metrics order the trained variants as the first metric does: Kendall's tau, a column for each value of the fields in cols",
			Fields: append([]string{"metrics", "cols"}, sizeFields...), Check: checkAgreement,
		},
		needs:  "an agreement takes a metric and others to hold against it",
		note:   "After training: Kendall's tau of the row's metric with the first one [95% interval over variants].",
		gather: ofMetrics(numbers.MeasureLast),
		draw:   agreementFigure,
	})
}

// leastAgreeing is the smallest number of variants with a tau.
const leastAgreeing = 3

func checkAgreement(fig record.Figure, recorded record.Recorded) error {
	if err := checkFields(fig, recorded); err != nil {
		return err
	}
	if err := wantTwo(fig.Metrics); err != nil {
		return wrongField("metrics", "figure %q: %w", fig.Name, err)
	}
	return nil
}

func wantTwo(metrics []string) error {
	if len(metrics) < 2 {
		return errors.New("an agreement holds metrics against the first of them: want two or more")
	}
	return nil
}

// agreementFigure is a table of Kendall's tau: a row for each metric but the first, and a column for each
// combination of the fields in cols. A cell is about the variants with these fields that train and have both
// metrics. It is empty for fewer than leastAgreeing of them, and if all are equal by a metric.
func agreementFigure(d *Data) (*draw.Figure, Values, error) {
	fig := d.Figure
	if err := wantTwo(fig.Metrics); err != nil {
		return nil, nil, err
	}
	shown := slices.DeleteFunc(slices.Clone(d.Variants), func(v numbers.Variant) bool { return !v.Trains })
	cols, err := combine(fig.Cols, shown)
	if err != nil {
		return nil, nil, fmt.Errorf("cols: %w", err)
	}
	if err := wantMeasured(fig.Metrics, shown); err != nil {
		return nil, nil, err
	}
	reference := fig.Metrics[0]
	rows := draw.Side{Levels: []string{"metric"}}
	table := draw.HeatMap{Measure: draw.Measure{Label: "Kendall's tau with " + describe(reference).Title()}, Low: -1, High: 1}
	values := PanelValues{Title: table.Label, Axis: "metric"}
	for _, levels := range cols.Values {
		values.Columns = append(values.Columns, ValueColumn{Label: cmp.Or(strings.Join(levels, " "), "all variants")})
	}
	for _, metric := range fig.Metrics[1:] {
		row := ValueRow{Name: describe(metric).Title()}
		var cells []float64
		for col := range cols.Len() {
			tau, err := agreement(shown, cols.places, col, reference, metric)
			if err != nil {
				return nil, nil, err
			}
			row.Cells, cells = append(row.Cells, tau), append(cells, tau.Mean)
		}
		rows.Values = append(rows.Values, []string{row.Name})
		values.Rows = append(values.Rows, row)
		table.Cells, table.Wide = append(table.Cells, cells), append(table.Wide, math.NaN())
	}
	note := draw.Sentences("A cell compares the order of variants by two metrics: 1 the same order, -1 the reverse, 0 neither.", sheets.SeedNote(shown, false))
	page, err := heatPage(fig, rows, cols.Side, []draw.HeatMap{table}, note)
	return page, Values{values}, err
}

// agreement is Kendall's tau of two metrics over the variants of a column. Without one N is 0 and the mean NaN.
func agreement(shown []numbers.Variant, places []int, col int, a, b string) (stats.Interval, error) {
	var xs, ys []float64
	for i, v := range shown {
		if places[i] != col {
			continue
		}
		if x, y := v.AtLast(a), v.AtLast(b); x.N > 0 && y.N > 0 {
			xs, ys = append(xs, x.Mean), append(ys, y.Mean)
		}
	}
	if len(xs) < leastAgreeing {
		return stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}, nil
	}
	tau, err := stats.KendallTau(xs, ys)
	if math.IsNaN(tau.Mean) { // all are equal
		tau.N = 0
	}
	return tau, err
}
