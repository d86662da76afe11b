package plots

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	families := []string{branchesFamily}
	register(kind{
		FigureKind: record.FigureKind{
			Name: "positions", Place: 6, Doc: "branches@h by position h",
			Fields: slices.Concat(axisFields, sizeFields), Check: checkPositions,
		},
		note:   lastNote,
		gather: ofMetrics(func(_ record.Figure, e *numbers.Evaluated) { numbers.MeasureFamilies(families, e) }),
		draw:   func(d *Data) (*draw.Figure, Values, error) { return positionLines.figure(d, families) },
	})
}

// branchesFamily are the metrics of a position: branches@3 is about beginnings of 3
// tokens.
const branchesFamily = "branches"

func checkPositions(fig record.Figure, recorded record.Recorded) error {
	position := 1
	if len(recorded.Positions) > 0 {
		position = recorded.Positions[0]
	}
	if err := recorded.Metric(branchesFamily + "@" + strconv.Itoa(position)); err != nil {
		return fmt.Errorf("figure %q: %w", fig.Name, err)
	}
	return nil
}

const positionAxis = "position h (tokens)"

// positionLines are how many different beginnings of h tokens answers have, by h,
// at the last evaluated step (after Poly-EPO fig. 3).
var positionLines = familyLines(lineKind{
	describe: func(string) draw.Measure {
		return draw.Measure{Label: "active branches", Unit: "different beginnings", AtZero: true}
	},
	label: positionAxis, rows: positionAxis,
	scale: func(position float64) float64 { return position },
	ticks: func(_ []int, s *sheets.Sheet) plot.Ticker {
		return draw.Ticks{Count: s.XTicks() + 2, Whole: true}
	},
	level: func(numbers.Variant) bool { return false },
	note:  func(shown []numbers.Variant, _ []string) string { return sheets.LastStepNote(shown) },
})
