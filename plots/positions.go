package plots

import (
	"fmt"
	"strconv"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "positions", Place: 6, Doc: "branches@h by position h",
			Check: checkPositions,
		},
		note:   "At the last evaluation: mean over seeds [95% interval].",
		gather: ofMetrics(func(_ record.Figure, e *numbers.Evaluated) { numbers.MeasureFamilies([]string{branchesFamily}, e) }),
		draw:   func(d *Data) (*draw.Figure, error) { return positionLines.figure(d, []string{branchesFamily}) },
		values: positionsValues,
	})
}

// branchesFamily are the metrics of a position: branches@3 is about beginnings of 3
// tokens.
const branchesFamily = "branches"

// checkPositions is the check that branches are measured.
func checkPositions(fig record.Figure, of record.Recorded) error {
	position := 1
	if len(of.Positions) > 0 {
		position = of.Positions[0]
	}
	if err := of.Metric(branchesFamily + "@" + strconv.Itoa(position)); err != nil {
		return fmt.Errorf("figure %q: %w", fig.Name, err)
	}
	return nil
}

// positionAxis names the horizontal axis.
const positionAxis = "position h (tokens)"

var branchesMeasure = draw.Measure{Label: "active branches", Unit: "different beginnings", AtZero: true}

// positionLines are how many different beginnings of h tokens answers have, by h,
// at the last evaluated step (after Poly-EPO fig. 3).
var positionLines = lineKind{
	metric:   "metric of the family",
	describe: func(string) draw.Measure { return branchesMeasure },
	axis: func(family string, s *sheets.Sheet, all []numbers.Variant) horizontal {
		positions := numbers.MeasuredKs(family, all)
		if len(positions) == 0 {
			return horizontal{}
		}
		low, high := sheets.Apart(float64(positions[0]), float64(positions[len(positions)-1]))
		return horizontal{label: positionAxis, low: low, high: high, at: positions, ticks: draw.Ticks{Count: s.XTicks() + 2, Whole: true}}
	},
	points: func(v numbers.Variant, family string, axis horizontal) []sheets.Point {
		var line []sheets.Point
		for _, h := range axis.at {
			if at := v.Interval(fmt.Sprintf("%s@%d", family, h), v.Last()); at.N > 0 {
				line = append(line, sheets.Point{X: float64(h), At: at})
			}
		}
		return line
	},
	note: func(shown []numbers.Variant, _ []string) string { return sheets.LastStepNote(shown) },
}

// positionsValues are the means of the branches by position at the last step.
func positionsValues(d *Data) (Values, error) {
	shown, _ := numbers.Shorten(d.Variants)
	positions := numbers.MeasuredKs(branchesFamily, shown)
	if len(positions) == 0 {
		return nil, numbers.UnknownMetric("metric of the family", branchesFamily, shown)
	}
	p := PanelValues{Title: branchesMeasure.Title(), Axis: positionAxis, Columns: lineColumns(shown)}
	p.Low, p.High = sheets.Apart(float64(positions[0]), float64(positions[len(positions)-1]))
	for _, h := range positions {
		row := ValueRow{Name: fmt.Sprint(h), X: float64(h)}
		for _, v := range shown {
			row.Cells = append(row.Cells, v.Interval(fmt.Sprintf("%s@%d", branchesFamily, h), v.Last()))
		}
		p.Rows = append(p.Rows, row)
	}
	return Values{p}, nil
}
