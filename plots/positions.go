package plots

import (
	"fmt"

	"modebench/experiments/record"
)

// branchesFamily are the metrics of a position: branches@3 is about beginnings of 3
// tokens.
const branchesFamily = "branches"

// positionsFigure shows how many different beginnings of h tokens answers have, by h,
// at the last evaluated step (after Poly-EPO fig. 3).
func positionsFigure(fig record.Figure, shown []sample) (*Figure, error) {
	shown, common := shorten(shown)
	positions := measuredKs(branchesFamily, shown)
	if len(positions) == 0 {
		return nil, unknown("metric of the family", branchesFamily, shown)
	}
	sheet := newSheet(fig, shown, 1)
	m := measure{label: "active branches", unit: "different beginnings", atZero: true}
	traces := sheet.traces(m, func(s sample) []point { return s.byPosition(positions) })
	low, high := apart(float64(positions[0]), float64(positions[len(positions)-1]))
	p, err := lines(m, traces, low, high)
	if err != nil {
		return nil, err
	}
	p.X.Label.Text = "position h (tokens)"
	p.X.Tick.Marker = niceTicks{count: sheet.xTicks() + 2, whole: true}
	sheet.add(p, m)
	return sheet.figure(sentences(common, lastStepNote(shown), sheet.absences(), seedNote(shown, true))), nil
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
