package plots

import (
	"fmt"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// branchesFamily are the metrics of a position: branches@3 is about beginnings of 3
// tokens.
const branchesFamily = "branches"

// positionAxis names the horizontal axis.
const positionAxis = "position h (tokens)"

var branchesMeasure = draw.Measure{Label: "active branches", Unit: "different beginnings", AtZero: true}

// positionsFigure shows how many different beginnings of h tokens answers have, by h,
// at the last evaluated step (after Poly-EPO fig. 3).
func positionsFigure(fig record.Figure, shown []sample) (*draw.Figure, error) {
	shown, common := shorten(shown)
	positions := measuredKs(branchesFamily, shown)
	if len(positions) == 0 {
		return nil, unknown("metric of the family", branchesFamily, shown)
	}
	sheet := newSheet(fig, shown, 1)
	m := branchesMeasure
	traces := sheet.traces(m, func(s sample) []point { return s.byPosition(positions) })
	low, high := apart(float64(positions[0]), float64(positions[len(positions)-1]))
	p, err := draw.Lines(m, traces, low, high)
	if err != nil {
		return nil, err
	}
	p.X.Label.Text = positionAxis
	p.X.Tick.Marker = draw.Ticks{Count: sheet.xTicks() + 2, Whole: true}
	sheet.add(p, m)
	return sheet.figure(draw.Sentences(common, lastStepNote(shown), sheet.absences(), seedNote(shown, true))), nil
}

// positionsValues are the means of the branches by position at the last step.
func positionsValues(_ record.Figure, shown []sample) (Values, error) {
	shown, _ = shorten(shown)
	positions := measuredKs(branchesFamily, shown)
	if len(positions) == 0 {
		return nil, unknown("metric of the family", branchesFamily, shown)
	}
	p := PanelValues{Title: branchesMeasure.Title(), Axis: positionAxis, Columns: lineColumns(shown)}
	p.Low, p.High = apart(float64(positions[0]), float64(positions[len(positions)-1]))
	for _, h := range positions {
		row := ValueRow{Name: fmt.Sprint(h), X: float64(h)}
		for _, s := range shown {
			row.Cells = append(row.Cells, s.interval(fmt.Sprintf("%s@%d", branchesFamily, h), s.last()))
		}
		p.Rows = append(p.Rows, row)
	}
	return Values{p}, nil
}

// byPosition is the number of branches by position, at the variant's last step.
func (s sample) byPosition(positions []int) []point {
	var line []point
	for _, h := range positions {
		if at := s.interval(fmt.Sprintf("%s@%d", branchesFamily, h), s.last()); at.N > 0 {
			line = append(line, point{x: float64(h), at: at})
		}
	}
	return line
}
